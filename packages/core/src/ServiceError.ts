/**
 * The closed family of failures: one class for each thing a caller can do differently, everything else is data on it.
 *
 * Every member tells the operation, the answer it rests on (HTTP status, service code, message, request id) if there
 * was one, what each attempt came to, and whether the same call may be made again without doing something twice
 * (`retrySafe`). No member holds a request, a header, a body, a URL or a credential: they can be logged and stored.
 *
 * **Example** (deal with each failure)
 *
 * ```ts
 * import type * as ServiceError from "@effect-klaytn/core/ServiceError"
 * import * as Effect from "effect/Effect"
 *
 * declare const read: Effect.Effect<string, ServiceError.ReadError>
 *
 * export const program = read.pipe(
 *   Effect.catchTags({
 *     NotFound: () => Effect.succeed("nothing there"),
 *     RateLimited: (error) => Effect.succeed(`come back in ${error.retryAfterMillis ?? 0} ms`)
 *   })
 * )
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Spent } from "./Attempt.js"
import { Cursor } from "./Cursor.js"
import { Hash } from "./Hash.js"
import * as catching from "./internal/catching.js"
import { answered, common } from "./internal/errorFields.js"
import * as internal from "./internal/serviceError.js"

/**
 * Who has to act, in one word: the coarse view of the family, for policies and dashboards.
 *
 * - `caller`: the input or the configuration has to change.
 * - `credential`: the credential has to change.
 * - `refused`: the service understood and said no.
 * - `throttled`: the same call works later.
 * - `service`: the service is failing.
 * - `network`: the way to the service is failing, or took too long.
 * - `contract`: the answer is not what the service is known to answer.
 * - `uncertain`: nobody knows yet whether it happened.
 *
 * @since 0.1.0
 * @category models
 */
export type Category = AnyError["category"]

const id = (name: string) => `@effect-klaytn/core/${name}`

/**
 * The input was refused before anything was sent. `path` names the part of it, `problem` says what is wrong with it
 * and what to give instead.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidInput extends Schema.TaggedError<InvalidInput>(id("InvalidInput"))("InvalidInput", {
  ...common,
  path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
  problem: Schema.String
}) {
  readonly category = "caller" as const
  override get message() {
    return internal.sentence(this, `invalid ${internal.pathText(this.path, "input")}: ${this.problem}`)
  }
}

/**
 * The credential was not accepted (HTTP 401 or 403, codes 1010008 and 1010009), or could not be had: then `status` is
 * absent, nothing was sent, and `problem` says why. `fingerprint` says which credential it was without showing it.
 *
 * @since 0.1.0
 * @category errors
 */
export class Unauthorized extends Schema.TaggedError<Unauthorized>(id("Unauthorized"))("Unauthorized", {
  ...answered,
  status: Schema.optional(Schema.Int),
  fingerprint: Schema.optional(Schema.String),
  problem: Schema.optional(Schema.String)
}) {
  readonly category = "credential" as const
  override get message() {
    const which = this.fingerprint === undefined ? "" : ` (fingerprint ${this.fingerprint})`
    return internal.sentence(this, this.problem ?? `the credential${which} was not accepted; check the access key`)
  }
}

/**
 * The service understood the call and said no. `code` tells why; unknown codes arrive here too and stay catchable,
 * see {@link catchCode}.
 *
 * @since 0.1.0
 * @category errors
 */
export class Rejected extends Schema.TaggedError<Rejected>(id("Rejected"))("Rejected", answered) {
  readonly category = "refused" as const
  override get message() {
    return internal.sentence(this, "the service refused the call")
  }
}

/**
 * What was asked for does not exist: HTTP 404, or a code that says so (1040400, 1061010, 1071010).
 *
 * @since 0.1.0
 * @category errors
 */
export class NotFound extends Schema.TaggedError<NotFound>(id("NotFound"))("NotFound", answered) {
  readonly category = "refused" as const
  override get message() {
    return internal.sentence(this, "not found")
  }
}

