/**
 * A call from its start to its outcome: it joins a batch, gets an answer or runs out of time, and joins the next run if
 * the node throttles it.
 */
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { Answer, Refusal } from "@effect-klaytn/core/JsonRpc"
import type { RetryPolicy } from "@effect-klaytn/core/RetryPolicy"
import { Attempt, type EarlierAttempts, type RateLimited, type ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type * as Tracer from "effect/Tracer"
import * as batcher from "./batcher.js"
import * as rpcError from "./classifyError.js"
import type { BatchedCall, CallDescriptor } from "./exchange.js"
import * as failure from "./failure.js"
import type { NodeError, ResponseHandler } from "./transport.js"

/** A call that waits for its batch. */
export interface Waiting extends BatchedCall, batcher.Waiter<Answer, ServiceError> {}

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

/** Deadlines this close together share a timer: one for each would cost more than it gains. */
const momentMillis = 20

// What lives as long as a call waits is an instance of a class. The engine notices that objects of a literal outlive
// the first collections of a program, and then keeps them, with all that they refer to, for thousands of collections.

const noop = (): void => undefined

/** The deadline of a single call. */
export class CallDeadline implements Deadline.Deadline {
  constructor(readonly expiresAt: number, readonly limitMillis: number) {}
}

/** What a {@link PendingCall} is made of. */
interface Options<A> extends Pick<Waiting, "call" | "params" | "key" | "bytes" | "deadline" | "policy"> {
  readonly handler: ResponseHandler<A>
  /** Whether its deadline may pass before it is sent, or differ from those of the calls it is sent with. */
  readonly isTimed: boolean
  readonly submit: batcher.Join<Waiting>
}

export class PendingCall<A> implements Waiting {
  readonly call: CallDescriptor
  readonly params: string
  readonly key: string | undefined
  readonly bytes: number
  readonly deadline: Deadline.Deadline
  readonly policy: RetryPolicy
  private readonly handler: ResponseHandler<A>
  private readonly isTimed: boolean
  private readonly submit: batcher.Join<Waiting>
  earlier: EarlierAttempts | undefined
  private sentUntil: number | undefined
  /** The number of calls in its request. */
  private batchSize = 0
  private throttled: RateLimited | undefined
  private timer: Fiber.RuntimeFiber<void> | undefined
  private leave: () => void = noop
  private resume: (outcome: Effect.Effect<A, NodeError>) => void = noop

  // Copies the fields, so that the record itself does not outlive this.
  constructor(options: Options<A>) {
    this.call = options.call
    this.params = options.params
    this.key = options.key
    this.bytes = options.bytes
    this.deadline = options.deadline
    this.policy = options.policy
    this.handler = options.handler
    this.isTimed = options.isTimed
    this.submit = options.submit
  }

  get span(): Tracer.Span | undefined {
    return this.handler.span
  }

  /** Like `Effect.async` with a finaliser that leaves the batch on interruption, in half the steps. */
  run(): Effect.Effect<A, NodeError> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.catchAllCause(
        restore(Effect.async<A, NodeError>((resume) => {
          this.resume = resume
          this.leave = this.submit(this, this.handler.fiber)
          if (this.isTimed) this.startTimer()
        })),
        (cause) => {
          if (Cause.isInterrupted(cause)) {
            this.stopTimer()
            this.leave()
          }
          return Effect.failCause(cause)
        }
      )
    )
  }

  onSent(until: number, count: number): void {
    this.sentUntil = until
    this.batchSize = count
    if (this.timer === undefined && until > this.deadline.expiresAt + momentMillis) this.startTimer()
  }

  remember({ attempts, uncertain }: EarlierAttempts): void {
    const before = this.earlier ?? noAttempts
    this.earlier = { attempts: [...before.attempts, ...attempts], uncertain: before.uncertain || uncertain }
  }

  onAnswer(answer: Answer): boolean {
    try {
      if (Either.isRight(answer)) {
        this.finish(this.handler.onResult(answer.right))
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
      this.finish(this.handler.onError(this.toReported(isOwn ? error : failure.addBatchHint(error, this.batchSize))))
    } catch (defect) {
      this.finish(Effect.die(defect))
    }
    return false
  }

  onWait(millis: number): boolean {
    if (this.now() + millis >= this.deadline.expiresAt) {
      if (this.throttled !== undefined) this.finish(this.handler.onError(this.toReported(this.throttled)))
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
    this.finish(
      Either.isLeft(error)
        ? this.handler.onError(failure.addBatchHint(this.toReported(error.left), this.batchSize))
        : Effect.failCause(error.right)
    )
  }

  private now(): number {
    return Deadline.now(this.handler.clock)
  }

  private mayRepeat(): boolean {
    const { earlier, policy } = this
    return (earlier?.attempts.length ?? 0) + 1 < policy.attempts && policy.statuses.has(429)
  }

  /** The failure to report: after an attempt that may have been carried out, a refusal proves nothing. */
  private toReported(error: NodeError): NodeError {
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

  private finish(outcome: Effect.Effect<A, NodeError>): void {
    this.stopTimer()
    this.resume(outcome)
  }

  /** Ends the call at its own deadline, unless the exchange ends no later: its failure says more. */
  private expire(spent: number): void {
    const { call, deadline, sentUntil } = this
    if (sentUntil !== undefined && sentUntil <= deadline.expiresAt) return
    this.leave()
    this.finish(
      this.handler.onError(this.toReported(failure.fromTimeout(call, deadline, spent, sentUntil !== undefined)))
    )
  }

  private startTimer(): void {
    const left = Math.max(0, this.deadline.expiresAt - this.now())
    if (!Number.isFinite(left)) return
    this.timer = Runtime.runFork(batcher.runtimeOf(this.handler.fiber), this.handler.clock.sleep(Duration.millis(left)))
    this.timer.addObserver((exit) => {
      if (Exit.isSuccess(exit)) this.expire(left)
    })
  }

  private stopTimer(): void {
    this.timer?.unsafeInterruptAsFork(FiberId.none)
  }
}
