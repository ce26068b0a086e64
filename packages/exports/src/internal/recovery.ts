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
import type { WindowState } from "../Sink.js"
import type { Throttle } from "./throttle.js"

/** How a window continues after a failed request: with the same request, from its beginning, or not at all. */
export type Next = "again" | "restart" | "unreachable"

const longest = 30_000
const shortest = 250

/** How long an address is tried, in milliseconds, from which no answer ever came: it may be a wrong one. */
const unreachedFor = 60_000

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

/**
 * Whether a cursor is of another address of the same index, or of pages of another size: the window is read again, and the first
 * page shows whether it is the same index.
 */
const isOfOtherSearch = (error: ExportError): boolean =>
  error._tag === "InvalidInput" && error.path[0] === "resumeFrom" &&
  (error.path[1] === "host" || error.path[1] === "filters")

/**
 * How many records to ask for in place of so many if a page is longer than the client reads: anyone can give a token a name of any
 * length. `undefined` if that is not what failed, or one record alone is too long.
 */
export const smallerPage = (error: ExportError, size: number): number | undefined => {
  // In these words, core says that an answer is longer than `maxResponseBytes`.
  const isTooLong = error._tag === "MalformedResponse" && error.path.length === 0 &&
    error.expected.startsWith("an answer of at most ")
  return isTooLong && size > 1 ? Math.max(1, Math.floor(size / 8)) : undefined
}

const backoff = (failures: number): Effect.Effect<number> =>
  Effect.map(Random.next, (jitter) => Math.ceil((0.5 + jitter / 2) * Math.min(longest, shortest * 2 ** failures)))

/** Every request is one attempt: retries are decided here, and each takes its place in the budget. */
export const withoutRetries = <A, E, R>(pages: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
  RetryPolicy.withStreamRetryPolicy(pages, RetryPolicy.none)

/** The recovery of an export, which its windows share. */
export class Recovery {
  /** Since when requests have failed without a page between them. A slow sink does not count. */
  #troubledSince: number | undefined
  /** Whether any request was answered, with a refusal or by a proxy too. */
  #isReached = false
  /** When the last request of each window was sent. */
  readonly #sent = new Map<number, number>()

  constructor(private readonly gate: Throttle, private readonly giveUpAfter: number) {}

  /** Notes when a request is sent and that it was answered. A list that ends without its last page is stalled. */
  timed<A, R>(
    window: Window,
    pull: Effect.Effect<A, Option.Option<ReadError | PagingStalled>, R>
  ): Effect.Effect<A, ExportError, R> {
    return Effect.gen(this, function*() {
      this.#sent.set(window.index, yield* Clock.currentTimeMillis)
      const pages = yield* Effect.mapError(
        pull,
        Option.getOrElse(() => new CursorLost({ window: window.index, pages: 0, problem: "the list has no last page" }))
      )
      yield* this.gate.succeeded
      this.#isReached = true
      this.#troubledSince = undefined
      return pages
    })
  }

  /** Whether to repeat a request that failed after some time, or to fail. */
  isPatient({ _tag }: ExportError, wait: number): Effect.Effect<boolean> {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      this.#troubledSince ??= now
      this.#isReached ||= _tag !== "TransportFailed" && _tag !== "TimedOut"
      const patience = this.#isReached ? this.giveUpAfter : Math.min(this.giveUpAfter, unreachedFor)
      return now + wait - this.#troubledSince <= patience
    })
  }

  /** Slows the export down because of the last request of a window. Returns how many requests are made at once. */
  slow(window: Window, wait: number): Effect.Effect<number> {
    return this.gate.slow(this.#sent.get(window.index) ?? 0, wait)
  }
}

/** The recovery of one window. */
export class WindowRecovery {
  #failures = 0
  #restarts = 0
  #pages = 0
  #furthest = 0
  /** Why the window can't be read. */
  note: string | null = null

  constructor(
    private readonly recovery: Recovery,
    private readonly window: Window,
    private readonly emit: (event: Event) => Effect.Effect<void>
  ) {}

  /** Notes that a page was stored. */
  advanced(): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#failures = 0
      this.#pages++
      if (this.#pages <= this.#furthest) return
      this.#furthest = this.#pages
      this.#restarts = 0
    })
  }

  #retry(error: ExportError, waitMillis: number): Effect.Effect<Next, ExportError> {
    return Effect.gen(this, function*() {
      if (!(yield* this.recovery.isPatient(error, waitMillis))) return yield* Effect.fail(error)
      if (error._tag === "RateLimited") {
        const concurrency = yield* this.recovery.slow(this.window, waitMillis)
        yield* this.emit({ _tag: "Throttled", concurrency, waitMillis })
      } else {
        yield* this.emit({ _tag: "Retrying", window: this.window, reason: error.message, waitMillis })
        yield* Effect.sleep(waitMillis)
      }
      return "again" as const
    })
  }

  #restart(error: ExportError): Effect.Effect<Next, ExportError> {
    this.#pages = 0
    return ++this.#restarts > maxRestarts
      ? new CursorLost({ window: this.window.index, pages: this.#furthest, problem: error.message })
      : Effect.as(
        this.emit({ _tag: "WindowRestarted", window: this.window, reason: error.message }),
        "restart" as const
      )
  }

  recover(error: ExportError, state: WindowState): Effect.Effect<Next, ExportError> {
    return Effect.flatMap(backoff(this.#failures++), (wait): Effect.Effect<Next, ExportError> => {
      if (isOutOfRange(error)) {
        this.note = error.message
        return Effect.succeed("unreachable")
      }
      if (isLostCursor(error, state) || isOfOtherSearch(error)) return this.#restart(error)
      switch (error._tag) {
        case "RateLimited":
        case "Unavailable":
          return this.#retry(error, Math.max(wait, error.retryAfterMillis ?? 0))
        case "TransportFailed":
        case "TimedOut":
          return this.#retry(error, wait)
        case "MalformedResponse":
          return this.#failures > maxMalformed ? Effect.fail(error) : this.#retry(error, wait)
        default:
          return Effect.fail(error)
      }
    })
  }
}
