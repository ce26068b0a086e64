/** The stages of a call. `ServiceClient.make` puts them together. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Tracer from "effect/Tracer"
import * as Chain from "../Chain.js"
import type { Settings } from "../ClientConfig.js"
import * as Credentials from "../Credentials.js"
import * as Deadlines from "../Deadline.js"
import type * as Endpoints from "../Endpoints.js"
import type { Descriptor } from "../Operation.js"
import * as RateLimit from "../RateLimit.js"
import * as Recording from "../Recording.js"
import { CurrentRetryPolicy, type RetryPolicy } from "../RetryPolicy.js"
import * as ServiceError from "../ServiceError.js"
import * as Telemetry from "../Telemetry.js"
import * as answer from "./answer.js"
import { AttemptFailed, type CommonFields, type Facts } from "./answer.js"
import * as body from "./body.js"
import { CallTrace } from "./callTrace.js"
import * as metrics from "./metrics.js"
import type { WireRequest } from "./request.js"
import * as retries from "./retries.js"
import { timeoutDetached } from "./timeoutDetached.js"

/** What the caller asked for, and where it goes. */
export interface Request<A> {
  readonly operation: Descriptor
  readonly wire: WireRequest
  readonly read: answer.BodyReader<A>
  readonly endpoint: Endpoints.Endpoint
  readonly settings: Settings
  readonly httpClient: HttpClient.HttpClient
}

/** A call under way. */
export interface ActiveCall<A> extends Request<A> {
  readonly clock: Clock.Clock
  readonly policy: RetryPolicy
  readonly deadline: Deadlines.Deadline
  readonly trace: CallTrace
}

/** How an attempt ends other than with its value: it failed, or the whole call has. */
type Failed = AttemptFailed | ServiceError.ServiceError

/** Starts a call under the policy and the deadline of the fiber. */
export const start = <A>(
  request: Request<A>,
  run: (call: ActiveCall<A>) => Effect.Effect<A, ServiceError.ServiceError>
): Effect.Effect<A, ServiceError.ServiceError> =>
  Effect.withFiberRuntime((fiber) => {
    const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
    const { settings } = request
    return run({
      ...request,
      clock,
      policy: Option.getOrElse(Context.get(fiber.currentContext, CurrentRetryPolicy), () => settings.retry),
      deadline: Option.getOrElse(Context.get(fiber.currentContext, Deadlines.CurrentDeadline), () => {
        const limitMillis = Duration.toMillis(settings.deadline)
        return { expiresAt: Deadlines.now(clock) + limitMillis, limitMillis }
      }),
      trace: new CallTrace()
    })
  })

/** Reads the credential, again in each attempt. */
export const readCredential = <A>({ settings }: ActiveCall<A>): Effect.Effect<Credentials.Credentials, AttemptFailed> =>
  Effect.mapError(settings.credentials, (error) =>
    new AttemptFailed({
      message: "no credential",
      label: "no credential",
      certainty: "not-sent",
      facts: {},
      repeatable: error.reason === "Unavailable" ? "always" : "never",
      toError: (common) => new ServiceError.Unauthorized({ ...common, problem: error.message })
    }))

const toHttp = <A>(
  { endpoint, operation, settings, wire }: ActiveCall<A>,
  credentials: Credentials.Credentials
): HttpClientRequest.HttpClientRequest => {
  const http = HttpClientRequest.make(operation.method)(endpoint + wire.pathAndQuery, {
    headers: {
      ...wire.headers,
      accept: "application/json",
      authorization: Redacted.value(Credentials.authorization(credentials)),
      [Chain.header]: String(settings.chain)
    }
  })
  return wire.body === undefined ? http : HttpClientRequest.bodyText(http, wire.body, "application/json")
}

/** Sends the request and reads the text of the answer. */
export const send =
  <A>(call: ActiveCall<A>) => (credentials: Credentials.Credentials): Effect.Effect<answer.Answer, AttemptFailed> => {
    call.trace.mayHaveLeft = true
    const breakOff = (error: { readonly cause?: unknown }): Effect.Effect<never, AttemptFailed> =>
      Effect.fail(answer.network(error.cause, credentials.redact))
    return Effect.matchEffect(call.httpClient.execute(toHttp(call, credentials)), {
      onFailure: breakOff,
      onSuccess: (response) => {
        const { status } = response
        call.trace.status = status
        // Some clients build the headers again on each access.
        const { headers } = response
        // An error status counts even if its body breaks off.
        const whole = body.text(response, headers, call.settings.maxResponseBytes)
        return Effect.matchEffect(status >= 300 ? Effect.orElseSucceed(whole, () => "") : whole, {
          onFailure: (error) =>
            error._tag === "TooLarge" ? Effect.fail(answer.tooLarge(status, error.limit)) : breakOff(error),
          onSuccess: (text) =>
            Effect.succeed({
              status,
              contentType: headers["content-type"] ?? "",
              retryAfter: headers["retry-after"],
              location: headers["location"],
              text,
              at: call.clock.unsafeCurrentTimeMillis(),
              credentials
            })
        })
      }
    })
  }

