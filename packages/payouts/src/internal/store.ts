/** The payouts in the database: a row each, with a row for every change. */
import type * as Chain from "@effect-klaytn/core/Chain"
import * as NonceBook from "@effect-klaytn/wallet/NonceBook"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Change, Content, type Payout } from "../Payout.js"
import * as PayoutState from "../PayoutState.js"
import * as windows from "./spendWindow.js"
import * as tables from "./values.js"

/** The span in which a payout was asked for, to which the spans of its steps are linked. */
export interface Trace {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

interface Row {
  readonly id: string
  readonly content: string
  readonly state: string
  readonly version: number | string
  readonly created_at: number | string
  readonly updated_at: number | string
  readonly since: number | string
  readonly run: number | string
  readonly trace: string | null
}

interface ChangeRow {
  readonly seq: number | string
  readonly payout: string
  readonly version: number | string
  readonly at: number | string
  readonly event: string
  readonly state: string
}

/** A payout with what only this package needs. */
export interface Stored extends Payout {
  /** The number of its workflow: an approval begins a new one. */
  readonly run: number
  /** When it was accepted, or began to wait for a person, or its attempt was begun: a send that is repeated leaves it. */
  readonly since: number
  readonly trace: Trace | undefined
}

const json = <A, I>(schema: Schema.Schema<A, I>) => {
  const both = Schema.parseJson(schema)
  // Only this schema writes these rows: one that it can't read was changed by someone else, a defect.
  return { write: Schema.encodeSync(both), read: Schema.decodeSync(both) }
}

const content = json(Content)
const state = json(PayoutState.PayoutState)
const event = json(PayoutState.PayoutEvent)
const book = json(NonceBook.NonceBook)
const trace = json(Schema.Struct({ traceId: Schema.String, spanId: Schema.String, sampled: Schema.Boolean }))

const toStored = (row: Row): Stored => ({
  key: row.id,
  content: content.read(row.content),
  state: state.read(row.state),
  version: Number(row.version),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
  run: Number(row.run),
  since: Number(row.since),
  trace: row.trace === null ? undefined : trace.read(row.trace)
})

const toChange = (row: ChangeRow): Change => ({
  key: row.payout,
  version: Number(row.version),
  at: Number(row.at),
  event: event.read(row.event),
  state: state.read(row.state)
})

/** Which payouts are listed. */
export interface Filter {
  readonly states?: ReadonlyArray<PayoutState.Tag> | undefined
  readonly from?: string | undefined
  readonly after?: { readonly createdAt: number; readonly key: string } | undefined
  readonly size: number
}

/** A reservation that could not be made: why, and what to do first. */
export type Reservation =
  | { readonly _tag: "Changed"; readonly payout: Stored; readonly event: PayoutState.PayoutEvent }
  /** The account is not known here. */
  | { readonly _tag: "NoBook" }
  /** Its first transaction is not settled. */
  | { readonly _tag: "FirstIsOpen" }
  | { readonly _tag: "Stale" }

const ends = ["Executed", "Refused", "GivenUp"] as const

/** The events that restart the clock of `since`. */
const restartsClock: ReadonlySet<PayoutState.PayoutEvent["_tag"]> = new Set(["ApprovalNeeded", "Approved", "Reserved"])

export const isSqlError = (error: unknown): error is SqlError => Predicate.isTagged(error, "SqlError")

/** Turns a failed commit, which `@effect/sql` makes a defect, back into a failure. */
export const sqlDefects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchSomeDefect(
    effect,
    (defect) => isSqlError(defect) ? Option.some(Effect.fail(defect)) : Option.none()
  )

const createTables = (sql: SqlClient.SqlClient, namespace: string) => {
  const payouts = sql(`${namespace}_payouts`)
  const changes = sql(`${namespace}_payout_changes`)
  const serial = sql.onDialectOrElse({
    pg: () => sql`BIGSERIAL PRIMARY KEY`,
    orElse: () => sql`INTEGER PRIMARY KEY AUTOINCREMENT`
  })
  return tables.createTables(
    sql,
    `${namespace}_payouts`,
    Effect.all([
      sql`CREATE TABLE IF NOT EXISTS ${payouts} (
        id VARCHAR(255) PRIMARY KEY,
        sender VARCHAR(42) NOT NULL,
        content TEXT NOT NULL,
        state TEXT NOT NULL,
        tag VARCHAR(32) NOT NULL,
        version INTEGER NOT NULL,
        run INTEGER NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        since BIGINT NOT NULL,
        trace TEXT
      )`,
      sql`CREATE INDEX IF NOT EXISTS ${sql(`${namespace}_payouts_by_tag`)} ON ${payouts} (tag, updated_at)`,
      sql`CREATE INDEX IF NOT EXISTS ${sql(`${namespace}_payouts_by_age`)} ON ${payouts} (created_at, id)`,
      sql`CREATE TABLE IF NOT EXISTS ${changes} (
        seq ${serial},
        payout VARCHAR(255) NOT NULL,
        version INTEGER NOT NULL,
        at BIGINT NOT NULL,
        event TEXT NOT NULL,
        state TEXT NOT NULL,
        UNIQUE (payout, version)
      )`
    ], { discard: true })
  )
}

/** Opens the payouts of a namespace; what is missing is created. */
export const make = (sql: SqlClient.SqlClient, namespace: string) =>
  Effect.gen(function*() {
    const payouts = sql(`${namespace}_payouts`)
    const changes = sql(`${namespace}_payout_changes`)
    yield* createTables(sql, namespace)
    const values = yield* tables.make(sql, namespace)
    const window = yield* windows.make(sql, namespace)

    const bookKey = (chain: Chain.Chain, address: string) => `nonces ${chain} ${address}`

    const readBook = (text: Option.Option<string>) => Option.map(text, book.read)

    const changeBook = (key: string, change: (book: NonceBook.NonceBook) => NonceBook.NonceBook) =>
      Effect.flatMap(values.lock(key), (text) =>
        Option.match(readBook(text), {
          onNone: () => Effect.void,
          onSome: (found) => values.set(key, book.write(change(found)))
        }))

    const find = (key: string): Effect.Effect<Option.Option<Stored>, SqlError> =>
      Effect.map(
        sql<Row>`SELECT * FROM ${payouts} WHERE id = ${key}`,
        ([row]) => Option.map(Option.fromNullable(row), toStored)
      )

    const lock = (key: string): Effect.Effect<Option.Option<Stored>, SqlError> =>
      Effect.map(
        sql<Row>`SELECT * FROM ${payouts} WHERE id = ${key} ${tables.forUpdate(sql)}`,
        ([row]) => Option.map(Option.fromNullable(row), toStored)
      )

    /** Stores a payout, or finds the one that has its key. */
    const insert = (key: string, wanted: Content, sender: string, from: Trace | undefined) =>
      Effect.gen(function*() {
        const at = yield* Clock.currentTimeMillis
        const rows = yield* sql<Row>`
          INSERT INTO ${payouts} (id, sender, content, state, tag, version, run, created_at, updated_at, since, trace)
          VALUES (${key}, ${sender}, ${content.write(wanted)}, ${state.write(PayoutState.initial)},
            ${PayoutState.initial._tag}, 0, 0, ${at}, ${at}, ${at}, ${from === undefined ? null : trace.write(from)})
          ON CONFLICT DO NOTHING RETURNING *`
        if (rows[0] !== undefined) return { isNew: true, payout: toStored(rows[0]) }
        const found = yield* find(key)
        return Option.isSome(found)
          ? { isNew: false, payout: found.value }
          : yield* Effect.die(new Error("a payout whose key is taken can't be read: was its row deleted?"))
      })

    /** Writes a change of a payout whose row is locked, with what it means for its nonce and for the window. */
    const write = (before: Stored, happened: PayoutState.PayoutEvent, after: PayoutState.PayoutState) =>
      Effect.gen(function*() {
        const at = yield* Clock.currentTimeMillis
        const version = before.version + 1
        const run = happened._tag === "Approved" ? before.run + 1 : before.run
        const since = restartsClock.has(happened._tag) ? at : before.since
        yield* sql`
          UPDATE ${payouts} SET state = ${state.write(after)}, tag = ${after._tag}, version = ${version}, run = ${run},
            updated_at = ${at}, since = ${since} WHERE id = ${before.key}`
        yield* sql`
          INSERT INTO ${changes} (payout, version, at, event, state)
          VALUES (${before.key}, ${version}, ${at}, ${event.write(happened)}, ${state.write(after)})`
        const settled = PayoutState.nonceAfter(before.state, happened, after)
        const { from } = before.content.request
        if (settled !== undefined && from !== undefined) {
          const { fate, nonce } = settled
          yield* changeBook(bookKey(before.content.chain, from), (book) =>
            fate === "confirmed"
              ? NonceBook.confirm(book, nonce)
              : fate === "released"
              ? NonceBook.release(book, nonce)
              : NonceBook.suspect(book, nonce))
        }
        if (PayoutState.isUnspent(before.state, happened, after)) {
          // What took the nonce of a payout that was given up is its cancellation, which has its fee.
          yield* happened._tag === "Overtaken" && after._tag === "GivenUp"
            ? window.keepFee(before.key)
            : window.release(before.key)
        }
        return { ...before, state: after, version, run, since, updatedAt: at } satisfies Stored
      })

    /** Applies an event to a payout as it is now. `Left` says why it was ignored. */
    const apply = (
      key: string,
      happened: PayoutState.PayoutEvent
    ): Effect.Effect<Either.Either<Stored, string>, SqlError> =>
      sqlDefects(sql.withTransaction(Effect.gen(function*() {
        const found = yield* lock(key)
        if (Option.isNone(found)) return Either.left("there is no such payout")
        const after = PayoutState.step(found.value.state, happened)
        return Either.isLeft(after)
          ? Either.left(after.left)
          : Either.right(yield* write(found.value, happened, after.right))
      })))

    /** Reserves a nonce, counts the spend and changes the state, in one transaction. */
    const reserve = (
      key: string,
      spend: windows.Amounts,
      limits: windows.Limits | undefined
    ): Effect.Effect<Reservation, SqlError> =>
      sqlDefects(sql.withTransaction(Effect.gen(function*(): Effect.fn.Return<Reservation, SqlError> {
        const found = yield* lock(key)
        if (Option.isNone(found)) return { _tag: "Stale" }
        const { chain, request: { from } } = found.value.content
        if (from === undefined) return { _tag: "Stale" }
        if (Either.isLeft(PayoutState.step(found.value.state, { _tag: "Reserved", nonce: 1, from }))) {
          return { _tag: "Stale" }
        }
        const of = bookKey(chain, from)
        const known = readBook(yield* values.lock(of))
        if (Option.isNone(known)) return { _tag: "NoBook" }
        const reserved = NonceBook.reserve(known.value)
        if (Option.isNone(reserved)) return { _tag: "FirstIsOpen" }
        const problem = limits === undefined ? undefined : yield* window.count(key, spend, limits)
        if (problem !== undefined) {
          const refused = { _tag: "PolicyRefused", reason: "SpendRefused", problem } as const
          return { _tag: "Changed", payout: yield* transition(found.value, refused), event: refused }
        }
        const [nonce, next] = reserved.value
        yield* values.set(of, book.write(next))
        const event = { _tag: "Reserved", nonce, from } as const
        return { _tag: "Changed", payout: yield* transition(found.value, event), event }
      })))

    const transition = (before: Stored, happened: PayoutState.PayoutEvent) =>
      Either.match(PayoutState.step(before.state, happened), {
        onLeft: (reason) => Effect.die(new Error(reason)),
        onRight: (after) => write(before, happened, after)
      })

    /** Records the account's next nonce on the chain: those below it are taken, whoever took them. */
    const advance = (chain: Chain.Chain, address: string, next: number): Effect.Effect<void, SqlError> =>
      sqlDefects(sql.withTransaction(Effect.flatMap(values.lock(bookKey(chain, address)), (text) =>
        values.set(
          bookKey(chain, address),
          book.write(Option.match(readBook(text), {
            onNone: () => NonceBook.make(next),
            onSome: (book) => NonceBook.advance(book, next)
          }))
        ))))

    const history = (key: string): Effect.Effect<ReadonlyArray<Change>, SqlError> =>
      Effect.map(
        sql<ChangeRow>`SELECT * FROM ${changes} WHERE payout = ${key} ORDER BY version`,
        (rows) => rows.map(toChange)
      )

    /** Changes in the order in which they were begun, and the number of the last. */
    const changesAfter = (seq: number, size: number) =>
      Effect.map(
        sql<ChangeRow>`SELECT * FROM ${changes} WHERE seq > ${seq} ORDER BY seq LIMIT ${size}`,
        (rows) => rows.map((row) => ({ seq: Number(row.seq), change: toChange(row) }))
      )

    /** The number of the last change that was made before a time. */
    const lastBefore = (at: number): Effect.Effect<number, SqlError> =>
      Effect.map(
        sql<{ readonly seq: number | string | null }>`SELECT MAX(seq) AS seq FROM ${changes} WHERE at < ${at}`,
        ([row]) => Number(row?.seq ?? 0)
      )

    /** Newest first. */
    const list = ({ after, from, size, states }: Filter): Effect.Effect<ReadonlyArray<Stored>, SqlError> => {
      const wanted = [
        ...(states === undefined ? [] : [sql`tag IN ${sql.in(states)}`]),
        ...(from === undefined ? [] : [sql`sender = ${from}`]),
        ...(after === undefined
          ? []
          : [sql`(created_at < ${after.createdAt} OR (created_at = ${after.createdAt} AND id < ${after.key}))`])
      ]
      return Effect.map(
        sql<Row>`SELECT * FROM ${payouts} ${wanted.length === 0 ? sql`` : sql`WHERE ${sql.and(wanted)}`}
          ORDER BY created_at DESC, id DESC LIMIT ${size}`,
        (rows) => rows.map(toStored)
      )
    }

    /** Those of some keys that have ended. */
    const findEnded = (keys: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Stored>, SqlError> =>
      Effect.map(
        sql<Row>`SELECT * FROM ${payouts} WHERE ${sql.and([sql.in("id", keys), sql.in("tag", ends)])}`,
        (rows) => rows.map(toStored)
      )

    /** Those that should be worked on and were not for a while. */
    const findIdle = (
      before: number
    ): Effect.Effect<ReadonlyArray<{ readonly key: string; readonly run: number }>, SqlError> =>
      Effect.map(
        sql<{ readonly id: string; readonly run: number | string }>`
          SELECT id, run FROM ${payouts} WHERE updated_at < ${before}
          AND tag NOT IN ${sql.in([...ends, "WaitingForApproval"])} ORDER BY updated_at LIMIT 1000`,
        (rows) => rows.map(({ id, run }) => ({ key: id, run: Number(run) }))
      )

    /** How many payouts are open in each state, and since when the oldest of them waits. */
    const countOpen = Effect.map(
      sql<{ readonly tag: string; readonly count: number | string; readonly since: number | string }>`
        SELECT tag, COUNT(*) AS count, MIN(since) AS since FROM ${payouts}
        WHERE tag NOT IN ${sql.in(ends)} GROUP BY tag`,
      (rows) => rows.map(({ count, since, tag }) => ({ tag, count: Number(count), since: Number(since) }))
    )

    /** How many were accepted before a time and are in no block. */
    const countStuck = (before: number): Effect.Effect<number, SqlError> =>
      Effect.map(
        sql<{ readonly count: number | string }>`
          SELECT COUNT(*) AS count FROM ${payouts} WHERE tag = 'Sent' AND since < ${before}`,
        ([row]) => Number(row?.count ?? 0)
      )

    const spent = (limits: windows.Limits) => window.spent(limits)

    return {
      find,
      insert,
      apply,
      reserve,
      advance,
      history,
      changesAfter,
      lastBefore,
      list,
      findEnded,
      findIdle,
      countOpen,
      countStuck,
      spent
    }
  })

/** The payouts of a namespace. */
export type Store = Effect.Effect.Success<ReturnType<typeof make>>
