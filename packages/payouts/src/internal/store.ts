/** The payouts in the database: a row each, with a row for every change. */
import type * as Chain from "@effect-klaytn/core/Chain"
import type * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as NonceBook from "@effect-klaytn/wallet/NonceBook"
import type { WindowLimits } from "@effect-klaytn/wallet/SpendPolicy"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { Content } from "../Payout.js"
import { Payout } from "../Payout.js"
import * as PayoutState from "../PayoutState.js"
import * as changeRows from "./changeRows.js"
import * as clocks from "./clock.js"
import type * as inputs from "./inputs.js"
import * as limitRows from "./limitRows.js"
import * as migrations from "./migrations.js"
import * as minedNonces from "./minedNonces.js"
import { isSameMove, movesOf } from "./moves.js"
import * as nonces from "./nonces.js"
import * as payoutRows from "./payoutRows.js"
import type { Stored } from "./payoutRows.js"
import * as windows from "./spendWindow.js"
import * as tables from "./values.js"
import { forUpdate } from "./values.js"

export type { Stored } from "./payoutRows.js"

/** How many payouts one query of a scan reads, and how many keys one query names. */
const pageSize = 500

/** The events that begin another run of the workflow. */
const startsRun: ReadonlySet<PayoutState.PayoutEvent["_tag"]> = new Set(["Approved", "Adopted", "Faulted"])

/** When a process last worked on a payout that no process works on. */
const left = 0

/** The events that restart the clock of `since`. */
const restartsClock: ReadonlySet<PayoutState.PayoutEvent["_tag"]> = new Set(["ApprovalNeeded", "Approved", "Reserved"])

/** The public part of a stored payout. */
export const toPayout: (stored: Stored) => Payout = Struct.pick(...Struct.keys(Payout.fields))

const cursorKey = (name: string) => `cursor ${name}`

/** The spend of a payout: no key of a payout is the ID of another spend. */
const spendKey = (key: string) => `payout ${key}`

/** What the parts of a store share. */
type Tables = ReturnType<typeof tablesOf>

const tablesOf = (
  sql: SqlClient.SqlClient,
  namespace: string,
  changes: changeRows.ChangeRows,
  values: tables.Values,
  limits: WindowLimits | undefined,
  own: limitRows.Recorded,
  now: Effect.Effect<number, SqlError>
) => {
  const payouts = sql(`${namespace}_payouts`)
  const select = (rest: Statement.Fragment) =>
    Effect.flatMap(sql`SELECT * FROM ${payouts} ${rest}`, payoutRows.readRows)
  const find = (key: string, lock = sql``) => Effect.map(select(sql`WHERE id = ${key} ${lock}`), Arr.head)
  return {
    sql,
    payouts,
    select,
    find,
    /** The limits of this process, and all that are stored. */
    own,
    limits: limitRows.rows(values),
    /** The payouts that wait for a nonce and that this process may not give one. */
    ofOthers: sql`(tag IN ('Planned', 'Superseded') AND (limits IS NULL OR limits <> ${own.id}))`,
    /** Whether the time of a column is longer ago than a duration, or too far ahead to be believed. */
    isBefore: (column: "since" | "worked_at", at: number, duration: Duration.Duration) =>
      sql`(${sql(column)} < ${clocks.before(at, duration)} OR ${sql(column)} > ${at + clocks.believed})`,
    /** A payout that was stored. */
    get: (key: string) =>
      Effect.flatMap(
        find(key),
        Option.match({
          onNone: () => Effect.dieMessage(`payout ${key} is gone from the database`),
          onSome: Effect.succeed
        })
      ),
    transaction: <A>(effect: Effect.Effect<A, SqlError>) => sql.withTransaction(effect),
    values,
    changes,
    nonces: nonces.rows(values),
    mined: minedNonces.rows(sql, namespace, values),
    now,
    window: new windows.SpendWindow(sql, namespace, limits, now)
  }
}

