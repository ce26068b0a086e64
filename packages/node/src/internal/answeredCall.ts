/** What the answers and failures of an exchange mean for one of its calls. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { Answer, Refusal } from "@effect-klaytn/core/JsonRpc"
import type { RetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import { Attempt, type EarlierAttempts, type RateLimited, type ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Either from "effect/Either"
import type * as Tracer from "effect/Tracer"
import type * as batcher from "./batcher.js"
import * as rpcError from "./classifyError.js"
import type { BatchedCall, CallDescriptor } from "./exchange.js"
import * as failure from "./failure.js"
import type { NodeError } from "./transport.js"

/** A call that waits for its batch. */
export interface Waiting extends BatchedCall, batcher.Waiter<Answer, ServiceError> {}

export type Batcher = batcher.Batcher<Waiting, Answer, ServiceError>

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
const isThrottled = (error: NodeError): error is RateLimited =>
  error._tag === "RateLimited" && error.origin === "service" && error.status === 200

const noAttempts: EarlierAttempts = { attempts: [], uncertain: false }

/** A call that gets its answer, or the failure of its exchange, and says which outcome that is. */
export abstract class AnsweredCall implements Waiting {
  abstract readonly call: CallDescriptor
  abstract readonly params: string
  abstract readonly key: string | undefined
  abstract readonly bytes: number
  abstract readonly deadline: Deadline.Deadline
  abstract readonly policy: RetryPolicy
  abstract readonly span: Tracer.Span | undefined
  protected abstract readonly clock: Clock.Clock
  earlier: EarlierAttempts | undefined
  /** Until when the exchange that carries it may last; `undefined` if none does. */
  protected sentUntil: number | undefined
  /** The number of calls in its request. */
  private batchSize = 0
  private throttled: RateLimited | undefined

  protected abstract succeed(result: unknown): void
  protected abstract fail(error: NodeError): void
  protected abstract die(cause: Cause.Cause<never>): void

  onSent(until: number, count: number): void {
    this.sentUntil = until
    this.batchSize = count
  }

  remember({ attempts, uncertain }: EarlierAttempts): void {
    const before = this.earlier ?? noAttempts
    this.earlier = { attempts: [...before.attempts, ...attempts], uncertain: before.uncertain || uncertain }
  }

  onAnswer(answer: Answer): boolean {
    try {
      if (Either.isRight(answer)) {
        this.succeed(answer.right)
        return false
      }
      const refusal = answer.left
      const error = toError(this.call, refusal)
      if (isThrottled(error) && this.mayRepeat()) {
        this.throttled = error
        this.sentUntil = undefined
        return true
      }
      const isOwn = refusal._tag === "NodeError" && refusal.scope === "call"
      this.fail(this.toReported(isOwn ? error : failure.addBatchHint(error, this.batchSize)))
    } catch (defect) {
      this.die(Cause.die(defect))
    }
    return false
  }

  onWait(millis: number): boolean {
    if (this.now() + millis >= this.deadline.expiresAt) {
      if (this.throttled !== undefined) this.fail(this.toReported(this.throttled))
      return false
    }
    this.remember({
      attempts: [new Attempt({ status: 200, reason: "throttled", waitMillis: millis })],
      uncertain: false
    })
    return true
  }

  onFailure(cause: Cause.Cause<ServiceError>): void {
    const error = Cause.failureOrCause(cause)
    if (Either.isLeft(error)) this.fail(failure.addBatchHint(this.toReported(error.left), this.batchSize))
    else this.die(error.right)
  }

  protected now(): number {
    return Deadline.now(this.clock)
  }

  private mayRepeat(): boolean {
    const { earlier, policy } = this
    return (earlier?.attempts.length ?? 0) + 1 < policy.attempts && policy.statuses.has(429)
  }

  /** The failure to report: after an attempt that may have been carried out, a refusal proves nothing. */
  protected toReported(error: NodeError): NodeError {
    const { call, earlier } = this
    const { attempts, uncertain } = earlier ?? noAttempts
    // "Already in the pool" is not a refusal.
    const isRefusal = error._tag !== "OutcomeUnknown" && error._tag !== "KnownTransaction"
    if (uncertain && isRefusal && call.safety !== "safe") {
      const reason = `an earlier attempt may have been carried out; the last one ended as ${error._tag}`
      return failure.toOutcomeUnknown(call, attempts, error, reason)
    }
    return "method" in error || (earlier === undefined && error.operation === call.operation)
      ? error
      : failure.forCall(call.operation, attempts, error)
  }
}
