/**
 * The errors of the control interface. Nothing changed, unless a class says otherwise.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ChainState } from "./ControlView.js"

const fields = {
  /** What is wrong, and what would be valid. */
  message: Schema.String
}

const status = (code: number) => ({ [HttpApiSchema.AnnotationStatus]: code })

/**
 * The input is invalid: HTTP 400.
 *
 * @category errors
 */
export class InvalidControl extends Schema.TaggedError<InvalidControl>()("InvalidControl", fields, status(400)) {}

/**
 * There is no such account, token, snapshot, preset, credential, fault or operation: HTTP 404.
 *
 * @category errors
 */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", fields, status(404)) {}

/**
 * There are already two credentials, the most that a customer may have: HTTP 409.
 *
 * @category errors
 */
export class TooManyCredentials
  extends Schema.TaggedError<TooManyCredentials>()("TooManyCredentials", fields, status(409))
{}

/**
 * The chain refused the transaction, or executed it and it failed: HTTP 422. With a `transactionHash` it is in its
 * block and has paid its fee; without one, nothing changed.
 *
 * @category errors
 */
export class TransactionFailed extends Schema.TaggedError<TransactionFailed>()(
  "TransactionFailed",
  {
    ...fields,
    /** Why it was refused, see `RejectReason`; `ExecutionFailed` if it ran. */
    reason: Schema.String,
    transactionHash: Schema.optional(Schema.String)
  },
  status(422)
) {}

/**
 * The request did not come from a program on this machine but, for example, from a web page: HTTP 403. Only over HTTP.
 *
 * @category errors
 */
export class NotLocal extends Schema.TaggedError<NotLocal>()("NotLocal", fields, status(403)) {}

/**
 * A chain can't build blocks; its `stuck` says why: HTTP 503. Only in answer to the health check.
 *
 * @category errors
 */
export class ChainStuck extends Schema.TaggedError<ChainStuck>()(
  "ChainStuck",
  { ...fields, status: Schema.Literal("stuck"), chains: Schema.Array(ChainState) },
  status(503)
) {}

/**
 * A service of the sandbox does not answer; the message names each such service: HTTP 503. Only in answer to the health
 * check. `chains` names those that are stuck as well.
 *
 * @category errors
 */
export class ServiceDown extends Schema.TaggedError<ServiceDown>()(
  "ServiceDown",
  { ...fields, status: Schema.Literal("down"), chains: Schema.Array(ChainState) },
  status(503)
) {}

/**
 * The sandbox's database failed: HTTP 500.
 *
 * @category errors
 */
export class ControlFault extends Schema.TaggedError<ControlFault>()("ControlFault", fields, status(500)) {}
