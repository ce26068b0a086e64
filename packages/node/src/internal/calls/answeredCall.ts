/** What the answers and failures of an exchange mean for one of its calls. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { Answer, ErrorObject, Refusal } from "@effect-klaytn/core/JsonRpc"
import type { RetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import type { Doubt, SeenBlocks } from "@effect-klaytn/core/SeenBlocks"
import { Attempt, type EarlierAttempts, type Mismatch, type ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Either from "effect/Either"
import type * as Tracer from "effect/Tracer"
import * as rpcError from "../errors/classifyError.js"
import type { CallDescriptor, NodeError } from "../errors/failure.js"
import * as failure from "../errors/failure.js"
import * as contradiction from "./contradiction.js"
import { isWideSearch, parseParams, type Waiting } from "./exchange.js"

const toError = (call: CallDescriptor, refusal: Refusal): NodeError => {
  switch (refusal._tag) {
    case "NodeError":
      return refusal.scope === "rest" && call.safety !== "safe"
        ? failure.outcomeUnknown(call, "the error in the answer is not for this call")
        : rpcError.classify(call, refusal.error, refusal.redact)
    case "Malformed":
      return failure.fromMismatch(call, refusal.mismatch)
    case "GatewayError":
      return failure.fromGateway(call, refusal.error)
  }
}

/** Whether the node throttled the call inside an answer. It was not carried out, so it may be repeated. */
const isThrottled = (error: NodeError): boolean =>
  error._tag === "RateLimited" && error.origin === "service" && error.status === 200

/** A node's error about itself counts as this HTTP status for a policy. */
const statusOfDoubt = 503

/** Why a call is repeated although it has an answer, and what it ends with if there is no time for that. */
class Pending {
  constructor(readonly reason: "throttled" | "contradicted" | Doubt, readonly end: () => void) {}
}

const noAttempts: EarlierAttempts = { attempts: [], uncertain: false }

/** A call that gets its answer, or the failure of its exchange, and says which outcome that is. */
export abstract class AnsweredCall implements Waiting {
  abstract readonly key: string | undefined
  abstract readonly span: Tracer.Span | undefined
  earlier: EarlierAttempts | undefined
  /** Until when the exchange that carries it may last; `undefined` if none does. */
  protected sentUntil: number | undefined
  /** The number of calls in its request. */
  #batchSize = 0
  #pending: Pending | undefined

  /** `seen`: the blocks that the client has seen. */
  constructor(
    readonly call: CallDescriptor,
    readonly params: string,
    readonly bytes: number,
    readonly deadline: Deadline.Deadline,
    readonly policy: RetryPolicy,
    protected readonly seen: SeenBlocks,
    protected readonly clock: Clock.Clock
  ) {}

  protected abstract succeed(result: unknown): void
  protected abstract fail(error: NodeError): void
  protected abstract die(cause: Cause.Cause<never>): void

  get isBlockMissing(): boolean {
    return this.#pending?.reason === "block missing"
  }

  onSent(until: number, count: number, _exchange: object): void {
    this.sentUntil = until
    this.#batchSize = count
  }

  remember({ attempts, uncertain }: EarlierAttempts): void {
    const before = this.earlier ?? noAttempts
    this.earlier = { attempts: [...before.attempts, ...attempts], uncertain: before.uncertain || uncertain }
  }

  onAnswer(answer: Answer): boolean {
    try {
      if (Either.isRight(answer)) {
        const result = answer.right
        if (result === null) {
          return this.#endUnless(this.#repeated(this.#doubt(Either.right(null))), () => this.succeed(null))
        }
        const mismatch = contradiction.find(this.call.method, () => parseParams(this.params), result)
        if (mismatch !== undefined) return this.#onContradiction(mismatch)
        this.seen.see(this.call.method, result)
        this.succeed(result)
        return false
      }
      return this.#onRefusal(answer.left)
    } catch (defect) {
      this.die(Cause.die(defect))
    }
    return false
  }

