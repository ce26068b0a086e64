/** Core's `ServiceError`s for one call of an exchange. */
import type { Deadline } from "@effect-klaytn/core/Deadline"
import type { ErrorObject } from "@effect-klaytn/core/JsonRpc"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { RpcError } from "../../RpcError.js"

/** What errors, spans and metrics need to know about a call. */
export interface CallDescriptor {
  /** The operation, such as `node.klay_getBalance`. */
  readonly operation: string
  /** The method's wire name, such as `klay_getBalance`. */
  readonly method: string
  readonly safety: Safety
  /** The label in metrics, if not the operation. */
  readonly label?: string | undefined
}

/** How a call that changes nothing fails. */
export type ReadFailure = RpcError | ServiceError.ReadError

/** How a call of the node fails. */
export type NodeError = RpcError | ServiceError.ServiceError

/** Why the node refuses every copy of the same bytes; anything else depends on the state of the chain, of an account or of the pool. */
const reasonsInBytes: ReadonlySet<string> = new Set(["chain", "gas", "size"])

/** Whether the node refused a transaction for what its bytes say: no copy of them that was sent before was taken, either. */
export const isOfBytes = (error: NodeError): boolean =>
  error._tag === "TransactionRefused" && reasonsInBytes.has(error.reason)

const attemptOf = (reason: string) => [new ServiceError.Attempt({ status: 200, reason, waitMillis: 0 })]

const encode = Schema.encodeSync(ServiceError.ServiceError)
const decode = Schema.decodeSync(ServiceError.ServiceError)

/** Turns the failure of an exchange into that of one of its calls, with the attempts before it. */
export const forCall = (
  operation: string,
  before: ReadonlyArray<ServiceError.Attempt>,
  error: ServiceError.ServiceError
): ServiceError.ServiceError => {
  const wire = encode(error)
  return decode({ ...wire, operation, attempts: [...before, ...wire.attempts] })
}

const factNames = ["status", "code", "serviceMessage", "requestId"] as const

/** What the answer says about a failure. */
type Facts = Pick<ServiceError.OutcomeUnknown, (typeof factNames)[number]>

const factsOf = (error: object): Facts => error

/** The failure of a call that may have been carried out. */
export const outcomeUnknown = (
  { operation, safety }: CallDescriptor,
  reason: string,
  facts: Facts & { readonly attempts?: ReadonlyArray<ServiceError.Attempt> } = {}
): ServiceError.OutcomeUnknown =>
  new ServiceError.OutcomeUnknown({
    attempts: attemptOf("malformed"),
    ...facts,
    operation,
    retrySafe: safety === "keyed",
    reason
  })

/** The failure of a call that may have been carried out despite this error. */
export const toOutcomeUnknown = (
  call: CallDescriptor,
  before: ReadonlyArray<ServiceError.Attempt>,
  error: RpcError | ServiceError.ServiceError,
  reason: string
): ServiceError.OutcomeUnknown => {
  const attempts = [...before, ...("method" in error ? attemptOf(error._tag) : error.attempts)]
  return outcomeUnknown(call, reason, { ...Struct.pick(factsOf(error), ...factNames), attempts })
}

/** Adds a hint to an error. */
export const addHint = <E extends RpcError | ServiceError.ServiceError>(error: E, hint: string): E => {
  // Each class of both unions is made from its own fields.
  const Same = error.constructor as new(fields: object) => E
  return new Same({ ...error, hint: error.hint === undefined ? hint : `${error.hint}; ${hint}` })
}

/** The errors that batching may have caused. */
const ofBatches: ReadonlySet<string> = new Set(["Rejected", "NotFound", "MalformedResponse", "RpcFailed"])

/** Adds a hint to a failure that batching may have caused. */
export const addBatchHint = <E extends RpcError | ServiceError.ServiceError>(error: E, count: number): E =>
  count < 2 || !ofBatches.has(error._tag)
    ? error
    : addHint(
      error,
      `it was sent together with ${count - 1} more; if the endpoint accepts no batches, use Batching.off`
    )

/** The reason of an attempt whose answer is about something else than was asked for. */
export const contradicted = "contradicted"

/** Whether the last answer was about something else than was asked for: another copy of the node may answer right. */
export const isContradiction = (error: NodeError): boolean =>
  error._tag === "MalformedResponse" && error.attempts.at(-1)?.reason === contradicted

/** The failure for a malformed answer: the call may have changed something. */
export const fromMismatch = (
  call: CallDescriptor,
  mismatch: ServiceError.Mismatch,
  reason = "malformed"
): ServiceError.ServiceError =>
  call.safety === "safe"
    ? new ServiceError.MalformedResponse({
      operation: call.operation,
      retrySafe: true,
      attempts: attemptOf(reason),
      status: 200,
      ...mismatch
    })
    : outcomeUnknown(call, `malformed answer: expected ${mismatch.expected}, got ${mismatch.actual}`)

/** The failure for a refusal of the gateway that came with a success status. */
export const fromGateway = (
  call: CallDescriptor,
  { code, message, requestId }: ErrorObject
): ServiceError.ServiceError => {
  const facts = {
    operation: call.operation,
    retrySafe: true,
    attempts: attemptOf("HTTP 200"),
    status: 200,
    ...(code === 0 ? {} : { code }),
    ...(message === "" ? {} : { serviceMessage: message }),
    ...(requestId === undefined ? {} : { requestId })
  }
  if (!ServiceCode.isOwn(code) && call.safety !== "safe") {
    return outcomeUnknown(call, "the answer is neither the node's nor a refusal with a code of the service", facts)
  }
  const Refusal = ServiceError.refusal({ code, status: code === 429 ? code : facts.status })
  return Refusal === ServiceError.Unavailable && call.safety !== "safe"
    ? outcomeUnknown(call, "unavailable", facts)
    : new Refusal({ ...facts, origin: "service" })
}

/** The failure of a call that ran out of time; `sent` if it may have been sent. */
export const fromTimeout = (
  call: CallDescriptor,
  deadline: Deadline,
  spentMillis: number,
  sent: boolean
): ServiceError.ServiceError => {
  const attempts = sent ? [new ServiceError.Attempt({ reason: "deadline", waitMillis: 0 })] : []
  return sent && call.safety !== "safe"
    ? outcomeUnknown(call, "the deadline passed", { attempts })
    : new ServiceError.TimedOut({
      operation: call.operation,
      retrySafe: true,
      attempts,
      limit: "deadline",
      limitMillis: deadline.limitMillis,
      spent: new ServiceError.Spent({ attemptsMillis: spentMillis, retryWaitsMillis: 0, rateLimitMillis: 0 })
    })
}