const common = <A>({ operation, trace }: ActiveCall<A>, retrySafe: boolean): CommonFields => ({
  operation: operation.name,
  retrySafe,
  attempts: [...trace.attempts]
})

const outcomeUnknown = <A>(call: ActiveCall<A>, reason: string, facts: Facts): ServiceError.ServiceError =>
  new ServiceError.OutcomeUnknown({ ...common(call, call.operation.safety === "keyed"), ...facts, reason })

/** The error of a call whose deadline passed, whatever it was doing. */
const expire = <A>(call: ActiveCall<A>): ServiceError.ServiceError => {
  const { deadline: { limitMillis }, operation, trace } = call
  const spent = trace.spent(Deadlines.now(call.clock))
  const mayHaveLeft = trace.isAttempting && trace.mayHaveLeft
  if (trace.isAttempting) trace.addAttempt("deadline", 0)
  return operation.safety !== "safe" && (mayHaveLeft || trace.uncertain)
    ? outcomeUnknown(call, "the deadline passed", {})
    : new ServiceError.TimedOut({ ...common(call, true), limit: "deadline", limitMillis, spent })
}

const timeLeft = <A>({ clock, deadline }: ActiveCall<A>): number =>
  Math.max(0, deadline.expiresAt - Deadlines.now(clock))

/**
 * Ends an attempt at its own limit or at the deadline of the call, whichever comes first, even if the client or the
 * provider of the credential can't be interrupted; it is then left running in the background.
 */
export const limitTime =
  <A>(call: ActiveCall<A>) => (attempt: Effect.Effect<A, AttemptFailed>): Effect.Effect<A, Failed> =>
    Effect.suspend(() => {
      const left = timeLeft(call)
      const limitMillis = Duration.toMillis(call.settings.attemptTimeout)
      return timeoutDetached<A, Failed>(attempt, Math.min(left, limitMillis), () =>
        Effect.fail(
          left <= limitMillis ? expire(call) : new AttemptFailed({
            message: "timeout",
            label: "timeout",
            certainty: call.trace.mayHaveLeft ? "uncertain" : "not-sent",
            facts: {},
            repeatable: "always",
            toError: (common) =>
              new ServiceError.TimedOut({ ...common, limit: "attempt", limitMillis, spent: call.trace.spent(0) })
          })
        ))
    })

/** Records an attempt: in the trace of the call, in a span, and in the metrics. */
export const traceAttempt = <A>(call: ActiveCall<A>) => (attempt: Effect.Effect<A, Failed>): Effect.Effect<A, Failed> =>
  Effect.withFiberRuntime((fiber) => {
    const { clock, endpoint, operation: { method, name, route }, trace } = call
    const since = Deadlines.now(clock)
    const resendCount = trace.attempts.length
    trace.beginAttempt(since)
    const options = (): Tracer.SpanOptions => ({
      kind: "client",
      attributes: {
        [Telemetry.attributes.method]: method,
        [Telemetry.attributes.route]: route,
        ...metrics.of(endpoint).attributes,
        [Telemetry.attributes.chainId]: call.settings.chain,
        ...(resendCount === 0 ? {} : { [Telemetry.attributes.resendCount]: resendCount })
      }
    })
    return Recording.inSpan(
      fiber,
      `${method} ${route}`,
      options,
      (span) =>
        Effect.onExit(attempt, (exit) =>
          Effect.sync(() => {
            const now = Deadlines.now(clock)
            trace.end(now)
            const outcome = outcomeOf(exit)
            const { label } = outcome
            metrics.of(endpoint).attempt(
              fiber,
              { operation: name, method, route, status: trace.status, label },
              now - since
            )
            if (span !== undefined) describe(span, trace, outcome.failure)
          }))
    )
  })

interface Outcome {
  readonly label: string
  readonly failure?: AttemptFailed
}

const outcomeOf = <A>(exit: Exit.Exit<A, Failed>): Outcome => {
  if (Exit.isSuccess(exit)) return { label: "success" }
  const failed = Cause.failureOption(exit.cause)
  if (Option.isNone(failed)) return { label: Cause.isInterrupted(exit.cause) ? "interrupted" : "defect" }
  const failure = failed.value
  return failure instanceof AttemptFailed ? { label: failure.label, failure } : { label: "interrupted" }
}

const describe = (span: Tracer.Span, { status }: CallTrace, failure: AttemptFailed | undefined): void => {
  if (status !== undefined) span.attribute(Telemetry.attributes.status, status)
  if (failure === undefined) return
  const { facts: { code, requestId }, label } = failure
  span.attribute(Telemetry.attributes.errorType, label)
  if (code !== undefined) span.attribute(Telemetry.attributes.serviceCode, code)
  if (requestId !== undefined) span.attribute(Telemetry.attributes.requestId, requestId)
}