/**
 * Too many calls. `origin` is `service` for an HTTP 429 and `client` when the own rate limit would have made the call
 * wait longer than allowed; `retryAfterMillis` is the wait that was asked for, if any was.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimited extends Schema.TaggedError<RateLimited>(id("RateLimited"))("RateLimited", {
  ...answered,
  status: Schema.optional(Schema.Int),
  origin: Schema.Literal("service", "client"),
  retryAfterMillis: Schema.optional(Schema.Number)
}) {
  readonly category = "throttled" as const
  override get message() {
    const wait = this.retryAfterMillis === undefined ? "" : `; retry after ${this.retryAfterMillis} ms`
    return internal.sentence(this, `${internal.limiterText[this.origin]}${wait}`)
  }
}

/**
 * The service answered that it can't serve now (HTTP 408, 425, 5xx, or code 1041000). `retryAfterMillis` is the wait
 * it asked for, if it did.
 *
 * @since 0.1.0
 * @category errors
 */
export class Unavailable extends Schema.TaggedError<Unavailable>(id("Unavailable"))("Unavailable", {
  ...answered,
  retryAfterMillis: Schema.optional(Schema.Number)
}) {
  readonly category = "service" as const
  override get message() {
    return internal.sentence(this, "the service is unavailable")
  }
}

/**
 * No answer arrived: the connection could not be made or broke. `reason` is the network's code, such as
 * `ECONNREFUSED`; `sent` is false only if it is proven that nothing left.
 *
 * @since 0.1.0
 * @category errors
 */
export class TransportFailed extends Schema.TaggedError<TransportFailed>(id("TransportFailed"))("TransportFailed", {
  ...common,
  reason: Schema.String,
  sent: Schema.Boolean
}) {
  readonly category = "network" as const
  override get message() {
    return internal.sentence(this, `no answer (${this.reason}); check the base address and the network`)
  }
}

/**
 * Time ran out: `limit` says which bound it was, `spent` where the time went.
 *
 * @since 0.1.0
 * @category errors
 */
export class TimedOut extends Schema.TaggedError<TimedOut>(id("TimedOut"))("TimedOut", {
  ...common,
  limit: Schema.Literal("attempt", "deadline"),
  limitMillis: Schema.Number,
  spent: Spent
}) {
  readonly category = "network" as const
  override get message() {
    return internal.sentence(
      this,
      `the ${this.limit} limit of ${this.limitMillis} ms passed${internal.spentText(this)}`
    )
  }
}

/**
 * The answer is not what the contract says. `path` is the place in the body, `expected` what should stand there;
 * the content itself is never repeated. Of a page, the path names the record by its place in it, and `nextCursor` is the
 * one of the page behind, to go on from; absent after the last page. To lose no record, read the page with
 * `unreadable: "keep"` instead, see `Paged`.
 *
 * @since 0.1.0
 * @category errors
 */
export class MalformedResponse
  extends Schema.TaggedError<MalformedResponse>(id("MalformedResponse"))("MalformedResponse", {
    ...answered,
    path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
    expected: Schema.String,
    actual: Schema.String,
    nextCursor: Schema.optional(Cursor)
  })
{
  readonly category = "contract" as const
  override get message() {
    const where = internal.pathText(this.path, "body")
    const goOn = this.nextCursor === undefined ? "" : "; the list goes on behind this page, at nextCursor"
    return internal.sentence(this, `malformed answer at ${where}: expected ${this.expected}, got ${this.actual}${goOn}`)
  }
}

/**
 * The service answered with a redirect. It was not followed: a credential that can move assets is never carried to a
 * host that nobody chose. Put the right base address into the configuration. `location` is the host it pointed to.
 *
 * @since 0.1.0
 * @category errors
 */
export class RedirectRefused extends Schema.TaggedError<RedirectRefused>(id("RedirectRefused"))("RedirectRefused", {
  ...common,
  status: Schema.Int,
  location: Schema.optional(Schema.String)
}) {
  readonly category = "caller" as const
  override get message() {
    const where = this.location === undefined ? "" : ` to ${this.location}`
    return internal.sentence(this, `a redirect${where} was refused; configure the right base address`)
  }
}

/**
 * A list does not come to its end: a cursor was handed out twice, or too many empty pages in a row carried one.
 * Everything delivered before it stands; `pages` counts it.
 *
 * @since 0.1.0
 * @category errors
 */
export class PagingStalled extends Schema.TaggedError<PagingStalled>(id("PagingStalled"))("PagingStalled", {
  ...common,
  reason: Schema.Literal("repeated-cursor", "empty-pages"),
  pages: Schema.Int
}) {
  readonly category = "contract" as const
  override get message() {
    return internal.sentence(this, `${internal.stalledText[this.reason]} (after ${this.pages} pages)`)
  }
}

