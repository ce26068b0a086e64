/**
 * The wallet of a gateway: keys that you hold, in a file beside the index, and sends that survive.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import * as CustodyTables from "@effect-klaytn/custody/CustodyTables"
import * as Idempotency from "@effect-klaytn/custody/Idempotency"
import * as SendKeeper from "@effect-klaytn/custody/SendKeeper"
import * as SqlSecrets from "@effect-klaytn/custody/SqlSecrets"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import * as StoredSends from "@effect-klaytn/custody/StoredSends"
import { Vault } from "@effect-klaytn/custody/Vault"
import * as Wallet from "@effect-klaytn/custody/Wallet"
import * as WalletApp from "@effect-klaytn/custody/WalletApp"
import type { FeeLedger, RemoteChain } from "@effect-klaytn/custody/WalletChain"
import * as Database from "@effect-klaytn/engine/Database"
import * as Migrations from "@effect-klaytn/engine/Migrations"
import { encodeMethod } from "@effect-klaytn/indexer/Abi"
import type { Callers } from "@effect-klaytn/service/ServiceAccess"
import type { RequestIds } from "@effect-klaytn/service/ServiceRefusals"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { randomBytes, randomUUID } from "node:crypto"
import type { GatewayError } from "./GatewayError.js"
import * as refusals from "./internal/startRefusals.js"
import * as walletKey from "./internal/walletKey.js"

/**
 * The options of a gateway's wallet.
 *
 * @category models
 */
export interface WalletOptions {
  /**
   * The key that seals the secrets: 64 hexadecimal digits. Default: that in the file `FILE.wallet.key`, which is made with mode
   * 0600 beside a new wallet.
   */
  readonly key?: Redacted.Redacted<string> | undefined
  /** Names of pools beside `default`, for accounts, fee payers and keys. Default: none. */
  readonly pools?: ReadonlyArray<string> | undefined
  /** ID of the customer in the names of resources. Default: a random UUID. A wallet keeps the one that it was made with. */
  readonly accountId?: string | undefined
  /** Who pays for a value transfer that names no fee payer. Default: `document`, the global fee payer. */
  readonly feePayerStyle?: FeePayerStyle | undefined
  /** How long a send waits for an answer of the node that proves that the node has it. Default: 10 seconds. */
  readonly patience?: Duration.DurationInput | undefined
  /** How long the node has to refuse a send before its nonce is cancelled. Default: 2 minutes. */
  readonly cancelAfter?: Duration.DurationInput | undefined
}

/**
 * A running wallet.
 *
 * @category models
 */
export interface Service {
  readonly app: HttpApp.Default
  readonly wallet: ChainWallet
  /** ID of the customer. */
  readonly accountId: string
}

/**
 * What a wallet works with.
 *
 * @category models
 */
export interface Parts {
  /** The file of the wallet. */
  readonly file: string
  readonly chain: RemoteChain
  readonly callers: Callers
  readonly ids: RequestIds
  /** The fees that an address has paid. */
  readonly feesOf: (feePayer: `0x${string}`) => FeeLedger
}

/**
 * The file of the wallet that belongs to a database.
 *
 * @category conversions
 */
export const beside = (database: string): string => `${database}.wallet`

const checkName = "check"
const payerName = "global fee payer"

const storeError = ({ message }: { readonly message: string }): GatewayError => refusals.wallet(message)

/** Opens the file of a wallet, with its tables. */
const openFile = (file: string, chain: Chain): Effect.Effect<SqlClient.SqlClient, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    const sql = Context.get(yield* Layer.build(Database.layerSqlite({ file })), SqlClient.SqlClient)
    yield* Effect.provideService(Migrations.upgrade(CustodyTables.make(chain)), SqlClient.SqlClient, sql)
    return sql
  }).pipe(Effect.mapError(storeError), Effect.withTracerEnabled(false))

