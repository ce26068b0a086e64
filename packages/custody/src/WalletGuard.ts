/**
 * Enforces what callers may do with a wallet, and writes down what was done.
 *
 * **Details**
 *
 * A guard looks at what is signed, not at what was asked: all ways to a signature, raw transactions and multisig included, pass the
 * same place. The line of the audit log is written before the signature is made, so a signature without a line doesn't exist. A sum of
 * a day counts what was signed, whatever becomes of it: bytes that the node refuses today may be accepted tomorrow.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as DatabaseTime from "@effect-klaytn/store/DatabaseTime"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { existsSync } from "node:fs"
import type { AuditEntry, AuditLog } from "./AuditLog.js"
import { type CustodyFailure, StoreFailure, WalletRefused } from "./CustodyError.js"
import * as rows from "./internal/rows.js"
import * as tables from "./internal/tables.js"
import { type CallerRequest, CurrentCaller } from "./WalletCaller.js"
import * as WalletMetrics from "./WalletMetrics.js"
import * as Policy from "./WalletPolicy.js"

type Failure = WalletRefused | StoreFailure

/**
 * Why a wallet is frozen.
 *
 * @category models
 */
export interface Frozen {
  /** Unix seconds; undefined if a file freezes the wallet. */
  readonly since: number | undefined
  readonly reason: string
}

/**
 * A sum that a caller has had signed on a day.
 *
 * @category models
 */
export interface Spent {
  readonly caller: string
  readonly pool: string
  /** Days since 1970, UTC. */
  readonly day: number
  /** peb */
  readonly amount: bigint
}

/**
 * A signature that is about to be made, with what is signed.
 *
 * @category models
 */
export type Signature = Policy.SignatureRequest & {
  readonly digest: Hex
  readonly subject: string
  /** Whether the receiver has code. Is asked where a limit needs it. */
  readonly codeOfReceiver?: Effect.Effect<boolean, CustodyFailure> | undefined
  /** Stores that the value is counted, together with the sum. */
  readonly counted?: Effect.Effect<void, StoreFailure> | undefined
}

/**
 * The guard of a wallet.
 *
 * @category services
 */
export interface WalletGuard {
  /** Lets a request in, or refuses the request: by the rights and pools of its caller, and while the wallet is frozen. */
  readonly enter: (
    request: CallerRequest & { readonly pools: ReadonlyArray<string> }
  ) => Effect.Effect<void, Failure>
  /** Lets a signature be made, or refuses the signature. The request is that of `CurrentCaller`. */
  readonly sign: (signature: Signature) => Effect.Effect<void, CustodyFailure>
  /**
   * Refuses a signature as {@link WalletGuard.sign} would, but for the sum of a day. A signature that may be made is not made: it is not
   * counted, and gets no line.
   */
  readonly check: (signature: Signature) => Effect.Effect<void, CustodyFailure>
  /** Writes a line of the audit log, with the request of `CurrentCaller`. */
  readonly note: (
    entry: Pick<AuditEntry, "event" | "what" | "subject" | "signed" | "reason">
  ) => Effect.Effect<void, StoreFailure>
  /** Why the wallet is frozen; undefined if it is not. */
  readonly frozen: Effect.Effect<Frozen | undefined, StoreFailure>
  /** Stops all signing, in every process that has the database open. */
  readonly freeze: (reason: string) => Effect.Effect<void, StoreFailure>
  /** Ends {@link WalletGuard.freeze}. A file that freezes the wallet stays. */
  readonly unfreeze: Effect.Effect<void, StoreFailure>
  /** The sums of a day, by caller and pool, of callers that have a limit by day. Default: today. */
  readonly spent: (day?: number) => Effect.Effect<ReadonlyArray<Spent>, StoreFailure>
}

/**
 * The parts of a guard.
 *
 * @category models
 */
export interface Parts {
  readonly sql: SqlClient.SqlClient
  readonly chain: Chain
  readonly audit: AuditLog
  /** As long as there is a file of this name, the wallet is frozen. Default: none. */
  readonly freezeFile?: string | undefined
}

const secondsOfDay = 86_400

/** The clock of a server is one for all processes: the clock of a machine that is wrong opens no day again. A file has one process. */
const todayOf = (sql: SqlClient.SqlClient): Effect.Effect<number, StoreFailure> =>
  sql.onDialectOrElse({
    pg: () =>
      DatabaseTime.millis(sql).pipe(
        Effect.mapBoth({
          onFailure: rows.failed("spent"),
          onSuccess: (now) => Math.floor(now / 1000 / secondsOfDay)
        }),
        Effect.withTracerEnabled(false)
      ),
    orElse: () => Effect.map(UnixTime.now, (now) => Math.floor(now / secondsOfDay))
  })

