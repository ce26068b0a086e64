/**
 * The failures of reading a contract.
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import * as Data from "effect/Data"
import type { ExecutionReverted } from "./RpcError.js"

/**
 * Arguments that do not fit the ABI, or an answer that does not: then the contract is another one, or there is none at
 * the address (`problem` says so if nothing came back).
 *
 * @since 0.1.0
 * @category errors
 */
export class AbiMismatch extends Data.TaggedError("AbiMismatch")<{
  readonly address: Address
  readonly name: string
  readonly problem: string
}> {
  override get message(): string {
    return `${this.name} of contract ${this.address}: ${this.problem}`
  }
}

/**
 * The call was reverted with an error of the contract's own, which the ABI names.
 *
 * @since 0.1.0
 * @category errors
 */
export class ContractReverted extends Data.TaggedError("ContractReverted")<{
  readonly address: Address
  /** The function that was called. */
  readonly name: string
  /** The error's name in the ABI. */
  readonly errorName: string
  readonly args: ReadonlyArray<unknown>
  readonly reverted: ExecutionReverted
}> {
  override get message(): string {
    return `${this.name} of contract ${this.address} was reverted: ${this.errorName}(${
      this.args.map(String).join(", ")
    })`
  }
}
