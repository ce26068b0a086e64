import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { type Signature, toQuantities } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { isEthereum, wireName } from "@effect-klaytn/transaction/TransactionType"
import type { LogRecord, PendingTransaction, TransactionRecord } from "../../TransactionRecord.js"
import { bloomOf } from "../chain/Header.js"
import { toHex } from "../store/Column.js"
import { anchoringOf } from "./anchoring.js"
import { quantity } from "./quantity.js"

/** A transaction with its place, if it has one: one without waits in the pool. */
export type Known = TransactionRecord | PendingTransaction

const isMined = (known: Known): known is TransactionRecord => "blockHash" in known

const zeroHash: Hex = `0x${"0".repeat(64)}`

/** What was decoded lately: a hash stands for the same bytes on every chain. */
const decodedLately = new Map<Hex, Transaction.Transaction>()
const mostDecoded = 5_000

/** The transaction in signed bytes that the chain has taken in. */
export const transactionOf = ({ hash, raw }: Known): Transaction.Transaction => {
  const known = decodedLately.get(hash)
  if (known !== undefined) return known
  const decoded = Transaction.decode(raw, { unprotected: true })
  if (!decoded.ok) throw new TypeError(`the stored transaction ${hash} cannot be read: ${decoded.error.message}`)
  if (decodedLately.size >= mostDecoded) decodedLately.clear()
  decodedLately.set(hash, decoded.value)
  return decoded.value
}

/** What one unit of gas costs: of a fee-market transaction the price paid, or the most it would pay. */
const gasPriceOf = (transaction: Transaction.Transaction, known: Known): bigint =>
  "gasPrice" in transaction ? transaction.gasPrice : isMined(known) ? known.gasPrice : transaction.maxFeePerGas

const signaturesOf = (signatures: ReadonlyArray<Signature>) => signatures.map(toQuantities)

const encodedKey = (key: AccountKey.AccountKey): Hex => {
  const encoded = AccountKey.encode(key)
  return encoded.ok ? encoded.value : "0x"
}

/** What only some types have. */
const special = (transaction: Transaction.Transaction) => ({
  ...("value" in transaction && { to: transaction.to ?? null, value: quantity(transaction.value) }),
  ...("input" in transaction && { input: transaction.input }),
  ...(transaction.type.includes("ChainDataAnchoring") && "input" in transaction &&
    { inputJSON: anchoringOf(transaction.input) ?? null }),
  ...("key" in transaction && { key: encodedKey(transaction.key) }),
  ...("humanReadable" in transaction &&
    { humanReadable: transaction.humanReadable, codeFormat: quantity(transaction.codeFormat) }),
  ...("accessList" in transaction &&
    { chainId: quantity(transaction.chainId), accessList: transaction.accessList }),
  ...("maxFeePerGas" in transaction && {
    maxFeePerGas: quantity(transaction.maxFeePerGas),
    maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas)
  }),
  ...("feePayerSignatures" in transaction && {
    feePayer: transaction.feePayer ?? null,
    feePayerSignatures: signaturesOf(transaction.feePayerSignatures)
  }),
  ...("feeRatio" in transaction && { feeRatio: quantity(transaction.feeRatio) })
})

/** What a transaction and its receipt both show. */
const common = (transaction: Transaction.Transaction, known: Known) => ({
  senderTxHash: known.senderTxHash,
  type: wireName(transaction.type),
  typeInt: known.typeInt,
  from: known.from,
  nonce: quantity(transaction.nonce),
  gas: quantity(transaction.gas),
  gasPrice: quantity(gasPriceOf(transaction, known)),
  signatures: signaturesOf(transaction.signatures),
  ...special(transaction),
  // A place that is not there yet is written as zeros.
  ...(isMined(known)
    ? {
      blockHash: known.blockHash,
      blockNumber: quantity(known.blockNumber),
      transactionIndex: quantity(known.transactionIndex)
    }
    : { blockHash: zeroHash, blockNumber: "0x0", transactionIndex: "0x0" })
})

