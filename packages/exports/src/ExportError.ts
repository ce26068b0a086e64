/**
 * The errors of an export. No error loses data: committed records stay, and the next run continues from there.
 */
import type { PagingStalled, ReadError } from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"
import type { BudgetExhausted } from "./Budget.js"
import type { SinkError } from "./Sink.js"

/**
 * The cursors of a window die before its pages can be read: several readings of it never got further than `pages` pages.
 * In a plan with more windows, each is shorter.
 *
 * @category errors
 */
export class CursorLost extends Schema.TaggedError<CursorLost>("@effect-klaytn/exports/CursorLost")("CursorLost", {
  window: Schema.Int,
  pages: Schema.Int,
  problem: Schema.String
}) {
  override get message() {
    return `exports: window ${this.window} can't be read to its end: ${this.problem} (after ${this.pages} pages); ` +
      "plan more windows"
  }
}

/**
 * The export was begun on another chain, or on another index. Gateways of one index say so, and an export goes on through any of
 * them; of a service that says no index, the address counts.
 *
 * @category errors
 */
export class ServiceMismatch extends Schema.TaggedError<ServiceMismatch>("@effect-klaytn/exports/ServiceMismatch")(
  "ServiceMismatch",
  { expected: Schema.String, actual: Schema.String }
) {
  override get message() {
    return `exports: the export was begun on ${this.expected}, not on ${this.actual}`
  }
}

/**
 * The service refuses the range of a window, which is older than what it can be searched for. Everything newer came
 * before.
 *
 * @category errors
 */
export class RangeUnavailable
  extends Schema.TaggedError<RangeUnavailable>("@effect-klaytn/exports/RangeUnavailable")("RangeUnavailable", {
    window: Schema.Int,
    from: Schema.Int,
    to: Schema.Int,
    problem: Schema.String
  })
{
  override get message() {
    return `exports: window ${this.window}, from ${this.from} to ${this.to}, is out of reach: ${this.problem}`
  }
}

/**
 * Everything that can stop an export.
 *
 * @category errors
 */
export type ExportError = ReadError | PagingStalled | SinkError | BudgetExhausted | CursorLost | ServiceMismatch
