/**
 * Exports: the whole transfer history of accounts or presets, stored once, in parallel, resumable at any moment.
 *
 * **Details**
 *
 * An export is a plan and a sink. {@link run} reads the windows of the plan and commits each page. It may stop at any
 * moment, by an error, an interruption or a power failure; the same call then continues from the last commit. If the
 * export is complete, the call sends no requests.
 *
 * - **Once.** A record is stored exactly once over committed pages, also if several accounts of the export share it;
 *   see `Row` for its identity.
 * - **In parallel.** `concurrency` windows are read at once, each one page at a time, so no more than `concurrency`
 *   pages are in memory (Parquet needs more) and a slow sink stops the fetching. If the service throttles (429), the number of parallel
 *   requests is halved and they wait as long as the service asks; the number grows again with each answer.
 * - **Retries.** Transient failures (throttling, outages, the network) are retried until no page has arrived for
 *   `giveUpAfter`. Retries of the client's own configuration are not used here, so that every request counts. If the
 *   store does not answer, for example because Postgres restarts, the export retries for the same time and logs a
 *   warning for each wait. If the store is full or read-only, or refuses the password, the export fails at once as
 *   `SinkError`, which says what to do.
 * - **Columns.** An export keeps the version of the columns that it began with (`Row.columnsVersion`), in every sink: a newer
 *   program continues it in the older columns, and `Started` and the manifest say so. What a newer program has stored is
 *   refused as `SinkError` with the reason `newer`, before anything is written.
 * - **Unreadable records** never stop an export: they are stored as `Rejected`, and the manifest counts them.
 * - **A cursor that is no longer valid**: its window is read again from the beginning, and stored records are skipped.
 * - **A range that the service refuses**: its window becomes `unreachable`, and the export continues with the others. Each
 *   run asks for it again, since a refusal may pass, and a long run once a day.
 * - **A list that moves on while it is read**, because a record came in: if a page begins with what the page before ended
 *   with, the second or block of it is asked for by itself, so that a record is not taken for two equal ones.
 *
 * **Example** (six months of an account into a SQLite file)
 *
 * ```ts
 * import * as Exports from "@effect-klaytn/exports/Exports"
 * import * as Plan from "@effect-klaytn/exports/Plan"
 * import * as SqlSink from "@effect-klaytn/exports/SqlSink"
 * import * as Range from "@effect-klaytn/history/Range"
 * import * as Effect from "effect/Effect"
 *
 * export const program = (account: string) =>
 *   Effect.gen(function*() {
 *     const range = yield* Range.time({ from: new Date("2024-01-01T00:00:00Z"), to: new Date("2024-06-30T23:59:59Z") })
 *     const plan = yield* Plan.make({ accounts: [account], range })
 *     const sink = yield* SqlSink.make()
 *     const manifest = yield* Exports.run({ plan, sink })
 *     return manifest.complete
 *   })
 * ```
 */
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Stream from "effect/Stream"
import type { Budget } from "./Budget.js"
import type { ExportError, RangeUnavailable } from "./ExportError.js"
import * as internal from "./internal/exportRun.js"
import * as following from "./internal/following.js"
import * as internalMerged from "./internal/merged.js"
import * as reconciliation from "./internal/reconciliation.js"
import * as internalSettled from "./internal/settled.js"
import type { Manifest, WindowEntry } from "./Manifest.js"
import type { Plan, Window } from "./Plan.js"
import type { Rejected, Row } from "./Row.js"
import type { Sink, SinkError } from "./Sink.js"

/**
 * How to run an export.
 *
 * @category models
 */
export interface Settings {
  readonly sink: Sink
  /** How many windows are read at once, at least 1; 16 by default. Anything else fails as `InvalidInput`. */
  readonly concurrency?: number | undefined
  /** Unlimited by default. */
  readonly budget?: Budget | undefined
  /**
   * How long requests may fail, without a page between them, and how long the store may not answer, before the export fails;
   * 10 minutes by default. At most a minute as long as no answer at all has come from the address.
   */
  readonly giveUpAfter?: Duration.DurationInput | undefined
}

