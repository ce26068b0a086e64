/**
 * One call, from its request to its outcome. `run` lists the steps of a call; the functions below it are in the same
 * order.
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Chain from "../../Chain.js"
import type * as Credentials from "../../Credentials.js"
import * as Deadlines from "../../Deadline.js"
import * as RateLimit from "../../RateLimit.js"
import { CurrentRetryPolicy } from "../../RetryPolicy.js"
import * as ServiceError from "../../ServiceError.js"
import { type ActiveCall, CallTrace, type Failed, type Request } from "./activeCall.js"
import * as answer from "./answer.js"
import { AttemptFailed, type CommonFields, type Facts } from "./answer.js"
import * as body from "./body.js"
import * as callSpans from "./callSpans.js"
import * as currentLimits from "./currentLimits.js"
import * as metrics from "./metrics.js"
import * as retries from "./retries.js"
import { timeoutDetached } from "./timeoutDetached.js"

/** Makes a call under the policy and the deadline of the fiber. */
export const run = <A>(request: Request<A>): Effect.Effect<A, ServiceError.ServiceError> =>
  Effect.withFiberRuntime((fiber) => {
    const { settings } = request
    const problem = currentLimits.problem(request.operation.name, fiber.currentContext)
    if (Option.isSome(problem)) return Effect.fail(problem.value)
    const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
    const call: ActiveCall<A> = {
      ...request,
      fiber,
      clock,
      policy: Option.getOrElse(Context.get(fiber.currentContext, CurrentRetryPolicy), () => settings.retry),
      deadline: Option.getOrElse(Context.get(fiber.currentContext, Deadlines.CurrentDeadline), () => {
        const limitMillis = Duration.toMillis(settings.deadline)
        return { expiresAt: Deadlines.now(clock) + limitMillis, limitMillis }
      }),
      trace: new CallTrace()
    }
    // Outermost first: each step gets the next one as an effect.
    return callSpans.operation(
      call,
      retry(call, limitRate(call, callSpans.attempt(call, limitTime(call, exchange(call)))))
    )
  })

/** Repeats failed attempts, as far as the operation allows it and the policy asks for it, while there is time. */
const retry = <A>(
  call: ActiveCall<A>,
  attempt: Effect.Effect<A, Failed>
): Effect.Effect<A, ServiceError.ServiceError> => {
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
      trace.addAttempt(failed.message, Option.getOrElse(next, () => 0), failed.facts?.status)
      if (Option.isNone(next)) return Effect.fail(conclude(call, failed))
      trace.uncertain ||= failed.certainty === "uncertain"
      return Effect.zipRight(wait(call, "retry", next.value), attempts)
    })
  })
  return attempts
}

