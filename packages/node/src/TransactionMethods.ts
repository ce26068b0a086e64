/**
 * JSON-RPC methods that read transactions and receipts, and those that submit transactions.
 */
import * as Schema from "effect/Schema"
import * as params from "./internal/methods/params.js"
import * as schemas from "./internal/records/schemas.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"
import { Receipt } from "./Receipt.js"
import { Anchoring, Transaction } from "./Transaction.js"

const read = Method.makeIn("klay", "safe")
const keyed = Method.makeIn("klay", "keyed")
const once = Method.makeIn("klay", "once")

const ofSender = (senderTxHash: string) => [Param.hash("senderTxHash", senderTxHash)]

/**
 * Transactions and receipts, by hash, by sender transaction hash, and by position in a block. A missing one is none.
 *
 * **Details**
 *
 * Look-ups by sender transaction hash need a node that keeps that index; any other node takes it for a transaction
 * hash. Raw Ethereum types begin with `0x78` here, and do not in `eth`.
 *
 * @category methods
 */
export const transactionMethods = {
  /**
   * [`klay_getTransactionByHash`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-by-hash/): a
   * transaction, pending or mined.
   */
  getTransactionByHash: read("getTransactionByHash", params.hash, schemas.orNone(Transaction)),
  /**
   * [`klay_getTransactionBySenderTxHash`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-by-sender-tx-hash/):
   * a transaction by its sender transaction hash.
   */
  getTransactionBySenderTxHash: read("getTransactionBySenderTxHash", ofSender, schemas.orNone(Transaction)),
  /**
   * [`klay_getTransactionByBlockHashAndIndex`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-by-block-hash-and-index/):
   * a transaction by its position in a block.
   */
  getTransactionByBlockHashAndIndex: read(
    "getTransactionByBlockHashAndIndex",
    params.hashAndIndex,
    schemas.orNone(Transaction)
  ),
  /**
   * [`klay_getTransactionByBlockNumberAndIndex`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-by-block-number-and-index/):
   * a transaction by its position in a block.
   */
  getTransactionByBlockNumberAndIndex: read(
    "getTransactionByBlockNumberAndIndex",
    params.blockAndIndex,
    schemas.orNone(Transaction)
  ),
  /**
   * [`klay_getTransactionReceipt`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-receipt/): the receipt
   * of a transaction; none until it is mined.
   */
  getTransactionReceipt: read("getTransactionReceipt", params.hash, schemas.orNone(Receipt)),
  /**
   * [`klay_getTransactionReceiptBySenderTxHash`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-receipt-by-sender-tx-hash/):
   * the receipt of a transaction by its sender transaction hash.
   */
  getTransactionReceiptBySenderTxHash: read("getTransactionReceiptBySenderTxHash", ofSender, schemas.orNone(Receipt)),
  /** `klay_getTransactionReceiptInCache`: the receipt of a transaction, if the node has it cached. */
  getTransactionReceiptInCache: read("getTransactionReceiptInCache", params.hash, schemas.orNone(Receipt)),
  /**
   * [`klay_getRawTransactionByHash`](https://docs.kaia.io/references/json-rpc/klay/get-raw-transaction-by-hash/): the
   * bytes of a transaction.
   */
  getRawTransactionByHash: read("getRawTransactionByHash", params.hash, schemas.BytesOrNone),
  /**
   * [`klay_getRawTransactionByBlockHashAndIndex`](https://docs.kaia.io/references/json-rpc/klay/get-raw-transaction-by-block-hash-and-index/):
   * the bytes of a transaction by its position in a block.
   */
  getRawTransactionByBlockHashAndIndex: read(
    "getRawTransactionByBlockHashAndIndex",
    params.hashAndIndex,
    schemas.BytesOrNone
  ),
  /**
   * [`klay_getRawTransactionByBlockNumberAndIndex`](https://docs.kaia.io/references/json-rpc/klay/get-raw-transaction-by-block-number-and-index/):
   * the bytes of a transaction by its position in a block.
   */
  getRawTransactionByBlockNumberAndIndex: read(
    "getRawTransactionByBlockNumberAndIndex",
    params.blockAndIndex,
    schemas.BytesOrNone
  ),
  /**
   * [`klay_getDecodedAnchoringTransactionByHash`](https://docs.kaia.io/references/json-rpc/klay/get-decoded-anchoring-transaction-by-hash/):
   * the data of an anchoring transaction; fails for any other.
   */
  getDecodedAnchoringTransactionByHash: read("getDecodedAnchoringTransactionByHash", params.hash, Anchoring)
}

/**
 * Submits signed transactions. A returned hash means that one node has the transaction in its pool, not that it is
 * mined.
 *
 * **Details**
 *
 * `sendRawTransaction` accepts every type of the chain, and Ethereum types with the prefix `0x78`; that of `eth`
 * accepts Ethereum types without it. It may be repeated, because the same bytes have the same hash and nonce. Unless the
 * answer proves what became of the transaction, the client looks up the hash. It then returns the hash or fails with
 * `OutcomeUnknown`, which has the hash as `transactionHash`. A refusal that depends on state (funds, price, a full pool)
 * is returned if the look-up finds nothing; a copy of the request that something on the way delivers after that can
 * still be executed.
 *
 * `sendRawTransactions` stops at the first failure and loses the hashes of those before it, so it is never repeated.
 * According to the node's code it does not accept the chain's own types.
 *
 * @category methods
 */
export const submitMethods = {
  /**
   * [`klay_sendRawTransaction`](https://docs.kaia.io/references/json-rpc/klay/send-raw-transaction/): submits a signed
   * transaction; returns its hash.
   */
  sendRawTransaction: keyed(
    "sendRawTransaction",
    (raw: string) => [Param.data("raw", raw)],
    schemas.Hash
  ),
  /**
   * `klay_sendRawTransactions`: submits signed transactions until one fails; returns their hashes. Newer nodes only.
   */
  sendRawTransactions: once(
    "sendRawTransactions",
    (raws: ReadonlyArray<string>) => [Param.dataList("raws", raws)],
    Schema.Array(schemas.Hash)
  )
}