/** Stores payouts. */
const inserting = ({ get, now, own, payouts, sql }: Tables) => ({
  /** Stores a payout, or finds the one that has its key. */
  insert: (key: string, content: Content, trace: Stored["trace"]) =>
    Effect.gen(function*() {
      const at = yield* now
      const [inserted] = yield* Effect.flatMap(
        sql`
        INSERT INTO ${payouts}
          (id, sender, content, state, tag, version, run, created_at, updated_at, since, worked_at, swept_at, trace, limits)
        VALUES (${key}, ${content.request.from}, ${payoutRows.writeContent(content)}, ${
          payoutRows.writeState(PayoutState.initial)
        },
          ${PayoutState.initial._tag}, 0, 0, ${at}, ${at}, ${at}, ${at}, ${at}, ${
          payoutRows.writeTrace(trace)
        }, ${own.id})
        ON CONFLICT DO NOTHING RETURNING *`,
        payoutRows.readRows
      )
      return inserted === undefined ? { isNew: false, payout: yield* get(key) } : { isNew: true, payout: inserted }
    })
})

/** Writes a change of a payout whose row is locked, with what it means for its nonce and for the window. */
const writing =
  ({ changes, mined, nonces: books, now, payouts, sql, window }: Tables) =>
  (before: Stored, happened: PayoutState.PayoutEvent, after: PayoutState.PayoutState) =>
    Effect.gen(function*() {
      const at = yield* now
      const version = before.version + 1
      const run = startsRun.has(happened._tag) ? before.run + 1 : before.run
      const since = restartsClock.has(happened._tag) ? at : before.since
      const offers = "doubt" in after && after.closing?.offered === true ? after.nonce : null
      const limits = happened._tag === "Adopted" ? happened.limits : before.limits
      const workedAt = happened._tag === "LimitsDiffer" ? left : at
      yield* sql`
        UPDATE ${payouts}
        SET state = ${payoutRows.writeState(after)}, tag = ${after._tag}, version = ${version}, run = ${run},
          updated_at = ${at}, since = ${since}, worked_at = ${workedAt}, offers = ${offers}, limits = ${limits}
        WHERE id = ${before.key}`
      const settled = PayoutState.nonceAfter(before.state, happened, after)
      const { chain, request: { from } } = before.content
      if (settled !== undefined) yield* books.change(chain, from, (book) => nonces.settle(book, settled))
      if (settled?.fate === "confirmed") yield* mined.raise(chain, from, settled.nonce)
      yield* window.record(spendKey(before.key), PayoutState.spendAfter(before.state, happened, after))
      yield* changes.insert({ key: before.key, version, at, event: happened, state: after })
      return { ...before, state: after, version, run, since, offers, limits, updatedAt: at } satisfies Stored
    })

/** Changes payouts, each change in one transaction. */
const changing = (tables: Tables) => {
  const { find, sql, transaction } = tables
  const write = writing(tables)
  return {
    /**
     * Applies an event to a payout as it is now, or only if it still has a version. `Left` says why it was ignored.
     */
    apply: (
      key: string,
      happened: PayoutState.PayoutEvent,
      version?: number
    ): Effect.Effect<Either.Either<Stored, string>, SqlError> =>
      transaction(Effect.gen(function*() {
        const found = yield* find(key, forUpdate(sql))
        if (Option.isNone(found)) return Either.left("there is no such payout")
        if (version !== undefined && version !== found.value.version) {
          return Either.left("it was changed while this was checked: look at it, and say it again")
        }
        if (happened._tag === "Faulted" && happened.run !== found.value.run) return Either.left("that run has ended")
        const after = PayoutState.step(found.value.state, happened)
        return Either.isLeft(after)
          ? Either.left(after.left)
          : Either.right(yield* write(found.value, happened, after.right))
      }))
  }
}

