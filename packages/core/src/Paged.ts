/**
 * A list that comes in pages. Calling it fetches one page; it also has a stream of pages, a stream of items, and a
 * stream that can be resumed.
 *
 * **Details**
 *
 * The streams are lazy and fetch a page when it is pulled; with `prefetch` they fetch that many pages ahead. Filters
 * and size stay the same for the whole stream. Only an empty cursor ends it: a page shorter than requested is not the
 * end, and a longer one is delivered whole. A page with a cursor that was used before fails as `PagingStalled`;
 * otherwise the stream would never end. So do more than `maxEmptyPages` empty pages in a row that have a cursor. The
 * failing page is not delivered, and no checkpoint has its cursor. A stream compares with its last 100,000 cursors, a
 * resumed one also with the 1000 before its checkpoint; a longer loop is noticed after a few rounds, since not every
 * cursor is kept.
 *
 * Unknown options fail as `InvalidInput`, since one may be misspelt.
 *
 * A record that does not match its schema makes its page fail as `MalformedResponse`, whose `path` names the record and
 * whose `nextCursor` continues after the page. With `unreadable: "keep"` the record is delivered as an {@link
 * Unreadable} instead, and the list continues; a checkpoint made without the option can be resumed with it.
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
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Checkpoint from "./Checkpoint.js"
import { Cursor } from "./Cursor.js"
import * as Input from "./Input.js"
import { CurrentUnreadable, RawRecord } from "./internal/paging/page.js"
import { repeats } from "./internal/paging/repeats.js"
import { type InvalidInput, PagingStalled } from "./ServiceError.js"
import type { UnixTime } from "./UnixTime.js"

/**
 * One page: its items, and the cursor of the next page unless this is the last.
 *
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

class UnreadableRecord extends RawRecord implements Unreadable {
  readonly _tag = "Unreadable"
  constructor({ index, raw, reason }: RawRecord, readonly cursor: string | undefined) {
    super(raw, index, reason)
  }
}

/**
 * Checks whether an item is an {@link Unreadable}.
 *
 * @category guards
 */
export const isUnreadable = (item: unknown): item is Unreadable => item instanceof UnreadableRecord

/**
 * What to do with unreadable records: `fail` fails the page, `keep` delivers them as {@link Unreadable}.
 *
 * @category models
 */
export type UnreadableMode = "fail" | "keep"

/**
 * The type of a list's items under a {@link UnreadableMode}.
 *
 * @category models
 */
export type Item<A, U extends UnreadableMode> = "keep" extends U ? A | Unreadable : A

/**
 * A page with the checkpoint that follows it.
 *
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
 * The API document's rule: 1 to 1000, 100 when absent, 0 counts as 100, more than 1000 as 1000, and a negative number
 * is an error. So only negative numbers and fractions are refused here, before anything is sent; the rest is left to
 * the service.
 *
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
 * @category fields
 */
export const query = {
  /** How many records a page has: 1 to 1000; 0 counts as 100, more than 1000 as 1000 (the API document). */
  size: Schema.optional(Size),
  /** The cursor of the page before; without it the list starts. Keep the other parameters as they were. */
  cursor: Schema.optional(Schema.String)
}

/**
 * Size and cursor as input fields.
 *
 * @category fields
 */
export const fields = {
  /** Records per page: 1 to 1000, 100 if absent or 0; the service treats more than 1000 as 1000 (the API document). */
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
 * @category fields
 */
export const items = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.Array(item), { exact: true, default: () => [] })

/**
 * The envelope of a page on the wire: its {@link items}, and `cursor`, which is an empty string on the last page (the
 * document). An absent `cursor` does not mean the end: it fails to decode.
 *
 * @category schemas
 */
export const schema = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.Struct({
    /** The records; absent if there are none. */
    items: items(item),
    /** What to send as `cursor` for the next page; empty on the last. */
    cursor: NextCursor
  })

/**
 * Options for reading a page.
 *
 * @category models
 */
export interface PageOptions<U extends UnreadableMode = "fail"> {
  /** What to do with unreadable records; `fail` by default. */
  readonly unreadable?: U | undefined
}

/**
 * Options of a stream of pages or items.
 *
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
 * @category models
 */
export interface List<Input, A, E, Extra = unknown> {
  <U extends UnreadableMode = "fail">(
    input: Input,
    options?: PageOptions<U>
  ): Effect.Effect<Page<Item<A, U>> & Extra, E | InvalidInput>
  /** All pages, starting at the input's cursor. */
  readonly pages: <U extends UnreadableMode = "fail">(
    input: Input,
    options?: StreamOptions<U>
  ) => Stream.Stream<Page<Item<A, U>> & Extra, E | PagingStalled | InvalidInput>
  /** All items, starting with the page at the input's cursor. */
  readonly items: <U extends UnreadableMode = "fail">(
    input: Input,
    options?: StreamOptions<U>
  ) => Stream.Stream<Item<A, U>, E | PagingStalled | InvalidInput>
  /** All pages with their checkpoints, from the start or after a checkpoint. */
  readonly checkpoints: <U extends UnreadableMode = "fail">(
    input: Input,
    options?: ResumeOptions<U>
  ) => Stream.Stream<CheckpointedPage<Item<A, U>>, E | PagingStalled | InvalidInput>
}