const refuse = ({ message, reason }: Policy.Denial): WalletRefused => new WalletRefused({ reason, message })

const amount = (row: rows.Row): bigint => BigInt(rows.text(row, "amount"))

/** How often another process may change a sum first. */
const attempts = 100

const spendingPart = ({ chain, sql }: Pick<Parts, "chain" | "sql">) => {
  const table = sql(tables.nameOf("spent", chain))
  const today = todayOf(sql)
  const isChanged = (statement: Parameters<typeof rows.select>[1]) =>
    Effect.map(rows.select("spent", statement, rows.exists), (changed) => changed.length > 0)

  /** Adds to the sum of a day, unless the sum would be larger than the limit. */
  const spend = (caller: string, pool: string, value: bigint, most: bigint): Effect.Effect<boolean, StoreFailure> =>
    Effect.gen(function*() {
      const day = yield* today
      const here = sql`caller = ${caller} AND pool = ${pool} AND day = ${day}`
      for (let attempt = 0; attempt < attempts; attempt++) {
        const before = yield* rows.first(
          "spent",
          sql`SELECT amount FROM ${table} WHERE ${here}`,
          amount
        )
        const sum = (before ?? 0n) + value
        if (sum > most) return false
        const statement = before === undefined
          ? sql`INSERT INTO ${table} (caller, pool, day, amount) VALUES (${caller}, ${pool}, ${day}, ${`${sum}`})
              ON CONFLICT DO NOTHING RETURNING day`
          : sql`UPDATE ${table} SET amount = ${`${sum}`} WHERE ${here} AND amount = ${`${before}`} RETURNING day`
        if (yield* isChanged(statement)) return true
      }
      return yield* new StoreFailure({
        operation: "spent",
        cause: new Error("other requests change the sum all the time")
      })
    })

  const spent = (day?: number) =>
    Effect.flatMap(day === undefined ? today : Effect.succeed(day), (asked) =>
      rows.select(
        "spent",
        sql`SELECT caller, pool, day, amount FROM ${table} WHERE day = ${asked} ORDER BY caller, pool`,
        (row): Spent => ({
          caller: rows.text(row, "caller"),
          pool: rows.text(row, "pool"),
          day: rows.number(row, "day"),
          amount: amount(row)
        })
      ))

  return { spend, spent }
}

const frozenOf = ({ chain, freezeFile, sql }: Omit<Parts, "audit">): WalletGuard["frozen"] =>
  Effect.suspend((): Effect.Effect<Frozen | undefined, StoreFailure> =>
    freezeFile !== undefined && existsSync(freezeFile)
      ? Effect.succeed({ since: undefined, reason: `there is a file ${freezeFile}` })
      : rows.first(
        "frozen",
        sql`SELECT since, reason FROM ${sql(tables.nameOf("frozen", chain))}`,
        (row) => ({ since: rows.number(row, "since"), reason: rows.text(row, "reason") })
      )
  )

/**
 * What a guard tells, without the audit log: no key is needed.
 *
 * @category constructors
 */
export const reader = (parts: Omit<Parts, "audit">): Pick<WalletGuard, "frozen" | "spent"> => ({
  frozen: frozenOf(parts),
  spent: spendingPart(parts).spent
})

type FreezingPart = Pick<WalletGuard, "frozen" | "freeze" | "unfreeze">

const freezingPart = (parts: Parts): FreezingPart => {
  const { audit, chain, sql } = parts
  const table = sql(tables.nameOf("frozen", chain))
  return {
    frozen: frozenOf(parts),
    freeze: (reason) =>
      Effect.gen(function*() {
        yield* rows.change(
          "freeze",
          sql`INSERT INTO ${table} (id, since, reason) VALUES (1, ${yield* UnixTime
            .now}, ${reason}) ON CONFLICT DO NOTHING`
        )
        yield* audit.append({ event: "owner", what: "freeze", reason })
      }),
    unfreeze: Effect.zipRight(
      audit.append({ event: "owner", what: "unfreeze" }),
      rows.change("freeze", sql`DELETE FROM ${table}`)
    )
  }
}

const named = (request: CallerRequest | undefined): Pick<AuditEntry, "caller" | "operation" | "requestId"> =>
  request === undefined
    ? {}
    : { caller: request.caller.name, operation: request.operation, requestId: request.requestId }

/** What is signed, in words. */
const whatOf = ({ role, transaction }: Policy.SignatureRequest): string =>
  transaction === undefined ? "32 bytes" : `${transaction.type} as ${role === "sender" ? "sender" : "fee payer"}`

