/**
 * The outcome of each attempt of a call and where its time went, as every `ServiceError` reports them.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The outcome of one attempt, and the wait that followed it. `reason` is `HTTP 503`, a network error code such as
 * `ECONNRESET`, `timeout` or `malformed`; `waitMillis` is 0 if no further attempt followed.
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
