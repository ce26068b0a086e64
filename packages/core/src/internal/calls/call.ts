/**
 * One call, from its request to its outcome. `run` lists the steps of a call; the functions below it are in the same
 * order.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import type * as Tracer from "effect/Tracer"
import * as Chain from "../../Chain.js"
import type { Settings } from "../../ClientConfig.js"
import type * as Credentials from "../../Credentials.js"
import * as Deadlines from "../../Deadline.js"
import type { Endpoint } from "../../Endpoints.js"
import * as IndexId from "../../IndexId.js"
import type { Descriptor, Safety } from "../../Operation.js"
import * as RateLimit from "../../RateLimit.js"
import * as Recording from "../../Recording.js"
import * as RetryPolicy from "../../RetryPolicy.js"
import * as ServiceError from "../../ServiceError.js"
import * as ServiceTime from "../../ServiceTime.js"
import * as Telemetry from "../../Telemetry.js"
import type { Facts } from "../errors/errorText.js"
import * as answer from "./answer.js"
import { AttemptFailed, type BodyReader, type CommonFields } from "./answer.js"
import * as body from "./body.js"
import * as metrics from "./metrics.js"
import type { WireRequest } from "./request.js"
import { timeoutDetached } from "./timeoutDetached.js"

/** A request, and the client and the configuration that it is sent with. */
interface Request<A> {
  readonly operation: Descriptor
  readonly wire: WireRequest
  readonly read: BodyReader<A>
  readonly endpoint: Endpoint
  readonly settings: Settings
  readonly httpClient: HttpClient.HttpClient
}

/** A request with the fiber of its caller, the policy and the deadline in effect there, and the record of the call. */
interface ActiveCall<A> extends Request<A> {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly clock: Clock.Clock
  readonly policy: RetryPolicy.RetryPolicy
  readonly deadline: Deadlines.Deadline
  readonly trace: CallTrace
}

/** How an attempt ends other than with its value: it failed, or the whole call has. */
type Failed = AttemptFailed | ServiceError.ServiceError

type Phase = "attemptsMillis" | "retryWaitsMillis" | "rateLimitMillis"

/** The record of one call: the outcome of its attempts and where its time went. */
class CallTrace {
  readonly attempts: Array<ServiceError.Attempt> = []
  readonly #spentMillis = { attemptsMillis: 0, retryWaitsMillis: 0, rateLimitMillis: 0 }
  /** The current phase, for a call that ends in the middle of it. */
  #phase: { readonly kind: Phase; readonly since: number } | undefined
  /** Whether part of the latest attempt's request may have been sent: false while its credential is being read. */
  mayHaveLeft = false
  /** The status of the latest attempt's answer. */
  status: number | undefined
  /** Whether an attempt before the latest may have been carried out although no answer arrived. */
  uncertain = false

  /** Starts a phase. */
  begin(kind: Phase, now: number): void {
    this.#phase = { kind, since: now }
  }

  /** Starts an attempt. */
  beginAttempt(now: number): void {
    this.begin("attemptsMillis", now)
    this.mayHaveLeft = false
    this.status = undefined
  }

