/** Fields that the failures share. */
import * as Schema from "effect/Schema"
import { Attempt } from "../Attempt.js"

export const common = {
  /** The operation, as in `history.getTransfers`. */
  operation: Schema.String,
  /** Whether the same call may be made again without doing something twice. */
  retrySafe: Schema.Boolean,
  /** What each attempt came to, oldest first; empty when nothing was sent. */
  attempts: Schema.Array(Attempt)
}

export const answered = {
  ...common,
  /** HTTP status of the last answer. */
  status: Schema.Int,
  /** The service's seven-digit code, if the answer carried one. */
  code: Schema.optional(Schema.Int),
  /** The service's own words, cleaned of control characters and of anything secret. */
  serviceMessage: Schema.optional(Schema.String),
  /** The service's name for this request, to quote in a support ticket. */
  requestId: Schema.optional(Schema.String),
  /** What may help, if this SDK has a guess. */
  hint: Schema.optional(Schema.String)
}
