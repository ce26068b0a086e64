/**
 * Makes the calls of one service: encodes the request, sends it, and decodes the answer.
 *
 * **Details**
 *
 * The pipeline, outermost first: operation span, retries, rate limit, attempt span, timeout (the attempt's own, or what
 * is left of the deadline if that is less), credential, sending, classification of status and body, decoding. The
 * credential is read inside each attempt, so rotation works. A repeated attempt takes a new place at the rate limit;
 * waiting there does not count as attempt time, but does count against the deadline. Decoding is inside the attempt,
 * and its failure is never repeated. If a call is interrupted, the caller continues at once and the socket is aborted.
 * Spans are made only for a tracer that exports them, see `Telemetry`.
 *
 * The caller provides the `HttpClient`. Redirects are refused: `fetch` is configured not to follow them, and the other
 * clients of `@effect/platform` don't follow them by default. Don't provide a client wrapped in
 * `HttpClient.followRedirects` or `HttpClient.retryTransient`: both act below this pipeline, and don't know which calls
 * are safe to repeat or to redirect.
 *
 * **When to use**
 *
 * The other packages of this SDK are built on it. Use it for operations of your own on the same service.
 *
 * **Example** (an operation of your own)
 *
 * ```ts
 * import * as Operation from "@effect-klaytn/core/Operation"
 * import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const getStatus = Operation.of("history").get("getStatus", "/v2/status", {
 *   success: Schema.Struct({ height: Schema.Int })
 * })
 *
 * export const height = Effect.gen(function*() {
 *   const client = yield* ServiceClient.make("history")
 *   const status = yield* client.call(getStatus, {})
 *   return status.height
 * })
 * ```
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import type { Origin } from "./Checkpoint.js"
import { ClientConfig, type EnvironmentOptions, layerConfig as configLayer, type Settings } from "./ClientConfig.js"
import * as Endpoints from "./Endpoints.js"
import * as answer from "./internal/calls/answer.js"
import * as call from "./internal/calls/call.js"
import * as request from "./internal/calls/request.js"
import * as parseIssue from "./internal/errors/parseIssue.js"
import { CurrentUnreadable } from "./internal/paging/page.js"
import type * as Operation from "./Operation.js"
import { type EarlierAttempts, InvalidInput, type Mismatch, type ReadError, type ServiceError } from "./ServiceError.js"

/**
 * The errors of a call. A call that changes nothing (a GET) never ends as `OutcomeUnknown`.
 *
 * @category models
 */
export type CallError<Method extends HttpMethod> = Method extends "GET" ? ReadError : ServiceError

/**
 * One request and response of a protocol with its own envelope, such as JSON-RPC.
 *
 * **Details**
 *
 * It goes through the same pipeline as an operation of a contract. `read` gets the body of an answer with a success
 * status and returns the value or where the body is malformed; it must not throw. `redact` removes the credential from
 * text of the service that is kept in an error. `earlier` describes the previous attempts: after one that may have been
 * carried out, a refusal inside the envelope proves nothing.
 *
 * @category models
 */
export interface Exchange<A> {
  readonly operation: Operation.Descriptor
  /** Path and query, already encoded, starting with a slash. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The JSON body. */
  readonly body?: string | undefined
  readonly read: (
    text: string,
    contentType: string,
    redact: (text: string) => string,
    earlier: EarlierAttempts
  ) => Either.Either<A, Mismatch>
}

/**
 * Converts a schema's parse error to a `Mismatch`: the deepest place that fails, and what was expected there.
 *
 * @category constructors
 */
export const mismatch: (error: ParseResult.ParseError) => Mismatch = parseIssue.mismatch

/**
 * The problem of the retry policy or the deadline that a caller has set around a call, if either is outside its range.
 * Every call through a client checks both; one that waits before it reaches the client checks them first.
 *
 * @category accessors
 */
export const limitsProblem: (operation: string, context: Context.Context<never>) => Option.Option<InvalidInput> =
  call.limitsProblem

/**
 * A client of one service.
 *
 * @category models
 */
export interface ServiceClient {
  /** The configuration the client was made with. */
  readonly settings: Settings
  /** What the errors and checkpoints of an operation are bound to: its name, the chain and the host. */
  readonly origin: (operation: Operation.Descriptor) => Origin
  /** Makes a call: encodes the request, sends it, and decodes the answer. */
  readonly call: <O extends Operation.Any>(
    operation: O,
    request: Operation.Request<O>
  ) => Effect.Effect<Operation.Success<O>, CallError<O["method"]>>
  /** Makes a call that is not an operation of a contract. */
  readonly exchange: <A>(exchange: Exchange<A>) => Effect.Effect<A, ServiceError>
}

