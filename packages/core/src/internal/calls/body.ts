/** Reads the text of an answer up to a limit. */
import type { Headers } from "@effect/platform/Headers"
import type { ResponseError } from "@effect/platform/HttpClientError"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import type * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** An answer exceeded the limit; the rest of it was not read. */
export class TooLarge extends Data.TaggedError("TooLarge")<{ readonly limit: number }> {}

/** Whether the protocol itself keeps a body within the limit: one that is not compressed has the length it declares. */
const isBounded = (headers: Headers, limit: number): boolean => {
  const length = headers["content-length"]
  return length !== undefined && /^\d{1,15}$/.test(length) && Number(length) <= limit &&
    headers["content-encoding"] === undefined && headers["transfer-encoding"] === undefined
}

/** The text of a body, read at once if its length is certain, and counted while streaming if not. */
export const text = (
  response: HttpClientResponse,
  headers: Headers,
  limit: number
): Effect.Effect<string, ResponseError | TooLarge> =>
  isBounded(headers, limit) ? response.text : counted(response, limit)

/** Counts the bytes as they are read: after decompression, whatever length the answer declares. */
const counted = (
  response: HttpClientResponse,
  limit: number
): Effect.Effect<string, ResponseError | TooLarge> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let size = 0
    let read = ""
    const take = (chunk: Chunk.Chunk<Uint8Array>): Effect.Effect<void, TooLarge> => {
      for (const bytes of chunk) {
        size += bytes.length
        if (!(size <= limit)) return Effect.fail(new TooLarge({ limit }))
        read += decoder.decode(bytes, { stream: true })
      }
      return Effect.void
    }
    // By pulling, since running a stream would fork a fiber.
    const all = Effect.flatMap(Stream.toPull(response.stream), (pull) => {
      const rest: Effect.Effect<never, Option.Option<ResponseError> | TooLarge> = Effect.flatMap(
        Effect.flatMap(pull, take),
        () => rest
      )
      return rest
    })
    return Effect.catchAll(Effect.scoped(all), (end): Effect.Effect<string, ResponseError | TooLarge> => {
      if (!Option.isOption(end)) return Effect.fail(end)
      return Option.isNone(end) || end.value.reason === "EmptyBody"
        ? Effect.succeed(read + decoder.decode())
        : Effect.fail(end.value)
    })
  })
