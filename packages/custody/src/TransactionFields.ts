/**
 * Fields of transactions that a node and the wallet write in the same form.
 */
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import { isDeepStrictEqual } from "node:util"
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
 * Whether a transaction cancels the one with its nonce.
 *
 * @category guards
 */
export const isCancel = ({ type }: Pick<Transaction, "type">): boolean => /^(?:FeeDelegated)?Cancel/.test(type)

/** Types that move an amount to a receiver with an input, or deploy it. */
const moving = /^(?:LegacyTransaction|Ethereum.*|ValueTransfer(?:Memo)?|SmartContract(?:Deploy|Execution))$/

/**
 * What a transaction does, whoever sends it and pays for it, and at whatever nonce, gas and price: the kind of its type, receiver, amount,
 * input, key and authorizations.
 */
const effectOf = (transaction: Transaction) => {
  const { type } = transaction
  const plain = type.replace(/^FeeDelegated/, "").replace(/WithRatio$/, "")
  return {
    kind: moving.test(plain) ? "moving" : plain,
    to: "to" in transaction ? transaction.to : undefined,
    value: "value" in transaction ? transaction.value : 0n,
    input: "input" in transaction ? transaction.input : "0x",
    key: "key" in transaction ? transaction.key : undefined,
    authorizations: "authorizationList" in transaction ? transaction.authorizationList : []
  }
}

/**
 * Whether two transactions of one account and one nonce do the same: whichever of them runs, it is the other one at another price.
 *
 * @category reading
 */
export const doesSame = (one: Transaction, other: Transaction): boolean =>
  isDeepStrictEqual(effectOf(one), effectOf(other))

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