/**
 * A call that changes something may or may not have happened. Of such a call only the service's own words, a code of
 * seven digits in the body, prove that it was refused: any other answer with a status from 300 to 499 proves nothing,
 * and neither does code or no code from 500 on. It was not repeated. `reason` says what broke; `code`
 * and `status` are those of the last answer, if there was one. Find out before calling again: of a signed transaction
 * `transactionHash` says what to look for.
 *
 * @since 0.1.0
 * @category errors
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>(id("OutcomeUnknown"))("OutcomeUnknown", {
  ...answered,
  status: Schema.optional(Schema.Int),
  reason: Schema.String,
  transactionHash: Schema.optional(Hash)
}) {
  readonly category = "uncertain" as const
  override get message() {
    return internal.sentence(this, `it may have happened or not (${this.reason}); find out before calling again`)
  }
}

/**
 * The failures of a call that changes nothing, as a schema: errors can be sent and stored as JSON.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReadError = Schema.Union(
  InvalidInput,
  Unauthorized,
  Rejected,
  NotFound,
  RateLimited,
  Unavailable,
  TransportFailed,
  TimedOut,
  MalformedResponse,
  RedirectRefused
)

/**
 * The failures of a call that changes nothing.
 *
 * @since 0.1.0
 * @category errors
 */
export type ReadError = typeof ReadError.Type

/**
 * The failures of a stream over a list, as a schema.
 *
 * @since 0.1.0
 * @category schemas
 */
export const StreamError = Schema.Union(...ReadError.members, PagingStalled)

/**
 * The failures of a stream over a list: {@link ReadError} of its calls and, as no single page can fail, {@link PagingStalled}.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamError = typeof StreamError.Type

/**
 * The failures of any call, as a schema.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ServiceError = Schema.Union(...ReadError.members, OutcomeUnknown)

/**
 * The failures of any call: {@link ReadError} and, for calls that change something, {@link OutcomeUnknown}.
 *
 * @since 0.1.0
 * @category errors
 */
export type ServiceError = typeof ServiceError.Type

/**
 * The whole family, as a schema: the failures of calls and of streams.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AnyError = Schema.Union(...StreamError.members, OutcomeUnknown)

/**
 * The whole family: the failures of calls and of streams.
 *
 * @since 0.1.0
 * @category errors
 */
export type AnyError = typeof AnyError.Type

/**
 * The members that rest on an answer of the service and so may carry a code.
 *
 * @since 0.1.0
 * @category models
 */
export type Answered = Extract<AnyError, { readonly code?: number | undefined }>

/**
 * The members of one category.
 *
 * @since 0.1.0
 * @category models
 */
export type OfCategory<C extends Category> = Extract<AnyError, { readonly category: C }>

/**
 * Whether a value is a member of the family.
 *
 * @since 0.1.0
 * @category guards
 */
export const isServiceError: (u: unknown) => u is AnyError = Schema.is(AnyError)

/**
 * Recovers from the failure that carries the given service code, known to this SDK or not.
 *
 * @since 0.1.0
 * @category error handling
 */
export const catchCode: {
  <A2, E2, R2>(
    code: number,
    recover: (error: Answered) => Effect.Effect<A2, E2, R2>
  ): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, E | E2, R | R2>
  <A, E, R, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    code: number,
    recover: (error: Answered) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E | E2, R | R2>
} = catching.code(isServiceError)

/**
 * Recovers from every failure of a {@link Category}; its members are gone from the failures that are left.
 *
 * @since 0.1.0
 * @category error handling
 */
export const catchCategory: {
  <C extends Category, A2, E2, R2>(
    category: C,
    recover: (error: OfCategory<C>) => Effect.Effect<A2, E2, R2>
  ): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, Exclude<E, OfCategory<C>> | E2, R | R2>
  <A, E, R, C extends Category, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    category: C,
    recover: (error: OfCategory<C>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, Exclude<E, OfCategory<C>> | E2, R | R2>
} = catching.category(isServiceError)

/**
 * The whole story on a few lines: what failed, what the service said, and what each attempt came to.
 *
 * @since 0.1.0
 * @category formatting
 */
export const format: (error: AnyError) => string = internal.format