/**
 * The options of {@link run} and {@link events}. Without a plan, the export that is stored in the sink continues.
 *
 * @category models
 */
export interface Options extends Settings {
  readonly plan?: Plan | undefined
}

/**
 * What happens during an export.
 *
 * - `Started`: how many windows there are and how many of them are closed already; the version of the columns of the export, and
 *   the newest version that the program knows. An export that began in older columns keeps them.
 * - `Extended`: the plan covers what is new, from `from` to `to`; `windows` is how many windows it has now, of which `grown` have
 *   become longer.
 * - `PageStored`: what was stored of a page, and the time or block up to which the window is read.
 * - `WindowClosed` and `WindowUnreachable`: a window came to its end. A window that was read before is `WindowUnreachable` if the
 *   service refuses to be asked for records of it that were indexed late; the next run asks again.
 * - `WindowRechecked`: a window was searched for records that were indexed late; how many were found and stored, and the IDs of
 *   those that are stored and that the service no longer returns, which are marked as extra.
 * - `WindowDamaged`: what is stored of a window is not what was recorded. {@link reconcile} repairs it.
 * - `WindowRestarted`: a cursor became invalid, or a page was longer than the client reads, so that fewer records are asked for at
 *   once; the window is read again.
 * - `Throttled`: the service throttles; at most `concurrency` requests now run in parallel.
 * - `Retrying`: a request failed and is sent again after `waitMillis`.
 * - `ClockDiffers`: this machine's clock differs from the service's by more than a minute; by how many `seconds` the service's is
 *   ahead. The export works with the service's.
 * - `Finished`: the manifest, the last event unless the export fails.
 *
 * @category models
 */
export type Event =
  | {
    readonly _tag: "Started"
    readonly windows: number
    readonly closed: number
    readonly rows: number
    readonly columns: { readonly version: number; readonly newest: number }
  }
  | {
    readonly _tag: "Extended"
    readonly windows: number
    readonly grown: number
    readonly from: number
    readonly to: number
  }
  | {
    readonly _tag: "PageStored"
    readonly window: Window
    readonly rows: number
    readonly rejected: number
    readonly skipped: number
    /** The second or block of the oldest row so far; `undefined` if it is not known. */
    readonly at: number | undefined
  }
  | { readonly _tag: "WindowClosed"; readonly window: Window; readonly rows: number; readonly rejected: number }
  | { readonly _tag: "WindowUnreachable"; readonly window: Window; readonly note: string }
  | { readonly _tag: "WindowDamaged"; readonly window: Window; readonly problem: string }
  | {
    readonly _tag: "WindowRechecked"
    readonly window: Window
    readonly rows: number
    readonly rejected: number
    readonly extra: ReadonlyArray<string>
  }
  | { readonly _tag: "WindowRestarted"; readonly window: Window; readonly reason: string }
  | { readonly _tag: "Throttled"; readonly concurrency: number; readonly waitMillis: number }
  | { readonly _tag: "Retrying"; readonly window: Window; readonly reason: string; readonly waitMillis: number }
  | { readonly _tag: "ClockDiffers"; readonly seconds: number }
  | { readonly _tag: "Finished"; readonly manifest: Manifest }

/**
 * Runs or resumes an export as a stream of its events. Pulling them slowly slows the export down.
 *
 * @category constructors
 */
export const events: (options: Options) => Stream.Stream<Event, ExportError, TransferHistory> = internal.events

/**
 * Runs or resumes an export to its end. If the manifest says `complete: "no"`, there are windows out of reach.
 *
 * @category constructors
 */
export const run: (options: Options) => Effect.Effect<Manifest, ExportError, TransferHistory> = internal.run

/**
 * The options of {@link merged}.
 *
 * @category models
 */
export interface MergedOptions extends Omit<Settings, "sink"> {
  readonly plan: Plan
  /** How many pages of a window are kept until their turn comes; 2 by default. */
  readonly ahead?: number | undefined
}