/** Gives a payout its nonce. */
const reserving = (tables: Tables) => {
  const { find, nonces: books, own, select, sql, transaction, window } = tables
  const write = writing(tables)

  /**
   * The nonces that payouts with equal content offer. With such a nonce, a transaction on the chain could belong to either
   * payout.
   */
  const offeredByEqual = ({ content: { chain, request } }: Stored) =>
    Effect.map(
      select(sql`WHERE sender = ${request.from} AND offers IS NOT NULL`),
      (payouts) =>
        new Set(payouts.flatMap(({ content, offers }) =>
          offers !== null && content.chain === chain && isSameMove(movesOf(content.request), movesOf(request))
            ? [offers]
            : []
        ))
    )

  return {
    /**
     * Reserves a nonce, counts the spend and changes the state, in one transaction. If it can't, it returns what is in the
     * way: `Stale`, the payout was changed, or has other limits; `NoBook`, the account is not known here; `Fresh`, no block holds a transaction
     * of it.
     */
    reserve: (key: string, spend: windows.Amounts, call?: PayoutState.Call) =>
      transaction(Effect.gen(function*() {
        const found = yield* find(key, forUpdate(sql))
        if (Option.isNone(found)) return { _tag: "Stale" } as const
        const { chain, request: { from } } = found.value.content
        if (found.value.limits !== own.id) return { _tag: "Stale" } as const
        if (Either.isLeft(PayoutState.step(found.value.state, { _tag: "Reserved", nonce: 1, from }))) {
          return { _tag: "Stale" } as const
        }
        const known = yield* books.lock(chain, from)
        if (Option.isNone(known)) return { _tag: "NoBook" } as const
        const reserved = nonces.reserve(known.value, yield* offeredByEqual(found.value))
        if (Option.isNone(reserved)) return { _tag: "Fresh" } as const
        const problem = yield* window.count(spendKey(key), spend)
        const [nonce, next] = reserved.value
        if (problem === undefined) yield* books.set(chain, from, next)
        const event: PayoutState.PayoutEvent = problem === undefined
          ? { _tag: "Reserved", nonce, from, ...(call === undefined ? {} : { call }) }
          : { _tag: "NotAllowed", reason: "SpendRefused", problem }
        const after = yield* Effect.orDieWith(PayoutState.step(found.value.state, event), (reason) => new Error(reason))
        return { _tag: "Changed", payout: yield* write(found.value, event, after), event } as const
      }))
  }
}

/** Keeps the nonces of accounts, as payouts and the chain have them. */
const accounts = ({ changes, mined, nonces: books, payouts, select, sql, transaction, window }: Tables) => {
  /** The payouts of an account that reserved a nonce at any time. */
  const reservedBy = (chain: Chain.Chain, sender: string, nonce: number) =>
    Effect.map(
      select(sql`WHERE sender = ${sender} AND id IN (${changes.reserved(nonce)})`),
      Arr.filter(({ content }) => content.chain === chain)
    )

  return {
    reservedBy,

    /** The highest nonce of an account that a final block settled for a payout of it; none if there is no such payout. */
    mined: (chain: Chain.Chain, address: string) => mined.get(chain, address),

    /** Records the account's next nonce on the chain: those below it are taken. */
    advance: (chain: Chain.Chain, address: string, next: number) =>
      transaction(
        Effect.flatMap(books.lock(chain, address), (known) =>
          books.set(
            chain,
            address,
            NonceBook.advance(Option.getOrElse(known, () => NonceBook.make(next)), next)
          ))
      ),

    /** The nonces of an account. */
    book: (chain: Chain.Chain, address: string) => books.get(chain, address),

    /**
     * Frees what was counted as taken from a nonce on, of which the chain and the node know nothing. A nonce that a payout had and gave
     * up is in a block, even if a node that lags does not show it, unless it is out of reach. Does nothing if a block settled this nonce
     * or a higher one for a payout: the count is wrong.
     */
    retreat: (chain: Chain.Chain, address: string, next: number) =>
      transaction(Effect.gen(function*() {
        const book = yield* books.lock(chain, address)
        if (Option.isNone(book) || Option.exists(yield* mined.get(chain, address), (known) => known >= next)) return
        const own = sql`SELECT id FROM ${payouts} WHERE chain = ${chain} AND sender = ${address}`
        const reserved = yield* changes.reservedFrom(next, own)
        yield* books.set(chain, address, NonceBook.retreat(book.value, next, new Set(reserved)))
      })),

    /**
     * Whether a nonce of an account may be filled: it is free, or `isGone` and neither held nor ever reserved by a payout. A
     * nonce that a payout had and gave up is in a block, even if a node that lags does not show it. If the nonce may be
     * filled, the spend of the cancellation is counted.
     */
    countGap: (chain: Chain.Chain, address: string, nonce: number, isGone: boolean, spend: windows.Amounts) =>
      transaction(Effect.gen(function*() {
        const known = yield* books.lock(chain, address)
        if (Option.isNone(known)) return false
        const mayFill = nonces.isFree(known.value, nonce) || (
          isGone && !nonces.isHeld(known.value, nonce) && (yield* reservedBy(chain, address, nonce)).length === 0
        )
        return mayFill && (yield* window.countFinal(`gap ${chain} ${address} ${nonce}`, spend)) === undefined
      }))
  }
}

