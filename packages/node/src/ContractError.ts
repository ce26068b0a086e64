/**
 * The errors of a contract's calls. `Contract` has them too.
 */
import * as Address from "@effect-klaytn/core/Address"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"
import * as reverts from "./internal/errors/reverts.js"
import * as schemas from "./internal/records/schemas.js"
import { ExecutionReverted, type RpcError } from "./RpcError.js"

/**
 * The arguments or the answer do not fit the ABI. If it is the answer, the address holds a different contract, or none
 * at all (`problem` says so if nothing came back).
 *
 * @category errors
 */
export class AbiMismatch extends Schema.TaggedError<AbiMismatch>("@effect-klaytn/node/AbiMismatch")("AbiMismatch", {
  address: Address.Address,
  name: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.name} of contract ${this.address}: ${this.problem}`
  }
}

/**
 * The call was reverted with a custom error that the ABI declares.
 *
 * @category errors
 */
export class ContractReverted
  extends Schema.TaggedError<ContractReverted>("@effect-klaytn/node/ContractReverted")("ContractReverted", {
    address: Address.Address,
    /** The function that was called. */
    name: Schema.String,
    /** The error's name in the ABI. */
    errorName: Schema.String,
    args: Schema.Array(schemas.Data),
    reverted: ExecutionReverted
  })
{
  override get message(): string {
    return `${this.name} of contract ${this.address}: ${reverts.sentence(reverts.call(this.errorName, this.args))}`
  }

  override toJSON(): unknown {
    return schemas.errorToJson(this)
  }
}

/**
 * The failures of a call.
 *
 * @category errors
 */
export type CallFailure = AbiMismatch | ContractReverted | RpcError | ReadError
