/** One list of the records of all windows, newest first, while windows are read ahead. */
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { type ExportError, RangeUnavailable } from "../ExportError.js"
import type { MergedOptions } from "../Exports.js"
import type { Plan, Window } from "../Plan.js"
import type { Rejected, Row } from "../Row.js"
import * as Sink from "../Sink.js"
import { readWindow, start } from "./exportRun.js"
import { nothingStored } from "./nothingStored.js"

type Item = Either.Either<Row, Rejected>

/** Where a record stands: the newest comes first. */
interface Place {
  readonly unix: number
  readonly block: number
}

interface Entry extends Place {
  readonly item: Item
}

type Failure = ExportError | RangeUnavailable

type Feed = Mailbox.Mailbox<ReadonlyArray<Entry>, Failure>

const isNewer = (one: Place, other: Place): boolean =>
  one.unix > other.unix || one.unix === other.unix && one.block > other.block

const isSame = (one: Place, other: Place): boolean => one.unix === other.unix && one.block === other.block

/**
 * Puts the records of a window in their places, without those that were emitted before: a window whose cursor died is
 * read again. A record without time or block goes with the one before it, a rejected one with the last of its page.
 */
const makePlacer = (plan: Plan, window: Window) => {
  const beginning: Place = {
    unix: plan.unit === "second" ? window.to : Number.MAX_SAFE_INTEGER,
    block: plan.unit === "block" ? window.to : Number.MAX_SAFE_INTEGER
  }
  let place = beginning
  /** The last place of an emitted record, and the IDs of the records emitted there. */
  let emitted: Place = { unix: Number.MAX_SAFE_INTEGER, block: Number.MAX_SAFE_INTEGER }
  let ids = new Set<string>()
  const refused = new Set<string>()
  return {
    restart: (): void => {
      place = beginning
    },
    entries: (rows: ReadonlyArray<Row>, rejected: ReadonlyArray<Rejected>): ReadonlyArray<Entry> => {
      const entries: Array<Entry> = []
      for (const row of rows) {
        const unix = Math.min(place.unix, row.unix ?? place.unix)
        place = { unix, block: Math.min(place.block, row.block_number ?? place.block) }
        if (isNewer(place, emitted) || isSame(place, emitted) && ids.has(row.id)) continue
        if (!isSame(place, emitted)) {
          emitted = place
          ids = new Set()
        }
        ids.add(row.id)
        entries.push({ ...place, item: Either.right(row) })
      }
      for (const one of rejected) {
        if (refused.has(one.id)) continue
        refused.add(one.id)
        // Not before what was emitted: the order never goes back.
        entries.push({ ...(isNewer(place, emitted) ? emitted : place), item: Either.left(one) })
      }
      return entries
    }
  }
}

const noPlan = new Sink.SinkError({ reason: "stored", problem: "merged records are not stored; pass a plan" })

/** A window that is read: its records in their places, and where they go. */
interface Reading {
  readonly placer: ReturnType<typeof makePlacer>
  readonly feed: Feed
}

/** A sink that passes pages on to the feeds of their windows, and waits while those are full. */
const feedSink = (plan: Plan, readings: ReadonlyMap<number, Reading>): Sink.Sink => {
  const session: Sink.Session = {
    ...nothingStored,
    plan: Effect.succeed(plan),
    commit: ({ next, rejected, rows, window }) =>
      Effect.suspend(() => {
        const state = next(rows, rejected)
        const reading = readings.get(window.index)
        const entries = reading?.placer.entries(rows, rejected) ?? []
        return reading === undefined || entries.length === 0
          ? Effect.succeed(state)
          : Effect.as(reading.feed.offer(entries), state)
      }),
    restart: (before) =>
      Effect.sync(() => {
        readings.get(before.window)?.placer.restart()
        return { ...Sink.fresh({ index: before.window }), pages: before.pages }
      })
  }
  return { open: (newPlan) => newPlan === undefined ? noPlan : Effect.succeed(session) }
}

/** Windows of one time, beside each other. */
const periodsOf = ({ windows }: Plan): ReadonlyArray<ReadonlyArray<Window>> => {
  const periods: Array<Array<Window>> = []
  for (const window of [...windows].sort((a, b) => b.to - a.to || a.source - b.source)) {
    const last = periods.at(-1)
    if (last?.[0]?.to === window.to) last.push(window)
    else periods.push([window])
  }
  return periods
}

/** What was taken from a feed and not emitted yet. */
interface Head {
  readonly feed: Feed
  entries: ReadonlyArray<Entry>
  at: number
  ended: boolean
}

/** Whether the feed may have more records of the head's place. */
const isShort = ({ at, ended, entries }: Head): boolean => {
  const first = entries[at]
  const last = entries.at(-1)
  return !ended && (first === undefined || last === undefined || isSame(first, last))
}

