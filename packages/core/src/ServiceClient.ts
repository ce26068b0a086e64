/**
 * The one way from an operation of the contract to the wire and back.
 *
 * **Details**
 *
 * Outermost first: operation span, retries, rate limit, attempt span, what is left of the deadline or the attempt's own
 * time if that is less, credential, sending, classification of status and body, decoding. The credential is read inside
 * each attempt, so rotation works; a repeated attempt takes a new place at the rate limit; waiting there does not count
 * as attempt time, but against the deadline; decoding is inside the attempt and its failure is never repeated.
 * Interrupting a call releases the caller at once and aborts the socket. Spans are made for a tracer that shows them,
 * see `Telemetry`.
 *
 * The `HttpClient` is the caller's. Redirects are refused: `fetch` is told not to follow them, and the other clients of
 * `@effect/platform` don't by themselves. Don't hand in a client wrapped in `HttpClient.followRedirects` or
 * `HttpClient.retryTransient`: both act below this pipeline, where they can't know what is safe.
 *
 * **When to use**
 *
 * The packages of this SDK are built on it; use it for operations of your own on the same service.
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
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import type { Attempt } from "./Attempt.js"
import type { Origin } from "./Checkpoint.js"
import { ClientConfig, type Settings } from "./ClientConfig.js"
import type { Cursor } from "./Cursor.js"
import * as Endpoints from "./Endpoints.js"
import * as answer from "./internal/answer.js"
import * as execute from "./internal/execute.js"
import * as ledger from "./internal/ledger.js"
import { CurrentUnreadable } from "./internal/page.js"
import { complaint } from "./internal/parseIssue.js"
import * as redirects from "./internal/redirects.js"
import * as request from "./internal/request.js"
import type * as Operation from "./Operation.js"
import { InvalidInput, type ReadError, type ServiceError } from "./ServiceError.js"

/**
 * The failures of a call: one that changes nothing (a GET) never ends as `OutcomeUnknown`.
 *
 * @since 0.1.0
 * @category models
 */
export type Failure<Method extends HttpMethod> = Method extends "GET" ? ReadError : ServiceError

/**
 * One request and one answer of a protocol that brings its own envelope, such as JSON-RPC.
 *
 * **Details**
 *
 * It goes through the same pipeline as an operation of a contract. `read` gets the body of an answer with a success
 * status, and says where it is not what it should be; it must not throw. `redact` takes the credential out of words of
 * the service that are kept for an error. `earlier` tells what became of the attempts before: after one that may have
 * been carried out, a refusal inside of the envelope proves nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Exchange<A> {
  readonly operation: Operation.Described
  /** Path and query, already encoded, beginning with a slash. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** JSON. */
  readonly body?: string | undefined
  readonly read: (
    text: string,
    contentType: string,
    redact: (text: string) => string,
    earlier: Earlier
  ) => Either.Either<A, Mismatch>
}

/**
 * The attempts of a call before the one whose answer is read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Earlier {
  /** What each came to, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Whether one of them may have been carried out without our hearing of it. */
  readonly uncertain: boolean
}

/**
 * The place where a body is not what it should be: `MalformedResponse` tells it. Never the content itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Mismatch {
  readonly path: ReadonlyArray<string | number>
  readonly expected: string
  readonly actual: string
  /** The cursor behind the page that can't be read, if there is one. */
  readonly nextCursor?: Cursor | undefined
}

/**
 * What a schema complained about, as a {@link Mismatch}: the deepest place, and what should stand there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const mismatch = (error: ParseResult.ParseError): Mismatch => complaint(error)

/**
 * A client of one service.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServiceClient {
  /** The configuration the client was made with. */
  readonly settings: Settings
  /** What errors and checkpoints of an operation are bound to: its name, the chain and the host. */
  readonly origin: (operation: Operation.Described) => Origin
  /** Makes a call: encodes the request, sends it, and decodes the answer. */
  readonly call: <Id extends string, Method extends HttpMethod, Request, Success>(
    operation: Operation.Operation<Id, Method, Request, Success>,
    request: NoInfer<Request>
  ) => Effect.Effect<Success, Failure<Method>>
  /** Makes a call outside of a contract. */
  readonly exchange: <A>(exchange: Exchange<A>) => Effect.Effect<A, ServiceError>
}

const missing = (service: Endpoints.Service): InvalidInput =>
  new InvalidInput({
    operation: service,
    retrySafe: true,
    attempts: [],
    path: ["endpoints", service],
    problem: `the base address of this service is not configured; set endpoints.${service}, ` +
      `or ${Endpoints.variable(service)} for a configuration from the environment`
  })

/**
 * Makes the client of one service. `service` picks the base address; it also is the first part of the operations'
 * names. Fails as `InvalidInput` if the configuration has no base address for it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  service: Endpoints.Service
): Effect.Effect<ServiceClient, InvalidInput, ClientConfig | HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const settings = yield* ClientConfig
    const endpoint = settings.endpoints[service]
    if (endpoint === undefined) return yield* missing(service)
    const httpClient = (yield* HttpClient.HttpClient).pipe(
      redirects.refused,
      HttpClient.withTracerDisabledWhen(() => true),
      HttpClient.withTracerPropagation(false)
    )
    const run = <A>(
      operation: Operation.Described,
      wire: Either.Either<request.WireRequest, InvalidInput>,
      read: answer.Reader<A>
    ): Effect.Effect<A, ServiceError> =>
      Either.isLeft(wire) ? Effect.fail(wire.left) : execute.run(() => ({
        operation,
        request: wire.right,
        read,
        endpoint,
        settings,
        httpClient,
        ledger: ledger.make()
      }))
    const call: ServiceClient["call"] = <Id extends string, Method extends HttpMethod, Request, Success>(
      operation: Operation.Operation<Id, Method, Request, Success>,
      input: Request
    ) => {
      const outcome = Effect.withFiberRuntime<Success, ServiceError>((fiber) =>
        run(
          operation,
          request.make(operation, input),
          answer.json(operation.success, Context.get(fiber.currentContext, CurrentUnreadable))
        )
      )
      // Only a call that changes something ends as `OutcomeUnknown`, and a GET does not: the type can't see that.
      return outcome as Effect.Effect<Success, Failure<Method>>
    }
    const origin: ServiceClient["origin"] = ({ name }) => ({
      operation: name,
      chain: settings.chain,
      host: Endpoints.host(endpoint)
    })
    const exchange: ServiceClient["exchange"] = ({ body, headers = {}, operation, path, read }) =>
      run(operation, request.raw(operation, { pathAndQuery: path, headers, body }), read)
    return { settings, origin, call, exchange }
  })
