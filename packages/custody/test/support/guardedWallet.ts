import * as AuditedStore from "@effect-klaytn/custody/AuditedStore"
import * as AuditLog from "@effect-klaytn/custody/AuditLog"
import { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import * as CustodyTables from "@effect-klaytn/custody/CustodyTables"
import * as DirectSends from "@effect-klaytn/custody/DirectSends"
import * as GuardTables from "@effect-klaytn/custody/GuardTables"
import * as Idempotency from "@effect-klaytn/custody/Idempotency"
import * as Keyring from "@effect-klaytn/custody/Keyring"
import * as KeyWrapper from "@effect-klaytn/custody/KeyWrapper"
import type { RequestStore } from "@effect-klaytn/custody/SendStore"
import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import * as Wallet from "@effect-klaytn/custody/Wallet"
import * as WalletApp from "@effect-klaytn/custody/WalletApp"
import type { WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import * as WalletGuard from "@effect-klaytn/custody/WalletGuard"
import * as LocalChain from "@effect-klaytn/local-chain/LocalChain"
import { RequestIds } from "@effect-klaytn/service/RequestIds"
import { pairOf } from "@effect-klaytn/service/ServiceAccess"
import * as Database from "@effect-klaytn/store/Database"
import * as Migrations from "@effect-klaytn/store/Migrations"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as HttpApp from "@effect/platform/HttpApp"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { randomBytes } from "node:crypto"
import { walletChain } from "./localWallet.js"

export const chain = 1001

/** Opens a database, without tables. */
export const openDatabase = (file = ":memory:") =>
  Effect.map(Layer.build(Database.layerSqlite({ file })), Context.get(SqlClient.SqlClient))

/** Makes the tables of a wallet, and those that guard the wallet. */
export const makeTables = (sql: SqlClient.SqlClient) =>
  Effect.provideService(
    Effect.zipRight(
      Migrations.upgrade(CustodyTables.make(chain)),
      Migrations.upgrade(GuardTables.make(chain))
    ),
    SqlClient.SqlClient,
    sql
  )

/** A wallet in a database that has its tables. */
export const walletIn = (
  sql: SqlClient.SqlClient,
  local: LocalChain.LocalChain,
  wrapper: KeyWrapper.KeyWrapper,
  { freezeFile, maxPrice }: { readonly freezeFile?: string; readonly maxPrice?: bigint } = {}
) =>
  Effect.gen(function*() {
    const keyring = yield* Keyring.open(sql, chain, wrapper)
    const audit = yield* AuditLog.open(sql, chain, keyring)
    const guard = WalletGuard.make({ sql, chain, audit, freezeFile })
    const viewed = { ...walletChain(local), maxPrice }
    const wallet = new ChainWallet({
      chain: viewed,
      sends: DirectSends.make(viewed),
      store: AuditedStore.make(SqlWalletStore.make(sql, chain), { ...guard, keyring }),
      fees: { list: () => Effect.succeed([]), find: () => Effect.succeed(Option.none()) },
      vault: keyring,
      curve: noble,
      customer: "test",
      secret: () => randomBytes(32),
      globalFeePayer: { address: local.faucet.address, open: Effect.succeed(local.faucet) },
      guard
    })
    return { keyring, audit, guard, wallet }
  })

/** A guarded wallet in memory, over a chain in memory. */
export const make = (
  options:
    & { readonly freezeFile?: string; readonly maxPrice?: bigint }
    & Pick<LocalChain.LocalChainOptions, "accounts"> = {}
) =>
  Effect.gen(function*() {
    const sql = yield* openDatabase()
    yield* makeTables(sql)
    const local = yield* LocalChain.make({ chainId: chain, ...(options.accounts && { accounts: options.accounts }) })
    const wrapper = KeyWrapper.ofKey(randomBytes(32))
    return { sql, local, wrapper, ...(yield* walletIn(sql, local, wrapper, options)) }
  })

/** An answer of the wallet's HTTP app. */
export interface Answer {
  readonly status: number
  readonly body: { readonly [field: string]: unknown; readonly code?: number; readonly message?: string }
}

/** A request: a method and a path, with what it carries. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly krn?: string | undefined
  /** The `Idempotency-Key`. */
  readonly key?: string | undefined
}

/** Credentials are the names of callers. Anyone else has a wrong credential. */
const authorization = (name: string): string => `Basic ${Buffer.from(`${name}:secret`).toString("base64")}`

/** The HTTP app of a guarded wallet, for callers by their names. */
export const serve = (
  { guard, wallet }: { readonly guard: WalletGuard.WalletGuard; readonly wallet: ChainWallet },
  callers: ReadonlyArray<WalletCaller>,
  requests?: RequestStore
) =>
  Effect.gen(function*() {
    const callerOf = (header: string | undefined) =>
      callers.find(({ name }) => String(Buffer.from(pairOf(header) ?? [])) === `${name}:secret`)
    const ids = new RequestIds()
    const app = yield* WalletApp.make({
      wallet: Wallet.make("test", [wallet]),
      callers: {
        check: (header) => pairOf(header) === undefined ? "malformed" : callerOf(header) === undefined ? "wrong" : "ok",
        chain
      },
      ids,
      settings: {
        style: "document",
        signsAnew: true,
        keepsCoin: true,
        rates: { krwPerMille: 0n, usdPerMille: 0n },
        encodeMethod: () => new Uint8Array(4)
      },
      policy: { guard, callerOf }
    })
    const handle = HttpApp.toWebHandler(
      requests === undefined
        ? app
        : Idempotency.make(requests, ids, app, ({ headers }) => callerOf(headers["authorization"])?.name)
    )
    return (caller: string | undefined, { body, key, krn, method, path }: Asked): Effect.Effect<Answer> =>
      Effect.promise(async () => {
        const answer = await handle(
          new Request(`http://wallet${path}`, {
            method,
            headers: {
              ...(caller === undefined ? {} : { authorization: authorization(caller) }),
              ...(krn === undefined ? {} : { "x-krn": krn }),
              ...(key === undefined ? {} : { [Idempotency.header]: key }),
              "content-type": "application/json"
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
        )
        const answered: Answer["body"] = JSON.parse(await answer.text())
        return { status: answer.status, body: answered }
      })
  })
