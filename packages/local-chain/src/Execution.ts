/**
 * What a program in front of a chain needs to know of execution: limits, codes of failures, and values that a node derives.
 */
import type { EmittedLog } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"
import type { CallRequest } from "./Call.js"
import * as calls from "./internal/calls.js"
import * as evm from "./internal/Evm.js"
import * as executor from "./internal/Executor.js"
import * as header from "./internal/Header.js"
import * as message from "./internal/Message.js"
import * as validation from "./internal/validation.js"

/**
 * The gas limit of every block in Ethereum's form: a constant of the node.
 *
 * @category limits
 */
export const blockGasLimit: bigint = evm.blockGasLimit

/**
 * The gas that the execution of one transaction may use at most. It stands for the node's limit on computation cost: a
 * transaction that reaches it fails with the same code, `computationLimit`, and all of its gas is used.
 *
 * @category limits
 */
export const executionGasLimit: bigint = executor.executionGasLimit

/**
 * The gas that a transaction with this message pays before it runs.
 *
 * @category gas
 */
export const intrinsicGasOf: (request: CallRequest) => bigint = calls.intrinsicGasOf

/**
 * The node's codes for failed executions, as in `txError` of a receipt.
 *
 * @category failures
 */
export const txError = message.txError

/**
 * The rejection for a reason that the node words in one fixed way.
 *
 * @category failures
 */
export const refuse = validation.refuse

/**
 * The bloom filter over addresses and topics of logs, by Ethereum's rules.
 *
 * @category derived values
 */
export const bloomOf: (logs: Iterable<Pick<EmittedLog, "address" | "topics">>) => Uint8Array = header.bloomOf

/**
 * The value of PREVRANDAO in the block after one with this hash, also the mix hash of its header. It is not random.
 *
 * @category derived values
 */
export const randaoOf: (parentHash: Hex) => Uint8Array = message.randaoOf

/**
 * Yields to the event loop after an execution, which blocks it.
 *
 * @category scheduling
 */
export const yieldToOthers: Effect.Effect<void> = calls.yieldToOthers
