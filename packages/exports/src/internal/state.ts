/** How the state of a window moves on. */
import type * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import type { Window } from "../Plan.js"
import type { Rejected, Row } from "../Row.js"
import type { Part, WindowState } from "../Sink.js"
import * as checksums from "./checksums.js"
import type { Columns } from "./columns.js"
import type { Flattened } from "./flatten.js"
import { isOlder, type Mark } from "./marks.js"

const mark = ({ block_number, transaction_hash, unix }: Row): Mark => ({ transaction_hash, block_number, unix })

/** The state after a page of which `rows` and `rejected` were new. */
export const stateAfter = (
  columns: Columns,
  before: WindowState,
  checkpoint: Checkpoint.Checkpoint,
  page: Flattened,
  rows: ReadonlyArray<Row>,
  rejected: ReadonlyArray<Rejected>
): WindowState => {
  const [first] = page.rows
  const last = page.rows.at(-1)
  const after: WindowState = {
    ...before,
    checkpoint,
    equals: page.equals,
    pages: before.pages + 1,
    rows: before.rows + rows.length,
    rejected: before.rejected + rejected.length,
    skipped: before.skipped + page.repeated + page.rows.length + page.rejected.length - rows.length - rejected.length,
    left: before.left + page.left,
    overlaps: before.overlaps + rows.filter((row) => page.ambiguous.has(row.id)).length,
    // A window that is read again goes over newer rows first, and some of them may be late.
    first: first === undefined || before.first !== null && isOlder(mark(first), before.first)
      ? before.first
      : mark(first),
    last: last === undefined || before.last !== null && !isOlder(mark(last), before.last) ? before.last : mark(last),
    checksum: checksums.add(columns, before.checksum, rows)
  }
  return checkpoint.finished ? closed(after, "closed", null) : after
}

const noEquals = { block: null, transaction: "", records: {}, rejected: {} }

/** The state of a window that is read again, from the beginning of a part of it. What it has stays. */
export const again = (before: WindowState): WindowState => ({
  ...before,
  status: "open",
  checkpoint: null,
  equals: noEquals
})

/** What a window holds, counted and summed up. */
export interface Content {
  readonly rows: number
  readonly checksum: string
  readonly first: Mark | null
  readonly last: Mark | null
}

export const noContent: Content = { rows: 0, checksum: "0".repeat(32), first: null, last: null }

/** Adds rows, in any order, to what a window holds. */
export const withRows = (columns: Columns, content: Content, rows: Iterable<Row>): Content => {
  const all = [...rows]
  let { first, last } = content
  for (const one of all) {
    const place = mark(one)
    if (first === null || !isOlder(place, first)) first = place
    if (last === null || isOlder(place, last)) last = place
  }
  return { rows: content.rows + all.length, checksum: checksums.add(columns, content.checksum, all), first, last }
}

/** The state of a window whose part came to its end, or is refused. */
export const closed = (
  { reading, until, ...before }: WindowState,
  status: "closed" | "unreachable",
  note: string | null
): WindowState => ({
  ...before,
  status,
  equals: noEquals,
  ...(status === "closed" && reading !== undefined
    ? { until: Math.max(until ?? 0, reading.to) }
    : until === undefined
    ? {}
    : { until }),
  // What is refused is asked for again once the window is longer.
  ...(status === "closed" || reading === undefined ? {} : { reading }),
  note
})

/** Up to where a window was read. Older programs did not store it: their windows did not grow. */
export const untilOf = (
  { from, planned, to }: Window,
  { status, until }: Pick<WindowState, "status" | "until">
): number | undefined => {
  // A place before the window says nothing of it. Its end may be behind what was read: another process has extended the plan.
  if (until !== undefined && until >= from) return Math.min(until, to)
  return status === "closed" ? planned ?? to : undefined
}

/** Where a window stands: one that has grown since it was closed is open. */
export const statusOf = (window: Window, state: WindowState | undefined): WindowState["status"] => {
  if (state === undefined) return "open"
  return state.status === "closed" && (untilOf(window, state) ?? 0) < window.to ? "open" : state.status
}

/** The part of a window that is read next: the one in which a reading was stopped, or what follows the last one. */
export const nextPart = (window: Window, state: WindowState): Part => {
  if (state.status === "open" && state.checkpoint !== null) {
    return state.reading ?? { from: window.from, to: window.planned ?? window.to }
  }
  const until = untilOf(window, state)
  return { from: until === undefined ? window.from : until + 1, to: window.to }
}
