/** One attempt: span, credential, request, answer, decoding. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Data from "effect/Data"
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
import type { Described } from "../Operation.js"
import * as ServiceError from "../ServiceError.js"
import * as Telemetry from "../Telemetry.js"
import type { Failure } from "./answer.js"
import * as answer from "./answer.js"
import { text } from "./body.js"
import * as ledgers from "./ledger.js"
import * as measure from "./measure.js"
import type { WireRequest } from "./request.js"
import * as servers from "./server.js"
import { traced } from "./tracing.js"
import { within } from "./within.js"

export interface Call<A> {
  readonly operation: Described
  readonly request: WireRequest
  readonly read: answer.Reader<A>
  readonly endpoint: Endpoints.Endpoint
  readonly settings: Settings
  readonly httpClient: HttpClient.HttpClient
  readonly ledger: ledgers.Ledger
}

const unauthorized = (error: Credentials.CredentialsError): Failure => ({
  reason: "no credential",
  label: "no credential",
  certainty: "not-sent",
  facts: {},
  repeatable: error.reason === "Unavailable" ? "always" : "never",
  toError: (common) => new ServiceError.Unauthorized({ ...common, problem: error.message })
})

const timedOut = <A>(call: Call<A>): Failure => ({
  reason: "timeout",
  label: "timeout",
  certainty: call.ledger.attempt.mayHaveLeft ? "uncertain" : "not-sent",
  facts: {},
  repeatable: "always",
  toError: (common) =>
    new ServiceError.TimedOut({
      ...common,
      limit: "attempt",
      limitMillis: Duration.toMillis(call.settings.attemptTimeout),
      spent: ledgers.spent(call.ledger, 0)
    })
})

const toRequest = <A>(call: Call<A>, authorization: Redacted.Redacted<string>): HttpClientRequest.HttpClientRequest => {
  const base = HttpClientRequest.make(call.operation.method)(call.endpoint + call.request.pathAndQuery, {
    headers: {
      ...call.request.headers,
      accept: "application/json",
      authorization: Redacted.value(authorization),
      [Chain.header]: String(call.settings.chain)
    }
  })
  return call.request.body === undefined
    ? base
    : HttpClientRequest.bodyText(base, call.request.body, "application/json")
}

const exchange = <A>(
  call: Call<A>,
  credentials: Credentials.Credentials,
  clock: Clock.Clock,
  span: Tracer.Span | undefined
): Effect.Effect<A, Failure> => {
  call.ledger.attempt.mayHaveLeft = true
  const redact = Credentials.redact(credentials)
  const broken = (error: { readonly cause?: unknown }): Effect.Effect<never, Failure> =>
    Effect.fail(answer.network(error.cause, redact))
  return Effect.matchEffect(
    call.httpClient.execute(toRequest(call, Credentials.authorization(credentials))),
    {
      onFailure: broken,
      onSuccess: (response) => {
        call.ledger.attempt.status = response.status
        span?.attribute(Telemetry.attributes.status, response.status)
        // Some clients build the headers again on each access.
        const { headers } = response
        // An error status counts even if its body breaks off.
        const whole = text(response, headers, call.settings.maxResponseBytes)
        const body = response.status >= 300 ? Effect.orElseSucceed(whole, () => "") : whole
        return Effect.matchEffect(body, {
          onFailure: (error) =>
            error._tag === "TooLarge" ? Effect.fail(answer.tooLarge(response.status, error.limit)) : broken(error),
          onSuccess: (read) =>
            answer.read(
              {
                status: response.status,
                contentType: headers["content-type"] ?? "",
                retryAfter: headers["retry-after"],
                location: headers["location"],
                text: read
              },
              call.read,
              {
                now: clock.unsafeCurrentTimeMillis(),
                redact,
                fingerprint: () => Credentials.fingerprint(credentials),
                earlier: call.ledger
              }
            )
        })
      }
    }
  )
}

/** The deadline of the call passed during an attempt: there is nothing more to decide. */
export class Expired extends Data.TaggedError("Expired")<{ readonly error: ServiceError.ServiceError }> {}

