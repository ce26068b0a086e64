/**
 * The closed family of errors: one class for each case that a caller can handle differently; everything else is data.
 *
 * Every error has the operation, the answer it is based on (HTTP status, service code, message, request ID) if there
 * was one, the outcome of each attempt, and whether the same call may be made again without doing something twice
 * (`retrySafe`). No error holds a request, a header, a body, a URL or a credential, so errors can be logged and stored.
 *
 * **Example** (handle errors by tag)
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
 */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Schema from "effect/Schema"
import { Cursor } from "./Cursor.js"
import { Hash } from "./Hash.js"
import { pathText, sentence } from "./internal/errors/errorText.js"
import * as ServiceCode from "./ServiceCode.js"

/**
 * Who has to act: a coarse classification of the errors, for policies and dashboards.
 *
 * - `caller`: the input or the configuration has to change.
 * - `credential`: the credential has to change.
 * - `refused`: the service understood the call and refused it.
 * - `throttled`: the same call will work later.
 * - `service`: the service is failing.
 * - `network`: the service could not be reached, or not in time.
 * - `contract`: the answer does not match what the service is known to answer.
 * - `uncertain`: it is not known whether it happened.
 *
 * @category models
 */
export type Category = AnyError["category"]

/**
 * The outcome of one attempt, and the wait that followed it. `reason` is `HTTP 503`, a network error code such as
 * `ECONNRESET`, `timeout` or `malformed`; `waitMillis` is 0 if no further attempt followed.
 *
 * @category models
 */
export class Attempt extends Schema.Class<Attempt>("@effect-klaytn/core/Attempt")({
  status: Schema.optional(Schema.Int),
  reason: Schema.String,
  waitMillis: Schema.Number
}) {}

/**
 * The attempts of a call before the one whose answer is being read.
 *
 * @category models
 */
export interface EarlierAttempts {
  /** The outcome of each, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Whether one of them may have been carried out although no answer arrived. */
  readonly uncertain: boolean
}

/**
 * Where the time of a call went, in milliseconds: inside attempts, waiting before a retry, waiting at the rate limit.
 *
 * @category models
 */
export class Spent extends Schema.Class<Spent>("@effect-klaytn/core/Spent")({
  attemptsMillis: Schema.Number,
  retryWaitsMillis: Schema.Number,
  rateLimitMillis: Schema.Number
}) {}

const common = {
  /** The operation, as in `history.getTransfers`. */
  operation: Schema.String,
  /** Whether the same call may be made again without doing something twice. */
  retrySafe: Schema.Boolean,
  /** The outcome of each attempt, oldest first; empty if nothing was sent. */
  attempts: Schema.Array(Attempt),
  /** A suggestion of this SDK, if it has one. */
  hint: Schema.optional(Schema.String)
}

const answered = {
  ...common,
  /** HTTP status of the last answer. */
  status: Schema.Int,
  /** The service's seven-digit code, if the answer carried one. */
  code: Schema.optional(Schema.Int),
  /** The service's own message, without control characters and secrets. */
  serviceMessage: Schema.optional(Schema.String),
  /** The service's ID for this request, to quote in a support ticket. */
  requestId: Schema.optional(Schema.String)
}

const id = (name: string) => `@effect-klaytn/core/${name}`

/**
 * The input was refused before anything was sent. `path` names the bad part, `problem` says what is wrong with it and
 * what to pass instead.
 *
 * @category errors
 */
export class InvalidInput extends Schema.TaggedError<InvalidInput>(id("InvalidInput"))("InvalidInput", {
  ...common,
  path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
  problem: Schema.String
}) {
  /** Refuses an input: nothing was sent, and the same call may be made again. */
  static at(operation: string, path: ReadonlyArray<string | number>, problem: string): InvalidInput {
    return new InvalidInput({ operation, retrySafe: true, attempts: [], path, problem })
  }
  readonly category = "caller" as const
  override get message() {
    return sentence(this, `invalid ${pathText(this.path, "input")}: ${this.problem}`)
  }
}