/** Opens accounts: sends their first transactions. */
const openings = ({ nonces: books, now, transaction, values, window }: Tables) => {
  /** When a process last began to open an account, and how often that was begun. */
  const lockOpening = (chain: Chain.Chain, address: string) => {
    const key = `opening ${chain} ${address}`
    return Effect.flatMap(values.lock(key), (text) =>
      Effect.map(
        Option.match(text, {
          onNone: () => Effect.succeed({ at: -Infinity, times: 0 }),
          onSome: (json) => payoutRows.readOpening(address, json)
        }),
        (opening) => ({ key, ...opening })
      ))
  }

  return {
    /** Grants one process at a time to send the transaction that opens an account, and counts its spend. */
    beginOpening: (chain: Chain.Chain, address: string, spend: windows.Amounts, lease: number) =>
      transaction(Effect.gen(function*() {
        const at = yield* now
        const opening = yield* lockOpening(chain, address)
        if (clocks.since(at, opening.at) < lease) return { _tag: "Busy" } as const
        const times = opening.times + 1
        // One deed, however often it is sent: a lost one is only repeated.
        const problem = yield* window.countFinal(opening.key, spend)
        if (problem !== undefined) return { _tag: "OverLimit", problem } as const
        yield* values.set(opening.key, payoutRows.writeOpening({ at, times }))
        // As long as nonce 0 is open, no other payout gets a nonce of the account.
        yield* books.change(
          chain,
          address,
          (book) => Option.match(NonceBook.reserve(book), { onNone: () => book, onSome: ([, next]) => next })
        )
        return { _tag: "Granted" } as const
      })),

    /** Frees an account that could not be opened. */
    endOpening: (chain: Chain.Chain, address: string) =>
      transaction(Effect.gen(function*() {
        const { key, times } = yield* lockOpening(chain, address)
        yield* values.set(key, payoutRows.writeOpening({ at: 0, times }))
        yield* books.change(chain, address, (book) => NonceBook.release(book, 0))
      })),

    /** Records that a block holds the account's first transaction, and its next nonce. */
    opened: (chain: Chain.Chain, address: string, next: number) =>
      transaction(
        books.change(chain, address, (book) => NonceBook.advance(NonceBook.confirm(book, 0), next))
      )
  }
}

