/**
 * The result of an executed transaction: its receipt with logs, and its place in a block. A chain produces these records,
 * an index reads them.
 */
import type { Hex } from "./Hex.js"
import type { HashedTransaction } from "./TransactionView.js"

/**
 * A log before its block is stored.
 *
 * @category models
 */
export interface EmittedLog {
  readonly address: Hex
  /** Up to four words of 32 bytes. */
  readonly topics: ReadonlyArray<Hex>
  readonly data: Uint8Array
}

/**
 * A write to a slot of a contract's storage.
 *
 * @category models
 */
export interface StorageWrite {
  readonly contract: Hex
  /**
   * The possible keys of the mapping entry that the slot belongs to, starting with the outermost mapping; empty for a slot
   * outside of mappings. Where the layout leaves open which of two words is the key, both are given.
   */
  readonly keys: ReadonlyArray<ReadonlyArray<bigint>>
}

/**
 * Coin that a contract moved while a transaction was executed: by a call, by the creation of a contract, or by its own
 * destruction.
 *
 * @category models
 */
export interface InternalTransfer {
  readonly from: Hex
  readonly to: Hex
  /** peb, never zero. */
  readonly value: bigint
}

/**
 * The result of a transaction: everything that its signed bytes do not contain.
 *
 * @category models
 */
export interface Receipt {
  /** 1 success, 0 failure: a failed transaction is part of its block and has paid its fee. */
  readonly status: 0 | 1
  /** The node's code for a failed execution, 0x2 to 0x1e. */
  readonly txError: number | undefined
  readonly gasUsed: bigint
  /** peb that was paid for one unit of gas. */
  readonly gasPrice: bigint
  /** peb that was paid for blobs, besides the gas. Default: it has none. */
  readonly blobFee?: bigint | undefined
  /** The contract that it created. */
  readonly contractAddress: Hex | undefined
  readonly logs: ReadonlyArray<EmittedLog>
  /**
   * The slots that it wrote, with the keys of the mappings that they belong to; undefined where the source can't tell. No
   * method of a node reports them, an EVM that traces does.
   */
  readonly writes: ReadonlyArray<StorageWrite> | undefined
  /**
   * What contracts moved of coin, in the order of execution; without the value of the transaction itself and without what
   * was reverted. Default: the source does not report them.
   */
  readonly internalTransfers?: ReadonlyArray<InternalTransfer> | undefined
}

/**
 * The header of a block. Hashes are lower-case 0x strings.
 *
 * @category models
 */
export interface BlockHeader {
  /** Height. Block 0 is the genesis block and holds no transactions. */
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds; never less than the parent's. */
  readonly timestamp: number
  readonly gasUsed: bigint
  /** 256 bytes: the bloom filter over the addresses and topics of all logs. Empty where it is not kept. */
  readonly logsBloom: Hex
  readonly stateRoot: Hex
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  /** The size of the header and all raw transactions, in bytes. */
  readonly size: number
  readonly transactionCount: number
  /** The address that COINBASE gives. This and the fields below are absent where the source does not report them. */
  readonly miner?: Hex | undefined
  /** The gas that its transactions may use together. */
  readonly gasLimit?: bigint | undefined
  /** peb that a unit of gas costs. */
  readonly baseFeePerGas?: bigint | undefined
  /** The 32 bytes that PREVRANDAO gives. */
  readonly mixHash?: Hex | undefined
}

/**
 * Where in a chain a transaction stands.
 *
 * @category models
 */
export interface Place {
  readonly block: Pick<BlockHeader, "number" | "timestamp">
  readonly index: number
  /** Gas that the transactions before it in its block used. */
  readonly gasBefore: bigint
}

/**
 * The fields of an executed transaction that a record of it has.
 *
 * @category models
 */
export interface TransactionResult extends Omit<Receipt, "logs" | "writes" | "internalTransfers" | "blobFee"> {
  readonly hash: Hex
  /** Equals `hash` unless the transaction is fee-delegated. */
  readonly senderTxHash: Hex
  readonly blockNumber: number
  readonly transactionIndex: number
  /** Unix seconds of the block. */
  readonly timestamp: number
  /** 0 legacy, 8 value transfer, ..., 30722 dynamic fee: the numbers of the service's transaction table. */
  readonly typeInt: number
  readonly from: Hex
  /** Undefined if the transaction creates a contract, updates an account, cancels or anchors. */
  readonly to: Hex | undefined
  /** Coin that the transaction sends, peb. */
  readonly value: bigint
  readonly nonce: bigint
  /** Gas limit. */
  readonly gas: bigint
  /** Gas used by the block up to and including this transaction. */
  readonly cumulativeGasUsed: bigint
  /** Gas used times gas price, and what was paid for blobs, whoever pays it. peb. */
  readonly fee: bigint
  /** Undefined if the sender pays. */
  readonly feePayer: Hex | undefined
  /** Percentage that the fee payer pays, 1 to 99; undefined if it pays everything or nothing. */
  readonly feeRatio: number | undefined
}

/**
 * A transaction after execution, before its block is stored.
 *
 * @category models
 */
export interface ExecutedTransaction extends TransactionResult, Pick<Receipt, "logs" | "writes" | "internalTransfers"> {
  /** The signed bytes; Ethereum types without the envelope byte 0x78. Empty if they are not known. */
  readonly raw: Uint8Array
  /** Whether its type names a value: it then has a coin transfer in the transfer history, also if the value is zero. */
  readonly carriesValue: boolean
}

/**
 * The fields of a transaction that are known before it is executed, for every type.
 *
 * @category models
 */
export interface TransactionFacts extends
  Pick<
    TransactionResult,
    "hash" | "senderTxHash" | "typeInt" | "from" | "to" | "value" | "nonce" | "gas" | "feePayer" | "feeRatio"
  >,
  Pick<ExecutedTransaction, "carriesValue">
{}

/**
 * The record of a transaction: its signed fields, and what came of it.
 *
 * @category constructors
 */
export const make = (
  { hash, raw, senderTxHash, view }: HashedTransaction,
  receipt: Receipt,
  place: Place
): ExecutedTransaction => {
  const to = "to" in view.action ? view.action.to : undefined
  return fromFacts({ ...view, hash, senderTxHash, to }, raw, receipt, place)
}

/**
 * The record of a transaction whose fields a node has named. `raw` is empty if its signed bytes are not known.
 *
 * @category constructors
 */
export const fromFacts = (
  facts: TransactionFacts,
  raw: Uint8Array,
  receipt: Receipt,
  { block, gasBefore, index }: Place
): ExecutedTransaction => ({
  hash: facts.hash,
  senderTxHash: facts.senderTxHash,
  blockNumber: block.number,
  transactionIndex: index,
  timestamp: block.timestamp,
  typeInt: facts.typeInt,
  from: facts.from,
  to: facts.to,
  value: facts.value,
  nonce: facts.nonce,
  gas: facts.gas,
  gasPrice: receipt.gasPrice,
  gasUsed: receipt.gasUsed,
  cumulativeGasUsed: gasBefore + receipt.gasUsed,
  fee: receipt.gasUsed * receipt.gasPrice + (receipt.blobFee ?? 0n),
  feePayer: facts.feePayer,
  feeRatio: facts.feeRatio,
  status: receipt.status,
  txError: receipt.txError,
  contractAddress: receipt.contractAddress,
  raw,
  carriesValue: facts.carriesValue,
  logs: receipt.logs,
  writes: receipt.writes,
  internalTransfers: receipt.internalTransfers
})
