/**
 * The plan of an export: which windows are read. It is stored with the export, and grows when that is extended.
 *
 * **Details**
 *
 * A search of the service covers at most six months and is read page by page, one after the other. A plan splits any
 * range into windows, so that each is one search and many can be read at once. Each window ends one second, or one
 * block, before the next later one begins: since a search includes both ends of its range, no record is lost or
 * duplicated at a border. Every account has the same borders. Windows are numbered newest first, the accounts of one
 * period beside each other; that is also the order in which they are begun.
 *
 * **Example** (two years of two accounts)
 *
 * ```ts
 * import * as Plan from "@effect-klaytn/exports/Plan"
 * import * as Range from "@effect-klaytn/history/Range"
 * import * as Effect from "effect/Effect"
 *
 * export const plan = Effect.gen(function*() {
 *   const range = yield* Range.time({ from: new Date("2023-01-01T00:00:00Z"), to: new Date("2024-12-31T23:59:59Z") })
 *   const plan = yield* Plan.make({
 *     accounts: ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"],
 *     range
 *   })
 *   console.log(Plan.summary(plan)) // windows, requests at least, and advice
 *   return plan
 * })
 * ```
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Kind from "@effect-klaytn/history/Kind"
import * as PresetId from "@effect-klaytn/history/PresetId"
import * as Range from "@effect-klaytn/history/Range"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isOneSearch, type Period, rangeIn } from "./internal/searches.js"
import { columnsVersion } from "./Row.js"

/**
 * What one search reads: an account, with `contract` only its transfers of that token contract, or presets.
 *
 * @category schemas
 */
export const Source = Schema.Union(
  Schema.TaggedStruct("Account", {
    address: Schema.typeSchema(Address.Address),
    contract: Schema.optional(Schema.typeSchema(Address.Address))
  }),
  Schema.TaggedStruct("Presets", { presets: Schema.Array(Schema.typeSchema(PresetId.PresetId)) })
)

/**
 * What one search reads.
 *
 * @category models
 */
export type Source = typeof Source.Type

/**
 * A window: one search, of one source. `from` and `to` are the first and the last second or block that belong to it.
 *
 * @category schemas
 */
export const Window = Schema.Struct({
  index: Schema.NonNegativeInt,
  /** The place of its source in the plan. */
  source: Schema.NonNegativeInt,
  from: Schema.NonNegativeInt,
  to: Schema.NonNegativeInt,
  /** Where it ended when it was planned, if it has grown since. */
  planned: Schema.optional(Schema.NonNegativeInt)
})

/**
 * A window: one search, of one source.
 *
 * @category models
 */
export type Window = typeof Window.Type

/**
 * A plan. It is JSON-safe, holds no secret, and is stored in the sink when an export begins.
 *
 * @category schemas
 */
export class Plan extends Schema.Class<Plan>("@effect-klaytn/exports/Plan")({
  /**
   * 2 with columns beyond the first version, which programs that know no versions of columns must refuse; 3 once windows have
   * grown, which programs of before must not read.
   */
  version: Schema.Literal(1, 2, 3),
  sources: Schema.Array(Source),
  kinds: Schema.optional(Schema.Array(Kind.Kind)),
  /** Whether windows are in seconds or in blocks. */
  unit: Schema.Literal("second", "block"),
  /** The first second or block of the export. */
  from: Schema.NonNegativeInt,
  /** The last second or block of the export. */
  to: Schema.NonNegativeInt,
  /** Whether the range was given without an end, so that the plan is extended each time the export catches up. */
  open: Schema.optional(Schema.Boolean),
  /**
   * The last second for which records that were indexed late have been looked for; see `recheck` of `Exports.catchUp`.
   * Absent until the plan is extended.
   */
  settled: Schema.optional(Schema.NonNegativeInt),
  /** Whether windows of an older program's tail have become one, so that the export has fewer than were planned. */
  joined: Schema.optional(Schema.Boolean),
  /** Records per page. */
  size: Schema.Int,
  windows: Schema.Array(Window),
  /** The version of the columns in which all rows of the export are stored; 1 if absent. See `columnsVersion` of `Row`. */
  columns: Schema.optional(Schema.Int.pipe(Schema.positive()))
}) {}