const ofPage = Schema.Struct({
  unreadable: Schema.optional(Input.oneOf(Schema.Literal("fail", "keep"), "unreadable is fail or keep"))
})

const ofStream = Schema.Struct({
  ...ofPage.fields,
  prefetch: Schema.optional(Input.wholeNumber("prefetch is a whole number, 0 or more")),
  maxEmptyPages: Schema.optional(Input.wholeNumber("maxEmptyPages is a whole number, 0 or more"))
})

const ofResume = Schema.Struct({
  ...ofStream.fields,
  resumeFrom: Schema.optional(Schema.typeSchema(Checkpoint.Checkpoint))
})

/** Takes the next value; fails with `None` at the end. */
type Pull<A, E> = Effect.Effect<A, Option.Option<E>>

/** Pulls values when they are asked for, or up to `prefetch` ahead in a fiber that ends with the stream. */
const ahead = <A, E>(
  pull: Pull<A, E>,
  { prefetch = 0 }: { readonly prefetch?: number | undefined }
): Effect.Effect<Pull<A, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    if (prefetch === 0) return pull
    const slots = yield* Effect.makeSemaphore(prefetch)
    const pulled = yield* Queue.unbounded<Exit.Exit<A, Option.Option<E>>>()
    const fill: Effect.Effect<void> = Effect.flatMap(
      Effect.exit(Effect.zipRight(slots.take(1), pull)),
      (exit) => Effect.zipRight(pulled.offer(exit), Exit.isSuccess(exit) ? fill : Effect.void)
    )
    yield* Effect.forkScoped(fill)
    return Effect.flatMap(pulled.take, (exit) => Effect.zipRight(slots.release(1), exit))
  })

/**
 * The parameters of a list with an open end replaced by `end`.
 *
 * @category models
 */
export interface Fixed<Params> {
  readonly params: Params
  readonly end: UnixTime
}

/**
 * Gives the open time range of a list an end: the one that is passed, which a checkpoint holds, or the latest one that a
 * search may have. `undefined` if the range has an end or there is none.
 *
 * @category models
 */
export type Fix<Params> = (params: Params, end: UnixTime | undefined) => Fixed<Params> | undefined

/**
 * The definition of a list, for {@link make}.
 *
 * @category models
 */
export interface Definition<Input, Params, P extends Page<unknown>, E> {
  /** What a checkpoint is bound to in addition to the filters. */
  readonly origin: Checkpoint.Origin
  /** Decodes the input, once per single page and once per stream. */
  readonly read: (input: Input) => Effect.Effect<Params, E | InvalidInput>
  /** The call for one page. */
  readonly page: (params: Params) => Effect.Effect<P, E>
  /**
   * Gives an open range an end for the pages of one stream, because the service would otherwise evaluate the range
   * again for each page. It is called once the service has accepted the open range and the first page is not the last;
   * that page is then requested again with the end. If the service refuses the end, the range stays open.
   */
  readonly fix?: Fix<Params> | undefined
}

/**
 * The fields of a page besides its items and its cursor.
 *
 * @category types
 */
export type Extra<P> = Omit<P, keyof Page<unknown>>

type PageOf<P extends Page<unknown>, U extends UnreadableMode> = Page<Item<P["items"][number], U>> & Extra<P>

/** The definition of a list without the decoder of its input. */
type Source<Params, P extends Page<unknown>, E> = Omit<Definition<never, Params, P, E>, "read">

interface Cursored {
  readonly cursor?: string | undefined
}

/** Fetches one page, with its unreadable records if they are to be kept. */
const fetchPage = <Params extends Cursored, P extends Page<unknown>, E, U extends UnreadableMode>(
  { page: call }: Source<Params, P, E>,
  params: Params,
  options: PageOptions<U>
): Effect.Effect<PageOf<P, U>, E> => {
  const found = options.unreadable === "keep"
    ? Effect.map(Effect.provideService(call(params), CurrentUnreadable, "keep"), (page) => ({
      ...page,
      items: page.items.map((item) => item instanceof RawRecord ? new UnreadableRecord(item, params.cursor) : item)
    }))
    : call(params)
  // A page contains an `Unreadable` only with this option.
  return found as Effect.Effect<PageOf<P, U>, E>
}

/** The first page of a stream, and the parameters of the pages behind it. */
const fetchFirst = <Params extends Cursored, P extends Page<unknown>, E, U extends UnreadableMode>(
  source: Source<Params, P, E>,
  params: Params,
  options: PageOptions<U>,
  end: UnixTime | undefined
) =>
  Effect.flatMap(fetchPage(source, params, options), (page) => {
    const open = { page, params, end }
    const isWhole = Option.isNone(page.cursor) || params.cursor !== undefined
    const fixed = isWhole ? undefined : source.fix?.(params, undefined)
    return fixed === undefined ? Effect.succeed(open) : Effect.map(
      fetchPage(source, fixed.params, options),
      (page) => ({ page, ...fixed })
    ).pipe(Effect.catchIf(Predicate.isTagged("Rejected"), () => Effect.succeed(open)))
  })

