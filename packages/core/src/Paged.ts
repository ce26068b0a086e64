/**
 * A list that comes in pages. Calling it fetches one page; it also has a stream of pages, a stream of items, and a
 * stream that can be resumed.
 *
 * **Details**
 *
 * The streams are lazy and fetch a page when it is pulled; with `prefetch` they fetch that many pages ahead. Filters
 * and size stay the same for the whole stream. Only an empty cursor ends it: a page shorter than requested is not the
 * end, and a longer one is delivered whole. A repeated cursor, or more than `maxEmptyPages` empty pages in a row that
 * carry a cursor, fail as `PagingStalled` instead of going on for ever. A repeat of one of the last 1000 cursors is
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
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Checkpoint from "./Checkpoint.js"
import { Cursor } from "./Cursor.js"
import { CurrentUnreadable, Unread } from "./internal/page.js"
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
  constructor({ index, raw, reason }: Unread, readonly cursor: string | undefined) {
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
export type Mode = "fail" | "keep"

/**
 * The type of a list's items under a {@link Mode}.
 *
 * @since 0.1.0
 * @category models
 */
export type Item<A, U extends Mode> = "keep" extends U ? A | Unreadable : A

/**
 * A page with the checkpoint that follows it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Checkpointed<A> {
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
export const Size = Schema.NumberFromString.pipe(
  Schema.filter((size) => Number.isSafeInteger(size) && size >= 0, {
    identifier: "Size",
    description: "a whole number, 0 or more",
    message: () => "the size of a page has to be a whole number from 1 to 1000 (0 and none mean 100)"
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
  size: Schema.optional(Schema.typeSchema(Size)),
  cursor: Schema.optional(Schema.String)
}

const NextCursor = Schema.transform(Schema.String, Schema.OptionFromSelf(Schema.typeSchema(Cursor)), {
  strict: true,
  decode: (text) => text === "" ? Option.none() : Option.some(Cursor.make(text)),
  encode: (cursor) => Option.getOrElse(cursor, () => "")
})

/**
 * The envelope of a page on the wire: `items`, which decodes as empty when absent (seen in public clients), and
 * `cursor`, which is an empty string on the last page (the document). An absent `cursor` does not mean the end: it
 * fails to decode.
 *
 * @since 0.1.0
 * @category schemas
 */
export const schema = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.Struct({
    items: Schema.optionalWith(Schema.Array(item), { default: () => [] }),
    cursor: NextCursor
  })

/**
 * Options for reading a page.
 *
 * @since 0.1.0
 * @category models
 */
export interface PageOptions<U extends Mode = "fail"> {
  /** What to do with unreadable records; `fail` by default. */
  readonly unreadable?: U | undefined
}

/**
 * Options of a stream of pages or items.
 *
 * @since 0.1.0
 * @category models
 */
export interface StreamOptions<U extends Mode = "fail"> extends PageOptions<U> {
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
export interface ResumeOptions<U extends Mode = "fail"> extends StreamOptions<U> {
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
  <U extends Mode = "fail">(input: Input, options?: PageOptions<U>): Effect.Effect<Page<Item<A, U>> & Extra, E>
  /** All pages, starting at the input's cursor. */
  readonly pages: <U extends Mode = "fail">(
    input: Input,
    options?: StreamOptions<U>
  ) => Stream.Stream<Page<Item<A, U>> & Extra, E | PagingStalled>
  /** All items, starting with the page at the input's cursor. */
  readonly items: <U extends Mode = "fail">(
    input: Input,
    options?: StreamOptions<U>
  ) => Stream.Stream<Item<A, U>, E | PagingStalled>
  /** All pages with their checkpoints, from the start or after a checkpoint. */
  readonly checkpoints: <U extends Mode = "fail">(
    input: Input,
    options?: ResumeOptions<U>
  ) => Stream.Stream<Checkpointed<Item<A, U>>, E | PagingStalled | InvalidInput>
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

interface State {
  readonly cursor: string | undefined
  readonly pages: number
  readonly empty: number
}

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
  /** What a checkpoint is bound to besides the filters. */
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
  type Read<U extends Mode> = Page<Item<P["items"][number], U>> & Extra<P>

