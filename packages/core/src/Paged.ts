/**
 * A list that comes in pages: called, it gives one page; it carries a stream of pages, a stream of items, and a stream
 * that can be resumed.
 *
 * **Details**
 *
 * The streams are lazy and fetch a page when it is pulled; with `prefetch` they fetch that many ahead. The filters and
 * the size of the input stay the same for the whole stream. The end is an empty cursor and nothing else: a page shorter
 * than asked is not the end, and a longer one is delivered whole. A cursor handed out twice, or more than
 * `maxEmptyPages` empty pages in a row that carry one, fail as `PagingStalled` instead of going on for ever. Of the last
 * 1000 cursors a second one is known at once; a longer loop is found after some rounds, since not every cursor is kept.
 *
 * A record that is not what its schema says makes its page fail as `MalformedResponse`, whose `path` names the record
 * and whose `nextCursor` is the one to go on from behind the page. With `unreadable: "keep"` it is handed on as an
 * {@link Unreadable} instead, and the list goes on; a checkpoint made without the option can be resumed with it.
 *
 * **Gotchas**
 *
 * Retries happen inside a page. Don't put `Stream.retry` around these streams: it would begin again at the first page
 * and repeat every item so far. Resume from a checkpoint instead.
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
 * **Example** (keep what can't be read for later)
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
 * One page: its items, and the cursor of the next page unless this was the last.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly cursor: Option.Option<Cursor>
}

/**
 * A record of a page that is not what its schema says, as it came. `cursor` and `index` are its place in the list:
 * the page that it was in, and its place there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unreadable {
  readonly _tag: "Unreadable"
  readonly raw: unknown
  /** Its place in the page, from 0. */
  readonly index: number
  /** The cursor that the page was asked for with; none for the first page. */
  readonly cursor: string | undefined
  /** What should stand in it where, and what kind of thing does. Nothing of its content. */
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
 * Whether an item could not be read.
 *
 * @since 0.1.0
 * @category guards
 */
export const isUnreadable = (item: unknown): item is Unreadable => item instanceof UnreadableRecord

/**
 * What becomes of records that can't be read: `fail` makes their page fail, `keep` hands them on.
 *
 * @since 0.1.0
 * @category models
 */
export type Mode = "fail" | "keep"

/**
 * The items of a list that is read with this option.
 *
 * @since 0.1.0
 * @category models
 */
export type Item<A, U extends Mode> = "keep" extends U ? A | Unreadable : A

/**
 * A page with the checkpoint that stands behind it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Checkpointed<A> {
  readonly items: ReadonlyArray<A>
  /** Store it after the items are stored: then a stop loses nothing and repeats at most this page. */
  readonly checkpoint: Checkpoint.Checkpoint
}

/**
 * The number of items asked for in a page, as it stands in a query.
 *
 * **Details**
 *
 * The document's rule: 1 to 1000, 100 when absent, 0 counts as 100, more than 1000 as 1000, and a negative number is an
 * error. So only negative numbers and fractions are refused here, before anything is sent; the rest is the service's
 * to decide.
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
 * Size and cursor as they stand in a query.
 *
 * @since 0.1.0
 * @category fields
 */
export const query = {
  size: Schema.optional(Size),
  cursor: Schema.optional(Schema.String)
}

/**
 * Size and cursor as a caller gives them.
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
 * The envelope of a page on the wire: `items`, read as empty when absent (seen), and `cursor`, an empty text at the end
 * (the document). An absent `cursor` is not an end: it does not decode.
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
 * How a page is read.
 *
 * @since 0.1.0
 * @category models
 */
export interface PageOptions<U extends Mode = "fail"> {
  /** What becomes of records that can't be read; `fail` unless given. */
  readonly unreadable?: U | undefined
}

/**
 * How a stream of pages is pulled.
 *
 * @since 0.1.0
 * @category models
 */
export interface StreamOptions<U extends Mode = "fail"> extends PageOptions<U> {
  /** Pages fetched ahead of the consumer; 0 unless given. */
  readonly prefetch?: number | undefined
  /** Empty pages in a row that may carry a cursor; 10 unless given. */
  readonly maxEmptyPages?: number | undefined
}