  onWait(millis: number): boolean {
    const pending = this.#pending
    if (this.now() + millis >= this.deadline.expiresAt) {
      pending?.end()
      return false
    }
    this.remember({
      attempts: [new Attempt({ status: 200, reason: pending?.reason ?? "throttled", waitMillis: millis })],
      uncertain: false
    })
    return true
  }

  onFailure(cause: Cause.Cause<ServiceError>): void {
    const error = Cause.failureOrCause(cause)
    if (Either.isLeft(error)) this.fail(failure.addBatchHint(this.toReported(error.left), this.#batchSize))
    else this.die(error.right)
  }

  protected now(): number {
    return Deadline.now(this.clock)
  }

  /** Another copy of the node may answer what was asked. */
  #onContradiction(mismatch: Mismatch): boolean {
    const isSafe = this.call.safety === "safe"
    return this.#endUnless(
      isSafe ? this.#repeated("contradicted") : undefined,
      () => this.fail(this.toReported(failure.fromMismatch(this.call, mismatch, failure.contradicted)))
    )
  }

  #onRefusal(refusal: Refusal): boolean {
    const doubt = refusal._tag === "NodeError" ? this.#doubt(Either.left(refusal.error)) : undefined
    const found = toError(this.call, refusal)
    const isOwn = refusal._tag === "NodeError" && refusal.scope === "call"
    return this.#endUnless(this.#repeated(isThrottled(found) ? "throttled" : doubt), () => {
      const lag = `this client has seen block ${
        this.seen.newest ?? "latest"
      }: nodes behind this address lag behind each other`
      const error = doubt === "block missing" ? failure.addHint(found, lag) : found
      this.fail(this.toReported(isOwn ? error : failure.addBatchHint(error, this.#batchSize)))
    })
  }

  /** Ends the call, or returns that it asks again. */
  #endUnless(reason: Pending["reason"] | undefined, end: () => void): boolean {
    if (reason === undefined) {
      end()
      return false
    }
    this.#pending = new Pending(reason, end)
    this.sentUntil = undefined
    return true
  }

  /** Why the answer to a safe call is not believed. */
  #doubt(answer: Either.Either<unknown, ErrorObject>): Doubt | undefined {
    const { call, params } = this
    return call.safety === "safe" ? this.seen.doubt(call.method, parseParams(params), answer) : undefined
  }

  /** The reason to repeat the call, if the policy leaves an attempt for it. */
  #repeated(reason: Pending["reason"] | undefined): Pending["reason"] | undefined {
    const { policy } = this
    // The range of a search may be why the node failed, and a smaller one is then better than the same again.
    const most = reason === "node failed" && isWideSearch(this) ? Math.min(2, policy.attempts) : policy.attempts
    const status = reason === "throttled" ? 429 : statusOfDoubt
    return this.#attemptsMade() < most && policy.statuses.has(status) ? reason : undefined
  }

  /** The number of attempts, with the one that was just answered. */
  #attemptsMade(): number {
    return (this.earlier?.attempts.length ?? 0) + 1
  }

  /** The failure to report: after an attempt that may have been carried out, a refusal proves nothing, unless it is of the bytes. */
  protected toReported(error: NodeError): NodeError {
    const { call, earlier } = this
    const { attempts, uncertain } = earlier ?? noAttempts
    // "Already in the pool" is not a refusal.
    const isRefusal = error._tag !== "OutcomeUnknown" && error._tag !== "KnownTransaction"
    if (uncertain && isRefusal && call.safety !== "safe" && !failure.isOfBytes(error)) {
      const reason = `an earlier attempt may have been carried out; the last one ended as ${error._tag}`
      return failure.toOutcomeUnknown(call, attempts, error, reason)
    }
    return "method" in error || (earlier === undefined && error.operation === call.operation)
      ? error
      : failure.forCall(call.operation, attempts, error)
  }
}
