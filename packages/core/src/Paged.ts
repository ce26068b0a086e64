/**
 * A list that comes in pages. Calling it fetches one page; it also has a stream of pages, a stream of items, and a
 * stream that can be resumed.
 *
 * **Details**
 *
 * The streams are lazy and fetch a page when it is pulled; with `prefetch` they fetch that many pages ahead. Filters
 * and size stay the same for the whole stream. Only an empty cursor ends it: a page shorter than requested is not the
 * end, and a longer one is delivered whole. A repeated cursor, or more than `maxEmptyPages` empty pages in a row that
 * carry a cursor, fail as `PagingStalled` instead of never ending. A repeat of one of the last 1000 cursors is
 * noticed at once; a longer loop is noticed after a few rounds, since not every cursor is kept.
 *
 * A record that does not match its schema makes its page fail as `MalformedResponse`, whose `path` names the record and
 * whose `nextCursor` continues after the page. With `unreadable: "keep"` the record is delivered as an {@link
 * Unreadable} instead, and the list goes on; a checkpoint made without the option can be resumed with it.
 *
 * **Gotchas**
 *
 * Retries happen inside a page. Don't put `Stream.retry` around these streams: it would restart at the first page and
 * repeat every item. Resume from a checkpoint instead.
 *
 * **Example** (a list as a stream, two pages ahead)
 *
 * ```ts
 * import type * as Paged from "@effect-klaytn/core/Paged"
 * import type * as ServiceError from "@effect-klaytn/core/ServiceError"
 * import * as Stream from "effect/Stream"
 *
 * declare const getNames: Paged.List<{ readonly size?: number }, string, ServiceError.ReadError>
 *
 * export const firstPage = getNames({ size: 10 })
 * export const long = getNames.items({ size: 1000 }, { prefetch: 2 }).pipe(Stream.filter((name) => name.length > 20))
 * ```
 *
 * **Example** (keep unreadable records)
 *
 * ```ts
 * import * as Paged from "@effect-klaytn/core/Paged"
 * import type * as ServiceError from "@effect-klaytn/core/ServiceError"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * declare const getNames: Paged.List<{ readonly size?: number }, string, ServiceError.ReadError>
 *
 * export const count = getNames.items({}, { unreadable: "keep" }).pipe(
 *   Stream.tap((name) => Paged.isUnreadable(name) ? Effect.logWarning(name.reason) : Effect.void),
 *   Stream.runCount
 * )
 * ```
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Checkpoint from "./Checkpoint.js"
import { Cursor } from "./Cursor.js"
import { CurrentUnreadable, RawRecord } from "./internal/page.js"
import type { InvalidInput } from "./ServiceError.js"
import { PagingStalled } from "./ServiceError.js"
import type { UnixTime } from "./UnixTime.js"

/**
 * One page: its items, and the cursor of the next page unless this is the last.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly cursor: Option.Option<Cursor>
}

/**
 * A raw record that does not match its schema. `cursor` and `index` locate it in the list: the page it was on, and its
 * position there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unreadable {
  readonly _tag: "Unreadable"
  readonly raw: unknown
  /** Its position in the page, from 0. */
  readonly index: number
  /** The cursor that the page was requested with; `undefined` for the first page. */
  readonly cursor: string | undefined
  /** Where it does not match, what was expected there and what kind of value was found. Never any of its content. */
  readonly reason: string
}

class UnreadableRecord implements Unreadable {
  readonly _tag = "Unreadable"
  readonly raw: unknown
  readonly index: number
  readonly reason: string
  constructor({ index, raw, reason }: RawRecord, readonly cursor: string | undefined) {
    this.raw = raw
    this.index = index
    this.reason = reason
  }
}

/**
 * Checks whether an item is an {@link Unreadable}.
 *
 * @since 0.1.0
 * @category guards
 */
export const isUnreadable = (item: unknown): item is Unreadable => item instanceof UnreadableRecord

/**
 * What to do with unreadable records: `fail` fails the page, `keep` delivers them as {@link Unreadable}.
 *
 * @since 0.1.0
 * @category models
 */
export type UnreadableMode = "fail" | "keep"

/**
 * The type of a list's items under a {@link UnreadableMode}.
 *
 * @since 0.1.0
 * @category models
 */
export type Item<A, U extends UnreadableMode> = "keep" extends U ? A | Unreadable : A

