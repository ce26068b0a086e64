/**
 * The wallet of a gateway: keys that you hold, in a file beside the index or in the same Postgres, and sends that survive.
 */
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import * as AuditedStore from "@effect-klaytn/custody/AuditedStore"
import { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import { StoreFailure, WalletRefused } from "@effect-klaytn/custody/CustodyError"
import * as DeletionKeeper from "@effect-klaytn/custody/DeletionKeeper"
import * as Evidence from "@effect-klaytn/custody/Evidence"
import * as Idempotency from "@effect-klaytn/custody/Idempotency"
import type { KeyWrapper } from "@effect-klaytn/custody/KeyWrapper"
import * as OwnSigner from "@effect-klaytn/custody/OwnSigner"
import * as RequestKeeper from "@effect-klaytn/custody/RequestKeeper"
import * as SendKeeper from "@effect-klaytn/custody/SendKeeper"
import * as SendOutcome from "@effect-klaytn/custody/SendOutcome"
import type { RequestStore, SendStore } from "@effect-klaytn/custody/SendStore"
import * as SqlLocks from "@effect-klaytn/custody/SqlLocks"
import * as SqlSecrets from "@effect-klaytn/custody/SqlSecrets"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import * as StoredSends from "@effect-klaytn/custody/StoredSends"
import * as Wallet from "@effect-klaytn/custody/Wallet"
import * as WalletApp from "@effect-klaytn/custody/WalletApp"
import type { NamedCaller, WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import type { FeeLedger, RemoteChain } from "@effect-klaytn/custody/WalletChain"
import type { WalletGuard } from "@effect-klaytn/custody/WalletGuard"
import * as WalletPolicy from "@effect-klaytn/custody/WalletPolicy"
import { encodeMethod } from "@effect-klaytn/indexer/Abi"
import type { IndexFacts } from "@effect-klaytn/indexer/PostgresIndex"
import { type Callers, isAuthorised } from "@effect-klaytn/service/ServiceAccess"
import type { RequestIds } from "@effect-klaytn/service/ServiceRefusals"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import type * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { randomBytes, randomUUID } from "node:crypto"
import type { GatewayError } from "./GatewayError.js"
import type { WalletHealth } from "./GatewayStatus.js"
import * as indexedWallet from "./internal/indexedWallet.js"
import * as newKeys from "./internal/newKeys.js"
import { isAddress } from "./internal/postgres.js"
import * as refusals from "./internal/startRefusals.js"
import * as walletFile from "./internal/walletFile.js"
import type { WalletFile } from "./internal/walletFile.js"
import * as walletWatch from "./internal/walletWatch.js"

/**
 * The options of a gateway's wallet.
 *
 * @category models
 */
export interface WalletOptions {
  /**
   * The master key, as 64 hexadecimal digits or as Base64 of 32 bytes. Default: that in the file `FILE.wallet.key`, which is made with
   * mode 0600 beside a new wallet; none for Postgres. At most one of `key`, `keyFile`, `keyCommand` and `keyWrapper` is given.
   */
  readonly key?: Redacted.Redacted<string> | undefined
  /** The file of the master key, which only its owner may read. Default: `FILE.wallet.key`. */
  readonly keyFile?: string | undefined
  /** A command whose output is the master key. Default: none. */
  readonly keyCommand?: string | undefined
  /** A master key that a key management service keeps. Default: none. */
  readonly keyWrapper?: KeyWrapper | undefined
  /** Names of pools beside `default`, for accounts, fee payers and keys. Default: none. */
  readonly pools?: ReadonlyArray<string> | undefined
  /** ID of the customer in the names of resources. Default: a random UUID. A wallet keeps the one that it was made with. */
  readonly accountId?: string | undefined
  /** Who pays for a value transfer that names no fee payer. Default: `document`, the global fee payer. */
  readonly feePayerStyle?: FeePayerStyle | undefined
  /** How long a send waits for an answer of the node that proves that the node has it. Default: 10 seconds. */
  readonly patience?: Duration.DurationInput | undefined
  /** How long the node has to refuse a send, for a reason that does not pass, before its nonce is cancelled. Default: 2 minutes. */
  readonly cancelAfter?: Duration.DurationInput | undefined
  /** The most that is paid for a unit of gas, in peb: nothing that costs more is signed. Default: 750 gkei. */
  readonly maxGasPrice?: bigint | undefined
  /** What is paid for a unit of gas beside the base fee of the newest block, 1 or more. Default: 1.1025, two full blocks ahead. */
  readonly gasPriceFactor?: number | undefined
  /** The same for a transaction that waits until the keys of a multisig account have signed it. Default: 4. */
  readonly heldGasPriceFactor?: number | undefined
  /** How long a key that was deleted can be had back, before its secret is destroyed. Default: 30 days. */
  readonly keepDeleted?: Duration.DurationInput | undefined
  /** A fee payer that has less is warned of in the log once an hour, in peb. Default: 10 KLAY. */
  readonly lowBalance?: bigint | undefined
}

/**
 * A running wallet.
 *
 * @category models
 */
export interface Service {
  readonly app: HttpApp.Default
  readonly wallet: ChainWallet
  readonly guard: WalletGuard
  /** ID of the customer. */
  readonly accountId: string
  /** How the wallet is now. */
  readonly health: Effect.Effect<WalletHealth, { readonly message: string }>
}

/**
 * What a wallet works with.
 *
 * @category models
 */
export interface Parts {
  /** The file of the wallet, or its place in Postgres, see {@link beside}. */
  readonly file: string
  readonly chain: RemoteChain
  readonly callers: Callers
  /** The caller of an `Authorization` header that was let in. */
  readonly callerOf: (header: string | undefined) => WalletCaller | undefined
  /** What the name of a send's caller stands for, now. */
  readonly callerNamed: (name: string) => Effect.Effect<NamedCaller, { readonly message: string }>
  readonly ids: RequestIds
  /** What is kept beside the index, which belongs to one wallet. */
  readonly facts: IndexFacts
  /** The fees that an address has paid. */
  readonly feesOf: (feePayer: `0x${string}`) => FeeLedger
}

/**
 * The wallet that belongs to an index: the file beside a file; for a Postgres, the address with the schema of the index and `_wallet`
 * behind its name.
 *
 * @category conversions
 */
export const beside: (database: string, schema?: string) => string = walletFile.beside

const storeError = ({ message }: { readonly message: string }): GatewayError => refusals.wallet(message)

/** The service's own fee payer, whose key is made with the wallet. Its secret is opened for each signature. */
const globalFeePayer = (secrets: SqlSecrets.SecretStore, { audit, keyring }: WalletFile) =>
  Effect.gen(function*() {
    if ((yield* secrets.secret(walletFile.payerName)) === undefined) {
      const secret = randomBytes(32)
      const publicKey = PublicKey.compressedOf(noble.publicKey(secret))
      const sealed = keyring.seal(walletFile.payerName, secret)
      secret.fill(0)
      yield* audit.append({ event: "created", what: walletFile.payerName, subject: publicKey })
      yield* keyring.keeping(sealed)(secrets.keepSecret(walletFile.payerName, { publicKey, sealed }))
    }
    return yield* OwnSigner.make(secrets, keyring, noble, walletFile.payerName)
  }).pipe(Effect.mapError(storeError))

/** ID of the customer, which a wallet keeps. */
const accountIdOf = (secrets: SqlSecrets.SecretStore, chosen: string | undefined) =>
  Effect.mapError(
    Effect.gen(function*() {
      yield* secrets.keepFact("customer", chosen ?? randomUUID())
      return (yield* secrets.fact("customer")) ?? ""
    }),
    storeError
  )

/** What the owner does about the sends of a name that is not known. */
const whatToDo = "add the caller again by klaytn gateway callers add, and revoke it if its sends shall be cancelled"

/** A request is answered after so long, or after the patience of a send if that is more, even if the node never answers. */
const requestLimit = Duration.seconds(10)

/** What the name of a send's caller stands for. Of a name that is not known the log tells once, as long as that is so. */
const namedIn = ({ callerNamed }: Parts) => {
  const told = new Set<string>()
  return (name: string) =>
    Effect.gen(function*() {
      const found = yield* Effect.mapError(
        callerNamed(name),
        ({ message }) => new StoreFailure({ operation: "callers", cause: new Error(message) })
      )
      if (found.caller !== undefined || found.revokedBefore !== undefined) {
        told.delete(name)
      } else if (!told.has(name)) {
        told.add(name)
        yield* Effect.logWarning(
          `sends of the caller ${name} go on, though the wallet knows no caller of this name: ${whatToDo}`
        )
      }
      return found
    })
}

/** The name of the caller of a request that may use the wallet. */
const nameIn = ({ callerOf, callers }: Parts) => (request: HttpServerRequest.HttpServerRequest) => {
  const caller = isAuthorised(callers, request) ? callerOf(request.headers["authorization"]) : undefined
  return caller?.rights.includes("wallet") === true ? caller.name : undefined
}

/** The app with requests that may have a key. The time of a request counts while it waits for another one with its key, too. */
const keyed = (
  parts: Parts,
  app: HttpApp.Default,
  { locks, patience, requests, store }: {
    readonly requests: RequestStore
    readonly store: SendStore
    readonly locks: SqlLocks.Locks | undefined
    readonly patience: Duration.DurationInput | undefined
  }
): HttpApp.Default =>
  Deadline.withDeadline(
    Idempotency.make(requests, parts.ids, app, nameIn(parts), locks, SendOutcome.ofRequest(store)),
    Duration.max(requestLimit, patience ?? requestLimit)
  )

/** Nothing reaches the node while the wallet is frozen, which is looked at last: every way to the node passes here. */
const closedWhileFrozen = (chain: RemoteChain, { frozen }: WalletGuard): RemoteChain => ({
  ...chain,
  submitRaw: (raw, check = Effect.void) =>
    chain.submitRaw(
      raw,
      Effect.flatMap(frozen, (why) =>
        why === undefined
          ? check
          : new WalletRefused({ reason: WalletPolicy.frozen.reason, message: WalletPolicy.frozen.message }))
    )
})

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
    const { callerOf, callers, feesOf, file, ids } = parts
    const { accountId, cancelAfter, feePayerStyle = "document", keepDeleted, patience, pools = [] } = options
    yield* indexedWallet.refuseLost(parts)
    const opened = yield* walletFile.open(file, parts.chain.chainId, options)
    const { guard, keyring, sql } = opened
    const accounts = SqlWalletStore.make(sql, parts.chain.chainId)
    const chain = Evidence.verified(closedWhileFrozen(parts.chain, guard), { store: accounts, curve: noble })
    const secrets = SqlSecrets.make(sql, chain.chainId)
    const payer = yield* globalFeePayer(secrets, opened)
    yield* indexedWallet.keep(parts, payer.address)
    const customer = yield* accountIdOf(secrets, accountId)
    const store = SqlSendStore.make(sql, chain.chainId)
    const place = { ...opened, chain: chain.chainId, file }
    const requests = SqlSendStore.requests(sql, chain.chainId, yield* newKeys.knownPlace(place))
    const isFrozen = Effect.map(guard.frozen, (why) => why !== undefined)
    const callerNamed = namedIn(parts)
    const repair = { chain, store, isFrozen, callerNamed, cancelAfter }
    // A file is used by one process.
    const locks = isAddress(file) ? SqlLocks.make(sql, chain.chainId) : undefined
    const keeping = (wallet: ChainWallet): SendKeeper.Parts => ({ ...repair, wallet })
    const wallet: ChainWallet = new ChainWallet({
      chain,
      sends: StoredSends.make({
        ...repair,
        patience,
        repair: (send) => SendKeeper.repairOne(keeping(wallet))(send),
        newKeysRefused: requests.refusal
      }),
      store: AuditedStore.make(accounts, { keyring, note: guard.note }),
      fees: feesOf(payer.address),
      vault: keyring,
      guard,
      callerNamed,
      curve: noble,
      customer,
      secret: () => randomBytes(32),
      globalFeePayer: payer
    }, locks)
    const all = Wallet.make(customer, [wallet])
    yield* Effect.mapError(all.createPools(pools), storeError)
    yield* Effect.forkScoped(SendKeeper.run(keeping(wallet)))
    const deletions = { blockTime: chain.blockTime, store: wallet.store, guard, keep: keepDeleted }
    yield* Effect.forkScoped(DeletionKeeper.run(deletions))
    yield* Effect.forkScoped(RequestKeeper.run({ store: requests }))
    yield* newKeys.watch(place)
    const app = yield* WalletApp.make({
      wallet: all,
      callers,
      ids,
      settings: {
        style: feePayerStyle,
        signsAnew: true,
        keepsCoin: true,
        rates: { krwPerMille: 0n, usdPerMille: 0n },
        encodeMethod
      },
      policy: { guard, callerOf }
    })
    return {
      app: keyed(parts, app, { requests, store, locks, patience }),
      guard,
      wallet,
      accountId: customer,
      health: yield* walletWatch.make({
        ...opened,
        chain,
        wallet,
        openByAccount: store.openByAccount,
        lowBalance: options.lowBalance
      })
    }
  })