type Failed = Failure | Expired

/** The error that a tracer sees for a failed attempt. */
class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly message: string
  readonly failure: Failure
}> {}

/** Runs an effect inside the span of an attempt, if a tracer exports spans. */
const inSpan = <A>(
  call: Call<A>,
  resendCount: number,
  effect: (span: Tracer.Span | undefined) => Effect.Effect<A, Failed>
): Effect.Effect<A, Failed> => {
  const options = (): Tracer.SpanOptions => ({
    kind: "client",
    attributes: {
      [Telemetry.attributes.method]: call.operation.method,
      [Telemetry.attributes.route]: call.operation.route,
      ...servers.attributes(call.endpoint),
      [Telemetry.attributes.chainId]: call.settings.chain,
      ...(resendCount === 0 ? {} : { [Telemetry.attributes.resendCount]: resendCount })
    }
  })
  const told = (span: Tracer.Span | undefined): Effect.Effect<A, Failed | AttemptFailed> =>
    span === undefined ? effect(span) : Effect.mapError(effect(span), (failure) => {
      if (failure instanceof Expired) return failure
      const { code, requestId } = failure.facts
      span.attribute(Telemetry.attributes.errorType, failure.label)
      if (code !== undefined) span.attribute(Telemetry.attributes.serviceCode, code)
      if (requestId !== undefined) span.attribute(Telemetry.attributes.requestId, requestId)
      return new AttemptFailed({ message: failure.reason, failure })
    })
  return Effect.mapError(
    Effect.withFiberRuntime<A, Failed | AttemptFailed>((fiber) =>
      traced(fiber, `${call.operation.method} ${call.operation.route}`, options, told)
    ),
    (failed) => failed instanceof AttemptFailed ? failed.failure : failed
  )
}

const outcomeOf = <A>(exit: Exit.Exit<A, Failed>): string => {
  if (Exit.isSuccess(exit)) return "success"
  const failure = Cause.failureOption(exit.cause)
  if (Option.isNone(failure)) return Cause.isInterrupted(exit.cause) ? "interrupted" : "defect"
  return failure.value instanceof Expired ? "interrupted" : failure.value.label
}

/**
 * Makes attempt number `resendCount + 1`. Its timeout and the call's deadline hold even for an uninterruptible client
 * or provider, which is then left running in the background. `expired` makes the error for when the deadline passes.
 */
export const run = <A>(
  call: Call<A>,
  resendCount: number,
  deadline: Deadlines.Deadline,
  expired: (now: number) => ServiceError.ServiceError
): Effect.Effect<A, Failed> =>
  Effect.clockWith((clock) => {
    const began = Deadlines.now(clock)
    const left = deadline.expiresAt - began
    if (left <= 0) return Effect.fail(new Expired({ error: expired(began) }))
    const limit = Duration.toMillis(call.settings.attemptTimeout)
    ledgers.begin(call.ledger, "attemptsMillis", began)
    call.ledger.attempt = { mayHaveLeft: false, status: undefined }
    return inSpan(call, resendCount, (span) =>
      within<A, Failed>(
        Effect.matchEffect(call.settings.credentials, {
          onFailure: (error) => Effect.fail(unauthorized(error)),
          onSuccess: (credentials) => exchange(call, credentials, clock, span)
        }),
        Math.min(left, limit),
        () =>
          Effect.fail(
            left <= limit ? new Expired({ error: expired(Deadlines.now(clock)) }) : timedOut(call)
          )
      )).pipe(
        Effect.onExit((exit) =>
          Effect.withFiberRuntime((fiber) => {
            const outcome = outcomeOf(exit)
            const now = Deadlines.now(clock)
            ledgers.end(call.ledger, now)
            const metrics = measure.of(call.endpoint)
            metrics.attempt(fiber, call.operation.name, outcome)
            metrics.attemptDuration(fiber, {
              method: call.operation.method,
              route: call.operation.route,
              status: call.ledger.attempt.status,
              errorType: outcome === "success" ? undefined : outcome
            }, now - began)
            return Effect.void
          })
        )
      )
  })