/**
 * The credential was not accepted (HTTP 401, 403 with a JSON body, codes 1010008 and 1010009), or could not be fetched: then
 * `status` is absent, nothing was sent, and `problem` says why. `fingerprint` identifies the credential without showing it.
 *
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
    return sentence(this, this.problem ?? `the credential${which} was not accepted; check the access key`)
  }
}

/**
 * The service understood the call and refused it. `code` says why. Codes unknown to this SDK arrive here too and can be
 * caught with {@link catchCode}. So does a 403 of a firewall or a proxy, and a 402: `hint` says what to do.
 *
 * @category errors
 */
export class Rejected extends Schema.TaggedError<Rejected>(id("Rejected"))("Rejected", answered) {
  readonly category = "refused" as const
  override get message() {
    return sentence(this, "the service refused the call")
  }
}

/**
 * What was asked for does not exist: HTTP 404, or a code that says so (1040400, 1061010, 1071010).
 *
 * @category errors
 */
export class NotFound extends Schema.TaggedError<NotFound>(id("NotFound"))("NotFound", answered) {
  readonly category = "refused" as const
  override get message() {
    return sentence(this, "not found")
  }
}

/**
 * Too many calls. `origin` is `service` for an HTTP 429 and `client` when the client's own rate limit would have made
 * the call wait longer than allowed. `retryAfterMillis` is the requested wait, if there was one.
 *
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
    const what = this.origin === "service" ? "the service limits the rate" : "the configured rate limit is exhausted"
    return sentence(this, `${what}${wait}`)
  }
}

/**
 * The service answered that it is unavailable (HTTP 408, 425, 5xx, or code 1041000). `retryAfterMillis` is the wait it
 * asked for, if any.
 *
 * @category errors
 */
export class Unavailable extends Schema.TaggedError<Unavailable>(id("Unavailable"))("Unavailable", {
  ...answered,
  retryAfterMillis: Schema.optional(Schema.Number)
}) {
  readonly category = "service" as const
  override get message() {
    return sentence(this, "the service is unavailable")
  }
}

/**
 * No answer arrived: the connection failed or broke. `reason` is the network error code, such as `ECONNREFUSED`; `sent`
 * is false only if it is proven that nothing was sent.
 *
 * @category errors
 */
export class TransportFailed extends Schema.TaggedError<TransportFailed>(id("TransportFailed"))("TransportFailed", {
  ...common,
  reason: Schema.String,
  sent: Schema.Boolean
}) {
  readonly category = "network" as const
  override get message() {
    return sentence(this, `no answer (${this.reason}); check the base address and the network`)
  }
}

/**
 * Time ran out: `limit` says which limit was hit, `spent` where the time of this call went. A deadline around several calls may have
 * passed before this one began, which the message says.
 *
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
    const { attemptsMillis, rateLimitMillis, retryWaitsMillis } = this.spent
    // A deadline may be that of a program around several calls.
    const before = this.limitMillis - attemptsMillis - retryWaitsMillis - rateLimitMillis
    const spent =
      `attempts ${attemptsMillis} ms, waits before retries ${retryWaitsMillis} ms, rate limit ${rateLimitMillis} ms` +
      (this.limit === "deadline" && before > this.limitMillis / 10 ? `; ${before} ms had passed before this call` : "")
    return sentence(this, `the ${this.limit} limit of ${this.limitMillis} ms passed (${spent})`)
  }
}

/**
 * Where a body is malformed, what was expected there, and what kind of value was found. {@link MalformedResponse} carries it;
 * it never holds the content itself.
 *
 * @category models
 */
export interface Mismatch {
  readonly path: ReadonlyArray<string | number>
  readonly expected: string
  readonly actual: string
  /** The cursor that continues after the malformed page, if there is one. */
  readonly nextCursor?: Cursor | undefined
}