/**
 * A page with the checkpoint that follows it.
 *
 * @since 0.1.0
 * @category models
 */
export interface CheckpointedPage<A> {
  readonly items: ReadonlyArray<A>
  /** Store it after the items: a crash then loses nothing and repeats at most this page. */
  readonly checkpoint: Checkpoint.Checkpoint
}

/**
 * The requested number of items per page, as a query parameter.
 *
 * **Details**
 *
 * The document's rule: 1 to 1000, 100 when absent, 0 counts as 100, more than 1000 as 1000, and a negative number is an
 * error. So only negative numbers and fractions are refused here, before anything is sent; the rest is left to the
 * service.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Size = Schema.transform(Schema.String, Schema.Number, {
  strict: true,
  // Digits alone: `Number` would also read `1e2` and `0x10`.
  decode: (text) => /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN,
  encode: String
}).pipe(
  Schema.filter((size) => Number.isSafeInteger(size) && size >= 0, {
    identifier: "Size",
    description: "a whole number, 0 or more",
    message: () => "the size of a page is a whole number from 1 to 1000; 0 or none means 100"
  })
)

/**
 * Size and cursor as query parameters.
 *
 * @since 0.1.0
 * @category fields
 */
export const query = {
  size: Schema.optional(Size),
  cursor: Schema.optional(Schema.String)
}

/**
 * Size and cursor as input fields.
 *
 * @since 0.1.0
 * @category fields
 */
export const fields = {
  /** Records per page: 1 to 1000, 100 if absent or 0; the service treats more than 1000 as 1000 (the document). */
  size: Schema.optional(Schema.typeSchema(Size)),
  /** The cursor of the previous page, with the same input and size. Streams start at this page. */
  cursor: Schema.optional(Schema.String)
}

const isCursor = Schema.is(Cursor)

const isNextCursor = (value: unknown): value is Option.Option<Cursor> =>
  Option.isOption(value) && (Option.isNone(value) || isCursor(value.value))

const nextOf = (text: string): Option.Option<Cursor> => text === "" ? Option.none() : Option.some(Cursor.make(text))

const Next = Schema.declare(isNextCursor, { arbitrary: () => (fc) => fc.string().map(nextOf) })

const NextCursor = Schema.transform(Schema.String, Next, {
  strict: true,
  decode: nextOf,
  encode: (cursor) => Option.getOrElse(cursor, () => "")
})

/**
 * The items of an answer, which decode as empty when absent (seen in public clients).
 *
 * @since 0.1.0
 * @category fields
 */
export const items = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.optionalToRequired(Schema.Array(item), Schema.Array(Schema.typeSchema(item)), {
    decode: Option.getOrElse((): ReadonlyArray<A> => []),
    encode: Option.some
  })

/**
 * The envelope of a page on the wire: its {@link items}, and `cursor`, which is an empty string on the last page (the
 * document). An absent `cursor` does not mean the end: it fails to decode.
 *
 * @since 0.1.0
 * @category schemas
 */
export const schema = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.Struct({
    items: items(item),
    cursor: NextCursor
  })

/**
 * Options for reading a page.
 *
 * @since 0.1.0
 * @category models
 */
export interface PageOptions<U extends UnreadableMode = "fail"> {
  /** What to do with unreadable records; `fail` by default. */
  readonly unreadable?: U | undefined
}

/**
 * Options of a stream of pages or items.
 *
 * @since 0.1.0
 * @category models
 */
export interface StreamOptions<U extends UnreadableMode = "fail"> extends PageOptions<U> {
  /** Pages to fetch ahead of the consumer; 0 by default. */
  readonly prefetch?: number | undefined
  /** How many empty pages in a row may carry a cursor; 10 by default. */
  readonly maxEmptyPages?: number | undefined
}

/**
 * Options of a resumable stream of pages.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResumeOptions<U extends UnreadableMode = "fail"> extends StreamOptions<U> {
  /** Continues after this checkpoint, which must be of the same operation, chain, host and filters. */
  readonly resumeFrom?: Checkpoint.Checkpoint | undefined
}

/**
 * A list of the service. Calling it fetches one page, the one at the input's cursor. `Extra` holds the fields of a page
 * besides its items and its cursor.
 *
 * @since 0.1.0
 * @category models
 */
