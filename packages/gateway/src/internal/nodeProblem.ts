/** What went wrong between a gateway and its node, in words for who runs both: an error of the clients advises who calls a service. */
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import { NodeFailure } from "@effect-klaytn/custody/CustodyError"

const whichNode = "the node of --node or KLAYTN_OWN_NODE_URL"

/** Why the node gave no answer that can be used. */
export const nodeProblem = (error: { readonly message: string }): string => {
  if (error instanceof ServiceError.TransportFailed) {
    return `${error.operation}: no answer (${error.reason}); look whether ${whichNode} is running and can be reached`
  }
  if (error instanceof ServiceError.OutcomeUnknown) {
    return `${error.operation}: it is not known whether the node has it (${error.reason})`
  }
  return error.message
}

/** The failure of an operation that asks the node. One that is about a part of it stays as it is. */
export const nodeFailure =
  (operation: string, facts: Pick<NodeFailure, "status" | "text"> = {}) => (error: { readonly message: string }) =>
    error instanceof NodeFailure
      ? error
      : new NodeFailure({ ...facts, operation, message: `the node did not answer ${operation}: ${nodeProblem(error)}` })