  const stalled = (reason: "repeated-cursor" | "empty-pages", pages: number): PagingStalled =>
    new PagingStalled({ operation: origin.operation, retrySafe: true, attempts: [], reason, pages })

  const pageOf = <U extends Mode>(
    params: Params,
    options: PageOptions<U>
  ): Effect.Effect<Read<U>, E> => {
    const found = options.unreadable === "keep"
      ? Effect.map(Effect.provideService(call(params), CurrentUnreadable, "keep"), (page) => ({
        ...page,
        items: page.items.map((item) => item instanceof Unread ? new UnreadableRecord(item, params.cursor) : item)
      }))
      : call(params)
    // A page contains an `Unreadable` only with this option.
    return found as Effect.Effect<Page<unknown>, E> as Effect.Effect<Read<U>, E>
  }

  /** Fetches pages in order; `turn` runs before each fetch and may delay it. */
  const walk = <U extends Mode>(
    params: Params,
    options: StreamOptions<U>,
    turn: Effect.Effect<unknown>
  ): Stream.Stream<Read<U>, E | PagingStalled> =>
    Stream.suspend(() => {
      const maxEmpty = options.maxEmptyPages ?? 10
      const isRepeated = repeats()
      if (params.cursor !== undefined) isRepeated(params.cursor)
      const first: State = { cursor: params.cursor, pages: 0, empty: 0 }
      return Stream.paginateEffect(first, (state) =>
        Effect.gen(function*() {
          yield* turn
          const current = yield* pageOf({ ...params, cursor: state.cursor }, options)
          const count = state.pages + 1
          if (Option.isNone(current.cursor)) return [[current], Option.none<State>()] as const
          const empty = current.items.length === 0 ? state.empty + 1 : 0
          const next: State = { cursor: current.cursor.value, pages: count, empty }
          const fault = isRepeated(current.cursor.value)
            ? [stalled("repeated-cursor", count)]
            : empty > maxEmpty
            ? [stalled("empty-pages", count)]
            : []
          return [[current, ...fault], Option.some(next)] as const
        })).pipe(
          Stream.mapConcat((delivered) => delivered),
          // The page that reveals the fault is delivered whole; then the stream fails.
          Stream.mapEffect((delivered) => "_tag" in delivered ? Effect.fail(delivered) : Effect.succeed(delivered))
        )
    })

  const begun = <U extends Mode>(
    params: Params,
    options: StreamOptions<U>
  ): Stream.Stream<Read<U>, E | PagingStalled> => {
    const ahead = Math.floor(options.prefetch ?? 0)
    if (!(ahead > 0)) return walk(params, options, Effect.void)
    // A buffer alone would run one page further ahead, so a semaphore counts the pages not yet consumed.
    return Stream.unwrap(Effect.map(Effect.makeSemaphore(ahead), (places) =>
      walk(params, options, places.take(1)).pipe(
        Stream.buffer({ capacity: "unbounded" }),
        Stream.tap(() => places.release(1))
      )))
  }

  const page = <U extends Mode = "fail">(input: Input, options: PageOptions<U> = {}) =>
    Effect.flatMap(read(input), (params) => pageOf(params, options))

  const pages = <U extends Mode = "fail">(input: Input, options: StreamOptions<U> = {}) =>
    Stream.unwrap(Effect.map(Effect.flatMap(read(input), begin), (beginning) => begun(beginning.params, options)))

  const items = <U extends Mode = "fail">(input: Input, options?: StreamOptions<U>) =>
    Stream.mapConcat(pages(input, options), (_) => _.items)

  const checkpoints = <U extends Mode = "fail">(input: Input, options: ResumeOptions<U> = {}) =>
    Stream.unwrap(Effect.gen(function*() {
      const beginning = yield* begin(yield* read(input), options.resumeFrom)
      const start = yield* Checkpoint.begin(origin, beginning.filters, options.resumeFrom, beginning.end)
      if (start.finished) return Stream.empty
      return begun({ ...beginning.params, cursor: start.cursor }, options).pipe(
        Stream.mapAccum(start, (before, current) => {
          const checkpoint = Checkpoint.advance(before, current.items.length, current.cursor)
          return [checkpoint, { items: current.items, checkpoint }]
        })
      )
    }))

  return Object.assign(page, { pages, items, checkpoints })
}
