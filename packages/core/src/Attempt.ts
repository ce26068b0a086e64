/**
 * What the attempts of a call came to and where its time went: the part of every `ServiceError` that tells its story.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * What one attempt came to, and the wait that followed it. `reason` is `HTTP 503`, a network code such as
 * `ECONNRESET`, `timeout` or `malformed`; `waitMillis` is 0 when no further attempt followed.
 *
 * @since 0.1.0
 * @category models
 */
export class Attempt extends Schema.Class<Attempt>("@effect-klaytn/core/Attempt")({
  status: Schema.optional(Schema.Int),
  reason: Schema.String,
  waitMillis: Schema.Number
}) {}

/**
 * Where the time of a call went, in milliseconds: inside attempts, waiting before a retry, waiting at the rate limit.
 *
 * @since 0.1.0
 * @category models
 */
export class Spent extends Schema.Class<Spent>("@effect-klaytn/core/Spent")({
  attemptsMillis: Schema.Number,
  retryWaitsMillis: Schema.Number,
  rateLimitMillis: Schema.Number
}) {}
