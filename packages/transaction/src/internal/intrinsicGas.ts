import { size } from "../AccountKey.js"
import type { Transaction } from "../Transaction.js"
import { isFeeDelegated, isFeeRatio } from "../TransactionType.js"

const transfer = 21_000n
const creation = 53_000n
const delegated = 10_000n
const delegatedWithRatio = 15_000n
const inputByte = 100n
const initcodeWord = 2n
const registeredKey = 20_000n
const furtherSignature = 15_000n
const listedAddress = 2_400n
const listedSlot = 1_900n

const createsContract = (transaction: Transaction): boolean => {
  switch (transaction.type) {
    case "LegacyTransaction":
    case "EthereumAccessList":
    case "EthereumDynamicFee":
      return transaction.to === undefined
    default:
      return "codeFormat" in transaction
  }
}

const validation = (signatures: number): bigint => signatures > 1 ? BigInt(signatures - 1) * furtherSignature : 0n

export const intrinsicGas = (transaction: Transaction): bigint => {
  const isCreation = createsContract(transaction)
  let gas = isCreation ? creation : transfer
  if (isFeeDelegated(transaction.type)) {
    gas += isFeeRatio(transaction.type) ? delegatedWithRatio : delegated
  }
  if ("input" in transaction) {
    const bytes = BigInt(Math.ceil(transaction.input.length / 2) - 1)
    gas += bytes * inputByte + (isCreation ? (bytes + 31n) / 32n * initcodeWord : 0n)
  }
  if ("key" in transaction) {
    gas += BigInt(size(transaction.key)) * registeredKey
  }
  if ("accessList" in transaction) {
    for (const entry of transaction.accessList) {
      gas += listedAddress + BigInt(entry.storageKeys.length) * listedSlot
    }
  }
  gas += validation(transaction.signatures.length)
  return "feePayerSignatures" in transaction ? gas + validation(transaction.feePayerSignatures.length) : gas
}
