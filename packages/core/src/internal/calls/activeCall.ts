/** A call in progress: its request, its limits and its record. */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Clock from "effect/Clock"
import type * as Fiber from "effect/Fiber"
import type { Settings } from "../../ClientConfig.js"
import type { Deadline } from "../../Deadline.js"
import type { Endpoint } from "../../Endpoints.js"
import type { Descriptor } from "../../Operation.js"
import type { RetryPolicy } from "../../RetryPolicy.js"
import { Attempt, type ServiceError, Spent } from "../../ServiceError.js"
import type { AttemptFailed, BodyReader } from "./answer.js"
import type { WireRequest } from "./request.js"

/** A request, and the client and the configuration that it is sent with. */
export interface Request<A> {
  readonly operation: Descriptor
  readonly wire: WireRequest
  readonly read: BodyReader<A>
  readonly endpoint: Endpoint
  readonly settings: Settings
  readonly httpClient: HttpClient.HttpClient
}

/** A request with the fiber of its caller, the policy and the deadline in effect there, and the record of the call. */
export interface ActiveCall<A> extends Request<A> {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly clock: Clock.Clock
  readonly policy: RetryPolicy
  readonly deadline: Deadline
  readonly trace: CallTrace
}

/** How an attempt ends other than with its value: it failed, or the whole call has. */
export type Failed = AttemptFailed | ServiceError

type Phase = "attemptsMillis" | "retryWaitsMillis" | "rateLimitMillis"

/** The record of one call: the outcome of its attempts and where its time went. */
export class CallTrace {
  readonly attempts: Array<Attempt> = []
  readonly #spentMillis = { attemptsMillis: 0, retryWaitsMillis: 0, rateLimitMillis: 0 }
  /** The current phase, for a call that ends in the middle of it. */
  #phase: { readonly kind: Phase; readonly since: number } | undefined
  /** Whether part of the latest attempt's request may have been sent: false while its credential is being read. */
  mayHaveLeft = false
  /** The status of the latest attempt's answer. */
  status: number | undefined
  /** Whether an attempt before the latest may have been carried out although no answer arrived. */
  uncertain = false

  /** Starts a phase. */
  begin(kind: Phase, now: number): void {
    this.#phase = { kind, since: now }
  }

  /** Starts an attempt. */
  beginAttempt(now: number): void {
    this.begin("attemptsMillis", now)
    this.mayHaveLeft = false
    this.status = undefined
  }

  /** Ends the current phase and adds its time. */
  end(now: number): void {
    if (this.#phase === undefined) return
    this.#spentMillis[this.#phase.kind] += now - this.#phase.since
    this.#phase = undefined
  }

  get isAttempting(): boolean {
    return this.#phase?.kind === "attemptsMillis"
  }

  /** The time spent so far, including the current phase. */
  spent(now: number): Spent {
    const phase = this.#phase
    const spentMillis = this.#spentMillis
    return new Spent(
      phase === undefined ? spentMillis : { ...spentMillis, [phase.kind]: spentMillis[phase.kind] + now - phase.since }
    )
  }

  addAttempt(reason: string, waitMillis: number, status?: number): void {
    this.attempts.push(new Attempt({ reason, waitMillis, ...(status === undefined ? {} : { status }) }))
  }
}
