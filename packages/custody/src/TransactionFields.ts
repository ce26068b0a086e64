/**
 * Fields of transactions that a node and the wallet write in the same form.
 */
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import type { Log } from "./WalletChain.js"

/**
 * Stands in place of a block hash where there is no block.
 *
 * @category conversions
 */
export const zeroHash: Hex = `0x${"0".repeat(64)}`

/**
 * The most that a transaction pays for a unit of gas, in peb.
 *
 * @category reading
 */
export const priceOf = (transaction: Transaction): bigint =>
  "gasPrice" in transaction ? transaction.gasPrice : transaction.maxFeePerGas

/**
 * The data of an account key. Keys that stand in a transaction were checked before.
 *
 * @category conversions
 */
export const encodedKey = (key: AccountKey.AccountKey): Hex => {
  const encoded = AccountKey.encode(key)
  return encoded.ok ? encoded.value : "0x"
}

/**
 * A log.
 *
 * @category conversions
 */
export const logOf = (log: Log) => ({
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
