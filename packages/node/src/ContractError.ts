/**
 * The errors of reading a contract.
 *
 * @since 0.1.0
 */
import { Address } from "@effect-klaytn/core/Address"
import * as Foreign from "@effect-klaytn/core/Foreign"
import * as Schema from "effect/Schema"
import * as printed from "./internal/printed.js"
import { ExecutionReverted } from "./RpcError.js"

/**
 * The arguments or the answer do not fit the ABI. If it is the answer, the address holds a different contract, or none
 * at all (`problem` says so if nothing came back).
 *
 * @since 0.1.0
 * @category errors
 */
export class AbiMismatch extends Schema.TaggedError<AbiMismatch>("@effect-klaytn/node/AbiMismatch")("AbiMismatch", {
  address: Address,
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
 * @since 0.1.0
 * @category errors
 */
export class ContractReverted
  extends Schema.TaggedError<ContractReverted>("@effect-klaytn/node/ContractReverted")("ContractReverted", {
    address: Address,
    /** The function that was called. */
    name: Schema.String,
    /** The error's name in the ABI. */
    errorName: Schema.String,
    args: Schema.Array(printed.Data),
    reverted: ExecutionReverted
  })
{
  override get message(): string {
    const args = this.args.slice(0, 10).map(Foreign.describe)
    return `${this.name} of contract ${this.address} was reverted: ${this.errorName}(${args.join(", ")})`
  }

  override toJSON(): unknown {
    return printed.error(this)
  }
}
