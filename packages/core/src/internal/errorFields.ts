/** Fields that the errors share. */
import * as Schema from "effect/Schema"
import { Attempt } from "../Attempt.js"

export const common = {
  /** The operation, as in `history.getTransfers`. */
  operation: Schema.String,
  /** Whether the same call may be made again without doing something twice. */
  retrySafe: Schema.Boolean,
  /** The outcome of each attempt, oldest first; empty if nothing was sent. */
  attempts: Schema.Array(Attempt)
}

export const answered = {
  ...common,
  /** HTTP status of the last answer. */
  status: Schema.Int,
  /** The service's seven-digit code, if the answer carried one. */
  code: Schema.optional(Schema.Int),
  /** The service's own message, without control characters and secrets. */
  serviceMessage: Schema.optional(Schema.String),
  /** The service's ID for this request, to quote in a support ticket. */
  requestId: Schema.optional(Schema.String),
  /** A suggestion of this SDK, if it has one. */
  hint: Schema.optional(Schema.String)
}
