/**
 * An `HttpClient` of `@effect/platform` on a dispatcher of `undici`, for Node.
 *
 * **Details**
 *
 * `NodeHttpClient.layerUndici` of `@effect/platform-node` makes a stream of Node for each answer, and joins what comes out of the
 * stream. This client takes the bytes as undici has read them. Interruption aborts the request, also while the answer is read.
 * An answer that nobody reads is read from the socket up to 256 kB. Answers are not decompressed, and none is asked for that is
 * compressed: over a slow network `fetch` may be faster.
 */
import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** So many bytes of an answer are kept that nobody reads. */
const mostUnread = 262_144

type IncomingHeaders = Readonly<Record<string, string | Array<string> | undefined>>

/**
 * What undici lets a handler do with its request.
 *
 * @category models
 */
export interface Controller {
  abort(reason: Error): void
  pause(): void
  resume(): void
}

/**
 * What undici tells of an answer.
 *
 * @category models
 */
export interface Handler {
  onRequestStart(controller: Controller): void
  onResponseStart(controller: Controller, status: number, headers: IncomingHeaders): void
  onResponseData(controller: Controller, bytes: Uint8Array): void
  onResponseEnd(): void
  onResponseError(controller: Controller, error: Error): void
}

/**
 * A request as undici takes it. The time limits are off: a call of the SDK has its own.
 *
 * @category models
 */
export interface DispatchOptions {
  readonly origin: string
  readonly path: string
  readonly method: HttpClientRequest.HttpClientRequest["method"]
  readonly headers: Record<string, string>
  readonly body: Uint8Array | null
  readonly headersTimeout: number
  readonly bodyTimeout: number
}

/**
 * What is used of a dispatcher of undici 7: an `Agent`, a `Pool`, a `Client`, or one with interceptors.
 *
 * @category models
 */
export interface Dispatcher {
  dispatch(options: DispatchOptions, handler: Handler): boolean
}

