/**
 * The contents of an export: its windows, counts and checksums, and whether it is complete.
 *
 * **Details**
 *
 * The checksum of a window is the sum, modulo 2^128, of the first 128 bits of the SHA-256 of each row, written as a
 * JSON array of its columns in order. It does not depend on the order of the rows, so the same export in the same version of the
 * columns has the same checksum in every sink. `window` is left out of the digest, so that it does not depend on the plan either.
 */
import * as Schema from "effect/Schema"
import * as checksums from "./internal/checksums.js"
import { at, newest, versionOf } from "./internal/columns.js"
import * as contents from "./internal/contents.js"
import { type Plan, Source } from "./Plan.js"
import { columnsVersion, type Row } from "./Row.js"
import { WindowState } from "./Sink.js"

/**
 * A window in a manifest.
 *
 * @category schemas
 */
export const WindowEntry = Schema.Struct({
  ...WindowState.omit("checkpoint", "equals", "reading", "index").fields,
  /**
   * Where it stands; `pending` before it was begun, and `damaged` if what is stored is not what was recorded: `note` says what is
   * wrong, and a repair reads it again.
   */
  status: Schema.Literal("pending", "open", "closed", "unreachable", "damaged"),
  source: Schema.NonNegativeInt,
  from: Schema.NonNegativeInt,
  to: Schema.NonNegativeInt
})

/**
 * A window in a manifest.
 *
 * @category models
 */
export type WindowEntry = typeof WindowEntry.Type

/**
 * A manifest.
 *
 * @category schemas
 */
export const Manifest = Schema.Struct({
  version: Schema.Literal(1),
  /**
   * `yes` once every window is closed; `except-rejected` if records among them could not be made rows and are in
   * `rejected`; `no` while a window is open, out of reach or damaged.
   */
  complete: Schema.Literal("yes", "except-rejected", "no"),
  unit: Schema.Literal("second", "block"),
  from: Schema.NonNegativeInt,
  to: Schema.NonNegativeInt,
  sources: Schema.Array(Source),
  /** The version of the columns of all rows, and their names in order. Manifests had none before there was a second version. */
  columns: Schema.optionalWith(Schema.Struct({ version: Schema.Int, names: Schema.Array(Schema.String) }), {
    default: () => contents.named(at(newest, 1))
  }),
  ...WindowState.pick("rows", "rejected", "skipped", "left", "overlaps", "first", "last", "checksum").fields,
  /**
   * Rows and rejected records that are stored, and that the service did not return when they were last compared. They are kept and
   * counted in `rows` and `rejected`. Manifests had no such count before they were marked.
   */
  extra: Schema.optionalWith(Schema.NonNegativeInt, { default: () => 0 }),
  windows: Schema.Array(WindowEntry)
}).annotations({ identifier: "Manifest" })

/**
 * A manifest.
 *
 * @category models
 */
export type Manifest = typeof Manifest.Type

/**
 * Adds rows to a checksum, of columns of a version; of the newest by default.
 *
 * @category combinators
 */
export const addToChecksum = (checksum: string, rows: ReadonlyArray<Row>, version: number = columnsVersion): string =>
  checksums.add(at(newest, version), checksum, rows)

/**
 * Makes the manifest of a plan from the states of its windows.
 *
 * @category constructors
 */
export const make = (plan: Plan, states: ReadonlyArray<WindowState>): Manifest =>
  contents.make(at(newest, versionOf(plan)), plan, states)
