/**
 * What an execution did, message by message and instruction by instruction.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * What a trace records besides the messages, and its bounds.
 *
 * @category models
 */
export interface TraceOptions {
  /** How many instructions are recorded, from the first on. Default: none. */
  readonly steps?: number
  /** Whether the steps have the memory; `calls`: those of instructions that call code. Default: no. */
  readonly memory?: boolean | "calls"
  /** Whether the steps have what they write. Default: no. */
  readonly storage?: boolean
  /** Milliseconds of the execution after which the trace is given up. Default: 5,000. */
  readonly longest?: number
  /** Bytes that a trace may take, about. Default: 50,000,000. */
  readonly largest?: number
}

/**
 * A message of an execution: a call, a creation, or a contract that destroys itself.
 *
 * @category models
 */
export interface TracedCall {
  readonly type: "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL" | "CREATE" | "CREATE2" | "SELFDESTRUCT"
  readonly from: Hex
  /** Undefined for a creation that failed. */
  readonly to: Hex | undefined
  /** peb; undefined for a static call. */
  readonly value: bigint | undefined
  readonly gas: bigint
  readonly gasUsed: bigint
  readonly input: Hex
  readonly output: Hex
  /** The EVM's own error message; undefined if the message succeeded. */
  readonly fault: string | undefined
  readonly calls: ReadonlyArray<TracedCall>
}

/**
 * An instruction, with the state before it.
 *
 * @category models
 */
export interface TracedStep {
  readonly pc: number
  readonly op: string
  readonly gas: bigint
  readonly gasCost: bigint
  /** 1 in the outermost message. */
  readonly depth: number
  /** Whether the gas sufficed: an instruction that can't be paid does nothing, and ends its message. */
  readonly isPaid: boolean
  /** The top is last. */
  readonly stack: ReadonlyArray<bigint>
  /** With the words that the instruction adds; undefined unless it is asked for. */
  readonly memory: Hex | undefined
  /** The slot that the instruction writes, with its new value; undefined unless it is asked for. */
  readonly written: readonly [slot: Hex, value: Hex] | undefined
  /** The address whose storage the code uses. */
  readonly address: Hex
  /** How much computation the transaction may still cost, and how much the instruction does. */
  readonly computation: bigint
  readonly computationCost: bigint
}

/**
 * An account before an execution, as far as the execution touched it. One that was not there has nothing.
 *
 * @category models
 */
export interface TracedAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Hex
  /** The touched slots and their values, 32 bytes each. */
  readonly storage: ReadonlyMap<Hex, Hex>
}

/**
 * What an execution did. `gaveUp` says why it was not recorded to its end, if so.
 *
 * @category models
 */
export interface Trace {
  /** Undefined for a transaction that runs no code. */
  readonly call: TracedCall | undefined
  readonly steps: ReadonlyArray<TracedStep>
  readonly before: ReadonlyMap<Hex, TracedAccount>
  readonly gaveUp: "time" | "size" | undefined
}

/**
 * A transaction of a block, as far as a trace needs to know it.
 *
 * @category models
 */
export interface TracedTransaction {
  /** The signed bytes; Ethereum types without the envelope byte 0x78. */
  readonly raw: Hex
  readonly from: Hex
  readonly gasUsed: bigint
  /** peb that was paid for one unit of gas: the chain may have other rules for fees by now. */
  readonly gasPrice: bigint
}