/** An answer, from its first byte to its last. */
class Exchange implements Handler {
  status = 0
  headers: IncomingHeaders = {}
  hasEnded = false
  error: Error | undefined
  pieces: Array<Uint8Array> = []
  #controller: Controller | undefined
  readonly #latch = Effect.unsafeMakeLatch()
  #unread = 0
  #mostUnread = mostUnread
  #abortedBy: Error | undefined

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#abortedBy !== undefined) controller.abort(this.#abortedBy)
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHeaders): void {
    // A lower status only announces an answer.
    if (status < 200) return
    this.status = status
    this.headers = headers
    this.#tell()
  }

  onResponseData(controller: Controller, bytes: Uint8Array): void {
    this.pieces.push(bytes)
    this.#unread += bytes.length
    if (this.#unread > this.#mostUnread) controller.pause()
    this.#tell()
  }

  onResponseEnd(): void {
    this.hasEnded = true
    this.#tell()
  }

  onResponseError(_: Controller, error: Error): void {
    this.error = error
    this.#tell()
  }

  /** Runs what `read` returns, which is asked again at any news until there is something. */
  when<A, E>(read: () => Effect.Effect<A, E> | undefined): Effect.Effect<A, E> {
    const asked: Effect.Effect<A, E> = Effect.suspend(() => read() ?? Effect.zipRight(this.#latch.await, asked))
    return asked
  }

  /** Gives the pieces that are there away. */
  take(): Array<Uint8Array> {
    const { pieces } = this
    this.pieces = []
    this.#read()
    return pieces
  }

  /** Keeps all pieces from now on. */
  takeAll(): void {
    this.#mostUnread = Number.POSITIVE_INFINITY
    this.#read()
  }

  /** Ends the request, unless its answer is complete. */
  abort(): void {
    if (this.hasEnded || this.error !== undefined || this.#abortedBy !== undefined) return
    this.#abortedBy = new Error("the request was interrupted")
    this.#controller?.abort(this.#abortedBy)
  }

  #read(): void {
    if (this.#unread > mostUnread) this.#controller?.resume()
    this.#unread = 0
  }

  /** Tells of news, the headers, bytes, the end or an error, whoever waits now, and nobody who waits later. */
  #tell(): void {
    this.#latch.unsafeOpen()
    this.#latch.unsafeClose()
  }
}

const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** Decodes each piece by itself: V8 keeps short texts in memory that it uses again, and gets new memory for each long one. */
const decoded = (pieces: ReadonlyArray<Uint8Array>): string => {
  const decoder = new TextDecoder()
  let text = ""
  for (const piece of pieces) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

type Read<A> = Effect.Effect<A, HttpClientError.ResponseError>

class UndiciResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly headers: Headers.Headers
  readonly remoteAddress = Option.none<string>()
  readonly #exchange: Exchange

  constructor(request: HttpClientRequest.HttpClientRequest, exchange: Exchange) {
    super()
    this.request = request
    this.headers = Headers.fromInput(exchange.headers)
    this.#exchange = exchange
  }

  get status(): number {
    return this.#exchange.status
  }

  get cookies(): Cookies.Cookies {
    return Cookies.fromSetCookie(this.#exchange.headers["set-cookie"] ?? [])
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError.ResponseError> {
    return Stream.repeatEffectChunkOption(this.#exchange.when(() => {
      const { error, hasEnded, pieces } = this.#exchange
      if (pieces.length > 0) return Effect.succeed(Chunk.unsafeFromArray(this.#exchange.take()))
      if (error !== undefined) return Effect.fail(Option.some(this.#failed(error)))
      return hasEnded ? Effect.fail(Option.none()) : undefined
    }))
  }

  get text(): Read<string> {
    return Effect.map(this.#pieces, decoded)
  }

  get arrayBuffer(): Read<ArrayBuffer> {
    return Effect.map(this.#pieces, (pieces) => joined(pieces).buffer)
  }

  get json(): Read<unknown> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({
        try: (): unknown => text === "" ? null : JSON.parse(text),
        catch: (cause) => this.#failed(cause)
      }))
  }

  get formData(): Read<FormData> {
    return Effect.flatMap(this.#web, ({ formData }) => formData)
  }

  get urlParamsBody(): HttpClientResponse.HttpClientResponse["urlParamsBody"] {
    return Effect.flatMap(this.#web, ({ urlParamsBody }) => urlParamsBody)
  }

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, {
      _id: "@effect/platform/HttpClientResponse",
      request: this.request.toJSON(),
      status: this.status
    })
  }

  /** All pieces, once the answer is complete. */
  get #pieces(): Read<ReadonlyArray<Uint8Array>> {
    return Effect.suspend(() => {
      this.#exchange.takeAll()
      return this.#exchange.when(() => {
        const { error, hasEnded, pieces } = this.#exchange
        if (error !== undefined) return Effect.fail(this.#failed(error))
        return hasEnded ? Effect.succeed(pieces) : undefined
      })
    })
  }

  /** The complete body as the platform reads forms; a `Response` refuses some statuses, and no form depends on the status. */
  get #web(): Read<HttpClientResponse.HttpClientResponse> {
    return Effect.map(this.#pieces, (pieces) =>
      HttpClientResponse.fromWeb(
        this.request,
        new Response(pieces.length === 0 ? null : joined(pieces), { headers: this.headers })
      ))
  }

  #failed(cause: unknown): HttpClientError.ResponseError {
    return new HttpClientError.ResponseError({ request: this.request, response: this, reason: "Decode", cause })
  }
}

/** A cast: undici takes iterables and streams of bytes, too, whose types are Node's own; what a raw body is, the caller knows. */
const opaque = (body: unknown): Uint8Array | null => body as Uint8Array | null

/** The headers and the body as undici takes them. */
const partsOf = ({ body, headers }: HttpClientRequest.HttpClientRequest): Pick<DispatchOptions, "body" | "headers"> => {
  switch (body._tag) {
    case "Empty":
      return { headers, body: null }
    case "FormData": {
      // undici takes only forms of its own class.
      const form = new Response(body.formData)
      return {
        headers: { ...headers, "content-type": form.headers.get("content-type") ?? "" },
        body: opaque(form.body)
      }
    }
    case "Stream":
      return { headers, body: opaque(Stream.toAsyncIterable(body.stream)) }
    case "Raw":
      return { headers, body: opaque(body.body) }
    case "Uint8Array":
      return { headers, body: body.body }
  }
}

/**
 * Makes a client of a dispatcher, which stays open when the client is no longer used.
 *
 * **Example**
 *
 * ```ts
 * import * as UndiciHttpClient from "@effect-klaytn/core/UndiciHttpClient"
 * import { Pool } from "undici"
 *
 * const client = UndiciHttpClient.make(new Pool("https://node.example", { connections: 8 }))
 * ```
 *
 * @category constructors
 */
export const make = (dispatcher: Dispatcher): HttpClient.HttpClient =>
  HttpClient.make((request, url, signal) =>
    Effect.suspend(() => {
      const exchange = new Exchange()
      const failed = (cause: unknown) => new HttpClientError.RequestError({ request, reason: "Transport", cause })
      const answered = exchange.when(() => {
        if (exchange.error !== undefined) return Effect.fail(failed(exchange.error))
        if (exchange.status === 0) return undefined
        if (!exchange.hasEnded) signal.addEventListener("abort", () => exchange.abort(), { once: true })
        return Effect.succeed(new UndiciResponse(request, exchange))
      })
      const sent = Effect.try({
        try: () =>
          dispatcher.dispatch({
            origin: url.origin,
            path: url.pathname + url.search,
            method: request.method,
            ...partsOf(request),
            headersTimeout: 0,
            bodyTimeout: 0
          }, exchange),
        catch: failed
      })
      return Effect.onInterrupt(Effect.zipRight(sent, answered), () => Effect.sync(() => exchange.abort()))
    })
  )

/**
 * The client, for as long as the dispatcher that an effect makes: here one that ends its connections with the layer.
 *
 * **Example**
 *
 * ```ts
 * import * as UndiciHttpClient from "@effect-klaytn/core/UndiciHttpClient"
 * import * as Effect from "effect/Effect"
 * import { Agent } from "undici"
 *
 * const layer = UndiciHttpClient.layer(
 *   Effect.acquireRelease(Effect.sync(() => new Agent()), (agent) => Effect.promise(() => agent.destroy()))
 * )
 * ```
 *
 * @category layers
 */
export const layer = <E, R>(
  dispatcher: Effect.Effect<Dispatcher, E, R>
): Layer.Layer<HttpClient.HttpClient, E, Exclude<R, Scope.Scope>> =>
  Layer.scoped(HttpClient.HttpClient, Effect.map(dispatcher, make))
