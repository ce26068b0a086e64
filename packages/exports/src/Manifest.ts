/**
 * The contents of an export: its windows, counts and checksums, and whether it is complete.
 *
 * **Details**
 *
 * The checksum of a window is the sum, modulo 2^128, of the first 128 bits of the SHA-256 of each row, written as a
 * JSON array of its columns in order. It does not depend on the order of the rows, so the same export has the same
 * checksum in every sink. `window` is left out of the digest, so that it does not depend on the plan either.
 */
import * as Schema from "effect/Schema"
import { digest } from "./internal/digest.js"
import { isOlder, type Mark } from "./internal/marks.js"
import { type Plan, Source } from "./Plan.js"
import { columns, type Row } from "./Row.js"
import { fresh, WindowState } from "./Sink.js"

/**
 * A window in a manifest.
 *
 * @category schemas
 */
export const WindowEntry = Schema.Struct({
  ...WindowState.omit("checkpoint", "equals").fields,
  status: Schema.Literal("pending", "open", "closed", "unreachable"),
  source: Schema.NonNegativeInt,
  from: Schema.NonNegativeInt,
  to: Schema.NonNegativeInt
})

/**
 * A manifest.
 *
 * @category schemas
 */
export const Manifest = Schema.Struct({
  version: Schema.Literal(1),
  /**
   * `yes` once every window is closed; `except-rejected` if records among them could not be made rows and are in
   * `rejected`; `no` while a window is open, and for good if one is out of reach.
   */
  complete: Schema.Literal("yes", "except-rejected", "no"),
  unit: Schema.Literal("second", "block"),
  from: Schema.NonNegativeInt,
  to: Schema.NonNegativeInt,
  sources: Schema.Array(Source),
  ...WindowState.pick("rows", "rejected", "skipped", "left", "overlaps", "first", "last", "checksum").fields,
  windows: Schema.Array(WindowEntry)
}).annotations({ identifier: "Manifest" })

/**
 * A manifest.
 *
 * @category models
 */
export type Manifest = typeof Manifest.Type

const summed = columns.filter((column) => column !== "window")
const modulus = 2n ** 128n

const digestOf = (row: Row): string => digest(JSON.stringify(summed.map((column) => row[column])))

const sum = (checksums: ReadonlyArray<string>): string =>
  (checksums.reduce((total, checksum) => total + BigInt(`0x${checksum}`), 0n) % modulus).toString(16).padStart(32, "0")

/**
 * Adds rows to a checksum.
 *
 * @category combinators
 */
export const addToChecksum = (checksum: string, rows: ReadonlyArray<Row>): string =>
  sum([checksum, ...rows.map(digestOf)])

/**
 * Makes the manifest of a plan from the states of its windows.
 *
 * @category constructors
 */
export const make = (plan: Plan, states: ReadonlyArray<WindowState>): Manifest => {
  const found = new Map(states.map((state) => [state.window, state]))
  const windows = plan.windows.map((window): typeof WindowEntry.Type => {
    const { index, ...place } = window
    const state = found.get(index)
    const { checkpoint: _checkpoint, equals: _equals, ...shown } = state ?? fresh(window)
    return { ...shown, ...place, status: state?.status ?? "pending" }
  })
  const total = (count: (window: typeof WindowEntry.Type) => number): number =>
    windows.reduce((all, window) => all + count(window), 0)
  const rejected = total((window) => window.rejected)
  const newest = [...windows].sort((a, b) => b.to - a.to)
  return {
    version: 1,
    complete: windows.some(({ status }) => status !== "closed") ? "no" : rejected > 0 ? "except-rejected" : "yes",
    unit: plan.unit,
    from: plan.from,
    to: plan.to,
    sources: plan.sources,
    rows: total((window) => window.rows),
    rejected,
    skipped: total((window) => window.skipped),
    left: total((window) => window.left),
    overlaps: total((window) => window.overlaps),
    // Windows of several accounts are of one time.
    first: newest.flatMap(({ first }) => first ?? []).reduce<Mark | null>(
      (best, one) => best !== null && isOlder(one, best) ? best : one,
      null
    ),
    last: newest.flatMap(({ last }) => last ?? []).reduce<Mark | null>(
      (best, one) => best === null || isOlder(one, best) ? one : best,
      null
    ),
    checksum: sum(windows.map((window) => window.checksum)),
    windows
  }
}
