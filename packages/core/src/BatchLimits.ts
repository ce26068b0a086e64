/**
 * Sends many calls of JSON-RPC in as few requests as a node takes, and remembers what was learned about that node.
 *
 * **Details**
 *
 * Nodes and providers limit the calls and the bytes of a request, and say so in many ways: with any HTTP status, with one error
 * without an ID, or with the same error for every call. So no words are read. A refusal of several calls is a question about
 * their number: {@link send} asks again with fewer calls, down to single ones, and the largest number that worked is the limit of
 * later requests. The limit grows slowly again while full requests succeed. A connection that breaks after the request was sent
 * counts as a refusal too: some nodes do that. Calls that are refused because
 * the answer would become too large (-32003), while others are answered, are asked again.
 *
 * A refusal is not about the number of calls if two calls alone are refused too: the other calls then end as their request did.
 * 429 and 5xx may be an outage, so {@link send} first tries a single call.
 *
 * Calls that change something are not asked again after such a refusal. Only if the body was too large (413), calls that may be
 * repeated are sent in parts.
 *
 * **When to use**
 *
 * The packages `node` and `indexer` send their calls with this module. Use it for a client of your own.
 *
 * **Example** (how many calls a request may have)
 *
 * ```ts
 * import * as BatchLimits from "@effect-klaytn/core/BatchLimits"
 *
 * const limits = new BatchLimits.BatchLimits()
 * console.log(limits.learned) // { calls: undefined, bytes: undefined }
 * ```
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Option from "effect/Option"
import type { Endpoint } from "./Endpoints.js"
import { Limit } from "./internal/calls/learnedLimit.js"
import * as metrics from "./internal/calls/metrics.js"
import { type Answer, type ErrorObject, isUnanswered } from "./JsonRpc.js"
import type { Safety } from "./Operation.js"
import { isMissingBlock, isTransient } from "./SeenBlocks.js"
import type { ServiceError } from "./ServiceError.js"
import * as Telemetry from "./Telemetry.js"

/**
 * What was learned about the requests of a node. `undefined` as long as no request was refused.
 *
 * @category models
 */
export interface Learned {
  /** The most calls in a request. */
  readonly calls: number | undefined
  /** The most bytes of the calls in a request. */
  readonly bytes: number | undefined
}

/**
 * The limits of one node, learned from the requests that it refused. Keep one for as long as a client lives.
 *
 * @category models
 */
export class BatchLimits {
  readonly #calls = new Limit()
  readonly #bytes = new Limit()