/**
 * The records of a plan as one list, newest first, whatever its windows and accounts; a record that can't be made a row
 * is a `Left`.
 *
 * **Details**
 *
 * A sink keeps records in the order of its windows, since each window is committed by itself. This stream puts them in
 * the order of time, and stores nothing: run again, it begins with the newest record.
 *
 * - Records of one block follow each other, those of one transaction too, the later transaction first if the service
 *   returns their positions. A record that two accounts of the plan share is delivered once. The order is the same
 *   however the plan is split.
 * - A record without time or block, which some old ones lack, follows the one before it in its own account's list. A
 *   rejected record follows its page.
 * - Windows are read in parallel, up to `concurrency`, or as many as there are accounts if those are more. Of each, at
 *   most `ahead` pages and the two at its ends are in memory; a slow consumer stops the fetching. Windows that are not
 *   longer than that are read as fast as {@link run} reads them: plan many.
 * - A range that the service refuses ends the stream as `RangeUnavailable`, after everything that is newer.
 *
 * @category constructors
 */
export const merged: (
  options: MergedOptions
) => Stream.Stream<Either.Either<Row, Rejected>, ExportError | RangeUnavailable, TransferHistory> =
  internalMerged.merged

/**
 * Reads the manifest of what a sink holds now, also of an export that is not finished.
 *
 * @category accessors
 */
export const manifest: (sink: Sink) => Effect.Effect<Manifest, SinkError> = internal.manifest

/**
 * The options of {@link catchUp}.
 *
 * @category models
 */
export interface CatchUpOptions extends Options {
  /** The last second or block to read; by default the last second that has settled by the service's clock. */
  readonly to?: number | undefined
  /**
   * How long the service's index may lag; 1 minute by default. Nothing newer than that is read, also if `to` is later.
   */
  readonly indexLag?: Duration.DurationInput | undefined
  /**
   * How long after its time a record may still be indexed; 3 days by default. That much before the end of each run is
   * read again by later runs, at the cost of at least one request for each window in it.
   */
  readonly recheck?: Duration.DurationInput | undefined
}

/**
 * Brings an export up to date and ends: the nightly run. Finishes the export that is stored, or begins the one of
 * `plan`; extends it up to `to`; reads what is new; and reads the end of what earlier runs stored again, for records that
 * were indexed late. The last event is `Finished`.
 *
 * **Details**
 *
 * - The windows of what is new are stored in the plan before they are read. A run that stops at any moment loses
 *   nothing and stores nothing twice: the next one reads what it left open.
 * - The plan stores up to where late records have been looked for (`settled`). So a record that is indexed within
 *   `recheck` of its time is stored by the first run that begins after that and comes to its end, also if runs before it
 *   crashed or were left out.
 * - `plan` is used if nothing is stored yet. Otherwise it must read the same accounts or presets, kinds and page size
 *   from the same beginning; its end may differ, so a program can make it anew for each run. Another selection fails as
 *   `SinkError` with the reason `stored`.
 * - A plan in blocks needs `to`, and is not rechecked: use {@link reconcile}.
 *
 * **Example** (each night)
 *
 * ```ts
 * import * as Exports from "@effect-klaytn/exports/Exports"
 * import type { Sink } from "@effect-klaytn/exports/Sink"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const nightly = (sink: Sink) =>
 *   Exports.catchUp({ sink, recheck: "2 days" }).pipe(
 *     Stream.runForEach((event) =>
 *       event._tag === "Finished" ? Effect.log(`${event.manifest.rows} rows`) : Effect.void
 *     )
 *   )
 * ```
 *
 * @category constructors
 */
export const catchUp: (options: CatchUpOptions) => Stream.Stream<Event, ExportError | InvalidInput, TransferHistory> =
  following.catchUp

/**
 * The options of {@link tail}.
 *
 * @category models
 */
export interface TailOptions extends Options {
  /** How often to look for new transfers; every minute by default. */
  readonly pollInterval?: Duration.DurationInput | undefined
  /**
   * How long the service's index may lag; 1 minute by default. A window ends this long ago. A record that appears later
   * than that is found by {@link reconcile}.
   */
  readonly indexLag?: Duration.DurationInput | undefined
}