export interface List<Input, A, E, Extra = unknown> {
  <U extends UnreadableMode = "fail">(
    input: Input,
    options?: PageOptions<U>
  ): Effect.Effect<Page<Item<A, U>> & Extra, E>
  /** All pages, starting at the input's cursor. */
  readonly pages: <U extends UnreadableMode = "fail">(
    input: Input,
    options?: StreamOptions<U>
  ) => Stream.Stream<Page<Item<A, U>> & Extra, E | PagingStalled>
  /** All items, starting with the page at the input's cursor. */
  readonly items: <U extends UnreadableMode = "fail">(
    input: Input,
    options?: StreamOptions<U>
  ) => Stream.Stream<Item<A, U>, E | PagingStalled>
  /** All pages with their checkpoints, from the start or after a checkpoint. */
  readonly checkpoints: <U extends UnreadableMode = "fail">(
    input: Input,
    options?: ResumeOptions<U>
  ) => Stream.Stream<CheckpointedPage<Item<A, U>>, E | PagingStalled | InvalidInput>
}

/** How many cursors are kept for comparison: a loop no longer than this is found at once. */
const remembered = 1000

/**
 * Checks whether a cursor was seen before. A repeat of a recent one is found at once. A longer loop is found a few
 * rounds later, by comparing with one cursor that is replaced at every power of two (Brent's algorithm), so memory
 * stays bounded.
 */
const repeats = (): (cursor: string) => boolean => {
  const last = new Set<string>()
  let anchor: string | undefined
  let count = 0
  let power = remembered
  return (cursor) => {
    if (last.has(cursor) || cursor === anchor) return true
    last.add(cursor)
    for (const oldest of last) {
      if (last.size <= remembered) break
      last.delete(oldest)
    }
    if (++count === power) {
      anchor = cursor
      power *= 2
    }
    return false
  }
}

/** Takes the next value; fails with `None` at the end. */
type Pull<A, E> = Effect.Effect<A, Option.Option<E>>

/** Pulls up to `ahead` values before they are asked for. */
const prefetch = <A, E>(pull: Pull<A, E>, ahead: number): Effect.Effect<Pull<A, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const slots = yield* Effect.makeSemaphore(ahead)
    const pulled = yield* Queue.unbounded<Exit.Exit<A, Option.Option<E>>>()
    const fill: Effect.Effect<void> = Effect.flatMap(
      Effect.exit(Effect.zipRight(slots.take(1), pull)),
      (exit) => Effect.zipRight(pulled.offer(exit), Exit.isSuccess(exit) ? fill : Effect.void)
    )
    yield* Effect.forkScoped(fill)
    return Effect.flatMap(pulled.take, (exit) => Effect.zipRight(slots.release(1), exit))
  })

/**
 * The parameters that a list begins with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Beginning<Params> {
  /**
   * The filters that a checkpoint is bound to, normalised: the same list has the same filters however it was requested.
   */
  readonly filters: Params
  /** The parameters of every page. Anything that would change while the list is read is fixed in them. */
  readonly params: Params
  /** The end that an open time range was given in `params`, for the checkpoints. */
  readonly end?: UnixTime | undefined
}

/**
 * Decides how a list begins, after a checkpoint if there is one.
 *
 * @since 0.1.0
 * @category models
 */
export type Begin<Params> = (params: Params, resumeFrom?: Checkpoint.Checkpoint) => Effect.Effect<Beginning<Params>>

/**
 * What {@link make} needs to make a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Definition<Input, Params, P extends Page<unknown>, E> {
  /** What a checkpoint is bound to in addition to the filters. */
  readonly origin: Checkpoint.Origin
  /** Decodes the input, once per single page and once per stream. */
  readonly read: (input: Input) => Effect.Effect<Params, E>
  /** The call for one page. */
  readonly page: (params: Params) => Effect.Effect<P, E>
  /** Can adjust the decoded input before the first page of a stream. */
  readonly begin?: Begin<Params> | undefined
}

/**
 * The fields of a page besides its items and its cursor.
 *
 * @since 0.1.0
 * @category types
 */
export type Extra<P> = Omit<P, keyof Page<unknown>>

