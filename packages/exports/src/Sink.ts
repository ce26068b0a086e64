/**
 * Where an export is stored. `SqlSink` and `FileSink` are sinks; one of your own implements {@link Session}.
 *
 * **Details**
 *
 * The promise of an export rests on one rule: `commit` stores the rows of a page and the state of its window together
 * or not at all. A sink that can't do so keeps the rows of a window apart until the window is closed, and discards them
 * when the sink is opened again, as `FileSink` does.
 *
 * A page may be committed again: after a crash, after a cursor became invalid, and by another process. Rows that are
 * stored already, by `id`, are skipped. `commit` passes the others to `next`, which returns the state to be stored.
 */
import * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import { IndexId } from "@effect-klaytn/core/IndexId"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Manifest } from "./Manifest.js"
import type { Plan, Window } from "./Plan.js"
import type { Rejected, Row } from "./Row.js"

/**
 * The sink failed; `problem` says what to do.
 *
 * - `stored`: another export is stored there, or none and no plan was passed. Nothing was changed.
 * - `newer`: a newer version of this package has stored the export, its columns or its tables. Nothing was changed.
 * - `foreign`: a directory contains something that does not belong to an export. Nothing was changed.
 * - `locked`: another process exports to the directory. Nothing was changed.
 * - `conflict`: the window has changed since it was read, because another process works on it. Nothing was stored.
 * - `unavailable`: the store does not answer, which may pass. An export retries for `giveUpAfter`.
 * - `io`: the store failed and waiting does not help: it is full, can only be read, refuses the password.
 *
 * @category errors
 */
export class SinkError extends Schema.TaggedError<SinkError>("@effect-klaytn/exports/SinkError")("SinkError", {
  reason: Schema.Literal("io", "unavailable", "stored", "newer", "foreign", "locked", "conflict"),
  problem: Schema.String
}) {
  override get message() {
    return `exports: ${this.problem}`
  }
}

const counts = Schema.Record({ key: Schema.String, value: Schema.NonNegativeInt })

/**
 * How many equal records a window has had so far, where a list is cut by the end of a page: those of the last block,
 * and the unreadable ones.
 *
 * @category schemas
 */
export const Equals = Schema.Struct({
  block: Schema.NullOr(Schema.Int),
  transaction: Schema.String,
  records: counts,
  rejected: counts
})

/**
 * How many equal records a window has had so far, where a list is cut by the end of a page.
 *
 * @category models
 */
export type Equals = typeof Equals.Type

/**
 * The first or the last row of a window.
 *
 * @category schemas
 */
export const Mark = Schema.Struct({
  transaction_hash: Schema.String,
  block_number: Schema.NullOr(Schema.Int),
  unix: Schema.NullOr(Schema.Int)
})

/**
 * A part of a window: its first and its last second or block.
 *
 * @category schemas
 */
export const Part = Schema.Struct({ from: Schema.NonNegativeInt, to: Schema.NonNegativeInt })

/**
 * A part of a window.
 *
 * @category models
 */
export type Part = typeof Part.Type

/**
 * The ID of a row or of a rejected record, with its second and its block where the row says them.
 *
 * @category models
 */
export interface Id {
  readonly id: string
  readonly unix: number | null
  readonly block: number | null
}

/**
 * Where a window stands.
 *
 * **Details**
 *
 * A window is `open` until its last page is stored, then `closed`. It is `unreachable` while the service refuses its range;
 * `note` has the service's words, and each run asks for it again.
 *
 * @category schemas
 */
export const WindowState = Schema.Struct({
  window: Schema.NonNegativeInt,
  status: Schema.Literal("open", "closed", "unreachable"),
  /** Where to continue; `null` at the beginning. */
  checkpoint: Schema.NullOr(Checkpoint.Checkpoint),
  equals: Equals,
  /** Commits so far. It only grows, also when a window is read again. */
  pages: Schema.NonNegativeInt,
  /** Rows stored. */
  rows: Schema.NonNegativeInt,
  /** Records that could not be made rows. */
  rejected: Schema.NonNegativeInt,
  /** Rows and rejected records that were stored already. */
  skipped: Schema.NonNegativeInt,
  /** Records left to the window of another account, of kinds that were not asked for, and records that move nothing. */
  left: Schema.NonNegativeInt,
  /**
   * Rows at the beginning of pages that equal a row of the same transaction on the page before, where the service could not say
   * how many there are: either that many equal transfers, or records that it returned twice. All of them are stored.
   */
  overlaps: Schema.optionalWith(Schema.NonNegativeInt, { default: () => 0 }),
  /** The newest row, and the oldest. */
  first: Schema.NullOr(Mark),
  last: Schema.NullOr(Mark),
  /** The sum of the rows' digests, whatever their order: 32 hexadecimal digits. See `Manifest`. */
  checksum: Schema.String,
  /** The ID of the index that was read last, if the service says one. */
  index: Schema.optional(IndexId),
  note: Schema.NullOr(Schema.String),
  /** The last second or block up to which the window was read; absent until it is closed, and in what older programs stored. */
  until: Schema.optional(Schema.NonNegativeInt),
  /** The part that `checkpoint` is in; absent if that is the whole window. */
  reading: Schema.optional(Part)
}).annotations({ identifier: "WindowState" })

/**
 * Where a window stands.
 *
 * @category models
 */
export type WindowState = typeof WindowState.Type

/**
 * A page to be stored.
 *
 * @category models
 */
