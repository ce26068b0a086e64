/** One attempt: span, credential, request, answer, decoding. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { chainHeader } from "../Access.js"
import type { Settings } from "../ClientConfig.js"
import * as Credentials from "../Credentials.js"
import * as Endpoints from "../Endpoints.js"
import type { Operation } from "../Operation.js"
import * as ServiceError from "../ServiceError.js"
import * as Telemetry from "../Telemetry.js"
import type { Failure } from "./answer.js"
import * as answer from "./answer.js"
import * as ledgers from "./ledger.js"
import type { WireRequest } from "./request.js"

export interface Call<A> {
  readonly operation: Operation
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
  repeatable: "never",
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
      [chainHeader]: String(call.settings.chain)
    }
  })
  return call.request.body === undefined
    ? base
    : HttpClientRequest.bodyText(base, call.request.body, "application/json")
}

const exchange = <A>(
  call: Call<A>,
  credentials: Credentials.Credentials
): Effect.Effect<A, Failure> =>
  Effect.gen(function*() {
    call.ledger.attempt.mayHaveLeft = true
    const response = yield* call.httpClient.execute(toRequest(call, Credentials.authorization(credentials)))
    call.ledger.attempt.status = response.status
    yield* Effect.annotateCurrentSpan(Telemetry.attributes.status, response.status)
    // A refusal stands even if its body breaks off.
    const text = yield* response.status >= 300 ? Effect.orElseSucceed(response.text, () => "") : response.text
    const now = yield* Clock.currentTimeMillis
    const redact = Credentials.redact(credentials)
    return yield* answer.read(
      {
        status: response.status,
        contentType: response.headers["content-type"] ?? "",
        retryAfter: response.headers["retry-after"],
        location: response.headers["location"],
        text
      },
      call.read,
      { now, redact, fingerprint: Credentials.fingerprint(credentials) }
    )
  }).pipe(
    Effect.catchTags({
      RequestError: (error) => Effect.fail(answer.network(error.cause)),
      ResponseError: (error) => Effect.fail(answer.network(error.cause))
    })
  )

/** What a tracer gets to see of a failed attempt. */
class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly message: string
  readonly failure: Failure
}> {}

const traced = <A>(call: Call<A>, resendCount: number, effect: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
  effect.pipe(
    Effect.tapError((failure) =>
      Effect.annotateCurrentSpan({
        [Telemetry.attributes.errorType]: failure.label,
        ...(failure.facts.code === undefined ? {} : { [Telemetry.attributes.serviceCode]: failure.facts.code }),
        ...(failure.facts.requestId === undefined ? {} : { [Telemetry.attributes.requestId]: failure.facts.requestId })
      })
    ),
    Effect.mapError((failure) => new AttemptFailed({ message: failure.reason, failure })),
    Effect.withSpan(`${call.operation.method} ${call.operation.route}`, {
      kind: "client",
      captureStackTrace: false,
      attributes: {
        [Telemetry.attributes.method]: call.operation.method,
        [Telemetry.attributes.route]: call.operation.route,
        [Telemetry.attributes.host]: Endpoints.host(call.endpoint),
        [Telemetry.attributes.chainId]: call.settings.chain,
        ...(resendCount === 0 ? {} : { [Telemetry.attributes.resendCount]: resendCount })
      }
    }),
    Effect.mapError((failed) => failed.failure)
  )

const outcomeOf = <A>(exit: Exit.Exit<A, Failure>): string => {
  if (Exit.isSuccess(exit)) return "success"
  const failure = Cause.failureOption(exit.cause)
  return Option.isSome(failure) ? failure.value.label : Cause.isInterrupted(exit.cause) ? "interrupted" : "defect"
}

const record = <A>(call: Call<A>, outcome: string, millis: number): Effect.Effect<void> => {
  const { status } = call.ledger.attempt
  const labels = {
    [Telemetry.attributes.method]: call.operation.method,
    [Telemetry.attributes.route]: call.operation.route,
    ...(status === undefined ? {} : { [Telemetry.attributes.status]: String(status) }),
    ...(outcome === "success" ? {} : { [Telemetry.attributes.errorType]: outcome })
  }
  return Effect.zipRight(
    Telemetry.attempts.pipe(
      Metric.tagged("operation", call.operation.name),
      Metric.tagged("outcome", outcome),
      Metric.update(1)
    ),
    Telemetry.attemptDuration.pipe(
      Metric.taggedWithLabels(Object.entries(labels).map(([name, value]) => MetricLabel.make(name, value))),
      Metric.update(millis / 1000)
    )
  )
}

const measured = <A>(call: Call<A>, effect: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (start) =>
      Effect.onExit(effect, (exit) =>
        Effect.flatMap(Clock.currentTimeMillis, (end) => record(call, outcomeOf(exit), end - start)))
  )

/**
 * Makes attempt number `resendCount + 1`. Its bound holds even for a client or a provider that can't be interrupted:
 * that one is left behind.
 */
export const run = <A>(call: Call<A>, resendCount: number): Effect.Effect<A, Failure> =>
  Effect.suspend(() => {
    call.ledger.attempt = { mayHaveLeft: false, status: undefined }
    return call.settings.credentials.pipe(
      Effect.mapError(unauthorized),
      Effect.flatMap((credentials) => exchange(call, credentials)),
      Effect.disconnect,
      Effect.timeoutFail({ duration: call.settings.attemptTimeout, onTimeout: () => timedOut(call) }),
      (effect) => measured(call, traced(call, resendCount, effect)),
      (effect) => ledgers.booked(call.ledger, "attemptsMillis", effect)
    )
  })