/**
 * Makes a list from the call for one page.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <
  Input,
  Params extends { readonly cursor?: string | undefined },
  P extends Page<unknown>,
  E
>({ begin = (params) => Effect.succeed({ filters: params, params }), origin, page: call, read }: Definition<
  Input,
  Params,
  P,
  E
>): List<Input, P["items"][number], E, Extra<P>> => {
  type PageOf<U extends UnreadableMode> = Page<Item<P["items"][number], U>> & Extra<P>

  const stalled = (reason: "repeated-cursor" | "empty-pages", pages: number): PagingStalled =>
    new PagingStalled({ operation: origin.operation, retrySafe: true, attempts: [], reason, pages })

  const pageOf = <U extends UnreadableMode>(
    params: Params,
    options: PageOptions<U>
  ): Effect.Effect<PageOf<U>, E> => {
    const found = options.unreadable === "keep"
      ? Effect.map(Effect.provideService(call(params), CurrentUnreadable, "keep"), (page) => ({
        ...page,
        items: page.items.map((item) => item instanceof RawRecord ? new UnreadableRecord(item, params.cursor) : item)
      }))
      : call(params)
    // A page contains an `Unreadable` only with this option.
    return found as Effect.Effect<PageOf<U>, E>
  }

  /** Fetches the pages from the cursor of `params` on, one at a time. */
  const pull = <U extends UnreadableMode>(
    params: Params,
    options: StreamOptions<U>
  ): Pull<PageOf<U>, E | PagingStalled> => {
    const maxEmpty = options.maxEmptyPages ?? 10
    const isRepeated = repeats()
    let { cursor } = params
    if (cursor !== undefined) isRepeated(cursor)
    let count = 0
    let empty = 0
    /** How the list ends after the previous page; `None` for its regular end. */
    let end: Option.Option<PagingStalled> | undefined
    return Effect.suspend((): Pull<PageOf<U>, E | PagingStalled> =>
      end !== undefined ? Effect.fail(end) : Effect.mapBoth(pageOf({ ...params, cursor }, options), {
        onFailure: Option.some,
        onSuccess: (page) => {
          count++
          if (Option.isNone(page.cursor)) {
            end = Option.none()
            return page
          }
          cursor = page.cursor.value
          empty = page.items.length === 0 ? empty + 1 : 0
          // The page that reveals the fault is delivered whole; then the stream fails.
          if (isRepeated(cursor)) end = Option.some(stalled("repeated-cursor", count))
          else if (empty > maxEmpty) end = Option.some(stalled("empty-pages", count))
          return page
        }
      })
    )
  }

  /** Fetches the pages of a stream when one is pulled, or some ahead in a fiber that ends with the stream. */
  const open = <U extends UnreadableMode>(
    params: Params,
    options: StreamOptions<U>
  ): Effect.Effect<Pull<PageOf<U>, E | PagingStalled>, never, Scope.Scope> => {
    const next = pull(params, options)
    const ahead = Math.floor(options.prefetch ?? 0)
    return ahead > 0 ? prefetch(next, ahead) : Effect.succeed(next)
  }

  const page = <U extends UnreadableMode = "fail">(input: Input, options: PageOptions<U> = {}) =>
    Effect.flatMap(read(input), (params) => pageOf(params, options))

  const pages = <U extends UnreadableMode = "fail">(input: Input, options: StreamOptions<U> = {}) =>
    Stream.unwrapScoped(Effect.gen(function*() {
      const { params } = yield* begin(yield* read(input))
      return Stream.repeatEffectOption(yield* open(params, options))
    }))

  const items = <U extends UnreadableMode = "fail">(input: Input, options: StreamOptions<U> = {}) =>
    Stream.unwrapScoped(Effect.gen(function*() {
      const { params } = yield* begin(yield* read(input))
      return Stream.repeatEffectChunkOption(
        Effect.map(yield* open(params, options), ({ items }) => Chunk.unsafeFromArray(items))
      )
    }))

  const checkpoints = <U extends UnreadableMode = "fail">(input: Input, options: ResumeOptions<U> = {}) =>
    Stream.unwrapScoped(Effect.gen(function*() {
      const { end, filters, params } = yield* begin(yield* read(input), options.resumeFrom)
      let checkpoint = yield* Checkpoint.begin(origin, filters, options.resumeFrom, end)
      if (checkpoint.finished) return Stream.empty
      return Stream.repeatEffectOption(
        Effect.map(yield* open({ ...params, cursor: checkpoint.cursor }, options), ({ cursor, items }) => {
          checkpoint = Checkpoint.advance(checkpoint, items.length, cursor)
          return { items, checkpoint }
        })
      )
    }))

  return Object.assign(page, { pages, items, checkpoints })
}