export interface Page {
  readonly window: Window
  /** The state before the page; if the sink has another one by now, it fails with `conflict`. */
  readonly before: WindowState
  readonly rows: ReadonlyArray<Row>
  readonly rejected: ReadonlyArray<Rejected>
  /** The state after the page, from what was new of it. */
  readonly next: (rows: ReadonlyArray<Row>, rejected: ReadonlyArray<Rejected>) => WindowState
}

/**
 * A row or a rejected record that is stored, and that the service did not return when its window was last compared. It is kept:
 * one answer is no proof that there is none.
 *
 * @category schemas
 */
export const Extra = Schema.Struct({
  id: Schema.String,
  window: Schema.NonNegativeInt,
  /** When a comparison first missed it, in Unix seconds. */
  since: Schema.NonNegativeInt
})

/**
 * A row or a rejected record that is stored, and that the service did not return when its window was last compared.
 *
 * @category models
 */
export type Extra = typeof Extra.Type

/**
 * What is stored of a window is not what was recorded: a part that is gone or was changed, rows that were changed or removed.
 *
 * @category models
 */
export interface Damage {
  readonly window: number
  /** What is wrong, with the names of the files. */
  readonly problem: string
}

/**
 * A sink that was opened for an export.
 *
 * @category models
 */
export interface Session {
  /** The plan that is stored. */
  readonly plan: Effect.Effect<Plan, SinkError>
  /** The states of all windows that were begun. */
  readonly states: Effect.Effect<ReadonlyArray<WindowState>, SinkError>
  /**
   * Replaces the plan by one that continues it ({@link isContinuation}), and returns the plan that is stored then. If
   * another process has extended the plan in the meantime, its plan stays.
   */
  readonly extend: (plan: Plan) => Effect.Effect<Plan, SinkError>
  /** Stores what is new of a page, and the state of its window, together. */
  readonly commit: (page: Page) => Effect.Effect<WindowState, SinkError>
  /**
   * Prepares to read a window from its beginning, or a part of it. Returns the state to continue from: what the window has
   * stays, and what comes again is skipped. With `rewrite`, for a window that is damaged, `commit` also replaces what differs,
   * and the last one counts and sums up what is stored then; until then the window stays as it is recorded.
   */
  readonly restart: (before: WindowState, rewrite?: boolean) => Effect.Effect<WindowState, SinkError>
  /**
   * The IDs of the rows and of the rejected records of a window that is closed, some at a time. With `part`, those of rows
   * outside of it may be left out.
   */
  readonly ids: (window: Window, part?: Part) => Stream.Stream<ReadonlyArray<Id>, SinkError>
  /**
   * Windows that are damaged, as a quick look shows: a directory compares sizes and times, and reads only parts that were changed
   * since they were recorded; a database counts rows.
   */
  readonly damages: Effect.Effect<ReadonlyArray<Damage>, SinkError>
  /** What is wrong with a window that was read to its end, by its checksums: everything of it is read. */
  readonly verify: (window: Window) => Effect.Effect<ReadonlyArray<Damage>, SinkError>
  /** What is marked as extra, of all windows. */
  readonly extras: Effect.Effect<ReadonlyArray<Extra>, SinkError>
  /** Replaces the marks of a window. What is stored stays. */
  readonly mark: (window: Window, extras: ReadonlyArray<Extra>) => Effect.Effect<void, SinkError>
  /** Removes rows and rejected records of a window, by ID, with their marks. Returns the state of the window. */
  readonly remove: (before: WindowState, ids: ReadonlySet<string>) => Effect.Effect<WindowState, SinkError>
  /** Stores the manifest. */
  readonly finish: (manifest: Manifest) => Effect.Effect<void, SinkError>
}

/**
 * A sink. `open` stores the plan of a new export. If a plan of another export is stored already, it fails with `stored`.
 * Without a plan it opens the export that is stored.
 *
 * @category models
 */
export interface Sink {
  readonly open: (plan?: Plan) => Effect.Effect<Session, SinkError, Scope.Scope>
}

/**
 * The state of a window that was not begun.
 *
 * @category constructors
 */
export const fresh = ({ index }: Pick<Window, "index">): WindowState => ({
  window: index,
  status: "open",
  checkpoint: null,
  equals: { block: null, transaction: "", records: {}, rejected: {} },
  pages: 0,
  rows: 0,
  rejected: 0,
  skipped: 0,
  left: 0,
  overlaps: 0,
  first: null,
  last: null,
  checksum: "0".repeat(32),
  note: null
})

/**
 * Whether two plans read the same: the same sources and kinds, from the same beginning. They may end differently.
 *
 * @category guards
 */
export const isSameSelection = (one: Plan, other: Plan): boolean => {
  const selection = ({ from, kinds, size, sources, unit }: Plan): string =>
    JSON.stringify([sources, kinds ?? null, unit, from, size])
  return selection(one) === selection(other)
}

/**
 * Whether `next` continues a plan: it reads the same, has all of its windows, and perhaps more, or longer ones.
 *
 * @category guards
 */
export const isContinuation = (plan: Plan, next: Plan): boolean =>
  isSameSelection(plan, next) && plan.windows.length <= next.windows.length &&
  plan.windows.every(({ from, index, source, to }, place) => {
    const other = next.windows[place]
    return other !== undefined && other.index === index && other.source === source && other.from === from &&
      other.to >= to
  })

/**
 * Whether two plans are of the same export: a plan may have been extended since it was stored.
 *
 * @category guards
 */
export const isSameExport = (one: Plan, other: Plan): boolean =>
  isContinuation(one, other) || isContinuation(other, one) ||
  (one.joined === true || other.joined === true) && isSameSelection(one, other)
