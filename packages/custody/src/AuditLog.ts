/**
 * What happened in a wallet, in lines that can't be changed unseen: each carries the hash of the one before.
 *
 * **Details**
 *
 * The hash is an HMAC-SHA256 with a key that is sealed like the secrets of the wallet: who can write to the database, and has no
 * master key, can't make a line. A line that was changed, removed, repeated or moved is found by {@link AuditLog.verify}. Lines that
 * are cut off at the end are found by the number and the hash of a last line that you keep elsewhere.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { StoreFailure } from "./CustodyError.js"
import * as rows from "./internal/rows.js"
import * as tables from "./internal/tables.js"
import type { Sealer } from "./Vault.js"

/**
 * What happened: a key, an account or a pool was created, changed or deleted, something was signed or refused, a caller handed in a
 * transaction that was signed before (`sent`), or the owner of the wallet ran a command.
 *
 * @category models
 */
export type AuditEvent = "created" | "changed" | "deleted" | "signed" | "sent" | "refused" | "owner"

/**
 * What a line says.
 *
 * @category models
 */
export interface AuditEntry {
  readonly event: AuditEvent
  /** What was created, deleted or asked for, in words. */
  readonly what: string
  /** The name of the caller; undefined for the wallet itself and for its owner. */
  readonly caller?: string | undefined
  readonly operation?: string | undefined
  readonly requestId?: string | undefined
  /** The address of the account, or the ID of the key. */
  readonly subject?: string | undefined
  /** The hash that was signed. */
  readonly signed?: Hex | undefined
  /** Why something was refused. */
  readonly reason?: string | undefined
}

/**
 * A line of the log.
 *
 * @category models
 */
export interface AuditLine {
  /** From 1 on, without gaps. */
  readonly number: number
  /** JSON: number, Unix milliseconds, the hash of the line before, and an {@link AuditEntry}. */
  readonly line: string
  readonly hash: Hex
}

/**
 * The last line: keep number and hash elsewhere, to find out later whether lines were cut off.
 *
 * @category models
 */
export type AuditHead = Pick<AuditLine, "number" | "hash">

/**
 * A line of the log is not the one that was written. `number` is that of the first such line.
 *
 * @category errors
 */
export class AuditLogBroken extends Data.TaggedError("AuditLogBroken")<{
  readonly number: number
  readonly message: string
}> {}

/** The hash before the first line. */
const origin: Hex = `0x${"00".repeat(32)}`

const keyName = "audit log"

/** The key of the log, which is made with the log. */
const keyOf = (sql: SqlClient.SqlClient, chain: Chain, sealer: Sealer): Effect.Effect<Buffer, StoreFailure> =>
  Effect.gen(function*() {
    const table = sql(tables.nameOf("sealed", chain))
    const made = randomBytes(32)
    yield* rows.change(
      "audit",
      sql`INSERT INTO ${table} (name, sealed) VALUES (${keyName}, ${sealer.seal(keyName, made)}) ON CONFLICT DO NOTHING`
    )
    const sealed = yield* rows.first(
      "audit",
      sql`SELECT sealed FROM ${table} WHERE name = ${keyName}`,
      (row) => rows.bytes(row, "sealed")
    )
    const key = sealed && sealer.open(keyName, sealed)
    return key === undefined
      ? yield* new StoreFailure({ operation: "audit", cause: new Error("the key of the audit log can't be opened") })
      : Buffer.from(key)
  })

/** A line that something else has written over is read as one that was changed: what is behind it is written and read all the same. */
const toLine = (row: rows.Row): AuditLine => {
  const line = rows.cell(row, "line")
  return {
    number: rows.number(row, "number"),
    line: typeof line === "string" ? line : "",
    hash: rows.cell(row, "hash") instanceof Uint8Array ? rows.hex(row, "hash") : "0x"
  }
}

/** How many lines are read at a time. */
const pageLines = 1000

/** How often another process may take the next number first. */
const attempts = 100

const isSame = (one: Hex, other: Hex): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** The hash of the line before, which ties a line to its place. */
const previousOf = (line: string): unknown => {
  try {
    const read: unknown = JSON.parse(line)
    return typeof read === "object" && read !== null && "previous" in read ? read.previous : undefined
  } catch {
    return undefined
  }
}