  /** Ends the current phase and adds its time. */
  end(now: number): void {
    if (this.#phase === undefined) return
    this.#spentMillis[this.#phase.kind] += now - this.#phase.since
    this.#phase = undefined
  }

  get isAttempting(): boolean {
    return this.#phase?.kind === "attemptsMillis"
  }

  /** The time spent in the phases that have ended. */
  get spent(): ServiceError.Spent {
    return new ServiceError.Spent(this.#spentMillis)
  }

  addAttempt(reason: string, waitMillis: number, status?: number): void {
    this.attempts.push(new ServiceError.Attempt({ reason, waitMillis, ...(status === undefined ? {} : { status }) }))
  }
}

/** The first problem of the retry policy and the deadline that a caller has set around a call, as the error of an operation. */
export const limitsProblem = (
  operation: string,
  context: Context.Context<never>
): Option.Option<ServiceError.InvalidInput> =>
  Option.firstSomeOf([
    Option.flatMap(
      Context.get(context, RetryPolicy.CurrentRetryPolicy),
      (policy) => Either.getLeft(RetryPolicy.check(operation, policy))
    ),
    Option.flatMap(
      Context.get(context, Deadlines.CurrentDeadline),
      (deadline) => Either.getLeft(Deadlines.check(operation, deadline))
    )
  ])

/** Makes a call under the policy and the deadline of the fiber. */
export const run = <A>(request: Request<A>): Effect.Effect<A, ServiceError.ServiceError> =>
  Effect.withFiberRuntime((fiber) => {
    const { settings } = request
    const problem = limitsProblem(request.operation.name, fiber.currentContext)
    if (Option.isSome(problem)) return Effect.fail(problem.value)
    const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
    const call: ActiveCall<A> = {
      ...request,
      fiber,
      clock,
      policy: Option.getOrElse(Context.get(fiber.currentContext, RetryPolicy.CurrentRetryPolicy), () => settings.retry),
      deadline: Option.getOrElse(Context.get(fiber.currentContext, Deadlines.CurrentDeadline), () => {
        const limitMillis = Duration.toMillis(settings.deadline)
        return { expiresAt: Deadlines.now(clock) + limitMillis, limitMillis }
      }),
      trace: new CallTrace()
    }
    // Outermost first: each step gets the next one as an effect.
    return recordOperation(
      call,
      retry(call, limitRate(call, recordAttempt(call, perform(call))))
    )
  })

/** Records the whole operation. */
const recordOperation = <A>(
  { clock, endpoint, fiber, operation: { name }, settings: { chain }, trace }: ActiveCall<A>,
  attempts: Effect.Effect<A, ServiceError.ServiceError>
): Effect.Effect<A, ServiceError.ServiceError> => {
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
}

/** The wait that a schedule asks for; `None` if it is done. */
const scheduled = (
  schedule: Schedule.Schedule<unknown, RetryPolicy.FailedAttempt>
): (failed: RetryPolicy.FailedAttempt) => Effect.Effect<Option.Option<number>> => {
  let state: unknown = schedule.initial
  return (failed) =>
    Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) =>
        Effect.map(schedule.step(now, failed, state), ([next, _, decision]) => {
          state = next
          return ScheduleDecision.isDone(decision)
            ? Option.none()
            : Option.some(Math.max(0, ScheduleIntervals.start(decision.intervals) - now))
        })
      ),
      // The schedule is the caller's code. If it dies there is no retry, and the call ends as its last attempt did.
      Effect.catchAllDefect(() => Effect.succeedNone)
    )
}

const mayRepeat = (failure: AttemptFailed, made: number, safety: Safety, policy: RetryPolicy.RetryPolicy): boolean => {
  const { statusAttempts = policy.attempts, statuses } = policy
  if (failure.repeatable === "never") return false
  if (failure.repeatable === "by-status" && (made >= statusAttempts || !statuses.has(failure.facts?.status ?? 0))) {
    return false
  }
  return safety !== "once" || failure.certainty === "not-sent"
}

/**
 * Makes the function that decides about the retries of one call: a schedule starts afresh with each call. It returns the
 * wait before the next attempt in milliseconds, or `None` for no retry.
 */
const retries = (policy: RetryPolicy.RetryPolicy, safety: Safety) => {
  const { schedule } = policy
  const wanted = schedule === undefined
    ? ({ made }: RetryPolicy.FailedAttempt) => Effect.asSome(RetryPolicy.delay(policy, made))
    : scheduled(schedule)
  return (failure: AttemptFailed, made: number): Effect.Effect<Option.Option<number>> => {
    const { facts: { code, status } = {}, message: reason, retryAfterMillis } = failure
    const asked = retryAfterMillis ?? 0
    const mayGoOn = made < policy.attempts && mayRepeat(failure, made, safety, policy) &&
      asked <= Duration.toMillis(policy.maxRetryAfter)
    return mayGoOn
      ? Effect.map(
        wanted({ reason, status, code, retryAfterMillis, made }),
        Option.map((millis) => Math.max(asked, millis))
      )
      : Effect.succeedNone
  }
}

