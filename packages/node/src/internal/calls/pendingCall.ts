/**
 * A call from its start to its outcome: it joins a batch, gets an answer or runs out of time, and joins the next run if
 * the node throttles it.
 */
import type * as Deadline from "@effect-klaytn/core/Deadline"
import type { SeenBlocks } from "@effect-klaytn/core/SeenBlocks"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type * as Tracer from "effect/Tracer"
import type { NodeError } from "../errors/failure.js"
import * as failure from "../errors/failure.js"
import { AnsweredCall } from "./answeredCall.js"
import { type Batcher, runtimeOf } from "./batcher.js"
import type { Waiting } from "./exchange.js"

/** Deadlines this close together share a timer: one for each would cost more than it gains. */
const momentMillis = 20

// What lives as long as a call waits is an instance of a class. The engine notices that objects of a literal outlive
// the first collections of a program, and then keeps them, with all that they refer to, for thousands of collections.

const noop = (): void => undefined

/** The deadline of a single call. */
export class CallDeadline implements Deadline.Deadline {
  constructor(readonly expiresAt: number, readonly limitMillis: number) {}
}

/** The caller: its fiber and clock, and the span around the call if spans are exported. */
export interface Caller {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly clock: Clock.Clock
  readonly span: Tracer.Span | undefined
}

/** A caller, and what it makes of the JSON of a result or of an error. */
export interface ResponseHandler<A> extends Caller {
  readonly onResult: (result: unknown) => Effect.Effect<A, NodeError>
  readonly onError: (error: NodeError) => Effect.Effect<A, NodeError>
}

/** Passes both on unchanged. */
export const identityHandler = ({ clock, fiber, span }: Caller): ResponseHandler<unknown> => ({
  clock,
  fiber,
  span,
  onResult: Effect.succeed,
  onError: Effect.fail
})

/** What a {@link PendingCall} is made of. */
interface Options<A> extends Pick<Waiting, "call" | "params" | "key" | "bytes" | "deadline" | "policy"> {
  readonly handler: ResponseHandler<A>
  /** Whether its deadline may pass before it is sent, or differ from those of the calls it is sent with. */
  readonly isTimed: boolean
  readonly batcher: Batcher
  readonly seen: SeenBlocks
}

export class PendingCall<A> extends AnsweredCall {
  readonly key: string | undefined
  readonly #handler: ResponseHandler<A>
  readonly #isTimed: boolean
  readonly #batcher: Batcher
  #timer: Fiber.RuntimeFiber<void> | undefined
  #leave: () => void = noop
  #resume: (outcome: Effect.Effect<A, NodeError>) => void = noop

  // Copies the fields, so that the record itself does not outlive this.
  constructor({ batcher, bytes, call, deadline, handler, isTimed, key, params, policy, seen }: Options<A>) {
    super(call, params, bytes, deadline, policy, seen, handler.clock)
    this.key = key
    this.#handler = handler
    this.#isTimed = isTimed
    this.#batcher = batcher
  }

  get span(): Tracer.Span | undefined {
    return this.#handler.span
  }

  /** Like `Effect.async` with a finaliser that leaves the batch on interruption, in half the steps. */
  run(): Effect.Effect<A, NodeError> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.catchAllCause(
        restore(Effect.async<A, NodeError>((resume) => {
          this.#resume = resume
          this.#leave = this.#batcher.join(this, this.#handler.fiber)
          if (this.#isTimed) this.#startTimer()
        })),
        (cause) => {
          if (Cause.isInterrupted(cause)) {
            this.#stopTimer()
            this.#leave()
          }
          return Effect.failCause(cause)
        }
      )
    )
  }

  override onSent(until: number, count: number, exchange: object): void {
    super.onSent(until, count, exchange)
    if (this.#timer === undefined && until > this.deadline.expiresAt + momentMillis) this.#startTimer()
  }

  protected succeed(result: unknown): void {
    this.#finish(this.#handler.onResult(result))
  }

  protected fail(error: NodeError): void {
    this.#finish(this.#handler.onError(error))
  }

  protected die(cause: Cause.Cause<never>): void {
    this.#finish(Effect.failCause(cause))
  }

  #finish(outcome: Effect.Effect<A, NodeError>): void {
    this.#stopTimer()
    this.#resume(outcome)
  }

  /** Ends the call at its own deadline, unless the exchange ends no later: its failure says more. */
  #expire(spent: number): void {
    const { call, deadline, sentUntil } = this
    if (sentUntil !== undefined && sentUntil <= deadline.expiresAt) return
    this.#leave()
    this.#finish(
      this.#handler.onError(this.toReported(failure.fromTimeout(call, deadline, spent, sentUntil !== undefined)))
    )
  }

  #startTimer(): void {
    const left = Math.max(0, this.deadline.expiresAt - this.now())
    if (!Number.isFinite(left)) return
    this.#timer = Runtime.runFork(runtimeOf(this.#handler.fiber), this.clock.sleep(Duration.millis(left)))
    this.#timer.addObserver((exit) => {
      if (Exit.isSuccess(exit)) this.#expire(left)
    })
  }

  #stopTimer(): void {
    this.#timer?.unsafeInterruptAsFork(FiberId.none)
  }
}