/** Takes a place at the rate limit before each attempt, and waits for it. */
const limitRate = <A>(call: ActiveCall<A>, attempt: Effect.Effect<A, Failed>): Effect.Effect<A, Failed> => {
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

/**
 * Ends an attempt at its own limit or at the deadline of the call, whichever comes first, even if the client or the
 * provider of the credential can't be interrupted; it is then left running in the background.
 */
const limitTime = <A>(call: ActiveCall<A>, attempt: Effect.Effect<A, AttemptFailed>): Effect.Effect<A, Failed> =>
  Effect.suspend(() => {
    const left = timeLeft(call)
    const limitMillis = Duration.toMillis(call.settings.attemptTimeout)
    return timeoutDetached<A, Failed>(attempt, Math.min(left, limitMillis), () =>
      Effect.fail(
        left <= limitMillis ? expire(call) : new AttemptFailed({
          message: "timeout",
          certainty: call.trace.mayHaveLeft ? "uncertain" : "not-sent",
          repeatable: "always",
          toError: (common) =>
            new ServiceError.TimedOut({ ...common, limit: "attempt", limitMillis, spent: call.trace.spent(0) })
        })
      ))
  })

/** Reads the credential, sends the request, and reads what the answer means. */
const exchange = <A>(call: ActiveCall<A>): Effect.Effect<A, AttemptFailed> =>
  Effect.flatMap(
    readCredential(call),
    (credentials) =>
      Effect.flatMap(send(call, credentials), (answered) => answer.decode(answered, call.read, call.trace))
  )

/** Reads the credential, again in each attempt. */
const readCredential = <A>({ settings }: ActiveCall<A>): Effect.Effect<Credentials.Credentials, AttemptFailed> =>
  Effect.mapError(settings.credentials, (error) =>
    new AttemptFailed({
      message: "no credential",
      certainty: "not-sent",
      repeatable: error.reason === "Unavailable" ? "always" : "never",
      toError: (common) => new ServiceError.Unauthorized({ ...common, problem: error.message })
    }))

/** Sends the request and reads the text of the answer. */
const send = <A>(
  call: ActiveCall<A>,
  credentials: Credentials.Credentials
): Effect.Effect<answer.Answer, AttemptFailed> => {
  call.trace.mayHaveLeft = true
  const breakOff = (error: { readonly cause?: unknown }, hasBegun: boolean): Effect.Effect<never, AttemptFailed> =>
    Effect.fail(answer.network(error.cause, credentials.redact, hasBegun))
  return Effect.matchEffect(call.httpClient.execute(toHttp(call, credentials)), {
    onFailure: (error) => breakOff(error, false),
    onSuccess: (response) => {
      const { status } = response
      call.trace.status = status
      // Some clients build the headers again on each access.
      const { headers } = response
      const answered = (text: string): Effect.Effect<answer.Answer> =>
        Effect.succeed({
          status,
          contentType: headers["content-type"] ?? "",
          retryAfter: headers["retry-after"],
          location: headers["location"],
          text,
          at: call.clock.unsafeCurrentTimeMillis(),
          credentials
        })
      return Effect.matchEffect(body.text(response, headers, call.settings.maxResponseBytes), {
        onFailure: (error) => {
          // An error status counts even if its body breaks off.
          if (status >= 300) return answered("")
          return error._tag === "TooLarge" ? Effect.fail(answer.tooLarge(status, error.limit)) : breakOff(error, true)
        },
        onSuccess: answered
      })
    }
  })
}

const toHttp = <A>(
  { endpoint, operation, settings, wire }: ActiveCall<A>,
  credentials: Credentials.Credentials
): HttpClientRequest.HttpClientRequest => {
  const { path } = credentials
  const authorization = Redacted.value(credentials.authorization)
  const pathAndQuery = path === undefined ? wire.pathAndQuery : Redacted.value(path)
  const http = HttpClientRequest.make(operation.method)(endpoint + pathAndQuery, {
    headers: {
      ...wire.headers,
      accept: "application/json",
      ...(authorization === "" ? {} : { authorization }),
      [Chain.header]: String(settings.chain)
    }
  })
  return wire.body === undefined ? http : HttpClientRequest.bodyText(http, wire.body, "application/json")
}

const timeLeft = <A>({ clock, deadline }: ActiveCall<A>): number =>
  Math.max(0, deadline.expiresAt - Deadlines.now(clock))

/** Waits, and records how long. */
const wait = <A>(call: ActiveCall<A>, kind: "retry" | "rate-limit", millis: number): Effect.Effect<void> => {
  if (millis <= 0) return Effect.void
  const { clock, endpoint, fiber, operation: { name }, trace } = call
  return Effect.suspend(() => {
    trace.begin(kind === "retry" ? "retryWaitsMillis" : "rateLimitMillis", Deadlines.now(clock))
    return Effect.map(clock.sleep(Duration.millis(millis)), () => {
      trace.end(Deadlines.now(clock))
      metrics.of(endpoint).wait(fiber, name, kind, millis)
    })
  })
}

/** The error of a call whose last attempt failed. A change that may have happened is always `OutcomeUnknown`. */
const conclude = <A>(call: ActiveCall<A>, failure: AttemptFailed): ServiceError.ServiceError =>
  call.operation.safety !== "safe" && (call.trace.uncertain || failure.certainty === "uncertain")
    ? outcomeUnknown(call, failure.message, failure.facts ?? {})
    : failure.toError(common(call, true))

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