/**
 * Fetches the pages from the cursor of `params` on, one at a time. `end` is the end that an open range was given, known
 * as soon as there is a page.
 */
const reader = <Params extends Cursored, P extends Page<unknown>, E, U extends UnreadableMode>(
  source: Source<Params, P, E>,
  params: Params,
  options: StreamOptions<U>,
  seen: ReadonlyArray<string>,
  fixedEnd?: UnixTime
): { readonly pull: Pull<PageOf<P, U>, E | PagingStalled>; readonly end: () => UnixTime | undefined } => {
  const maxEmpty = options.maxEmptyPages ?? 10
  const isRepeated = repeats(seen)
  let next = { params, end: fixedEnd }
  let count = 0
  let empty = 0
  let ended = false
  const fetch: Effect.Effect<PageOf<P, U>, E> = Effect.suspend(() =>
    count > 0
      ? fetchPage(source, next.params, options)
      : Effect.map(fetchFirst(source, next.params, options, next.end), ({ end, page, params }) => {
        next = { params, end }
        return page
      })
  )
  const stalled = (reason: "repeated-cursor" | "empty-pages"): Effect.Effect<never, PagingStalled> =>
    new PagingStalled({ operation: source.origin.operation, retrySafe: true, attempts: [], reason, pages: count })
  const advance = (page: PageOf<P, U>): Effect.Effect<PageOf<P, U>, PagingStalled> => {
    count++
    if (Option.isNone(page.cursor)) {
      ended = true
      return Effect.succeed(page)
    }
    const cursor = page.cursor.value
    empty = page.items.length === 0 ? empty + 1 : 0
    if (isRepeated(Checkpoint.digest(cursor))) return stalled("repeated-cursor")
    if (empty > maxEmpty) return stalled("empty-pages")
    next = { ...next, params: { ...next.params, cursor } }
    return Effect.succeed(page)
  }
  return {
    pull: Effect.suspend(() =>
      ended ? Effect.fail(Option.none()) : Effect.mapError(Effect.flatMap(fetch, advance), Option.some)
    ),
    end: () => next.end
  }
}

/** Checks options with the function that checks inputs. */
const check = <A, I>(operation: string, schema: Schema.Schema<A, I>, options: object): Effect.Effect<A, InvalidInput> =>
  Input.decode(operation, schema, ["options"])(options)

/**
 * Makes a list from the call for one page.
 *
 * @category constructors
 */
export const make = <Input, Params extends Cursored, P extends Page<unknown>, E>(
  { read, ...source }: Definition<Input, Params, P, E>
): List<Input, P["items"][number], E, Extra<P>> => {
  const { fix, origin } = source

  /** The pages of a stream that begins with an input. */
  const open = <U extends UnreadableMode>(input: Input, options: StreamOptions<U>) =>
    Effect.gen(function*() {
      yield* check(origin.operation, ofStream, options)
      const params = yield* read(input)
      const { cursor } = params
      const { pull } = reader(source, params, options, cursor === undefined ? [] : [Checkpoint.digest(cursor)])
      return yield* ahead(pull, options)
    })

  const page = <U extends UnreadableMode = "fail">(input: Input, options: PageOptions<U> = {}) =>
    Effect.zipRight(
      check(origin.operation, ofPage, options),
      Effect.flatMap(read(input), (params) => fetchPage(source, params, options))
    )

  const pages = <U extends UnreadableMode = "fail">(input: Input, options: StreamOptions<U> = {}) =>
    Stream.unwrapScoped(Effect.map(open(input, options), Stream.repeatEffectOption))

  const items = <U extends UnreadableMode = "fail">(input: Input, options: StreamOptions<U> = {}) =>
    Stream.unwrapScoped(
      Effect.map(
        open(input, options),
        (pull) => Stream.repeatEffectChunkOption(Effect.map(pull, ({ items }) => Chunk.unsafeFromArray(items)))
      )
    )

  const checkpoints = <U extends UnreadableMode = "fail">(input: Input, options: ResumeOptions<U> = {}) =>
    Stream.unwrapScoped(Effect.gen(function*() {
      yield* check(origin.operation, ofResume, options)
      const filters = yield* read(input)
      let checkpoint = yield* Checkpoint.begin(origin, filters, options.resumeFrom)
      if (checkpoint.finished) return Stream.empty
      const { cursor, end } = checkpoint
      const params = (end === undefined ? undefined : fix?.(filters, end)?.params) ?? filters
      const list = reader(source, { ...params, cursor }, options, Checkpoint.recentDigests(checkpoint), end)
      return Stream.repeatEffectOption(
        Effect.map(yield* ahead(list.pull, options), ({ cursor, items }) => {
          checkpoint = Checkpoint.advance(checkpoint, items.length, cursor, list.end())
          return { items, checkpoint }
        })
      )
    }))

  return Object.assign(page, { pages, items, checkpoints })
}
