/** What to do about a failed request of an export. */
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import type { PagingStalled, ReadError } from "@effect-klaytn/core/ServiceError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Stream from "effect/Stream"
import { CursorLost, type ExportError } from "../ExportError.js"
import type { Event } from "../Exports.js"
import type { Window } from "../Plan.js"
import { SinkError, type WindowState } from "../Sink.js"
import type { Throttle } from "./throttle.js"

/** How to go on: with the request that failed, with another window, from the beginning, or not with this window. */
export type Next = "again" | "conflict" | "restart" | "unreachable"

const longest = 30_000
const shortest = 250

/** A window is read again this often without getting further. */
const maxRestarts = 3
/** An answer that can't be read is asked for this often. */
const maxMalformed = 3

/** Whether the service refuses the range of a search. */
export const isOutOfRange = (error: ExportError): boolean =>
  error._tag === "Rejected" && error.code === ServiceCode.history.outOfRange

/** Whether the service no longer knows a cursor, or its cursors lead nowhere. */
const isLostCursor = (error: ExportError, state: WindowState): boolean =>
  error._tag === "PagingStalled" ||
  error._tag === "Rejected" && error.code === ServiceCode.history.invalidQuery && state.checkpoint?.cursor !== undefined

export const recovering = (gate: Throttle, giveUpAfter: number) => {
  /** Since when requests have failed without a page between them. A slow sink does not count. */
  let troubledSince: number | undefined

  /** Whether to go on with a request after some time, or to fail. */
  const isPatient = (wait: number): Effect.Effect<boolean> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      troubledSince ??= now
      return now + wait - troubledSince <= giveUpAfter
    })

  const backoff = (failures: number): Effect.Effect<number> =>
    Effect.map(Random.next, (jitter) => Math.ceil((0.5 + jitter / 2) * Math.min(longest, shortest * 2 ** failures)))

  const sent = new Map<number, number>()

  return {
    /** Every request is one attempt: retries are decided here, and each takes its place in the budget. */
    withoutRetries: <A, E, R>(pages: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
      RetryPolicy.withStreamRetryPolicy(pages, RetryPolicy.none),

    /** Notes when a request is sent and that it was answered. A list that ends without its last page is stalled. */
    timed: <A, R>(
      window: Window,
      pull: Effect.Effect<A, Option.Option<ReadError | PagingStalled>, R>
    ): Effect.Effect<A, ExportError, R> =>
      Effect.gen(function*() {
        sent.set(window.index, yield* Clock.currentTimeMillis)
        const pages = yield* Effect.mapError(
          pull,
          Option.getOrElse(() =>
            new CursorLost({ window: window.index, pages: 0, problem: "the list has no last page" })
          )
        )
        yield* gate.succeeded
        troubledSince = undefined
        return pages
      }),

    /** The recovery of one window. */
    window: (window: Window, emit: (event: Event) => Effect.Effect<void>) => {
      let failures = 0
      let restarts = 0
      let pages = 0
      let furthest = 0
      let note: string | null = null

      const retry = (error: ExportError, wait: number): Effect.Effect<Next, ExportError> =>
        Effect.gen(function*() {
          if (!(yield* isPatient(wait))) return yield* Effect.fail(error)
          yield* emit({ _tag: "Retrying", window, reason: error.message, waitMillis: wait })
          yield* Effect.sleep(wait)
          return "again" as const
        })

      const recover = (error: ExportError, state: WindowState): Effect.Effect<Next, ExportError> =>
        Effect.gen(function*(): Effect.fn.Return<Next, ExportError> {
          const wait = yield* backoff(failures++)
          if (error instanceof SinkError && error.reason === "conflict") return "conflict"
          if (isOutOfRange(error)) {
            note = error.message
            return "unreachable"
          }
          if (isLostCursor(error, state)) {
            pages = 0
            if (++restarts > maxRestarts) {
              return yield* new CursorLost({ window: window.index, pages: furthest, problem: error.message })
            }
            yield* emit({ _tag: "WindowRestarted", window, reason: error.message })
            return "restart"
          }
          switch (error._tag) {
            case "RateLimited": {
              const held = Math.max(wait, error.retryAfterMillis ?? 0)
              if (!(yield* isPatient(held))) return yield* Effect.fail(error)
              const concurrency = yield* gate.slow(sent.get(window.index) ?? 0, held)
              yield* emit({ _tag: "Throttled", concurrency, waitMillis: held })
              return "again"
            }
            case "Unavailable":
              return yield* retry(error, Math.max(wait, error.retryAfterMillis ?? 0))
            case "TransportFailed":
            case "TimedOut":
              return yield* retry(error, wait)
            case "MalformedResponse":
              return failures > maxMalformed ? yield* Effect.fail(error) : yield* retry(error, wait)
            default:
              return yield* Effect.fail(error)
          }
        })

      return {
        advanced: (): Effect.Effect<void> =>
          Effect.sync(() => {
            failures = 0
            pages++
            if (pages > furthest) {
              furthest = pages
              restarts = 0
            }
          }),
        recover,
        note: () => note
      }
    }
  }
}