/** Repeats failed attempts, as far as the operation allows it and the policy asks for it, while there is time. */
const retry = <A>(
  call: ActiveCall<A>,
  attempt: Effect.Effect<A, Failed>
): Effect.Effect<A, ServiceError.ServiceError> => {
  const { clock, deadline, operation: { safety }, policy, trace } = call
  const nextWait = retries(policy, safety)
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

/** Waits for a place at the rate limit. Who gives up meanwhile gives the place back. */
const waitForPlace = <A>(
  call: ActiveCall<A>,
  { giveBack }: RateLimit.RateLimit,
  waitMillis: number
): Effect.Effect<void> => {
  const at = Deadlines.now(call.clock) + waitMillis
  const waiting = wait(call, "rate-limit", waitMillis)
  return giveBack === undefined || waitMillis === 0 ? waiting : Effect.onInterrupt(waiting, () => {
    const left = at - Deadlines.now(call.clock)
    return left > 0 ? giveBack(left) : Effect.void
  })
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
        if (place._tag === "Granted") return waitForPlace(call, rateLimit, place.waitMillis)
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

/** Records an attempt, in the trace of the call too. */
const recordAttempt = <A>(
  { clock, endpoint, fiber, operation, settings: { chain }, trace }: ActiveCall<A>,
  attempt: Effect.Effect<A, Failed>
): Effect.Effect<A, Failed> =>
  Effect.suspend(() => {
    const since = Deadlines.now(clock)
    const resendCount = trace.attempts.length
    trace.beginAttempt(since)
    const options = (): Tracer.SpanOptions => ({
      kind: "client",
      attributes: {
        [Telemetry.attributes.method]: operation.method,
        [Telemetry.attributes.route]: operation.route,
        ...metrics.of(endpoint).attributes,
        [Telemetry.attributes.chainId]: chain,
        ...(resendCount === 0 ? {} : { [Telemetry.attributes.resendCount]: resendCount })
      }
    })
    return Recording.inSpan(fiber, `${operation.method} ${operation.route}`, options, (span) =>
      Effect.onExit(attempt, (exit) =>
        Effect.sync(() => {
          const millis = Deadlines.now(clock) - since
          trace.end(since + millis)
          const { failure, label } = outcomeOf(exit)
          metrics.of(endpoint).attempt(fiber, operation, label, trace.status, millis)
          if (span !== undefined) {
            describe(span, trace, failure)
          }
        })))
  })

const outcomeOf = <A>(exit: Exit.Exit<A, Failed>): { readonly label: string; readonly failure?: AttemptFailed } => {
  if (Exit.isSuccess(exit)) return { label: "success" }
  const failed = Cause.failureOption(exit.cause)
  if (Option.isNone(failed)) return { label: Cause.isInterrupted(exit.cause) ? "interrupted" : "defect" }
  const failure = failed.value
  return failure instanceof AttemptFailed
    ? { label: failure.label ?? failure.message, failure }
    : { label: "interrupted" }
}

const describe = (span: Tracer.Span, { status }: CallTrace, failure: AttemptFailed | undefined): void => {
  if (status !== undefined) span.attribute(Telemetry.attributes.status, status)
  if (failure === undefined) return
  const { facts: { code, requestId } = {}, label, message } = failure
  span.attribute(Telemetry.attributes.errorType, label ?? message)
  if (code !== undefined) span.attribute(Telemetry.attributes.serviceCode, code)
  if (requestId !== undefined) span.attribute(Telemetry.attributes.requestId, requestId)
}

/**
 * Ends an attempt at its own limit or at the deadline of the call, whichever comes first, even if the client or the
 * provider of the credential can't be interrupted; it is then left running in the background.
 */
const limitTime = <A, B>(
  call: ActiveCall<A>,
  attempt: Effect.Effect<B, AttemptFailed>,
  usedMillis = 0
): Effect.Effect<B, Failed> =>
  Effect.suspend(() => {
    const left = timeLeft(call)
    const limitMillis = Duration.toMillis(call.settings.attemptTimeout)
    return timeoutDetached<B, Failed>(attempt, Math.min(left, Math.max(0, limitMillis - usedMillis)), () =>
      Effect.fail(
        left <= limitMillis - usedMillis ? expire(call) : new AttemptFailed({
          message: "timeout",
          certainty: call.trace.mayHaveLeft ? "uncertain" : "not-sent",
          repeatable: "always",
          toError: (common) =>
            new ServiceError.TimedOut({ ...common, limit: "attempt", limitMillis, spent: call.trace.spent })
        })
      ))
  })

/** Sends the request, and reads what the answer means. */
const exchange = <A>(call: ActiveCall<A>, credentials: Credentials.Credentials): Effect.Effect<A, AttemptFailed> =>
  Effect.flatMap(send(call, credentials), (answered) => answer.decode(answered, call.read, call.trace))

/** Waits until a request may leave by the rate limit. The time of the attempt stands still meanwhile. */
const pause = <A>(call: ActiveCall<A>, millis: number): Effect.Effect<void, ServiceError.ServiceError> => {
  const { clock, trace } = call
  trace.end(Deadlines.now(clock))
  const waiting: Effect.Effect<void, ServiceError.ServiceError> = Effect.map(
    wait(call, "rate-limit", millis),
    () => trace.begin("attemptsMillis", Deadlines.now(clock))
  )
  return timeoutDetached(waiting, timeLeft(call), () => Effect.fail(expire(call)))
}

/** Reads the credential and makes the exchange. What a rate limit counts is when the request leaves, and no fiber comes between. */
const perform = <A>(call: ActiveCall<A>): Effect.Effect<A, Failed> => {
  const { clock, settings: { rateLimit: { begin } } } = call
  const credential = readCredential(call)
  if (begin === undefined) {
    return limitTime(call, Effect.flatMap(credential, (credentials) => exchange(call, credentials)))
  }
  return Effect.suspend(() => {
    let since = Deadlines.now(clock)
    return Effect.flatMap(limitTime(call, credential), (credentials) => {
      const attempt = Effect.flatMap(
        begin,
        (left): Effect.Effect<Either.Either<A, number>, AttemptFailed> =>
          left > 0 ? Effect.succeed(Either.left(left)) : Effect.map(exchange(call, credentials), Either.right)
      )
      const leave: Effect.Effect<A, Failed> = Effect.suspend(() =>
        Effect.flatMap(limitTime(call, attempt, Deadlines.now(clock) - since), (found) => {
          if (Either.isRight(found)) return Effect.succeed(found.right)
          since += found.left
          return Effect.zipRight(pause(call, found.left), leave)
        })
      )
      return leave
    })
  })
}

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
      const observe = Context.get(call.fiber.currentContext, ServiceTime.Observer)
      const reading = observe && ServiceTime.read(headers, call.clock.unsafeCurrentTimeMillis())
      if (reading !== undefined) observe?.(reading)
      const index = IndexId.read(headers)
      if (index !== undefined) Context.get(call.fiber.currentContext, IndexId.Observer)(index)
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
  const mayHaveLeft = trace.isAttempting && trace.mayHaveLeft
  if (trace.isAttempting) trace.addAttempt("deadline", 0)
  trace.end(Deadlines.now(call.clock))
  return operation.safety !== "safe" && (mayHaveLeft || trace.uncertain)
    ? outcomeUnknown(call, "the deadline passed", {})
    : new ServiceError.TimedOut({ ...common(call, true), limit: "deadline", limitMillis, spent: trace.spent })
}
