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
  /**
   * [`klay_getTransactionByHash`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-by-hash/): a
   * transaction, pending or mined.
   */
  getTransactionByHash: Method.make({
    ...read,
    name: "getTransactionByHash",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: found(Transaction)
  }),
  /**
   * [`klay_getTransactionBySenderTxHash`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-by-sender-tx-hash/):
   * a transaction by its sender transaction hash.
   */
  getTransactionBySenderTxHash: Method.make({
    ...read,
    name: "getTransactionBySenderTxHash",
    params: (senderTxHash: string) => [Param.hash("senderTxHash", senderTxHash)],
    result: found(Transaction)
  }),
  /**
   * [`klay_getTransactionByBlockHashAndIndex`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-by-block-hash-and-index/):
   * a transaction by its position in a block.
   */
  getTransactionByBlockHashAndIndex: Method.make({
    ...read,
    name: "getTransactionByBlockHashAndIndex",
    params: (hash: string, index: bigint | number) => [Param.hash("hash", hash), Param.quantity("index", index)],
    result: found(Transaction)
  }),
  /**
   * [`klay_getTransactionByBlockNumberAndIndex`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-by-block-number-and-index/):
   * a transaction by its position in a block.
   */
  getTransactionByBlockNumberAndIndex: Method.make({
    ...read,
    name: "getTransactionByBlockNumberAndIndex",
    params: (block: BlockNumber, index: bigint | number) => [
      Param.blockNumber("block", block),
      Param.quantity("index", index)
    ],
    result: found(Transaction)
  }),
  /**
   * [`klay_getTransactionReceipt`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-receipt/): the receipt
   * of a transaction; none until it is mined.
   */
  getTransactionReceipt: Method.make({
    ...read,
    name: "getTransactionReceipt",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: found(Receipt)
  }),
  /**
   * [`klay_getTransactionReceiptBySenderTxHash`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-receipt-by-sender-tx-hash/):
   * the receipt of a transaction by its sender transaction hash.
   */
  getTransactionReceiptBySenderTxHash: Method.make({
    ...read,
    name: "getTransactionReceiptBySenderTxHash",
    params: (senderTxHash: string) => [Param.hash("senderTxHash", senderTxHash)],
    result: found(Receipt)
  }),
  /** `klay_getTransactionReceiptInCache`: the receipt of a transaction, if the node has it cached. */
  getTransactionReceiptInCache: Method.make({
    ...read,
    name: "getTransactionReceiptInCache",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: found(Receipt)
  }),
  /**
   * [`klay_getRawTransactionByHash`](https://docs.kaia.io/references/json-rpc/klay/get-raw-transaction-by-hash/): the
   * bytes of a transaction.
   */
  getRawTransactionByHash: Method.make({
    ...read,
    name: "getRawTransactionByHash",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: foundBytes
  }),
  /**
   * [`klay_getRawTransactionByBlockHashAndIndex`](https://docs.kaia.io/references/json-rpc/klay/get-raw-transaction-by-block-hash-and-index/):
   * the bytes of a transaction by its position in a block.
   */
  getRawTransactionByBlockHashAndIndex: Method.make({
    ...read,
    name: "getRawTransactionByBlockHashAndIndex",
    params: (hash: string, index: bigint | number) => [Param.hash("hash", hash), Param.quantity("index", index)],
    result: foundBytes
  }),
  /**
   * [`klay_getRawTransactionByBlockNumberAndIndex`](https://docs.kaia.io/references/json-rpc/klay/get-raw-transaction-by-block-number-and-index/):
   * the bytes of a transaction by its position in a block.
   */
  getRawTransactionByBlockNumberAndIndex: Method.make({
    ...read,
    name: "getRawTransactionByBlockNumberAndIndex",
    params: (block: BlockNumber, index: bigint | number) => [
      Param.blockNumber("block", block),
      Param.quantity("index", index)
    ],
    result: foundBytes
  }),
  /**
   * [`klay_getDecodedAnchoringTransactionByHash`](https://docs.kaia.io/references/json-rpc/klay/get-decoded-anchoring-transaction-by-hash/):
   * the data of an anchoring transaction; fails for any other.
   */
  getDecodedAnchoringTransactionByHash: Method.make({
    ...read,
    name: "getDecodedAnchoringTransactionByHash",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: Anchoring
  })
}
