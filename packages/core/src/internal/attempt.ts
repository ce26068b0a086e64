/** One attempt: span, credential, request, answer, decoding. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
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
  readonly method: HttpMethod
  readonly request: WireRequest
  readonly success: Schema.Schema<A, unknown>
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
  certainty: "uncertain",
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
  const base = HttpClientRequest.make(call.method)(call.endpoint + call.request.pathAndQuery, {
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

/** `fetch` would follow redirects by itself; other clients of the platform don't. */
const withoutRedirects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.serviceOption(FetchHttpClient.RequestInit),
    (init) =>
      Effect.provideService(effect, FetchHttpClient.RequestInit, {
        ...Option.getOrElse(init, () => ({})),
        redirect: "manual"
      })
  )

const exchange = <A>(
  call: Call<A>,
  credentials: Credentials.Credentials
): Effect.Effect<A, Failure> =>
  Effect.gen(function*() {
    const response = yield* call.httpClient.execute(toRequest(call, Credentials.authorization(credentials)))
    yield* Effect.annotateCurrentSpan(Telemetry.attributes.status, response.status)
    const text = yield* response.text
    const now = yield* Clock.currentTimeMillis
    return yield* answer.read(
      {
        status: response.status,
        contentType: response.headers["content-type"] ?? "",
        retryAfter: response.headers["retry-after"],
        location: response.headers["location"],
        text
      },
      call.success,
      { now, redact: Credentials.redact(credentials), fingerprint: Credentials.fingerprint(credentials) }
    )
  }).pipe(
    Effect.catchTags({
      RequestError: (error) => Effect.fail(answer.network(error.cause)),
      ResponseError: (error) => Effect.fail(answer.network(error.cause))
    }),
    withoutRedirects
  )

const traced = <A>(call: Call<A>, resendCount: number, effect: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
  effect.pipe(
    Effect.tapError((failure) =>
      Effect.annotateCurrentSpan({
        [Telemetry.attributes.errorType]: failure.label,
        ...(failure.facts.code === undefined ? {} : { [Telemetry.attributes.serviceCode]: failure.facts.code }),
        ...(failure.facts.requestId === undefined ? {} : { [Telemetry.attributes.requestId]: failure.facts.requestId })
      })
    ),
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
    })
  )

const measured = <A>(call: Call<A>, effect: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
  Effect.gen(function*() {
    const start = yield* Clock.currentTimeMillis
    const result = yield* Effect.either(effect)
    const end = yield* Clock.currentTimeMillis
    const outcome = Either.isRight(result) ? "success" : result.left.label
    yield* Telemetry.attempts.pipe(
      Metric.tagged("operation", call.operation.name),
      Metric.tagged("outcome", outcome),
      Metric.update(1)
    )
    yield* Telemetry.attemptDuration.pipe(
      Metric.tagged(Telemetry.attributes.method, call.operation.method),
      Metric.tagged(Telemetry.attributes.route, call.operation.route),
      Metric.tagged("outcome", outcome),
      Metric.update((end - start) / 1000)
    )
    return yield* result
  })

/** Makes attempt number `resendCount + 1`. */
export const run = <A>(call: Call<A>, resendCount: number): Effect.Effect<A, Failure> =>
  call.settings.credentials.pipe(
    Effect.mapError(unauthorized),
    Effect.flatMap((credentials) => exchange(call, credentials)),
    Effect.timeoutFail({ duration: call.settings.attemptTimeout, onTimeout: () => timedOut(call) }),
    (effect) => measured(call, traced(call, resendCount, effect)),
    (effect) => ledgers.booked(call.ledger, "attemptsMillis", effect)
  )