const lineOf = (signature: Signature): Pick<AuditEntry, "what" | "subject" | "signed"> => ({
  what: whatOf(signature),
  subject: signature.subject,
  signed: signature.digest
})

/**
 * The guard of a wallet in a database whose tables (`GuardTables`) are there.
 *
 * @category constructors
 */
export const make = (parts: Parts): WalletGuard => {
  const { audit } = parts
  const { spend, spent } = spendingPart(parts)
  const freezing = freezingPart(parts)
  const isFrozen = Effect.map(freezing.frozen, (why) => why !== undefined)

  const refused = (
    denial: Policy.Denial,
    request: CallerRequest | undefined,
    { signed, subject, what }: Pick<AuditEntry, "what" | "subject" | "signed">
  ): Effect.Effect<never, Failure> =>
    audit.append({ event: "refused", what, ...named(request), subject, signed, reason: denial.message }).pipe(
      Effect.zipRight(Metric.update(WalletMetrics.refusals.pipe(Metric.tagged("reason", denial.reason)), 1)),
      Effect.zipRight(refuse(denial))
    )

  /** Why a signature is refused whatever was signed before; undefined if none of that forbids it. */
  const denialOf = (request: CallerRequest | undefined, signature: Signature) =>
    Effect.gen(function*() {
      const frozen = yield* isFrozen
      if (request === undefined) return frozen ? Policy.frozen : undefined
      const { codeOfReceiver } = signature
      const known = codeOfReceiver !== undefined && !frozen && Policy.needsCode(request.caller, signature)
        ? { ...signature, hasCode: yield* codeOfReceiver }
        : signature
      return Policy.ofSignature({ ...request, isFrozen: frozen }, known)
    })

  /** The denial of a value that no day lets the caller send, whatever was signed on it. */
  const denialOfDay = (request: CallerRequest | undefined, signature: Signature) => {
    const dailySum = request?.caller.limits.dailySum
    if (dailySum === undefined || signature.role !== "sender") return undefined
    return Policy.valueOf(signature.transaction) > dailySum ? Policy.overDailySum(dailySum) : undefined
  }

  /** Counts what a signature moves; the denial of a sum of the day that would be too large. */
  const count = (request: CallerRequest | undefined, signature: Signature) =>
    Effect.gen(function*() {
      const dailySum = request?.caller.limits.dailySum
      if (request === undefined || dailySum === undefined || signature.role !== "sender") return undefined
      const before = signature.replaces === undefined ? 0n : Policy.valueOf(signature.replaces)
      const more = Policy.valueOf(signature.transaction) - before
      const value = more > 0n ? more : 0n
      if (value === 0n) return undefined
      const spending = spend(request.caller.name, signature.pool ?? "", value, dailySum)
      const { counted } = signature
      const isWithin = yield* counted === undefined
        ? spending
        : tables.atomically(parts.sql, "spent")(Effect.tap(spending, (isCounted) => isCounted ? counted : Effect.void))
      return isWithin ? undefined : Policy.overDailySum(dailySum)
    })

  return {
    ...freezing,
    spent,
    enter: ({ pools, ...request }) =>
      Effect.gen(function*() {
        const denial = Policy.ofOperation({ ...request, pools, isFrozen: yield* isFrozen })
        if (denial !== undefined) return yield* refused(denial, request, { what: "request" })
      }),
    check: (signature) =>
      Effect.gen(function*() {
        const request = yield* CurrentCaller
        const denial = (yield* denialOf(request, signature)) ?? denialOfDay(request, signature)
        if (denial !== undefined) return yield* refused(denial, request, lineOf(signature))
      }),
    sign: (signature) =>
      Effect.gen(function*() {
        const request = yield* CurrentCaller
        const line = lineOf(signature)
        const denial = (yield* denialOf(request, signature)) ?? (yield* count(request, signature))
        if (denial !== undefined) return yield* refused(denial, request, line)
        yield* audit.append({ event: "signed", ...named(request), ...line })
        yield* Metric.update(WalletMetrics.signatures.pipe(Metric.tagged("role", signature.role)), 1)
      }),
    note: (entry) => Effect.flatMap(CurrentCaller, (request) => audit.append({ ...entry, ...named(request) }))
  }
}

/**
 * The hash that a transaction's signature is made of.
 *
 * @category reading
 */
export const digestOf = (
  transaction: Transaction.Transaction,
  role: "sender" | "feePayer",
  chainId: number
): Hex => {
  const digest = role === "feePayer" && Transaction.isFeeDelegatedTransaction(transaction)
    ? Transaction.feePayerDigest(transaction, chainId)
    : Transaction.senderDigest(transaction, chainId)
  return digest.ok ? digest.value : "0x"
}
