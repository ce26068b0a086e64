/** Core's `ServiceError`s for one call of an exchange. */
import type { Deadline } from "@effect-klaytn/core/Deadline"
import type { ErrorObject } from "@effect-klaytn/core/JsonRpc"
import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"
import { type RpcError, RpcFailed } from "../RpcError.js"
import type { CallDescriptor } from "./exchange.js"

const attempts = (reason: string) => [new ServiceError.Attempt({ status: 200, reason, waitMillis: 0 })]

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

/** The failure of a call that may have been carried out despite this error. */
export const toOutcomeUnknown = (
  call: CallDescriptor,
  before: ReadonlyArray<ServiceError.Attempt>,
  error: RpcError | ServiceError.ServiceError,
  reason: string
): ServiceError.OutcomeUnknown => {
  const { code, requestId, serviceMessage, status } = factsOf(error)
  return new ServiceError.OutcomeUnknown({
    operation: call.operation,
    retrySafe: call.safety === "keyed",
    attempts: [...before, ...("method" in error ? attempts(error._tag) : error.attempts)],
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(serviceMessage === undefined ? {} : { serviceMessage }),
    ...(requestId === undefined ? {} : { requestId }),
    reason
  })
}

/** Adds a hint to a failure that batching may have caused. */
export const addBatchHint = <E extends RpcError | ServiceError.ServiceError>(
  error: E,
  count: number
): RpcError | ServiceError.ServiceError => {
  if (count < 2) return error
  const hint = `it was sent together with ${count - 1} more; if the endpoint accepts no batches, use Batching.off`
  switch (error._tag) {
    case "Rejected":
      return new ServiceError.Rejected({ ...error, hint })
    case "NotFound":
      return new ServiceError.NotFound({ ...error, hint })
    case "MalformedResponse":
      return new ServiceError.MalformedResponse({ ...error, hint })
    case "RpcFailed":
      return new RpcFailed({ ...error, hint })
    default:
      return error
  }
}

interface Facts {
  readonly status?: number | undefined
  readonly code?: number | undefined
  readonly serviceMessage?: string | undefined
  readonly requestId?: string | undefined
}

const factsOf = (error: object): Facts => error

/** The failure for a malformed answer: the call may have changed something. */
export const fromMismatch = (call: CallDescriptor, mismatch: ServiceError.Mismatch): ServiceError.ServiceError =>
  call.safety === "safe"
    ? new ServiceError.MalformedResponse({
      operation: call.operation,
      retrySafe: true,
      attempts: attempts("malformed"),
      status: 200,
      ...mismatch
    })
    : outcomeUnknown(call, `malformed answer: expected ${mismatch.expected}, got ${mismatch.actual}`)

export const outcomeUnknown = (call: CallDescriptor, reason: string): ServiceError.OutcomeUnknown =>
  new ServiceError.OutcomeUnknown({
    operation: call.operation,
    retrySafe: call.safety === "keyed",
    attempts: attempts("malformed"),
    reason
  })

/** The failure for a refusal of the gateway that came with a success status. */
export const fromGateway = (
  call: CallDescriptor,
  { code, message, requestId }: ErrorObject
): ServiceError.ServiceError => {
  const facts = {
    operation: call.operation,
    retrySafe: true,
    attempts: attempts("HTTP 200"),
    status: 200,
    ...(code === 0 ? {} : { code }),
    ...(message === "" ? {} : { serviceMessage: message }),
    ...(requestId === undefined ? {} : { requestId })
  }
  if (!ServiceCode.isOwn(code) && call.safety !== "safe") {
    return new ServiceError.OutcomeUnknown({
      ...facts,
      retrySafe: call.safety === "keyed",
      reason: "the answer is neither the node's nor a refusal with a code of the service"
    })
  }
  const Refusal = ServiceError.refusal({ code, status: code === 429 ? code : facts.status })
  return Refusal === ServiceError.Unavailable && call.safety !== "safe"
    ? new ServiceError.OutcomeUnknown({ ...facts, retrySafe: call.safety === "keyed", reason: "unavailable" })
    : new Refusal({ ...facts, origin: "service" })
}

/** The failure of a call that ran out of time; `sent` if it may have been sent. */
export const fromTimeout = (
  call: CallDescriptor,
  deadline: Deadline,
  spentMillis: number,
  sent: boolean
): ServiceError.ServiceError =>
  sent && call.safety !== "safe"
    ? new ServiceError.OutcomeUnknown({
      operation: call.operation,
      retrySafe: call.safety === "keyed",
      attempts: [new ServiceError.Attempt({ reason: "deadline", waitMillis: 0 })],
      reason: "the deadline passed"
    })
    : new ServiceError.TimedOut({
      operation: call.operation,
      retrySafe: true,
      attempts: sent ? [new ServiceError.Attempt({ reason: "deadline", waitMillis: 0 })] : [],
      limit: "deadline",
      limitMillis: deadline.limitMillis,
      spent: new ServiceError.Spent({ attemptsMillis: spentMillis, retryWaitsMillis: 0, rateLimitMillis: 0 })
    })

/** The failure for a text that can't be a method. It is not shown: it may be anything. */
export const invalidMethod = (): ServiceError.InvalidInput =>
  ServiceError.InvalidInput.at("node.call", ["method"], "a method is a namespace and a name, as in klay_blockNumber")