const wait = <A>(call: ActiveCall<A>, kind: "retry" | "rate-limit", millis: number): Effect.Effect<void> => {
  if (millis <= 0) return Effect.void
  const { clock, endpoint, operation: { name }, trace } = call
  return Effect.suspend(() => {
    trace.begin(kind === "retry" ? "retryWaitsMillis" : "rateLimitMillis", Deadlines.now(clock))
    return Effect.zipRight(
      clock.sleep(Duration.millis(millis)),
      Effect.withFiberRuntime((fiber) => {
        trace.end(Deadlines.now(clock))
        metrics.of(endpoint).wait(fiber, name, kind, millis)
        return Effect.void
      })
    )
  })
}

/** Takes a place at the rate limit before each attempt, and waits for it. */
export const limitRate = <A>(call: ActiveCall<A>) => (attempt: Effect.Effect<A, Failed>): Effect.Effect<A, Failed> => {
  const { operation: { safety }, settings: { rateLimit }, trace } = call
  const inTime = Effect.suspend(() => timeLeft(call) > 0 ? attempt : Effect.fail(expire(call)))
  if (rateLimit === RateLimit.unlimited) return inTime
  const place = Effect.suspend(() => {
    const left = timeLeft(call)
    const reserved = Effect.flatMap(
      rateLimit.reserve(left),
      (place): Effect.Effect<void, ServiceError.ServiceError> => {
        if (place._tag === "Granted") return wait(call, "rate-limit", place.waitMillis)
        return Effect.fail(
          trace.uncertain && safety !== "safe"
            ? outcomeUnknown(call, "the rate limit left no time to repeat it", {})
            : new ServiceError.RateLimited({
              ...common(call, true),
              origin: "client",
              retryAfterMillis: place.waitMillis
            })
        )
      }
    )
    // The limit may be the caller's code, and answer late or never.
    return timeoutDetached(reserved, left, () => Effect.fail(expire(call)))
  })
  return Effect.zipRight(place, inTime)
}

/** The error of a call whose last attempt failed. A change that may have happened is always `OutcomeUnknown`. */
const conclude = <A>(call: ActiveCall<A>, failure: AttemptFailed): ServiceError.ServiceError =>
  call.operation.safety !== "safe" && (call.trace.uncertain || failure.certainty === "uncertain")
    ? outcomeUnknown(call, failure.message, failure.facts)
    : failure.toError(common(call, true))

/** Repeats failed attempts, as far as the operation allows it and the policy asks for it, while there is time. */
export const retry =
  <A>(call: ActiveCall<A>) => (attempt: Effect.Effect<A, Failed>): Effect.Effect<A, ServiceError.ServiceError> => {
    const { clock, deadline, operation: { safety }, policy, trace } = call
    const nextWait = retries.make(policy, safety)
    const attempts: Effect.Effect<A, ServiceError.ServiceError> = Effect.catchAll(attempt, (failed) => {
      if (!(failed instanceof AttemptFailed)) return Effect.fail(failed)
      // A schedule may be the caller's code, and answer late or never.
      const wanted = timeoutDetached(
        nextWait(failed, trace.attempts.length + 1),
        timeLeft(call),
        () => Effect.succeedNone
      )
      return Effect.flatMap(wanted, (wanted) => {
        const now = Deadlines.now(clock)
        const next = Option.filter(wanted, (millis) => now + millis < deadline.expiresAt)
        trace.addAttempt(failed.message, Option.getOrElse(next, () => 0), failed.facts.status)
        if (Option.isNone(next)) return Effect.fail(conclude(call, failed))
        trace.uncertain ||= failed.certainty === "uncertain"
        return Effect.zipRight(wait(call, "retry", next.value), attempts)
      })
    })
    return attempts
  }

/** Records a whole operation: in a span and in the metrics. */
export const traceOperation =
  <A>(call: ActiveCall<A>) =>
  (attempts: Effect.Effect<A, ServiceError.ServiceError>): Effect.Effect<A, ServiceError.ServiceError> =>
    Effect.withFiberRuntime((fiber) => {
      const { clock, endpoint, operation: { name }, settings: { chain }, trace } = call
      const since = Deadlines.now(clock)
      const options = (): Tracer.SpanOptions => ({
        attributes: { [Telemetry.attributes.operation]: name, [Telemetry.attributes.chainId]: chain }
      })
      return Recording.inSpan(fiber, name, options, (span) => {
        const end = (failure?: string): void => {
          span?.attribute(Telemetry.attributes.attempts, trace.attempts.length + (failure === undefined ? 1 : 0))
          if (failure !== undefined) span?.attribute(Telemetry.attributes.errorType, failure)
          metrics.of(endpoint).operation(fiber, name, failure ?? "success", Deadlines.now(clock) - since)
        }
        return Effect.tapBoth(attempts, {
          onFailure: ({ _tag }) => Effect.sync(() => end(_tag)),
          onSuccess: () => Effect.sync(() => end())
        })
      })
    })
