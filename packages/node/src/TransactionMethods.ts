/**
 * JSON-RPC methods that read transactions and receipts.
 *
 * @since 0.1.0
 */
import { Anchoring } from "./Anchoring.js"
import type { BlockNumber } from "./BlockSelector.js"
import { found, foundBytes } from "./internal/results.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"
import { Receipt } from "./Receipt.js"
import { Transaction } from "./Transaction.js"

const read = { namespace: "klay", safety: "safe" } as const

/**
 * Transactions and receipts, by hash, by sender transaction hash, and by position in a block. A missing one is none.
 *
 * **Details**
 *
 * Look-ups by sender transaction hash need a node that keeps that index; any other node takes it for a transaction
 * hash. Raw Ethereum types begin with `0x78` here, and do not in `eth`.
 *
 * @since 0.1.0
 * @category methods
 */
export const transactionMethods = {
  /** `klay_getTransactionByHash`: a transaction, pending or mined. */
  getTransactionByHash: Method.make({
    ...read,
    name: "getTransactionByHash",
    summary: "A transaction, pending or mined",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: found(Transaction)
  }),
  /** `klay_getTransactionBySenderTxHash`: a transaction by its sender transaction hash. */
  getTransactionBySenderTxHash: Method.make({
    ...read,
    name: "getTransactionBySenderTxHash",
    summary: "A transaction by its sender transaction hash",
    params: (senderTxHash: string) => [Param.hash("senderTxHash", senderTxHash)],
    result: found(Transaction)
  }),
  /** `klay_getTransactionByBlockHashAndIndex`: a transaction by its position in a block. */
  getTransactionByBlockHashAndIndex: Method.make({
    ...read,
    name: "getTransactionByBlockHashAndIndex",
    summary: "A transaction by its position in a block",
    params: (hash: string, index: bigint | number) => [Param.hash("hash", hash), Param.quantity("index", index)],
    result: found(Transaction)
  }),
  /** `klay_getTransactionByBlockNumberAndIndex`: a transaction by its position in a block. */
  getTransactionByBlockNumberAndIndex: Method.make({
    ...read,
    name: "getTransactionByBlockNumberAndIndex",
    summary: "A transaction by its position in a block",
    params: (block: BlockNumber, index: bigint | number) => [
      Param.blockNumber("block", block),
      Param.quantity("index", index)
    ],
    result: found(Transaction)
  }),
  /** `klay_getTransactionReceipt`: the receipt of a transaction; none until it is mined. */
  getTransactionReceipt: Method.make({
    ...read,
    name: "getTransactionReceipt",
    summary: "The receipt of a transaction; none until it is mined",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: found(Receipt)
  }),
  /** `klay_getTransactionReceiptBySenderTxHash`: the receipt of a transaction by its sender transaction hash. */
  getTransactionReceiptBySenderTxHash: Method.make({
    ...read,
    name: "getTransactionReceiptBySenderTxHash",
    summary: "The receipt of a transaction by its sender transaction hash",
    params: (senderTxHash: string) => [Param.hash("senderTxHash", senderTxHash)],
    result: found(Receipt)
  }),
  /** `klay_getTransactionReceiptInCache`: the receipt of a transaction, if the node has it cached. */
  getTransactionReceiptInCache: Method.make({
    ...read,
    name: "getTransactionReceiptInCache",
    summary: "The receipt of a transaction, if the node has it cached",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: found(Receipt)
  }),
  /** `klay_getRawTransactionByHash`: the bytes of a transaction. */
  getRawTransactionByHash: Method.make({
    ...read,
    name: "getRawTransactionByHash",
    summary: "The bytes of a transaction",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: foundBytes
  }),
  /** `klay_getRawTransactionByBlockHashAndIndex`: the bytes of a transaction by its position in a block. */
  getRawTransactionByBlockHashAndIndex: Method.make({
    ...read,
    name: "getRawTransactionByBlockHashAndIndex",
    summary: "The bytes of a transaction by its position in a block",
    params: (hash: string, index: bigint | number) => [Param.hash("hash", hash), Param.quantity("index", index)],
    result: foundBytes
  }),
  /** `klay_getRawTransactionByBlockNumberAndIndex`: the bytes of a transaction by its position in a block. */
  getRawTransactionByBlockNumberAndIndex: Method.make({
    ...read,
    name: "getRawTransactionByBlockNumberAndIndex",
    summary: "The bytes of a transaction by its position in a block",
    params: (block: BlockNumber, index: bigint | number) => [
      Param.blockNumber("block", block),
      Param.quantity("index", index)
    ],
    result: foundBytes
  }),
  /** `klay_getDecodedAnchoringTransactionByHash`: the data of an anchoring transaction; fails for any other. */
  getDecodedAnchoringTransactionByHash: Method.make({
    ...read,
    name: "getDecodedAnchoringTransactionByHash",
    summary: "The data of an anchoring transaction; fails for any other",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: Anchoring
  })
}