/** The vault of a wallet, if the key is the one that the wallet was made with. */
const openVault = (
  secrets: SqlSecrets.SecretStore,
  file: string,
  key: WalletOptions["key"]
): Effect.Effect<Vault, GatewayError> =>
  Effect.gen(function*() {
    const check = yield* Effect.mapError(secrets.secret(checkName), storeError)
    const vault = new Vault(yield* walletKey.read(`${file}.key`, key, check === undefined))
    if (check === undefined) {
      const sealed = vault.seal(checkName, Buffer.from(checkName))
      yield* Effect.mapError(secrets.keepSecret(checkName, { publicKey: "0x", sealed }), storeError)
    } else if (vault.open(checkName, check.sealed) === undefined) {
      return yield* refusals.wallet("the keys of this wallet were sealed with another wallet key")
    }
    return vault
  })

/** The service's own fee payer, whose key is made with the wallet. */
const globalFeePayer = (secrets: SqlSecrets.SecretStore, vault: Vault) =>
  Effect.gen(function*() {
    const kept = yield* secrets.secret(payerName)
    if (kept === undefined) {
      const secret = randomBytes(32)
      const made = { publicKey: PublicKey.compressedOf(noble.publicKey(secret)), sealed: vault.seal(payerName, secret) }
      yield* secrets.keepSecret(payerName, made)
    }
    const { publicKey, sealed } = kept ?? (yield* secrets.secret(payerName)) ??
      { publicKey: "0x", sealed: none } as const
    const privateKey = vault.open(payerName, sealed)
    if (privateKey === undefined) return yield* refusals.wallet("the key of the global fee payer can't be opened")
    const address = PublicKey.addressOf(noble.publicKey(privateKey))
    return { address, open: Effect.succeed({ address, publicKey, privateKey: Redacted.make(privateKey) }) }
  }).pipe(Effect.mapError((error) => error._tag === "GatewayError" ? error : storeError(error)))

const none = new Uint8Array(0)

/** ID of the customer, which a wallet keeps. */
const accountIdOf = (secrets: SqlSecrets.SecretStore, chosen: string | undefined) =>
  Effect.mapError(
    Effect.gen(function*() {
      yield* secrets.keepFact("customer", chosen ?? randomUUID())
      return (yield* secrets.fact("customer")) ?? ""
    }),
    storeError
  )

/**
 * Opens a wallet for the time of a scope: its file, its key, its sends that are under way, and its operations over HTTP.
 *
 * @category constructors
 */
export const make = (
  parts: Parts,
  options: WalletOptions
): Effect.Effect<Service, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    const { callers, chain, feesOf, file, ids } = parts
    const { accountId, cancelAfter, feePayerStyle = "document", patience, pools = [] } = options
    const sql = yield* openFile(file, chain.chainId)
    const secrets = SqlSecrets.make(sql, chain.chainId)
    const vault = yield* openVault(secrets, file, options.key)
    const payer = yield* globalFeePayer(secrets, vault)
    const customer = yield* accountIdOf(secrets, accountId)
    const store = SqlSendStore.make(sql, chain.chainId)
    const wallet = new ChainWallet({
      chain,
      sends: StoredSends.make({ chain, store, patience }),
      store: SqlWalletStore.make(sql, chain.chainId),
      fees: feesOf(payer.address),
      vault,
      curve: noble,
      customer,
      secret: () => randomBytes(32),
      globalFeePayer: payer
    })
    const all = Wallet.make(customer, [wallet])
    yield* Effect.mapError(all.createPools(pools), storeError)
    yield* Effect.forkScoped(SendKeeper.run({ chain, store, wallet, cancelAfter }))
    const app = yield* WalletApp.make({
      wallet: all,
      callers,
      ids,
      settings: { style: feePayerStyle, signsAnew: true, rates: { krwPerMille: 0n, usdPerMille: 0n }, encodeMethod }
    })
    return {
      app: Idempotency.make(SqlSendStore.requests(sql, chain.chainId), ids, app),
      wallet,
      accountId: customer
    }
  })
