/**
 * Test doubles for programs that use this SDK: a wire that records requests and answers from a script, a configuration
 * for it, and a tracer that records spans. For tests against a whole service, use the sandbox.
 *
 * **Example** (a busy service)
 *
 * ```ts
 * import * as Testing from "@effect-klaytn/core/Testing"
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const wire = Testing.wire(
 *   Testing.text(503, "busy"),
 *   Testing.json(200, { items: [], cursor: "" })
 * )
 *
 * export const program = Effect.gen(function*() {
 *   const history = yield* TransferHistory.TransferHistory
 *   yield* history.getTransfers({ presets: [1] })
 *   return wire.sent.map(({ method, url }) => `${method} ${url}`) // two requests: the first was repeated
 * }).pipe(Effect.provide(TransferHistory.layer().pipe(Layer.provide(Testing.layer(wire)))))
 * ```
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import * as ClientConfig from "./ClientConfig.js"
import * as Credentials from "./Credentials.js"
import * as Endpoints from "./Endpoints.js"
import type { InvalidInput } from "./ServiceError.js"

/**
 * A request as it was sent.
 *
 * @category models
 */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** When it was sent, in milliseconds of the program's clock. */
  readonly at: number
}

/**
 * What the server does with one request. A failure breaks the connection, with the error as its cause.
 *
 * @category models
 */
export type Step = (sent: SentRequest) => Effect.Effect<Response, unknown>

/**
 * A wire: an `HttpClient`, and the requests that were sent with it.
 *
 * @category models
 */
export interface Wire {
  readonly client: HttpClient.HttpClient
  /** All requests so far, oldest first. */
  readonly sent: ReadonlyArray<SentRequest>
  /** How many exchanges were interrupted. */
  readonly interrupted: () => number
}

const textOf = (body: { readonly _tag: string; readonly body?: unknown }): string | undefined =>
  body.body instanceof Uint8Array ? new TextDecoder().decode(body.body) : undefined

/**
 * Makes a wire that answers requests with the steps in turn; the last step answers all further requests. A wire without
 * steps expects no requests: one is a defect.
 *
 * @category constructors
 */
export const wire = (...steps: ReadonlyArray<Step>): Wire => {
  const sent: Array<SentRequest> = []
  let interrupted = 0
  const client = HttpClient.make((request, url) =>
    Effect.gen(function*() {
      const step = steps[Math.min(sent.length, steps.length - 1)]
      const one: SentRequest = {
        method: request.method,
        url: url.toString(),
        headers: { ...request.headers },
        body: textOf(request.body),
        at: yield* Clock.currentTimeMillis
      }
      sent.push(one)
      if (step === undefined) return yield* Effect.dieMessage("the wire expects no requests")
      const response = yield* Effect.mapError(
        step(one),
        (cause) => new HttpClientError.RequestError({ request, reason: "Transport", cause })
      )
      return HttpClientResponse.fromWeb(request, response)
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted++)))
  )
  return { client, sent, interrupted: () => interrupted }
}

/**
 * Answers with a text body.
 *
 * @category steps
 */
export const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Step => () =>
  Effect.sync(() => new Response(body === "" ? null : body, { status, headers }))

/**
 * Answers with a JSON body.
 *
 * @category steps
 */
export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step =>
  text(status, JSON.stringify(body), { "content-type": "application/json", ...headers })

/**
 * Breaks the connection before there is an answer; see {@link networkError}.
 *
 * @category steps
 */
export const broken = (cause: unknown): Step => () => Effect.fail(cause)

/**
 * Makes a network error as Node reports it. After `ECONNRESET` the request may have been carried out; `ENOTFOUND`
 * proves that nothing was sent.
 *
 * @category constructors
 */
export const networkError = (code: string, more: Readonly<Record<string, unknown>> = {}): Error =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("broken"), { code, ...more }) })

/**
 * Answers, but breaks the connection in the middle of the body.
 *
 * @category steps
 */
export const cutOff = (status: number): Step => () =>
  Effect.sync(() => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode("{\"name\": \"a"))
        controller.error(networkError("UND_ERR_SOCKET"))
      }
    })
    return new Response(body, { status, headers: { "content-type": "application/json" } })
  })

/**
 * Never answers.
 *
 * @category steps
 */
export const silence: Step = () => Effect.never

/**
 * Delays a step.
 *
 * @category combinators
 */
export const after = (duration: Duration.DurationInput, step: Step): Step => (sent) =>
  Effect.delay(step(sent), duration)

/**
 * The base address that {@link layer} gives to every service.
 *
 * @category constants
 */
export const baseUrl = "http://127.0.0.1:8080"

const everyService = Object.fromEntries(Endpoints.services.map((service) => [service, baseUrl]))

/**
 * Makes a configuration on a wire: the testnet, a made-up credential, and every service at {@link baseUrl}, unless
 * `options` say otherwise.
 *
 * @category layers
 */
export const layer = (
  { client }: Wire,
  options: Partial<ClientConfig.Options> = {}
): Layer.Layer<ClientConfig.ClientConfig | HttpClient.HttpClient, Endpoints.EndpointError | InvalidInput> =>
  Layer.merge(
    ClientConfig.layer({
      chain: 1001,
      credentials: Effect.suspend(() =>
        Credentials.fromPair({ accessKeyId: "KASK0EXAMPLE", secretAccessKey: Redacted.make("not-a-secret") })
      ),
      endpoints: everyService,
      ...options
    }),
    Layer.succeed(HttpClient.HttpClient, client)
  )

/**
 * A recorded span.
 *
 * @category models
 */
export interface Span {
  readonly name: string
  /** Its name and its index among all spans, as in `history.getTransfers #0`. */
  readonly id: string
  readonly kind: Tracer.SpanKind
  /** The ID of the span around it. */
  readonly parent: string | undefined
  /** The IDs of the spans that it is linked to. */
  readonly links: ReadonlyArray<string>
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: ReadonlyArray<readonly [name: string, time: bigint, attributes: unknown]>
  /** How it ended, if it has. */
  readonly exit: Exit.Exit<unknown, unknown> | undefined
}

/**
 * Makes a tracer that records its spans, oldest first; `use` runs an effect with it.
 *
 * @category constructors
 */
export const tracer = () => {
  const spans: Array<Span> = []
  const made = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const id = `${name} #${spans.length}`
      const events: Array<readonly [string, bigint, unknown]> = []
      const span = Object.assign(native.span(name, parent, context, links, startTime, kind), {
        spanId: id,
        event: (event: string, time: bigint, more: unknown): void => {
          events.push([event, time, more])
        }
      })
      spans.push({
        name,
        id,
        kind,
        parent: Option.getOrUndefined(Option.map(parent, ({ spanId }) => spanId)),
        links: links.map(({ span }) => span.spanId),
        get attributes() {
          return Object.fromEntries(span.attributes)
        },
        events,
        get exit() {
          return span.status._tag === "Ended" ? span.status.exit : undefined
        }
      })
      return span
    },
    context: (run) => run()
  })
  const kept: ReadonlyArray<Span> = spans
  return { spans: kept, use: Effect.withTracer(made) }
}

const native = Context.get(DefaultServices.liveServices, Tracer.Tracer)
