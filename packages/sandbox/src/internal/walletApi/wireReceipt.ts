import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Signature from "@effect-klaytn/transaction/Signature"
import { isFeeDelegatedTransaction, type Transaction } from "@effect-klaytn/transaction/Transaction"
import { typeInt, wireName } from "@effect-klaytn/transaction/TransactionType"
import type { Log, Receipt } from "@effect-klaytn/wallet/TransactionResult"
import type { LogRecord, TransactionRecord } from "../../TransactionRecord.js"
import { bloomOf } from "../chain/Header.js"
import { toHex } from "../store/Column.js"
import { contentsOf, encodedKey, gasPriceOf, quantity } from "./wireTransactionResult.js"

/** A transaction by its hash. */
export interface Known {
  readonly transaction: Transaction
  readonly hash: Hex
  readonly senderTxHash: Hex
  readonly from: Hex
}

const zeroHash: Hex = `0x${"0".repeat(64)}`

const wireLog = (log: LogRecord): typeof Log.Encoded => ({
  address: log.address,
  topics: log.topics,
  data: log.data,
  blockNumber: quantity(log.blockNumber),
  blockHash: log.blockHash,
  transactionHash: log.transactionHash,
  transactionIndex: quantity(log.transactionIndex),
  logIndex: quantity(log.logIndex),
  removed: false
})

/** What the transaction itself says. A deployment has no receiver, which is told as null. */
const transactionFields = ({ from, hash, senderTxHash, transaction }: Known) => ({
  from,
  gas: quantity(transaction.gas),
  hash,
  nonce: quantity(transaction.nonce),
  senderTxHash,
  signatures: transaction.signatures.map(Signature.toQuantities),
  type: wireName(transaction.type),
  typeInt: typeInt(transaction.type),
  ...("codeFormat" in transaction || "accessList" in transaction || transaction.type === "LegacyTransaction"
    ? { to: null }
    : {}),
  ...contentsOf(transaction),
  ...("codeFormat" in transaction && {
    codeFormat: quantity(transaction.codeFormat),
    humanReadable: transaction.humanReadable
  }),
  ...("key" in transaction && { key: encodedKey(transaction.key) }),
  ...(isFeeDelegatedTransaction(transaction) && {
    ...(transaction.feePayer !== undefined && { feePayer: transaction.feePayer }),
    feePayerSignatures: transaction.feePayerSignatures.map(Signature.toQuantities)
  }),
  ...("feeRatio" in transaction && { feeRatio: transaction.feeRatio })
})

/** The receipt of a transaction that is in a block. */
export const wireReceipt = (
  transaction: Transaction,
  record: TransactionRecord,
  logs: ReadonlyArray<LogRecord>
): typeof Receipt.Encoded => ({
  ...transactionFields({ transaction, ...record }),
  blockHash: record.blockHash,
  blockNumber: quantity(record.blockNumber),
  contractAddress: record.contractAddress ?? null,
  gasPrice: quantity(record.gasPrice),
  gasUsed: quantity(record.gasUsed),
  logs: logs.map(wireLog),
  logsBloom: toHex(bloomOf(logs)),
  status: record.status === 1 ? "Committed" : "CommitError",
  transactionHash: record.hash,
  transactionIndex: quantity(record.transactionIndex)
})

/** The receipt of one that still waits for its block. */
export const wireWaiting = (known: Known): typeof Receipt.Encoded => ({
  ...transactionFields(known),
  blockHash: zeroHash,
  blockNumber: "0x0",
  contractAddress: null,
  gasPrice: quantity(gasPriceOf(known.transaction)),
  status: "Submitted",
  transactionIndex: "0x0"
})
