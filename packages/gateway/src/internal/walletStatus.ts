/** What `klaytn gateway wallet status` shows: read from the files of a wallet, without a key, and of the node if one is given. */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as SendOutcome from "@effect-klaytn/custody/SendOutcome"
import * as SqlSecrets from "@effect-klaytn/custody/SqlSecrets"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import * as WalletGuard from "@effect-klaytn/custody/WalletGuard"
import type { PoolType } from "@effect-klaytn/custody/WalletRecord"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { GatewayError } from "../GatewayError.js"
import { beside } from "../GatewayWallet.js"
import * as feePayers from "./feePayers.js"
import * as managedCallers from "./managedCallers.js"
import * as refusals from "./startRefusals.js"
import * as WalletCallers from "./WalletCallers.js"
import * as walletFile from "./walletFile.js"
import * as walletOf from "./walletOf.js"

/** A sum of today. */
interface UsedLimit {
  readonly caller: string
  readonly pool: string
  /** In peb. */
  readonly spent: bigint
  /** In peb; undefined if the caller has no limit by day any more. */
  readonly limit: bigint | undefined
}

/** The state of a wallet. Amounts are in peb. */
export interface WalletStatus {
  readonly file: string
  readonly chain: Chain
  /** Why nothing is signed; undefined if the wallet signs. */
  readonly frozen: string | undefined
  readonly pools: ReadonlyArray<{ readonly type: PoolType; readonly name: string; readonly accounts: number }>
  readonly keys: number
  /** Why each unknown `Idempotency-Key` is refused; undefined if they are not. */
  readonly newKeysRefused: string | undefined
  readonly feePayers: ReadonlyArray<
    feePayers.FeePayer & { readonly balance: bigint | undefined; readonly isLow: boolean | undefined }
  >
  readonly sendsUnderWay: ReadonlyArray<{
    readonly from: Hex
    readonly nonce: bigint
    readonly hash: Hex
    readonly attempts: number
    /** Since the transaction was signed. */
    readonly seconds: number
    readonly isCancel: boolean
    /** How far it is. */
    readonly stage: SendOutcome.Stage
    /** Since it is so far. */
    readonly stageSeconds: number
    /** The node's last refusal, or why it is cancelled. */
    readonly reason: string | undefined
    /** The nonce of the account that has to run first and does not. */
    readonly waitsForNonce: bigint | undefined
  }>
  /** Callers whose sends are under way, and of whom the wallet has neither a row nor a revocation: these sends go on. */
  readonly unknownCallers: ReadonlyArray<string>
  /** The sums of today (UTC) of callers with a limit by day. */
  readonly limitsUsed: ReadonlyArray<UsedLimit>
}

/** A node, with the secrets of its address as they were read. */
export interface StatusOptions {
  /** The node that is asked for balances. Default: none, and no balance is known. */
  readonly node?: { readonly url: string; readonly authorization?: string | undefined } | undefined
  /** A fee payer with less is marked, in peb. Default: 10 KLAY. */
  readonly lowBalance?: bigint | undefined
}

const refuse = ({ message }: { readonly message: string }): GatewayError => refusals.wallet(message)

const payersOf = (sql: SqlClient, chain: Chain, { lowBalance, node }: StatusOptions) =>
  Effect.gen(function*() {
    const own = yield* Effect.mapError(SqlSecrets.make(sql, chain).secret(walletFile.payerName), refuse)
    const global = own === undefined ? undefined : PublicKey.toAddress(own.publicKey)
    if (global?.ok !== true) {
      return yield* refusals.wallet("the wallet has no global fee payer yet: start the gateway once")
    }
    const all = yield* Effect.mapError(feePayers.list(SqlWalletStore.make(sql, chain), global.value), refuse)
    if (node === undefined) return all.map((payer) => ({ ...payer, balance: undefined, isLow: undefined }))
    const { authorization, url } = node
    const remote = yield* walletOf.checkedChain({
      url: Redacted.make(url),
      ...(authorization === undefined ? {} : { authorization: Redacted.make(authorization) })
    }, chain)
    return yield* Effect.mapError(feePayers.balances(remote, all, lowBalance), ({ message }) => refusals.node(message))
  })

/** What callers have had signed today, beside their limits as they are now. */
const limitsUsed = (
  sql: SqlClient,
  spent: ReadonlyArray<WalletGuard.Spent>
): Effect.Effect<ReadonlyArray<UsedLimit>, GatewayError> =>
  Effect.gen(function*() {
    const callers = yield* managedCallers.listOf(yield* WalletCallers.rows(sql), [])
    return spent.map(({ amount, caller, pool }) => ({
      caller,
      pool,
      spent: amount,
      limit: callers.find(({ name }) => name === caller)?.limits.dailySum
    }))
  })

/** The state of the wallet beside a database, also while a gateway uses the wallet. */
export const status = (database: string, options: StatusOptions = {}): Effect.Effect<WalletStatus, GatewayError> =>
  Effect.scoped(Effect.gen(function*() {
    const { chain, file, sql } = yield* walletFile.readable(beside(database))
    const store = SqlWalletStore.make(sql, chain)
    const sends = SqlSendStore.make(sql, chain)
    const guard = WalletGuard.reader({ sql, chain, freezeFile: walletFile.freezeFile(file) })
    const read = yield* Effect.mapError(
      Effect.all({
        frozen: guard.frozen,
        pools: Effect.flatMap(
          store.pools,
          (pools) =>
            Effect.forEach(
              pools.toReversed(),
              (pool) =>
                Effect.map(store.countAccounts(pool), (accounts) => ({ type: pool.type, name: pool.name, accounts }))
            )
        ),
        keys: store.countKeys,
        newKeysRefused: SqlSendStore.requests(sql, chain).refusal,
        open: Effect.flatMap(
          sends.open,
          Effect.forEach((send) => Effect.map(SendOutcome.ofSend(sends)(send), (outcome) => ({ send, outcome })))
        ),
        spent: guard.spent()
      }),
      refuse
    )
    const now = yield* UnixTime.now
    const callers = [...new Set(read.open.flatMap(({ send: { caller } }) => caller ?? []))].toSorted()
    const known = yield* WalletCallers.known(sql, callers)
    return {
      file: walletFile.shown(file),
      chain,
      frozen: read.frozen?.reason,
      pools: read.pools.filter(({ type }) => type !== "key-pool"),
      keys: read.keys,
      newKeysRefused: read.newKeysRefused,
      feePayers: yield* payersOf(sql, chain, options),
      sendsUnderWay: read.open.map(({ outcome, send: { account, attempts, cancels, createdAt, hash, nonce } }) => ({
        from: account,
        nonce,
        hash,
        attempts,
        seconds: Math.max(0, now - createdAt),
        isCancel: cancels !== "none",
        stage: outcome.stage,
        stageSeconds: Math.max(0, now - outcome.since),
        reason: outcome.reason,
        waitsForNonce: outcome.waitsFor?.nonce
      })),
      unknownCallers: callers.filter((name) => !known.has(name)),
      limitsUsed: yield* limitsUsed(sql, read.spent)
    }
  })).pipe(Effect.provide(FetchHttpClient.layer))