/**
 * What to export. Give `accounts`, or `presets`, which are sets of accounts and contracts made in the service's
 * management console.
 *
 * @category models
 */
export interface Options {
  readonly accounts?: ReadonlyArray<string> | undefined
  readonly presets?: ReadonlyArray<string | number> | undefined
  /** Only token transfers of these contracts; with `accounts` only. */
  readonly contracts?: ReadonlyArray<string> | undefined
  /** Kinds to export; all by default. */
  readonly kinds?: ReadonlyArray<Kind.Kind> | undefined
  /** The range, of any length. An open range of time ends `indexLag` ago; an open range of blocks is refused. */
  readonly range: Range.Range
  /**
   * Windows to split each source's range into, at least; more if the six-month rule needs more. By default as many as
   * make 16 in all. More windows can be read at once, and each costs at least one request.
   */
  readonly windows?: number | undefined
  /** Records per page, 1 to 1000; 1000 by default, which costs the fewest requests. */
  readonly size?: number | undefined
  /** How long the service's index may lag, for an open range; 1 minute by default. */
  readonly indexLag?: Duration.DurationInput | undefined
}

const read = Input.decode(
  "exports.plan",
  Schema.Struct({
    accounts: Schema.optional(Input.atLeastOne(Address.FromInput, "give at least one account")),
    presets: Schema.optional(Input.atLeastOne(PresetId.FromInput, "give the ID of at least one preset")),
    contracts: Schema.optional(Input.atLeastOne(Address.FromInput, "give at least one contract, or leave them out")),
    kinds: Schema.optional(
      Input.atLeastOne(
        Input.oneOf(Kind.Kind, "a kind is one of coin, ft, nft and mt"),
        "give at least one kind, or leave kinds out to export all of them"
      )
    ),
    range: Schema.typeSchema(Range.Range),
    windows: Schema.optional(Input.wholeNumber("windows is a whole number from 1 to 100000", 1, 100_000)),
    size: Schema.optional(Input.wholeNumber("size is a whole number from 1 to 1000", 1, 1000)),
    indexLag: Schema.optionalWith(
      Input.duration("expected a finite duration such as \"1 minute\"", Duration.isFinite),
      {
        default: () => Duration.minutes(1)
      }
    )
  })
)

const refuse = (path: string, problem: string): InvalidInput => InvalidInput.at("exports.plan", [path], problem)

/**
 * Splits a closed range evenly into at least as many periods as searches are needed, newest first. There are fewer than
 * asked for if the range has not as many seconds or blocks.
 */
const split = (range: Range.Range, least: number): Either.Either<ReadonlyArray<Period>, InvalidInput> =>
  Either.map(Range.parts(range), (parts) => {
    const from = range.from
    const length = (range.to ?? from) - from + 1
    const count = Math.min(length, Math.max(parts.length, least))
    const border = (index: number): number => from + Math.floor(index * length / count)
    return Array.from({ length: count }, (_, index) => ({
      from: border(count - 1 - index),
      to: border(count - index) - 1
    }))
  })

/** The windows of some periods for sources, numbered from `first`. */
const windowsOf = (
  periods: ReadonlyArray<Period>,
  sources: ReadonlyArray<number>,
  first: number
): ReadonlyArray<Window> =>
  periods.flatMap(({ from, to }, period) =>
    sources.map((source, place) => ({ index: first + period * sources.length + place, source, from, to }))
  )

/** What a plan says of the version of its columns. */
const inColumns = (columns: number) => columns === 1 ? { version: 1 as const } : { version: 2 as const, columns }

/**
 * Makes a plan. Fails as `InvalidInput` for neither or both of `accounts` and `presets`, for an open range of blocks,
 * and for what `Range` refuses.
 *
 * @category constructors
 */