/**
 * The answer does not match the contract. `path` is the place in the body and `expected` what should be there; the
 * content itself is never repeated. For a page, the path names the record by its index, and `nextCursor` is the cursor
 * to continue from, absent after the last page. To lose no record, read the page with `unreadable: "keep"` instead, see
 * `Paged`.
 *
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
    const where = pathText(this.path, "body")
    const goOn = this.nextCursor === undefined ? "" : "; the list continues at nextCursor"
    return sentence(this, `malformed answer at ${where}: expected ${this.expected}, got ${this.actual}${goOn}`)
  }
}

/**
 * The service answered with a redirect. It was not followed, because a credential that can move assets is only sent to
 * a host that the program configured. Configure the right base address. `location` is the host that the redirect
 * pointed to.
 *
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
    return sentence(this, `a redirect${where} was refused; configure the right base address`)
  }
}

/**
 * A list does not end: the service returned a cursor that was used before, or too many empty pages in a row with a cursor.
 * The page that shows the fault is not delivered. Everything delivered before is valid; `pages` counts the pages that were
 * fetched.
 *
 * @category errors
 */
export class PagingStalled extends Schema.TaggedError<PagingStalled>(id("PagingStalled"))("PagingStalled", {
  ...common,
  reason: Schema.Literal("repeated-cursor", "empty-pages"),
  pages: Schema.Int
}) {
  readonly category = "contract" as const
  override get message() {
    const what = this.reason === "repeated-cursor"
      ? "returned a cursor twice"
      : "keeps sending empty pages with a cursor"
    return sentence(this, `the service ${what} (after ${this.pages} pages)`)
  }
}

/**
 * A call that changes something may or may not have happened. Only an answer with a status below 500 and the service's
 * own seven-digit code in the body proves that such a call was refused. After an attempt that may have happened, only a
 * `keyed` call was repeated, see `Operation.Safety`. `reason` says what went wrong; `code` and `status` are those of the
 * last answer, if there was one. Find out before calling again: for a signed transaction, look for `transactionHash`.
 *
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
    return sentence(this, `it may or may not have happened (${this.reason}); find out before calling again`)
  }
}

/**
 * The classes of an answer by which the service refuses a call.
 *
 * @category models
 */
export type Refusal = typeof Unauthorized | typeof Rejected | typeof NotFound | typeof RateLimited | typeof Unavailable

/** The codes that say more than the HTTP status they come with. */
const refusals: ReadonlyMap<number | undefined, Refusal> = new Map<number | undefined, Refusal>([
  [ServiceCode.gateway.invalidAuthorization, Unauthorized],
  [ServiceCode.gateway.invalidCredential, Unauthorized],
  [ServiceCode.history.notFound, NotFound],
  [ServiceCode.history.internal, Unavailable],
  // The wallet's.
  [1061010, NotFound],
  [ServiceCode.resource.noData, NotFound]
])

const byStatus = (status: number): Refusal => {
  if (status === 401 || status === 403) return Unauthorized
  if (status === 404) return NotFound
  if (status === 429) return RateLimited
  return status === 408 || status === 425 || status >= 500 ? Unavailable : Rejected
}

/**
 * The class of a refusal: by its code, if that says more than its HTTP status. A 403 whose body is not JSON (`isJson`) is not
 * the service's, and says nothing about the credential.
 *
 * @category accessors
 */
export const refusal = (
  { code, isJson = true, status }: {
    readonly code?: number | undefined
    readonly status: number
    readonly isJson?: boolean | undefined
  }
): Refusal => refusals.get(code) ?? (status === 403 && !isJson ? Rejected : byStatus(status))

/** How providers of nodes say that a quota is used up. The words decide about a hint, and about nothing else. */
const quota = /quota|\b(?:daily|monthly|per (?:day|month)|credits?|capacity|billing|subscription)\b|payment required/i

/**
 * What to do if the message of a refusal says that a quota is used up; `undefined` if it says something else.
 *
 * @category accessors
 */
export const quotaHint = (message: string): string | undefined =>
  quota.test(message) ? "a quota is used up: raise it with the provider, or use another endpoint" : undefined

/**
 * The errors of a call that changes nothing, as a schema, so they can be sent and stored as JSON.
 *
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
 * The errors of a call that changes nothing.
 *
 * @category errors
 */
export type ReadError = typeof ReadError.Type

/**
 * The errors of a stream over a list, as a schema.
 *
 * @category schemas
 */
export const StreamError = Schema.Union(ReadError, PagingStalled)

/**
 * The errors of a stream over a list: the {@link ReadError} of its calls and {@link PagingStalled}.
 *
 * @category errors
 */
export type StreamError = typeof StreamError.Type

