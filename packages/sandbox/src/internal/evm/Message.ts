import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { EVMResult } from "@ethereumjs/evm"
import { hexToBytes } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import type { AccessList } from "../../Call.js"
import type { StorageWrite } from "./MappingKeys.js"
import type { Touched } from "./Touched.js"

/** A log before its block is sealed. */
export interface EmittedLog {
  readonly address: Hex
  readonly topics: ReadonlyArray<Hex>
  readonly data: Uint8Array
}

/** The block that a message runs in. */
export interface BlockEnvironment {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly parentHash: Hex
  /** peb for one unit of gas. */
  readonly unitPrice: bigint
}

/** What PREVRANDAO answers in a block, and its header shows as the mix hash. Nobody's secret is in it. */
export const randaoOf = (parentHash: Hex): Uint8Array => keccak_256(hexToBytes(parentHash))

/** A call, or without `to` a creation. */
export interface Message {
  readonly from: Hex
  readonly to: Hex | undefined
  readonly value: bigint
  readonly data: Uint8Array
  /** Gas for the execution itself; intrinsic gas is not part of it. */
  readonly gasLimit: bigint
  readonly gasPrice: bigint
  /** Who pays the fee: what the fee-payer precompile answers. */
  readonly feePayer: Hex
  readonly accessList: AccessList
  /** Checks and changes no balance for the value. */
  readonly skipBalance?: boolean
  /** Hears of every address and slot that code asks for. Default: nobody does. */
  readonly touched?: Touched
  /** Takes every slot that code wrote, unless the execution fails. Default: nobody does. */
  readonly writes?: Array<StorageWrite>
}

/** What the EVM gives up with, in its own words. */
export type EvmFault = NonNullable<EVMResult["execResult"]["exceptionError"]>["error"]

/** What an execution gave. */
export interface Outcome {
  readonly gasUsed: bigint
  readonly gasRefund: bigint
  readonly fault: EvmFault | undefined
  readonly returnValue: Uint8Array
  readonly logs: ReadonlyArray<EmittedLog>
  readonly created: Hex | undefined
}

/** The node's codes for failed executions, as they stand in `txError` of a receipt. */
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
  "code store out of gas": txError.codeStoreOutOfGas,
  "code size to deposit exceeds maximum code size": txError.codeTooLarge,
  "initcode exceeds max initcode size": txError.codeTooLarge,
  "create collision": txError.addressCollision,
  "static state change": txError.writeProtection,
  revert: txError.reverted
}

/** The code for a fault; whatever has none of its own is the general VM error. */
export const txErrorOf = (fault: EvmFault): number => codes[fault] ?? txError.vm