/**
 * An open audit log.
 *
 * @category services
 */
export interface AuditLog {
  /** Writes a line. Several processes may write. */
  readonly append: (entry: AuditEntry) => Effect.Effect<void, StoreFailure>
  /** The last line, as it is stored; undefined for an empty log. Nothing is checked. */
  readonly last: Effect.Effect<AuditHead | undefined, StoreFailure>
  /** Lines behind a number, the oldest first, 1,000 at most. */
  readonly after: (number: number) => Effect.Effect<ReadonlyArray<AuditLine>, StoreFailure>
  /**
   * Reads all lines, and gives the last one; undefined for an empty log. Fails if a line was changed, removed, repeated or moved, or
   * if the line that `kept` names is not there any more.
   */
  readonly verify: (kept?: AuditHead) => Effect.Effect<AuditHead | undefined, StoreFailure | AuditLogBroken>
}

const broken = (number: number, problem: string): AuditLogBroken =>
  new AuditLogBroken({ number, message: `line ${number} of the audit log ${problem}` })

/** Why a line is not the one behind another. */
const whyBroken = (
  before: AuditHead,
  { hash, line, number }: AuditLine,
  hashOf: (line: string) => Hex
): AuditLogBroken | undefined => {
  const next = before.number + 1
  if (number !== next) return broken(next, "is gone")
  if (!isSame(hashOf(line), hash)) return broken(number, "was changed, or was not written by this wallet")
  return previousOf(line) === before.hash
    ? undefined
    : broken(number, "was moved or repeated: its place is another one")
}

/**
 * Opens the log of a chain's wallet. The tables (`GuardTables`) are there already.
 *
 * @category constructors
 */
export const open = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  sealer: Sealer
): Effect.Effect<AuditLog, StoreFailure> =>
  Effect.gen(function*() {
    const key = yield* keyOf(sql, chain, sealer)
    const table = sql(tables.nameOf("audit", chain))
    const hashOf = (line: string): Hex => fromBytes(createHmac("sha256", key).update(line).digest())
    const select = sql`SELECT number, line, hash FROM ${table}`
    const newest = rows.first("audit", sql`${select} ORDER BY number DESC LIMIT 1`, toLine)
    const mutex = yield* Effect.makeSemaphore(1)

    /** Whether the line got its number: another process may have been first. */
    const write = ({ hash, line, number }: AuditLine) =>
      Effect.map(
        rows.select(
          "audit",
          sql`INSERT INTO ${table} (number, line, hash) VALUES (${number}, ${line}, ${bytesOf(hash)})
            ON CONFLICT DO NOTHING RETURNING number`,
          rows.exists
        ),
        (written) => written.length > 0
      )

    const append = (entry: AuditEntry) =>
      Effect.gen(function*() {
        for (let attempt = 0; attempt < attempts; attempt++) {
          const { hash: previous, number: last } = (yield* newest) ?? { number: 0, hash: origin }
          const number = last + 1
          const line = JSON.stringify({ number, at: yield* Clock.currentTimeMillis, previous, ...entry })
          if (yield* write({ number, line, hash: hashOf(line) })) return
        }
        yield* new StoreFailure({ operation: "audit", cause: new Error("other processes write all the time") })
      }).pipe(
        mutex.withPermits(1),
        Effect.uninterruptible
      )

    const after = (number: number) =>
      rows.select("audit", sql`${select} WHERE number > ${number} ORDER BY number LIMIT ${pageLines}`, toLine)

    const verify = (kept?: AuditHead) =>
      Effect.gen(function*() {
        let last: AuditHead = { number: 0, hash: origin }
        for (;;) {
          const page = yield* after(last.number)
          for (const line of page) {
            const problem = whyBroken(last, line, hashOf)
            if (problem !== undefined) return yield* problem
            if (line.number === kept?.number && line.hash !== kept.hash) {
              return yield* broken(line.number, "is not the one whose hash you kept")
            }
            last = line
          }
          if (page.length < pageLines) break
        }
        if (kept !== undefined && kept.number > last.number) return yield* broken(last.number + 1, "was cut off")
        return last.number === 0 ? undefined : { number: last.number, hash: last.hash }
      })

    const last = Effect.map(newest, (line) => line && { number: line.number, hash: line.hash })

    return { append, last, after, verify }
  })