/**
 * How a resumable stream of pages is pulled.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResumeOptions<U extends Mode = "fail"> extends StreamOptions<U> {
  /** Continue behind this checkpoint; it has to be of the same operation, chain, host and filters. */
  readonly resumeFrom?: Checkpoint.Checkpoint | undefined
}

/**
 * A list of the service. Called, it answers the page of the input's cursor, by one call; `Extra` is what such a page
 * holds beside its items and its cursor.
 *
 * @since 0.1.0
 * @category models
 */
export interface List<Input, A, E, Extra = unknown> {
  <U extends Mode = "fail">(input: Input, options?: PageOptions<U>): Effect.Effect<Page<Item<A, U>> & Extra, E>
  /** All pages, from the one of the input's cursor on. */
  readonly pages: <U extends Mode = "fail">(
    input: Input,
    options?: StreamOptions<U>
  ) => Stream.Stream<Page<Item<A, U>> & Extra, E | PagingStalled>
  /** All items, from the page of the input's cursor on. */
  readonly items: <U extends Mode = "fail">(
    input: Input,
    options?: StreamOptions<U>
  ) => Stream.Stream<Item<A, U>, E | PagingStalled>
  /** All pages with checkpoints, from the beginning or behind a checkpoint. */
  readonly checkpoints: <U extends Mode = "fail">(
    input: Input,
    options?: ResumeOptions<U>
  ) => Stream.Stream<Checkpointed<Item<A, U>>, E | PagingStalled | InvalidInput>
}

/** Cursors that are kept to be known again: a loop this short is found at once. */
const remembered = 1000

/**
 * Whether a cursor was handed out before, of the last ones at once. A longer loop is found a few rounds later, by
 * comparing with one cursor that is taken anew at every power of two (Brent's way): memory stays bounded.
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
 * How a list begins.
 *
 * @since 0.1.0
 * @category models
 */
export interface Beginning<Params> {
  /** What a checkpoint is bound to, in one spelling: the same list has the same filters however it was asked for. */
  readonly filters: Params
  /** What every page is asked with. What would move while the list is read is fixed in it. */
  readonly params: Params
  /** The end that an open stretch of time was given in `params`, for the checkpoints. */
  readonly end?: UnixTime | undefined
}

/**
 * Decides how a list begins, behind a checkpoint if there is one.
 *
 * @since 0.1.0
 * @category models
 */
export type Begin<Params> = (params: Params, resumeFrom?: Checkpoint.Checkpoint) => Effect.Effect<Beginning<Params>>

/**
 * What a list is made of.
 *
 * @since 0.1.0
 * @category models
 */
export interface Definition<Input, Params, P extends Page<unknown>, E> {
  /** What a checkpoint is bound to beside the filters. */
  readonly origin: Checkpoint.Origin
  /** Reads the input, once for each page that is called and once for each stream. */
  readonly read: (input: Input) => Effect.Effect<Params, E>
  /** The call for one page. */
  readonly page: (params: Params) => Effect.Effect<P, E>
  /** Looks at what was read before the first page of a stream; without it, it is taken as it is. */
  readonly begin?: Begin<Params> | undefined
}

/**
 * What a page holds beside its items and its cursor.
 *
 * @since 0.1.0
 * @category types
 */
export type Extra<P> = Omit<P, keyof Page<unknown>>

/**
 * Makes a list out of the call for one page.
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
    // Only with the option is there anything else in a page than its items.
    return found as Effect.Effect<Page<unknown>, E> as Effect.Effect<Read<U>, E>
  }

  /** `turn` lets the fetch of a page begin. */
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
          // The page that shows a fault is delivered whole, then the stream fails.
          Stream.mapEffect((delivered) => "_tag" in delivered ? Effect.fail(delivered) : Effect.succeed(delivered))
        )
    })

  const begun = <U extends Mode>(
    params: Params,
    options: StreamOptions<U>
  ): Stream.Stream<Read<U>, E | PagingStalled> => {
    const ahead = Math.floor(options.prefetch ?? 0)
    if (!(ahead > 0)) return walk(params, options, Effect.void)
    // A buffer alone would run one page further ahead: hence a place for each page that was not taken yet.
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
