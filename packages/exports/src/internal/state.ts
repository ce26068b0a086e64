/** How the state of a window moves on. */
import type * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import type { Rejected, Row } from "../Row.js"
import type { WindowState } from "../Sink.js"
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

/** The state of a window that came to its end. */
export const closed = (before: WindowState, status: "closed" | "unreachable", note: string | null): WindowState => ({
  ...before,
  status,
  equals: noEquals,
  note
})