/** Reads payouts, and the cursors of readers. */
const reading = (
  { changes, find, get, isBefore, limits, now, ofOthers, payouts, select, sql, transaction, values, window }: Tables
) => ({
  /** The time of the database, in Unix milliseconds. */
  now: () => now,

  find: (key: string) => find(key),
  get,

  /** The changes of one payout after a version, oldest first. */
  history: changes.of,

  /** Changes of all payouts after a number, in the order of their commits. */
  changesAfter: changes.after,

  /** The number of the last change; 0 if there is none. */
  lastChange: changes.last,

  /** Limits by their ID. */
  limitsOf: (id: string) => limits.get(id),

  /** What counts in the spend window now, and what is left, if there are limits. */
  window: () => window.read,

  /** The stored cursor of a reader of the feed. */
  cursor: (name: string) => values.get(cursorKey(name)),

  /** Stores the cursor of a reader. It never goes back. */
  advanceCursor: (name: string, cursor: string) =>
    transaction(Effect.gen(function*() {
      const before = yield* values.lock(cursorKey(name))
      if (Option.exists(before, (at) => Number(at) >= Number(cursor))) return
      yield* values.set(cursorKey(name), cursor)
    })),

  /** Newest first. */
  list: ({ cursor, from, size, states }: Schema.Struct.Type<typeof inputs.list>) => {
    const wanted = [
      ...(states === undefined ? [] : [sql`tag IN ${sql.in(states)}`]),
      ...(from === undefined ? [] : [sql`sender = ${from}`]),
      ...(cursor === undefined ? [] : [sql`(created_at, id) < (${cursor.createdAt}, ${cursor.key})`])
    ]
    return select(sql`WHERE ${sql.and(wanted)} ORDER BY created_at DESC, id DESC LIMIT ${size}`)
  },

  /**
   * The payouts that last changed within a time, or are in one of some blocks, by key; the key of the last one leads to the next page.
   */
  ofDay: (
    { end, start }: { readonly start: number; readonly end: number },
    { first, last }: { readonly first: number; readonly last: number },
    after: string
  ) => {
    // As in the migrations: Postgres' functions of JSON refuse what a text of a state may contain.
    const block = sql.onDialectOrElse({
      pg: () => sql`CAST(SUBSTRING(state FROM '"block":([0-9]+)') AS BIGINT)`,
      orElse: () => sql`json_extract(state, '$.block')`
    })
    const isOfDay = sql`(updated_at >= ${start} AND updated_at < ${end} OR ${block} BETWEEN ${first} AND ${last})`
    return Effect.map(select(sql`WHERE ${isOfDay} AND id > ${after} ORDER BY id LIMIT ${pageSize}`), (page) => {
      const next = Option.filter(Arr.last(page), () => page.length === pageSize)
      return [Chunk.unsafeFromArray(page), Option.map(next, ({ key }) => key)] as const
    })
  },

  /** The accounts that pay on a chain. */
  senders: (chain: Chain.Chain) =>
    Effect.map(
      sql<{ readonly sender: string }>`
        SELECT DISTINCT sender FROM ${payouts} WHERE chain = ${chain} ORDER BY sender`,
      Arr.map(({ sender }) => payoutRows.readAddress(sender))
    ),

  /** The payouts of an account that hold a nonce, with it, lowest first. */
  holders: (chain: Chain.Chain, sender: string) =>
    Effect.map(
      select(
        sql`WHERE chain = ${chain} AND sender = ${sender} AND tag NOT IN ${sql.in(PayoutState.FinalTag.literals)}`
      ),
      (payouts) =>
        payouts.flatMap(({ key, state }) => "doubt" in state ? [{ key, nonce: state.nonce }] : [])
          .sort((one, other) => one.nonce - other.nonce)
    ),

  /** Those of some keys that are final. */
  findFinal: (keys: Iterable<string>) =>
    Effect.map(
      Effect.forEach(
        Arr.chunksOf(keys, pageSize),
        (page) => select(sql`WHERE ${sql.and([sql.in("id", page), sql.in("tag", PayoutState.FinalTag.literals)])}`)
      ),
      Arr.flatten
    ),

  /**
   * How many payouts are open in each state, since when the oldest of them waits, how many have waited for longer than a time,
   * on how many no process has worked for another, and how many wait for a process with other limits. The state with the oldest payout comes first.
   */
  countOpen: (waited: Duration.Duration, idle: Duration.Duration) =>
    Effect.flatMap(now, (at) =>
      Effect.flatMap(
        sql`
        SELECT tag, COUNT(*) AS count, MIN(since) AS since,
          SUM(CASE WHEN ${isBefore("since", at, waited)} THEN 1 ELSE 0 END) AS late,
          SUM(CASE WHEN ${isBefore("worked_at", at, idle)} THEN 1 ELSE 0 END) AS unattended,
          SUM(CASE WHEN ${ofOthers} THEN 1 ELSE 0 END) AS others
        FROM ${payouts} WHERE tag NOT IN ${sql.in(PayoutState.FinalTag.literals)} GROUP BY tag ORDER BY MIN(since)`,
        payoutRows.readOpenCounts
      ))
})

