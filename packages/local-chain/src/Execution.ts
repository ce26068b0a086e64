/**
 * Facts about execution for a program in front of a chain: limits, codes of failures, and values that a node derives.
 */
import type { BlockHeader } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hardfork } from "@effect-klaytn/transaction/Hardfork"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"
import type { CallRequest } from "./Call.js"
import * as blobs from "./internal/blobs.js"
import * as calls from "./internal/calls.js"
import * as message from "./internal/Message.js"
import * as nextBlock from "./internal/NextBlock.js"
import * as validation from "./internal/validation.js"

/**
 * The fields of a block that its code can read, besides height and time.
 *
 * @category models
 */
export interface BlockFields {
  /** The address that COINBASE gives. */
  readonly miner: Hex
  /** The gas that its transactions may use together. */
  readonly gasLimit: bigint
  /** peb that a unit of gas costs. */
  readonly baseFeePerGas: bigint
  /** The 32 bytes that PREVRANDAO gives. They are not random. */
  readonly mixHash: Hex
}

/**
 * The fields of a stored block. `unitPrice` is the chain's, for a block that was stored without a base fee.
 *
 * @category derived values
 */
export const blockFieldsOf: (
  block: Pick<BlockHeader, keyof BlockFields | "parentHash">,
  unitPrice: bigint
) => BlockFields = nextBlock.fieldsOf

/**
 * The price of a unit of blob gas at a base fee, by KIP-279; 0 by rules without blobs.
 *
 * @category derived values
 */
export const blobFeeOf: (baseFeePerGas: bigint, hardfork: Hardfork) => bigint = nextBlock.blobFeeOf

/**
 * For how many blocks blobs are kept: 21 days, at a block a second.
 *
 * @category limits
 */
export const blobRetention: number = blobs.retention

/**
 * The most gas of a call or an estimate, with what a transaction pays before it runs.
 *
 * @category limits
 */
export const mostGas: bigint = calls.mostGas

/**
 * How long a call may take, or all runs of an estimate together, in milliseconds.
 *
 * @category limits
 */
export const longestCall: number = calls.longestCall

/**
 * The gas that a transaction with this message pays before it runs (`intrinsic`), and the least gas that it pays (`floor`).
 *
 * @category gas
 */
export const gasOf: (
  request: CallRequest,
  hardfork: Hardfork
) => { readonly intrinsic: bigint; readonly floor: bigint } = calls.gasOf

/**
 * The node's codes for failed executions, as in `txError` of a receipt.
 *
 * @category failures
 */
export const txError = message.txError

/**
 * The rejection of a transaction that the keys of its sender did not sign, in the node's words.
 *
 * @category failures
 */
export const refuse = (reason: "InvalidSenderSignature" | "LegacyKeyRequired") => validation.refuse(reason)

/**
 * Yields to the event loop after an execution, which blocks it.
 *
 * @category scheduling
 */
export const yieldToOthers: Effect.Effect<void> = calls.yieldToOthers