/**
 * Finishes the export that is stored in the sink, or begins the one of `plan` as {@link catchUp} does, and then follows new
 * transfers: every `pollInterval`, the plan is extended by the time that has settled since. Each window is stored in the plan before it
 * is read, so a tail that stops at any moment continues without a gap. A plan in blocks is refused. Ends only by
 * failing.
 *
 * **Gotchas**
 *
 * The end of each window is the service's time less `indexLag`, whatever this machine's clock says. An answer whose time is far
 * from this machine's is believed if the one before it says the same. Where both were wrong and the plan ends ahead of now, each
 * look goes over what has come since.
 *
 * @category constructors
 */
export const tail: (options: TailOptions) => Stream.Stream<Event, ExportError | InvalidInput, TransferHistory> =
  following.tail

/**
 * The options of {@link reconcile}.
 *
 * @category models
 */
export interface ReconcileOptions extends Settings {
  /** Only windows that overlap this part, in the plan's unit; all by default. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /**
   * Whether to read windows that lack something, that the service refused, or that are damaged into the sink again; `false` by
   * default. A repair adds what is missing and removes nothing.
   */
  readonly repair?: boolean | undefined
  /**
   * The IDs of rows and rejected records to remove, or `"all"`. Only those are removed that an earlier comparison has marked as
   * extra and that the service again does not return; the others stay. None by default.
   */
  readonly remove?: ReadonlySet<string> | "all" | undefined
}

/**
 * How a window differs from what the service returns now, or why it can't be compared.
 *
 * @category models
 */
export interface Difference {
  readonly window: Window
  /** Whether the sink has the window to its end, and whole: only `closed` is no hole. After a repair, if there was one. */
  readonly status: WindowEntry["status"]
  /** Why the window could not be compared, such as the service's words of refusal; `undefined` if it was. */
  readonly problem: string | undefined
  /** What is wrong with what is stored; `undefined` if nothing is. */
  readonly damage: string | undefined
  /** IDs of rows and rejected records that the service returns and the sink does not have. */
  readonly missing: ReadonlyArray<string>
  /** IDs that the sink has and the service does not return. They are kept, and marked as extra. */
  readonly extra: ReadonlyArray<string>
  /** Those of `extra` that were removed, because that was asked for. */
  readonly removed: ReadonlyArray<string>
  readonly repaired: boolean
}

/**
 * Reads windows again, compares them with the sink, and reports those that differ, those that are no longer served and so
 * can't be compared, and those that are not whole in the sink: open ones, ones that the service refused, which are asked for
 * again, and damaged ones, of which everything stored is read and compared with its checksums.
 *
 * What the sink has and the service does not return is marked as extra, and no longer once the service returns it again.
 *
 * @category constructors
 */
export const reconcile: (
  options: ReconcileOptions
) => Stream.Stream<Difference, ExportError, TransferHistory> = reconciliation.reconcile

/**
 * Asks the service how far back it can be searched, with one request of one record for each step of a binary search.
 * Returns the windows of the plan that it refuses; they are the oldest ones.
 *
 * @category accessors
 */
export const unreachable: (
  plan: Plan,
  settings?: { readonly budget?: Budget | undefined }
) => Effect.Effect<ReadonlyArray<Window>, ExportError, TransferHistory> = internal.unreachable

/**
 * The last second that the service's index has settled, by the service's clock: up to there an open plan reads. It asks for
 * one record of the plan's first source: once, or up to three times if the answers say times far from this machine's and from
 * each other.
 *
 * **Details**
 *
 * The service's time is that of the `Date` header of its answer, or of a sandbox that has a clock of its own, and this
 * machine's if the answer has neither. A record that is newer is believed too, up to what has settled by this machine's
 * clock. Plans in blocks have no time: their end is not looked at.
 *
 * @category accessors
 */
export const settled: (
  plan: Plan,
  settings?: Omit<Settings, "sink"> & {
    /** How long the service's index may lag; 1 minute by default. */
    readonly indexLag?: Duration.DurationInput | undefined
  }
) => Effect.Effect<number, ExportError, TransferHistory> = internalSettled.settled
