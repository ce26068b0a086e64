import type { EmittedLog, InternalTransfer, StorageWrite } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { EVMError, type EVMResult } from "@ethereumjs/evm"
import type { AccessList } from "../Call.js"
import type { BlockFields } from "../Execution.js"
import type { Halted } from "./ComputationBound.js"
import type { ComputationMeter } from "./ComputationMeter.js"
import { reasons } from "./kaiaMachine.js"
import type { Touched } from "./Touched.js"
import type { Tracer } from "./Tracer.js"

/** The block that a message runs in. */
export interface BlockEnvironment extends BlockFields {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly parentHash: Hex
}

/** When executions have to end, by `performance.now`. It may be moved while they run. */
export interface Deadline {
  at: number
}

/** A call, or a creation if `to` is undefined. */
export interface Message {
  readonly from: Hex
  readonly to: Hex | undefined
  readonly value: bigint
  readonly data: Uint8Array
  /** Gas for the execution, without intrinsic gas. */
  readonly gasLimit: bigint
  readonly gasPrice: bigint
  /** The payer of the fee, as the fee-payer precompile returns it. */
  readonly feePayer: Hex
  readonly accessList: AccessList
  /** The hashes of its blobs, as code reads them. Default: none. */
  readonly blobHashes?: ReadonlyArray<Hex>
  /** Neither checks nor changes balances for the value. */
  readonly skipBalance?: boolean
  /** Records every address and slot that code accesses. */
  readonly touched?: Touched
  /** Receives every slot that code wrote, unless the execution fails. */
  readonly writes?: Array<StorageWrite>
  /** Receives the coin that contracts moved, unless the execution fails. */
  readonly internalTransfers?: Array<InternalTransfer> | undefined
  /** Receives the computation cost of the execution. Without it nothing is counted, which is faster. */
  readonly meter?: ComputationMeter
  /** The most computation cost; beyond it the execution fails. Default: none. */
  readonly computationLimit?: bigint | undefined
  /** When it fails if it still runs. Default: never. */
  readonly deadline?: Deadline
  /** Records what the execution does. */
  readonly tracer?: Tracer | undefined
}

/** Why an execution failed, in the EVM's words, or the limit that it met. */
export type EvmFault =
  | NonNullable<EVMResult["execResult"]["exceptionError"]>["error"]
  | Halted["reason"]
  | typeof reasons[keyof typeof reasons]

/** Why an execution failed, if it did. The machine adds the place to the reason of a wrong jump. */
export const faultOf = (
  error: NonNullable<EVMResult["execResult"]["exceptionError"]> | undefined
): EvmFault | undefined => {
  if (error === undefined) return undefined
  // Other errors can occur here, too, which have no text of the machine.
  const fault = error.error ?? EVMError.errorMessages.INTERNAL_ERROR
  return fault.startsWith(EVMError.errorMessages.INVALID_JUMP) ? EVMError.errorMessages.INVALID_JUMP : fault
}

/** The result of an execution. */
export interface Outcome {
  /** How many messages ran, with those that code sent. */
  readonly messages: number
  readonly gasUsed: bigint
  readonly gasRefund: bigint
  readonly fault: EvmFault | undefined
  readonly returnValue: Uint8Array
  readonly logs: ReadonlyArray<EmittedLog>
  readonly created: Hex | undefined
}

/** The node's codes for failed executions, as in `txError` of a receipt. */
export const txError = {
  vm: 0x2,
  depth: 0x3,
  addressCollision: 0x4,
  codeStoreOutOfGas: 0x5,
  codeTooLarge: 0x6,
  outOfGas: 0x7,
  writeProtection: 0x8,
  reverted: 0x9,
  computationLimit: 0xa
} as const

const codes: Partial<Record<EvmFault, number>> = {
  "out of gas": txError.outOfGas,
  [reasons.unpaidCode]: txError.codeStoreOutOfGas,
  "code size to deposit exceeds maximum code size": txError.codeTooLarge,
  "initcode exceeds max initcode size": txError.codeTooLarge,
  "create collision": txError.addressCollision,
  "static state change": txError.writeProtection,
  revert: txError.reverted,
  "computation limit": txError.computationLimit
}

/** The code for a fault; the general VM error if it has none of its own. */
export const txErrorOf = (fault: EvmFault): number => codes[fault] ?? txError.vm