const missing = (service: Endpoints.Service): InvalidInput =>
  InvalidInput.at(
    service,
    ["endpoints", service],
    `the base address of this service is not configured; set endpoints.${service}, ` +
      `or ${Endpoints.variable(service)} for a configuration from the environment`
  )

/**
 * Keeps `fetch` from following redirects; the other clients of the platform don't by default. The caller's own `fetch`
 * options, such as a proxy, are kept. They may come from the context in which the client was made, which the platform
 * merges into the fiber of each attempt, so the option is set in that fiber.
 */
const withoutRedirects = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.mapRequestEffect(client, (request) =>
    Effect.as(
      FiberRef.update(FiberRef.currentContext, (context) =>
        Context.add(context, FetchHttpClient.RequestInit, {
          ...Option.getOrElse(Context.getOption(context, FetchHttpClient.RequestInit), () => ({})),
          redirect: "manual"
        })),
      request
    ))

/**
 * Makes a client of one service. `service` selects the base address and is also the first part of the operations'
 * names. Fails as `InvalidInput` if the configuration has no base address for it.
 *
 * @category constructors
 */
export const make = (
  service: Endpoints.Service
): Effect.Effect<ServiceClient, InvalidInput, ClientConfig | HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const settings = yield* ClientConfig
    const endpoint = settings.endpoints[service]
    if (endpoint === undefined) return yield* missing(service)
    const httpClient = withoutRedirects(yield* HttpClient.HttpClient).pipe(
      // Its own spans hold the whole URL and the Authorization header.
      HttpClient.withTracerDisabledWhen(() => true)
    )
    const run = <A>(
      operation: Operation.Descriptor,
      wire: Either.Either<request.WireRequest, InvalidInput>,
      read: answer.BodyReader<A>
    ): Effect.Effect<A, ServiceError> =>
      Effect.flatMap(wire, (wire) => call.run({ operation, wire, read, endpoint, settings, httpClient }))
    const callOperation: ServiceClient["call"] = <O extends Operation.Any>(
      operation: O,
      input: Operation.Request<O>
    ) => {
      const outcome = Effect.withFiberRuntime<Operation.Success<O>, ServiceError>((fiber) =>
        run(
          operation,
          request.make(operation, input),
          answer.json(operation.success, Context.get(fiber.currentContext, CurrentUnreadable))
        )
      )
      // Only a call that changes something ends as `OutcomeUnknown`, and a GET changes nothing: `run` can't show that.
      return outcome as Effect.Effect<Operation.Success<O>, CallError<O["method"]>>
    }
    const origin: ServiceClient["origin"] = ({ name }) => ({
      operation: name,
      chain: settings.chain,
      host: Endpoints.host(endpoint)
    })
    const exchange: ServiceClient["exchange"] = ({ body, headers = {}, operation, path, read }) =>
      run(operation, request.raw(operation, { pathAndQuery: path, headers, body }), read)
    return { settings, origin, call: callOperation, exchange }
  })

/**
 * The effect that makes a client. It fails as `InvalidInput` if the configuration has no base address for the service.
 *
 * @category models
 */
export type Make<S> = Effect.Effect<S, InvalidInput, ClientConfig | HttpClient.HttpClient>

/**
 * Turns `make` into a function that makes layers. Each call of it makes a layer with its own client.
 *
 * @category layers
 */
export const layer =
  <I, S, Options extends ReadonlyArray<unknown>>(tag: Context.Tag<I, S>, make: (...options: Options) => Make<S>) =>
  (...options: Options): Layer.Layer<I, InvalidInput, ClientConfig | HttpClient.HttpClient> =>
    Layer.effect(tag, make(...options))

/**
 * Turns `make` into a function that makes layers configured from the environment, which has to hold the base address of
 * `service`; see `ClientConfig.layerConfig` for the variables. Each call of it makes a layer with its own client.
 *
 * @category layers
 */
export const layerConfig =
  <I, S, Options = {}>(tag: Context.Tag<I, S>, service: Endpoints.Service, make: (options?: Options) => Make<S>) =>
  (options?: Options & EnvironmentOptions): Layer.Layer<I, ConfigError | InvalidInput, HttpClient.HttpClient> =>
    Layer.effect(tag, Effect.provide(make(options), configLayer({ ...options, service })))