/** A transaction as `klay` shows it. */
export const klayTransaction = (known: Known) => ({ hash: known.hash, ...common(transactionOf(known), known) })

/** A log as all namespaces show it. */
export const logOf = (log: LogRecord) => ({
  address: log.address,
  topics: log.topics,
  data: log.data,
  blockNumber: quantity(log.blockNumber),
  transactionHash: log.transactionHash,
  transactionIndex: quantity(log.transactionIndex),
  blockHash: log.blockHash,
  logIndex: quantity(log.logIndex),
  removed: false
})

/** A receipt as `klay` shows it: the transaction with all its fields, and what came of it. */
export const klayReceipt = (record: TransactionRecord, logs: ReadonlyArray<LogRecord>) => ({
  transactionHash: record.hash,
  ...common(transactionOf(record), record),
  status: quantity(record.status),
  ...(record.txError !== undefined && { txError: quantity(record.txError) }),
  gasUsed: quantity(record.gasUsed),
  effectiveGasPrice: quantity(record.gasPrice),
  logsBloom: toHex(bloomOf(logs)),
  logs: logs.map(logOf),
  contractAddress: record.contractAddress ?? null
})

/** Types 0x0 to 0x4; whatever Ethereum has no type for is shown as legacy. */
const ethType = (transaction: Transaction.Transaction, typeInt: number): Hex =>
  isEthereum(transaction.type) ? quantity(typeInt & 0xff) : "0x0"

/** Updates, cancellations and anchors go to nobody: their sender stands there. */
const ethTo = (transaction: Transaction.Transaction, known: Known): Hex | null =>
  "value" in transaction ? transaction.to ?? null : known.from

/** A transaction as `eth` shows it. Of several signatures it shows the sender's first. */
export const ethTransaction = (known: Known) => {
  const transaction = transactionOf(known)
  const [signature = { v: 0n, r: 0n, s: 0n }] = transaction.signatures
  return {
    blockHash: isMined(known) ? known.blockHash : null,
    blockNumber: isMined(known) ? quantity(known.blockNumber) : null,
    from: known.from,
    gas: quantity(transaction.gas),
    gasPrice: quantity(gasPriceOf(transaction, known)),
    ...("maxFeePerGas" in transaction && {
      maxFeePerGas: quantity(transaction.maxFeePerGas),
      maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas)
    }),
    hash: known.hash,
    input: "input" in transaction ? transaction.input : "0x",
    nonce: quantity(transaction.nonce),
    to: ethTo(transaction, known),
    transactionIndex: isMined(known) ? quantity(known.transactionIndex) : null,
    value: quantity("value" in transaction ? transaction.value : 0n),
    type: ethType(transaction, known.typeInt),
    ...("accessList" in transaction &&
      { accessList: transaction.accessList, chainId: quantity(transaction.chainId) }),
    v: quantity(signature.v),
    r: quantity(signature.r),
    s: quantity(signature.s)
  }
}

/** A receipt as `eth` shows it. */
export const ethReceipt = (record: TransactionRecord, logs: ReadonlyArray<LogRecord>) => {
  const transaction = transactionOf(record)
  return {
    blockHash: record.blockHash,
    blockNumber: quantity(record.blockNumber),
    contractAddress: record.contractAddress ?? null,
    cumulativeGasUsed: quantity(record.cumulativeGasUsed),
    effectiveGasPrice: quantity(record.gasPrice),
    from: record.from,
    gasUsed: quantity(record.gasUsed),
    logs: logs.map(logOf),
    logsBloom: toHex(bloomOf(logs)),
    status: quantity(record.status),
    to: ethTo(transaction, record),
    transactionHash: record.hash,
    transactionIndex: quantity(record.transactionIndex),
    type: ethType(transaction, record.typeInt)
  }
}

/** Raw bytes as `klay` takes them: Ethereum types with the envelope byte in front. */
export const klayRaw = ({ raw, typeInt }: Known): Hex => typeInt > 0xff ? `0x78${raw.slice(2)}` : raw
