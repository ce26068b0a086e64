/** The order of the rows that stand for a window. */
import type { WindowState } from "../Sink.js"

export type Mark = NonNullable<WindowState["first"]>

export const isOlder = (one: Mark, other: Mark): boolean =>
  one.block_number !== null && other.block_number !== null
    ? one.block_number <= other.block_number
    : (one.unix ?? 0) <= (other.unix ?? 0)