  /** What was learned so far. */
  get learned(): Learned {
    return { calls: this.#calls.known, bytes: this.#bytes.known }
  }

  /** The most calls that a request may have; `Infinity` if no limit is known. */
  get calls(): number {
    return this.#calls.most
  }

  /** How many of these calls, from the first on, fit into a request: at least one. */
  fit<C>(calls: ReadonlyArray<C>, bytes: (call: C) => number): number {
    const most = Math.min(calls.length, this.#calls.most)
    if (this.#bytes.known === undefined) return most
    let total = 0
    const beyond = calls.findIndex((call, index) => {
      total += bytes(call)
      return index > 0 && total > this.#bytes.most
    })
    return beyond === -1 ? most : Math.min(most, beyond)
  }

  /** The number of calls to try after so many were refused. */
  fewer(calls: number): number {
    return this.#calls.smaller(calls)
  }

  /** A request of this size succeeded. */
  worked(calls: number, bytes: () => number): void {
    this.#calls.worked(calls)
    if (this.#bytes.known !== undefined) this.#bytes.worked(bytes())
  }

  /** Returns the function that forgets what is learned from now on. */
  remember(): () => void {
    const forget = [this.#calls.remember(), this.#bytes.remember()]
    return () => forget.forEach((one) => one())
  }

  /** A request of this size succeeded after one of another size was refused. */
  learn(kind: keyof Learned, worked: number, refused: number): void {
    if (kind === "calls") this.#calls.learn(worked, refused)
    else this.#bytes.learn(worked, refused)
  }
}

/** Statuses that are about the credential, the quota, or the path, whatever the number of calls. */
const notAboutSize: ReadonlySet<number> = new Set([401, 402, 403, 404])

const statusOf = (error: ServiceError): number => "status" in error ? error.status ?? 0 : 0

/**
 * Whether a failed request may have been refused for its size: by any status from 400 on but 401, 402, 403 and 404, or by a
 * connection that broke after the request was sent.
 *
 * @category guards
 */
export const mayBeSize = (error: ServiceError): boolean =>
  error._tag === "TransportFailed" ? error.sent : statusOf(error) >= 400 && !notAboutSize.has(statusOf(error))

/** Codes of an error that is about the call, whatever else is in the request: a revert, and a method that does not exist. */
const aboutCall: ReadonlySet<number> = new Set([3, -32601])

/**
 * Whether a node's error throttles the call: by the codes in use for that, or by -32600 with a message that names a limit.
 *
 * @category guards
 */
export const isThrottled = ({ code, message }: ErrorObject): boolean =>
  code === 429 || code === -32005 || code === -32600 && /exceed/i.test(message)

/** The code of an answer that would have become too large. Nodes answer the first calls of a request, and the others with it. */
const responseTooLarge = -32003

/** Whether a call was refused for what is in the answer beside its own. */
const isLeftOut = (answer: Answer): boolean =>
  Either.isLeft(answer) && answer.left._tag === "NodeError" && answer.left.error.code === responseTooLarge

/** The code with which nodes refuse a request as a whole, by an error for its first call and no answer to the others. */
const invalidRequest = -32600

/**
 * The error that refused all calls of a request: one error for all of them, the same for each, or an invalid request for the
 * first call and no answer to the others.
 */
const commonError = (answers: ReadonlyArray<Answer>): ErrorObject | undefined => {
  let common: ErrorObject | undefined
  for (const answer of answers) {
    if (Either.isRight(answer)) return undefined
    if (common?.code === invalidRequest && isUnanswered(answer.left)) continue
    if (answer.left._tag !== "NodeError") return undefined
    const { error, scope } = answer.left
    if (scope === "call" && (aboutCall.has(error.code) || isMissingBlock(error))) return undefined
    if (common !== undefined && (common.code !== error.code || common.message !== error.message)) return undefined
    common = error
  }
  return common
}

interface Refusal {
  readonly kind: keyof Learned
  /** Whether the node may refuse a single call in the same way, since it throttles or is down. */
  readonly mayBeOutage: boolean
}

type Outcome = Exit.Exit<ReadonlyArray<Answer>, ServiceError>

/**
 * How {@link send} sends calls.
 *
 * @category models
 */
export interface Sending<C> {
  readonly limits: BatchLimits
  /** The address of the node, for metrics. */
  readonly endpoint: Endpoint | undefined
  /** The bytes of a call in a request. */
  readonly bytes: (call: C) => number
  /** Whether the calls may be sent again. */
  readonly safety: Safety
  /**
   * Whether `settle` repeats calls that the node throttles, or for which it says that it failed itself. A request of such calls is
   * then not split.
   */
  readonly mayRepeat: boolean
  /** Whether anybody still waits for a call. */
  readonly isWanted: (call: C) => boolean
  /** Sends some calls in one request. Answers are in the order of the calls. */
  readonly request: (calls: ReadonlyArray<C>) => Effect.Effect<ReadonlyArray<Answer>, ServiceError>
  /** Delivers the outcome of some calls: answers in their order, or the failure of their request. */
  readonly settle: (calls: ReadonlyArray<C>, outcome: Outcome) => Effect.Effect<void>
}

/** How a request of several calls may have been refused for its size; `undefined` if it was not, or may not be sent again. */
const refusalOf = <C>({ mayRepeat, safety }: Sending<C>, outcome: Outcome): Refusal | undefined => {
  if (safety === "once") return undefined
  if (Exit.isSuccess(outcome)) {
    const error = safety === "safe" ? commonError(outcome.value) : undefined
    if (error === undefined) return undefined
    const mayBeOutage = isThrottled(error) || isTransient(error)
    return mayBeOutage && mayRepeat ? undefined : { kind: "calls", mayBeOutage }
  }
  const error = Option.getOrUndefined(Cause.failureOption(outcome.cause))
  if (error === undefined || !mayBeSize(error)) return undefined
  const status = statusOf(error)
  if (status === 413) return { kind: "bytes", mayBeOutage: false }
  return safety === "safe" ? { kind: "calls", mayBeOutage: status === 0 || status === 429 || status >= 500 } : undefined
}

/** How many requests are sent at the same time when one becomes several. */
const concurrency = 4

const total = <C>({ bytes }: Sending<C>, calls: ReadonlyArray<C>): number =>
  calls.reduce((sum, call) => sum + bytes(call), 0)

/** The outcome of the calls from one index to before another. */
const part = (outcome: Outcome, from: number, to?: number): Outcome =>
  Exit.map(outcome, (answers) => answers.slice(from, to))

const chunks = <C>({ bytes, limits }: Sending<C>, calls: ReadonlyArray<C>): ReadonlyArray<ReadonlyArray<C>> => {
  const found: Array<ReadonlyArray<C>> = []
  for (let at = 0; at < calls.length; at += found.at(-1)?.length ?? 1) {
    const rest = calls.slice(at)
    found.push(rest.slice(0, limits.fit(rest, bytes)))
  }
  return found
}

/** The size of a request that was refused. */
interface Refused {
  readonly kind: keyof Learned
  readonly size: number
}

const learn = <C>(sending: Sending<C>, calls: ReadonlyArray<C>, { kind, size }: Refused): Effect.Effect<void> =>
  Effect.suspend(() => {
    const worked = kind === "calls" ? calls.length : total(sending, calls)
    sending.limits.learn(kind, worked, size)
    return Effect.logDebug(`the node refused a request of ${size} ${kind} and took one of ${worked}`)
  })

const countSplit = <C>({ endpoint }: Sending<C>, kind: keyof Learned): Effect.Effect<void> => {
  const labels = { ...metrics.of(endpoint).attributes, kind, unit: "{request}" }
  return Metric.increment(Metric.taggedWithLabels(
    Telemetry.splits,
    Object.entries(labels).map(([name, label]) => MetricLabel.make(name, String(label)))
  ))
}

/** What came of some calls. */
interface Ran {
  /** Whether any was answered, and not refused even alone. */
  readonly isAnswered: boolean
  /** Whether any was refused alone: requests with such a call are not refused for their size. */
  readonly isAnyRefused: boolean
}

const answered: Ran = { isAnswered: true, isAnyRefused: false }
const refusedAll: Ran = { isAnswered: false, isAnyRefused: true }

const together = (parts: ReadonlyArray<Ran>): Ran => ({
  isAnswered: parts.some(({ isAnswered }) => isAnswered),
  isAnyRefused: parts.some(({ isAnyRefused }) => isAnyRefused)
})

/** Sends some calls. `refused` is the request before, if any. */
const run = <C>(sending: Sending<C>, all: ReadonlyArray<C>, refused?: Refused): Effect.Effect<Ran> =>
  Effect.suspend(() => {
    const { bytes, limits, request, settle } = sending
    const calls = all.every(sending.isWanted) ? all : all.filter(sending.isWanted)
    if (calls.length === 0) return Effect.succeed(answered)
    if (limits.fit(calls, bytes) < calls.length) {
      // The order of calls that change something may matter.
      const width = sending.safety === "safe" ? concurrency : 1
      return Effect.map(
        Effect.forEach(chunks(sending, calls), (some) => run(sending, some), { concurrency: width }),
        together
      )
    }
    return Effect.flatMap(Effect.exit(request(calls)), (outcome) => {
      const refusal = refusalOf(sending, outcome)
      if (refusal === undefined) {
        const asked = askLeftOut(sending, calls, outcome)
        if (asked !== undefined) return asked
        limits.worked(calls.length, () => total(sending, calls))
        return Effect.zipRight(
          refused === undefined ? Effect.void : learn(sending, calls, refused),
          Effect.as(settle(calls, outcome), answered)
        )
      }
      return calls.length === 1
        ? Effect.as(settle(calls, outcome), refusedAll)
        : Effect.zipRight(countSplit(sending, refusal.kind), split(sending, calls, outcome, refusal))
    })
  })

/**
 * Delivers the answers that there are, and asks for those that the node left out in a request of their own; `undefined` if the
 * node left out none or all.
 */
const askLeftOut = <C>(
  sending: Sending<C>,
  calls: ReadonlyArray<C>,
  outcome: Outcome
): Effect.Effect<Ran> | undefined => {
  if (sending.safety !== "safe" || Exit.isFailure(outcome) || !outcome.value.some(isLeftOut)) return undefined
  const left = outcome.value.map(isLeftOut)
  const [there, others] = Arr.partition(calls, (_, at) => left[at] === true)
  if (there.length === 0) return undefined
  sending.limits.learn("calls", there.length, calls.length)
  return countSplit(sending, "calls").pipe(
    Effect.zipRight(sending.settle(there, Exit.map(outcome, Arr.filter((answer) => !isLeftOut(answer))))),
    Effect.zipRight(run(sending, others)),
    Effect.as(answered)
  )
}

/**
 * Sends the calls of a refused request in smaller ones. What is learned from that is forgotten if one of the calls is refused
 * alone: then that call may be why the request was refused, and not its size.
 */
const split = <C>(
  sending: Sending<C>,
  calls: ReadonlyArray<C>,
  outcome: Outcome,
  refusal: Refusal
): Effect.Effect<Ran> =>
  Effect.gen(function*() {
    const { kind, mayBeOutage } = refusal
    const forget = sending.limits.remember()
    const [from, to] = mayBeOutage ? [1, calls.length - 1] : [0, calls.length]
    const ends: Array<Ran> = []
    if (mayBeOutage) {
      ends.push(yield* run(sending, calls.slice(0, from)), yield* run(sending, calls.slice(to)))
      if (!together(ends).isAnswered) {
        yield* sending.settle(calls.slice(from, to), part(outcome, from, to))
        return refusedAll
      }
      if (from >= to) return together(ends)
    }
    const size = kind === "calls" ? calls.length : total(sending, calls)
    const middle = Math.min(to, from + Math.max(1, Math.min(sending.limits.fewer(calls.length), to - from)))
    // After an outage, a call that works alone shows that the outage is over, and nothing about sizes.
    const isShown = !mayBeOutage || middle - from > 1
    const head = yield* run(sending, calls.slice(from, middle), isShown ? { kind, size } : undefined)
    // One call alone may be wrong; two that are refused alone are not refused for the size of a request.
    if (!head.isAnswered && to - middle > 1) {
      yield* sending.settle(calls.slice(middle, to), part(outcome, middle, to))
      return refusedAll
    }
    if (head.isAnyRefused) forget()
    const tail = yield* run(sending, calls.slice(middle, to), head.isAnswered ? undefined : { kind, size })
    const all = together([...ends, head, tail])
    if (all.isAnyRefused) forget()
    return all
  })

/**
 * Sends calls in as few requests as the node takes. Each call gets an outcome by `settle`, once.
 *
 * @category constructors
 */
export const send = <C>(sending: Sending<C>, calls: ReadonlyArray<C>): Effect.Effect<void> =>
  Effect.asVoid(run(sending, calls))