export const make: (options: Options) => Effect.Effect<Plan, InvalidInput> = Effect.fnUntraced(function*(options) {
  const { accounts, contracts, indexLag, kinds, presets, range, size = 1000, windows } = yield* read(options)
  if ((accounts === undefined) === (presets === undefined)) {
    return yield* refuse("accounts", "give either accounts or presets")
  }
  if (accounts === undefined && contracts !== undefined) {
    return yield* refuse("contracts", "contracts go with accounts; for presets, put the contracts into the preset")
  }
  if (range._tag === "BlockRange" && range.to === undefined) {
    return yield* refuse("range", "an open range of blocks has no end to plan for; give the last block")
  }
  const to = range.to ?? Math.floor((yield* UnixTime.now) - Duration.toSeconds(indexLag))
  if (to < range.from) return yield* refuse("range", "the range has not begun yet, or began within the settle delay")
  const sources: ReadonlyArray<Source> = accounts === undefined
    ? [{ _tag: "Presets", presets: [...new Set(presets)] }]
    : [...new Set(accounts)].flatMap((address): ReadonlyArray<Source> =>
      contracts === undefined
        ? [{ _tag: "Account", address }]
        : [...new Set(contracts)].map((contract) => ({ _tag: "Account", address, contract }))
    )
  const unit = range._tag === "TimeRange" ? "second" : "block"
  const closed = yield* rangeIn(unit, { from: range.from, to })
  const periods = yield* split(closed, windows ?? Math.ceil(16 / sources.length))
  return new Plan({
    ...inColumns(columnsVersion),
    sources,
    ...(kinds === undefined ? {} : { kinds: [...new Set(kinds)] }),
    unit,
    from: range.from,
    to,
    ...(range.to === undefined ? { open: true } : {}),
    size,
    windows: windowsOf(periods, sources.map((_, source) => source), 0)
  })
})

/**
 * Extends a plan up to and including `to`: the newest window of each source grows, as long as one search can cover it, and
 * then gets another one behind it. So an export that is extended every minute has a few windows for each year. A `to` that
 * is not a whole number, 0 or more, fails as `InvalidInput`.
 *
 * @category combinators
 */
export const extend = (plan: Plan, to: number): Effect.Effect<Plan, InvalidInput> =>
  Effect.gen(function*() {
    if (!Number.isSafeInteger(to) || to < 0) return yield* refuse("to", "expected a whole number, 0 or more")
    if (to <= plan.to) return plan
    const newest = new Map<number, Window>()
    for (const window of plan.windows) {
      if (window.to > (newest.get(window.source)?.to ?? -1)) newest.set(window.source, window)
    }
    const growing = new Set([...newest.values()].filter(({ from }) => isOneSearch(plan.unit, { from, to })))
    const full = plan.sources.flatMap((_, source) => {
      const window = newest.get(source)
      return window !== undefined && growing.has(window) ? [] : source
    })
    const periods = yield* split(yield* rangeIn(plan.unit, { from: plan.to + 1, to }), 1)
    const first = plan.windows.reduce((next, { index }) => Math.max(next, index + 1), 0)
    return new Plan({
      ...plan,
      ...(growing.size === 0 ? {} : { version: 3 as const }),
      to,
      windows: [
        ...plan.windows.map((window) =>
          growing.has(window) ? { ...window, to, planned: window.planned ?? window.to } : window
        ),
        ...windowsOf(periods, full, first)
      ]
    })
  })

/**
 * The range that the search of a window covers.
 *
 * @category accessors
 */
export const range = (plan: Plan, window: Window): Effect.Effect<Range.Range, InvalidInput> =>
  rangeIn(plan.unit, window)

/**
 * The size of a plan, and advice.
 *
 * @category models
 */
export interface Summary {
  readonly sources: number
  readonly windows: number
  readonly from: number
  readonly to: number
  readonly unit: "second" | "block"
  /** Each window costs at least one request, and one more for each full page. */
  readonly atLeastRequests: number
  /** How it could cost less, in words. */
  readonly advice: ReadonlyArray<string>
}

/**
 * Sums a plan up before anything is requested.
 *
 * @category accessors
 */
export const summary = (plan: Plan): Summary => {
  const { from, sources, to, unit, windows } = plan
  const accounts = new Set(sources.flatMap((source) => source._tag === "Account" ? [source.address] : [])).size
  const periods = windows.length / sources.length
  return {
    sources: sources.length,
    windows: windows.length,
    from,
    to,
    unit,
    atLeastRequests: windows.length,
    advice: accounts < 2 ? [] : [
      `${accounts} accounts are ${windows.length} searches. One preset of these accounts is ${periods}: it returns ` +
      "transfers between two of them once instead of twice, and may return more than the accounts do, coin transfers " +
      "of value 0 in which others moved tokens of the accounts. Make one in the management console and export presets"
    ]
  }
}
