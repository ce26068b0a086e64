import { hexToBytes } from "@noble/hashes/utils.js"
import { size } from "../AccountKey.js"
import { type Hardfork, includes } from "../Hardfork.js"
import { isHex } from "../Hex.js"
import type { Transactions } from "../TransactionBody.js"
import { isEthereum, isFeeDelegated, isFeeRatio, type TransactionType } from "../TransactionType.js"

type Transaction = Transactions[TransactionType]

const transfer = 21_000n
const creation = 53_000n
const delegated = 10_000n
const delegatedWithRatio = 15_000n
const inputByte = { cancun: 100n, zero: 4n, other: 16n }
const floor = { zero: 10n, other: 40n }
const initcodeWord = 2n
const registeredKey = 20_000n
const furtherSignature = 15_000n
const listedAddress = 2_400n
const listedSlot = 1_900n
const authorization = 25_000n

export const createsContract = (transaction: Transaction): boolean =>
  transaction.type === "LegacyTransaction" || isEthereum(transaction.type)
    ? !("to" in transaction) || transaction.to === undefined
    : "codeFormat" in transaction

/** How many bytes of the input are zero, and how many are not. Text that is not hexadecimal counts as bytes that are not. */
const countBytes = (transaction: Transaction): { readonly zero: bigint; readonly other: bigint } => {
  if (!("input" in transaction)) return { zero: 0n, other: 0n }
  const input: string = transaction.input
  if (!isHex(input)) return { zero: 0n, other: BigInt(Math.max(0, Math.ceil(input.length / 2) - 1)) }
  let zero = 0
  const bytes = hexToBytes(input.slice(2))
  for (const byte of bytes) if (byte === 0) zero++
  return { zero: BigInt(zero), other: BigInt(bytes.length - zero) }
}

const validation = (signatures: number): bigint => signatures > 1 ? BigInt(signatures - 1) * furtherSignature : 0n

const validationOf = (transaction: Transaction): bigint =>
  validation(transaction.signatures.length) +
  ("feePayerSignatures" in transaction ? validation(transaction.feePayerSignatures.length) : 0n)

const delegationOf = ({ type }: Transaction): bigint =>
  !isFeeDelegated(type) ? 0n : isFeeRatio(type) ? delegatedWithRatio : delegated

export const intrinsicGas = (transaction: Transaction, hardfork: Hardfork): bigint => {
  const isCreation = createsContract(transaction)
  const { other, zero } = countBytes(transaction)
  const bytes = zero + other
  let gas = (isCreation ? creation : transfer) + delegationOf(transaction) + validationOf(transaction)
  gas += includes(hardfork, "prague")
    ? zero * inputByte.zero + other * inputByte.other
    : bytes * inputByte.cancun
  if (isCreation) gas += (bytes + 31n) / 32n * initcodeWord
  if ("key" in transaction) gas += BigInt(size(transaction.key)) * registeredKey
  if ("accessList" in transaction) {
    for (const entry of transaction.accessList) {
      gas += listedAddress + BigInt(entry.storageKeys.length) * listedSlot
    }
  }
  if ("authorizationList" in transaction) gas += BigInt(transaction.authorizationList.length) * authorization
  return gas
}

export const floorGas = (transaction: Transaction, hardfork: Hardfork): bigint => {
  if (!includes(hardfork, "prague")) return 0n
  const { other, zero } = countBytes(transaction)
  // Ethereum's types have one base for calls and creations here.
  const base = "codeFormat" in transaction ? creation : transfer
  return base + delegationOf(transaction) + validationOf(transaction) + zero * floor.zero + other * floor.other
}