/** Records on which payouts processes work. */
const attending = ({ isBefore, now, ofOthers, own, payouts, sql }: Tables) => {
  const readable = payoutRows.passingOver()

  /** Skips rows that another process is writing: that process stamps them too, and nothing waits for their locks. */
  const stamp = (column: "worked_at" | "swept_at", keys: ReadonlyArray<string>) =>
    Effect.flatMap(now, (at) => {
      const named = sql.in("id", keys)
      const free = sql.onDialectOrElse({
        pg: () => sql`id IN (SELECT id FROM ${payouts} WHERE ${named} FOR UPDATE SKIP LOCKED)`,
        orElse: () => named
      })
      return sql`UPDATE ${payouts} SET ${sql(column)} = ${at} WHERE ${free}`
    }).pipe(Effect.when(() => keys.length > 0))

  return {
    /**
     * Those that should be worked on and were not for a while, and those that nobody may begin, as they have no limits. Not those that
     * were left. The ones that were swept longest ago come first.
     */
    findIdle: (idle: Duration.Duration) =>
      Effect.gen(function*() {
        const at = yield* now
        const ended = sql.in([...PayoutState.FinalTag.literals, "WaitingForApproval"])
        const rows = yield* sql<{ readonly id: string }>`SELECT * FROM ${payouts}
          WHERE tag NOT IN ${ended} AND worked_at <> ${left}
            AND (NOT ${ofOthers} AND ${isBefore("worked_at", at, idle)} OR ${ofOthers} AND limits IS NULL)
          ORDER BY swept_at LIMIT 1000`
        yield* stamp("swept_at", rows.map(({ id }) => id))
        return yield* readable(rows)
      }),

    /** Some of those that processes with other limits left, and that this process may work on: each is given to one process. */
    takeLeft: (chain: Chain.Chain) =>
      Effect.flatMap(now, (at) =>
        Effect.flatMap(
          sql`
            UPDATE ${payouts} SET worked_at = ${at}
            WHERE worked_at = ${left} AND id IN (
              SELECT id FROM ${payouts}
              WHERE tag IN ('Planned', 'Superseded') AND worked_at = ${left} AND limits = ${own.id} AND chain = ${chain}
              ORDER BY created_at LIMIT ${pageSize})
            RETURNING *`,
          payoutRows.readRows
        )),

    /** Leaves a payout that waits for a nonce to any process with its limits, if nothing has happened to it since it was read. */
    leaveAgain: ({ key, version }: Stored) =>
      Effect.asVoid(sql`UPDATE ${payouts} SET worked_at = ${left} WHERE id = ${key} AND version = ${version}`),

    /** Records that this process is working on some payouts. */
    touch: (keys: Iterable<string>) =>
      Effect.forEach(Arr.chunksOf(keys, pageSize), (page) => stamp("worked_at", page), { discard: true })
  }
}

/** The payouts of a namespace, as operations that fail as `E` if the database does. */
export type Store<E> = Failing<Effect.Effect.Success<ReturnType<typeof make>>, E>

type Failing<Operations, E> = {
  readonly [N in keyof Operations]: Operations[N] extends (...args: infer Args) => Effect.Effect<infer A, SqlError>
    ? (...args: Args) => Effect.Effect<A, E>
    : never
}

type AnyOperation = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, SqlError>

/** The same operations, each with what is done about a database that fails. */
export const failing = <E>(
  operations: Store<SqlError>,
  settle: <A>(effect: Effect.Effect<A, SqlError>) => Effect.Effect<A, E>
): Store<E> => {
  const settled = (operation: AnyOperation): unknown => (...args: ReadonlyArray<never>) => settle(operation(...args))
  // A cast: each operation keeps its inputs and its result.
  return Record.map(operations, settled) as Store<E>
}

/** Opens the payouts of a namespace; their tables are created or upgraded. */
export const make = (
  sql: SqlClient.SqlClient,
  namespace: string,
  limits?: WindowLimits,
  ownLimits: limitRows.Recorded = limitRows.none,
  service?: ServiceTime.ServiceTime
) =>
  Effect.gen(function*() {
    yield* migrations.open(sql, namespace)
    const values = tables.make(sql, namespace)
    const own = tablesOf(
      sql,
      namespace,
      changeRows.make(sql, namespace, values),
      values,
      limits,
      ownLimits,
      clocks.make(sql, service)
    )
    yield* own.limits.put(ownLimits)
    return {
      ...inserting(own),
      ...changing(own),
      ...reserving(own),
      ...accounts(own),
      ...openings(own),
      ...reading(own),
      ...attending(own)
    }
  })
