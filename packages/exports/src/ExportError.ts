/**
 * The errors of an export. None of them loses anything: what was committed stays, and the next run goes on from there.
 *
 * @since 0.1.0
 */
import type { PagingStalled, ReadError } from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"
import type { BudgetExhausted } from "./Budget.js"
import type { SinkError } from "./Sink.js"

/**
 * The cursors of a window die before its pages can be read: several readings of it never got further than `pages` pages.
 * In a plan with more windows, each is shorter.
 *
 * @since 0.1.0
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
 * The export was begun on another chain or host.
 *
 * @since 0.1.0
 * @category errors
 */
export class OtherService extends Schema.TaggedError<OtherService>("@effect-klaytn/exports/OtherService")(
  "OtherService",
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
 * @since 0.1.0
 * @category errors
 */
export class OutOfReach extends Schema.TaggedError<OutOfReach>("@effect-klaytn/exports/OutOfReach")("OutOfReach", {
  window: Schema.Int,
  from: Schema.Int,
  to: Schema.Int,
  problem: Schema.String
}) {
  override get message() {
    return `exports: window ${this.window}, from ${this.from} to ${this.to}, is out of reach: ${this.problem}`
  }
}

/**
 * Everything that can stop an export.
 *
 * @since 0.1.0
 * @category errors
 */
export type ExportError = ReadError | PagingStalled | SinkError | BudgetExhausted | CursorLost | OtherService
