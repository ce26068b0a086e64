/**
 * The bodies of requests, each within a limit and all together within another.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { IncomingMessage } from "node:http"

/**
 * The text of a body, or why it was not read: the body, its declared length or all bodies together are too large.
 *
 * @category models
 */
export type Body = Either.Either<string, TooLarge>

/**
 * The refusal of a body that is too large.
 *
 * @category models
 */
export interface TooLarge {
  readonly message: string
}

const tooLarge = (bytes: number, most: number): Body =>
  Either.left({
    message: bytes > most ? `content length too large (${bytes}>${most})` : "too many large requests at one time"
  })

/**
 * The largest body outside of the node, which has a limit of its own.
 *
 * @category constants
 */
export const largestBody = 10 * 1024 * 1024

/** What the bodies of all requests in progress may take together; one that goes beyond it is refused. */
const largestTotal = 64 * 1024 * 1024

/** How much beyond the limit is read and thrown away: a client that is cut off while sending never sees the answer. */
const largestRest = 64 * 1024 * 1024

/**
 * The bodies of the requests that are being answered.
 *
 * @category models
 */
export class Bodies {
  #held = 0

  /** Runs with the body of a request. */
  with<A, E, R>(
    request: HttpServerRequest.HttpServerRequest,
    most: number,
    use: (body: Body) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const { headers } = request
      const length = Number(headers["content-length"] ?? 0)
      if (length > most + largestRest) return use(tooLarge(length, most))
      if (length === 0 && headers["transfer-encoding"] === undefined) return use(Either.right(""))
      let held = 0
      const hold = (bytes: number): boolean => {
        this.#held += bytes - held
        held = bytes
        return this.#held <= largestTotal
      }
      return Effect.ensuring(
        Effect.flatMap(Effect.interruptible(read(request, most, hold)), use),
        Effect.sync(() => hold(0))
      )
    })
  }
}

const read = (
  request: HttpServerRequest.HttpServerRequest,
  most: number,
  hold: (bytes: number) => boolean
): Effect.Effect<Body> =>
  Effect.async((resume) => {
    // Node's server puts its own request there, and nothing else serves these apps.
    const source = request.source as IncomingMessage
    let chunks: Array<Buffer> | undefined = []
    let bytes = 0
    const finish = (body: Body): void => {
      source.off("data", take)
      source.off("end", end)
      source.resume()
      resume(Effect.succeed(body))
    }
    const take = (chunk: Buffer): void => {
      bytes += chunk.length
      if (chunks !== undefined && bytes <= most && hold(bytes)) chunks.push(chunk)
      else if (chunks !== undefined) {
        chunks = undefined
        hold(0)
      } else if (bytes > most + largestRest) finish(tooLarge(bytes, most))
    }
    const end = (): void =>
      finish(chunks === undefined ? tooLarge(bytes, most) : Either.right(Buffer.concat(chunks).toString()))
    source.on("data", take)
    source.on("end", end)
    // The client has gone; the server interrupts the request.
    source.on("error", () => {})
  })

/**
 * A request whose body has already been read.
 *
 * @category conversions
 */
export const withText = (
  request: HttpServerRequest.HttpServerRequest,
  text: string
): HttpServerRequest.HttpServerRequest => {
  const modify: HttpServerRequest.HttpServerRequest["modify"] = (options) => withText(request.modify(options), text)
  // `json` and `urlParamsBody` read `text`; everything else stays the same.
  const read: HttpServerRequest.HttpServerRequest = Object.create(request, {
    text: { value: Effect.succeed(text) },
    modify: { value: modify }
  })
  return read
}

/**
 * Whether JSON is nested more deeply than this, so that reading it could exhaust the stack.
 *
 * @category guards
 */
export const isDeeper = (json: string, most: number): boolean => {
  let depth = 0
  let isText = false
  for (let index = 0; index < json.length; index++) {
    const character = json.charCodeAt(index)
    if (character === quote) isText = !isText
    else if (isText) index += character === backslash ? 1 : 0
    else if (character === openBracket || character === openBrace) depth++
    else if (character === closeBracket || character === closeBrace) depth--
    if (depth > most) return true
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * How deeply any body of the service or of the controls may be nested.
 *
 * @category constants
 */
export const deepestBody = 64