/**
 * The errors of any call, as a schema.
 *
 * @category schemas
 */
export const ServiceError = Schema.Union(ReadError, OutcomeUnknown)

/**
 * The errors of any call: {@link ReadError} and, for calls that change something, {@link OutcomeUnknown}.
 *
 * @category errors
 */
export type ServiceError = typeof ServiceError.Type

/**
 * The errors of calls and of streams, as a schema.
 *
 * @category schemas
 */
export const AnyError = Schema.Union(StreamError, OutcomeUnknown)

/**
 * The errors of calls and of streams: every class of this module.
 *
 * @category errors
 */
export type AnyError = typeof AnyError.Type

/**
 * The errors that are based on an answer of the service and so may carry a code.
 *
 * @category models
 */
export type Answered = Extract<AnyError, { readonly code?: number | undefined }>

/**
 * The errors of one category.
 *
 * @category models
 */
export type OfCategory<C extends Category> = Extract<AnyError, { readonly category: C }>

/**
 * Checks whether a value is an error of this module.
 *
 * @category guards
 */
export const isServiceError: (u: unknown) => u is AnyError = Schema.is(AnyError)

/**
 * Recovers from errors with the given service code, whether or not this SDK knows it.
 *
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
} = dual(3, <A, E, R, A2, E2, R2>(
  self: Effect.Effect<A, E, R>,
  code: number,
  recover: (error: Answered) => Effect.Effect<A2, E2, R2>
) =>
  Effect.catchIf<A, E, R, Extract<E, Answered>, A2, E2, R2>(
    self,
    (error): error is Extract<E, Answered> => isServiceError(error) && "code" in error && error.code === code,
    recover
  ))

/**
 * Recovers from every error of a {@link Category} and removes them from the error type.
 *
 * @category error handling
 */
export const catchCategory: {
  <C extends Category, A2, E2, R2>(
    category: C,
    recover: (error: OfCategory<C>) => Effect.Effect<A2, E2, R2>
  ): <A, E, R>(
    self: Effect.Effect<A, E, R>
  ) => Effect.Effect<A | A2, E2 | Exclude<E, Extract<E, OfCategory<C>>>, R | R2>
  <A, E, R, C extends Category, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    category: C,
    recover: (error: OfCategory<C>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E2 | Exclude<E, Extract<E, OfCategory<C>>>, R | R2>
} = dual(3, <A, E, R, C extends Category, A2, E2, R2>(
  self: Effect.Effect<A, E, R>,
  category: C,
  recover: (error: OfCategory<C>) => Effect.Effect<A2, E2, R2>
) =>
  Effect.catchIf<A, E, R, Extract<E, OfCategory<C>>, A2, E2, R2>(
    self,
    (error): error is Extract<E, OfCategory<C>> => isServiceError(error) && error.category === category,
    recover
  ))

/**
 * The command that prints what an error means and what to do about it. Every error of these packages has an entry, which
 * comes with the command: the entry is there offline, and fits the version.
 *
 * **Example** (name the page of every error in a log)
 *
 * ```ts
 * import * as ServiceError from "@effect-klaytn/core/ServiceError"
 * import * as Effect from "effect/Effect"
 *
 * export const logged = <A, R>(call: Effect.Effect<A, ServiceError.AnyError, R>) =>
 *   Effect.tapError(call, (error) =>
 *     Effect.logError(error.message).pipe(Effect.annotateLogs("page", ServiceError.explain(error))))
 * ```
 *
 * @category formatting
 */
export const explain = ({ _tag }: { readonly _tag: string }): string => `klaytn explain ${_tag}`

/**
 * Formats an error on a few lines: what failed, what the service said, the outcome of each attempt, and where to read on.
 *
 * @category formatting
 */
export const format = (error: AnyError): string =>
  [
    `${error._tag} (${error.category}): ${error.message}`,
    ...error.attempts.map((attempt, i) =>
      `  attempt ${i + 1}: ${attempt.reason}${attempt.waitMillis > 0 ? `, then waited ${attempt.waitMillis} ms` : ""}`
    ),
    `  calling again is ${error.retrySafe ? "safe" : "NOT safe: it could happen twice"}`,
    `  more: ${explain(error)}`
  ].join("\n")