const fill = (head: Head): Effect.Effect<void, Failure> =>
  Effect.map(Effect.optionFromOptional(head.feed.take), (page) => {
    head.ended = Option.isNone(page)
    head.entries = [...head.entries.slice(head.at), ...Option.getOrElse(page, () => [])]
    head.at = 0
  })

const takeGroup = (head: Head, place: Place): ReadonlyArray<Entry> => {
  const from = head.at
  for (let entry = head.entries[from]; entry !== undefined && isSame(entry, place);) entry = head.entries[++head.at]
  return head.entries.slice(from, head.at)
}

/**
 * Puts the records of one block that several sources have in order: each transaction together, the later first if the
 * positions of all are known, else as the first source has them. Rejected records come last.
 */
const arrange = (groups: ReadonlyArray<ReadonlyArray<Entry>>): ReadonlyArray<Item> => {
  const items = groups.flatMap((group) => group.map(({ item }) => item))
  if (groups.length < 2) return items
  const transactions = new Map<string, { readonly rows: Array<Item>; index: number | null }>()
  for (const item of items) {
    if (Either.isLeft(item)) continue
    const { transaction_hash, transaction_index } = item.right
    const one = transactions.get(transaction_hash) ?? { rows: [], index: null }
    transactions.set(transaction_hash, one)
    one.rows.push(item)
    one.index ??= transaction_index
  }
  const inOrder = [...transactions.values()]
  if (inOrder.every(({ index }) => index !== null)) inOrder.sort((a, b) => Number(b.index) - Number(a.index))
  return [...inOrder.flatMap(({ rows }) => rows), ...items.filter(Either.isLeft)]
}

/** Merges as far as the heads reach. */
const merge = (heads: ReadonlyArray<Head>): Array<Item> => {
  const items: Array<Item> = []
  while (!heads.some(isShort)) {
    const fronts = heads.flatMap(({ at, entries }) => entries[at] ?? [])
    const newest = fronts.reduce<Entry | undefined>(
      (best, one) => best === undefined || isNewer(one, best) ? one : best,
      undefined
    )
    if (newest === undefined) break
    const groups = heads.map((head) => takeGroup(head, newest)).filter((group) => group.length > 0)
    items.push(...arrange(groups))
  }
  return items
}

const isOver = ({ at, ended, entries }: Head): boolean => ended && at === entries.length

export const merged = (options: MergedOptions): Stream.Stream<Item, Failure, TransferHistory> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const { plan } = options
    const { ahead = 2 } = options
    const readings = new Map<number, Reading>()
    const run = yield* start({ ...options, sink: feedSink(plan, readings) }, plan)
    const periods = periodsOf(plan)
    const widest = Math.max(...periods.map((period) => period.length))
    // A period is merged from all of its windows, so they must be open together.
    const places = yield* Effect.makeSemaphore(Math.max(run.maxConcurrency, widest))
    const opened = yield* Queue.unbounded<Feed>()

    const readInto = (feed: Feed, window: Window) =>
      readWindow(run, plan, window, Sink.fresh(window), () => Effect.void).pipe(
        Effect.flatMap((end) =>
          end._tag === "Unreachable"
            ? new RangeUnavailable({ window: window.index, from: window.from, to: window.to, problem: end.note })
            : Effect.void
        ),
        Mailbox.into(feed)
      )

    const open = Effect.forEach(periods.flat(), (window) =>
      Effect.gen(function*() {
        yield* places.take(1)
        const feed = yield* Mailbox.make<ReadonlyArray<Entry>, Failure>({ capacity: ahead, strategy: "suspend" })
        readings.set(window.index, { placer: makePlacer(plan, window), feed })
        yield* Effect.forkScoped(readInto(feed, window))
        yield* opened.offer(feed)
      }), { discard: true })
    yield* Effect.forkScoped(open)

    const ofPeriod = (period: ReadonlyArray<Window>) =>
      Stream.unwrap(Effect.gen(function*() {
        const heads = yield* Effect.forEach(
          period,
          () => Effect.map(opened.take, (feed): Head => ({ feed, entries: [], at: 0, ended: false }))
        )
        const next = Effect.gen(function*() {
          yield* Effect.forEach(heads.filter(isShort), fill, { concurrency: "unbounded", discard: true })
          const items = merge(heads)
          return [Chunk.unsafeFromArray(items), heads.every(isOver) ? Option.none() : Option.some(undefined)] as const
        })
        return Stream.paginateChunkEffect(undefined, () => next).pipe(
          Stream.onEnd(Effect.suspend(() => {
            for (const { index } of period) readings.delete(index)
            return places.release(period.length)
          }))
        )
      }))

    return Stream.flatMap(Stream.fromIterable(periods), ofPeriod)
  }))
