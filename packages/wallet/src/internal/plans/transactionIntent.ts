/** What a transaction is meant to do: its sender, its nonce, what it moves, and how to recognise it on the chain. */
import * as Address from "@effect-klaytn/core/Address"
import type * as Chain from "@effect-klaytn/core/Chain"
import * as Hash from "@effect-klaytn/core/Hash"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Either from "effect/Either"
import type { Contents, TransactionRequest } from "../../TransactionRequest.js"
import type { FoundTransaction, TransactionResult } from "../../TransactionResult.js"
import { toEither } from "../contract/codec.js"

/** The marks of a transaction on the chain. `families` are type numbers without their kind of fee. */
interface Marks {
  readonly families: readonly [number, ...ReadonlyArray<number>]
  readonly to?: Address.Address | undefined
  readonly value: bigint
  readonly input: string
  readonly key?: string | undefined
}

/** A raw transaction, as its bytes describe it. */
export interface RawTransaction {
  readonly transaction: Transaction.Transaction
  readonly from: Address.Address | undefined
  readonly nonce: number
  /** The most that its fee can come to. */
  readonly fee: bigint
  readonly marks: Marks
}

/** A request, and everything that follows from it. Bytes are decoded once. */
export interface TransactionIntent {
  readonly request: TransactionRequest
  readonly chain: Chain.Chain
  /** What the bytes of a raw request say, if they can be read. */
  readonly raw: RawTransaction | undefined
  /** Whether the bytes of a raw request were signed for another chain. */
  readonly isOfAnotherChain: boolean
  /** The sender, if it is known. */
  readonly from: Address.Address | undefined
  /** The nonce that the send itself names. */
  readonly nonce: number | undefined
  /**
   * Whether the send names a nonce that makes it safe to repeat. Nonce 0 does not: the service reads it as "choose
   * one", unless it is in bytes that are already signed.
   */
  readonly isKeyed: boolean
  /** Absent if the bytes can't be read. */
  readonly marks: Marks | undefined
}

/** Klaytn types come in threes: the sender pays, a fee payer does, they share. Those of Ethereum begin at 30721. */
const familyOf = (typeInt: number): number => typeInt < 30720 ? typeInt - typeInt % 8 : typeInt

const addressOf = (text: string | undefined): Address.Address | undefined =>
  text === undefined ? undefined : Either.getOrUndefined(Address.make(text))

const keyHex = (key: AccountKey.AccountKey): string | undefined =>
  Either.getOrUndefined(toEither(AccountKey.encode(key)))

const senderOf = (transaction: Transaction.Transaction, chain: Chain.Chain): Address.Address | undefined => {
  if ("from" in transaction) return addressOf(transaction.from)
  const signers = Either.getOrUndefined(toEither(Transaction.recoverSenders(transaction, { chainId: chain })))
  return addressOf(signers?.[0]?.address)
}

/** Types that move their value and nothing else. */
const plain = new Set([8, 16, 56, 72])

/** What a transaction with these marks may move besides its value: one rule for requests and raw bytes. */
const isOpaque = ({ families: [family], input, to }: Marks): boolean =>
  family === 0 ? input !== "0x" || to === undefined : !plain.has(family)

/** The highest price of a unit of gas that the service was seen to name: 750 ston. */
const highestPrice = 750_000_000_000n

/** The gas limits that the service uses if none is given, as seen. */
const defaultGas = (request: TransactionRequest): number => request._tag === "Deploy" ? 9_000_000 : 1_000_000

/** The most that a fee can be if the service chooses the price. */
export const maxFee = (gas: number = 1_000_000): bigint => BigInt(gas) * highestPrice

/** Whether a raw transaction was signed for another chain. */
export const isOfAnotherChain = (read: Either.Either<RawTransaction, TransactionError>): boolean =>
  Either.isLeft(read) && read.left.reason === "WrongChain"

/** The most that the blobs of a transaction can cost. */
const blobFee = (transaction: Transaction.Transaction): bigint =>
  "blobVersionedHashes" in transaction
    ? Transaction.gasPerBlob * BigInt(transaction.blobVersionedHashes.length) * transaction.maxFeePerBlobGas
    : 0n

/** Reads a raw transaction of this chain. */
export const readRaw = (rlp: Hex, chain: Chain.Chain): Either.Either<RawTransaction, TransactionError> =>
  Either.map(toEither(Transaction.decode(rlp, { chainId: chain })), (transaction) => ({
    transaction,
    from: senderOf(transaction, chain),
    nonce: Number(transaction.nonce),
    fee: transaction.gas * ("gasPrice" in transaction ? transaction.gasPrice : transaction.maxFeePerGas) +
      blobFee(transaction),
    marks: {
      families: [familyOf(TransactionType.typeInt(transaction.type))],
      to: "to" in transaction ? addressOf(transaction.to) : undefined,
      value: "value" in transaction ? transaction.value : 0n,
      input: "input" in transaction ? transaction.input : "0x",
      key: "key" in transaction ? keyHex(transaction.key) : undefined
    }
  }))

/** The hash of a raw transaction, if it is complete. */
export const hashOf = ({ transaction }: RawTransaction): Hash.Hash | undefined =>
  Either.getOrUndefined(Either.flatMap(toEither(Transaction.hash(transaction)), Hash.make))

const nothing = { value: 0n, input: "0x" }

const memoInput = (memo: string | undefined): string => memo === undefined ? "0x" : `0x${bytesToHex(utf8ToBytes(memo))}`

const marksOf = (request: Exclude<TransactionRequest, { readonly _tag: "Rlp" }>): Marks => {
  switch (request._tag) {
    case "Value":
      return { ...nothing, families: [8, 16], to: request.to, value: request.value, input: memoInput(request.memo) }
    case "Legacy":
    case "Execute": {
      const { input = "0x", to, value = 0n } = request
      return { families: [request._tag === "Legacy" ? 0 : 48], to, value, input }
    }
    case "Deploy":
      return { ...nothing, families: [40], value: request.value ?? 0n, input: request.input }
    case "Anchor":
      return { ...nothing, families: [72], input: request.input }
    case "Cancel":
      return { ...nothing, families: [56] }
    case "AccountUpdate":
      return { ...nothing, families: [32], key: keyHex(request.accountKey) }
  }
}

export const make = ({ chain, nonce, request }: Pick<Contents, "request" | "chain" | "nonce">): TransactionIntent => {
  if (request._tag !== "Rlp") {
    const own = request._tag === "Cancel" ? request.nonce : nonce
    const isKeyed = own !== undefined && own > 0
    const { from } = request
    return {
      request,
      chain,
      raw: undefined,
      isOfAnotherChain: false,
      from,
      nonce: own,
      isKeyed,
      marks: marksOf(request)
    }
  }
  const read = readRaw(request.rlp, chain)
  const raw = Either.getOrUndefined(read)
  return {
    request,
    chain,
    raw,
    isOfAnotherChain: isOfAnotherChain(read),
    from: request.from ?? raw?.from,
    nonce: raw?.nonce,
    isKeyed: raw !== undefined && (raw.nonce > 0 || raw.transaction.signatures.length > 0),
    marks: raw?.marks
  }
}

const isOther = <A>(asked: A | undefined, answered: A | undefined): boolean =>
  answered !== undefined && asked !== answered

/** The part of a raw transaction's hash that the sender decides: it stays when a fee payer signs. */
const senderHashOf = ({ transaction }: RawTransaction): Hash.Hash | undefined =>
  Either.getOrUndefined(Either.flatMap(toEither(Transaction.senderHash(transaction)), Hash.make))

/**
 * The hash to look for: the hash of the bytes, if the request is raw and complete. If the type has a fee payer, who may
 * sign again, a hash that the service has named comes first.
 */
export const hashToFind = ({ raw }: TransactionIntent, named?: Hash.Hash): Hash.Hash | undefined => {
  if (raw === undefined) return named
  return Transaction.isFeeDelegatedTransaction(raw.transaction) ? named ?? hashOf(raw) : hashOf(raw) ?? named
}

/** Whether an answer is about other bytes than were sent. For types with a fee payer, only the sender's part is compared. */
const isOfOtherBytes = (
  { raw }: TransactionIntent,
  transactionHash: Hash.Hash | undefined,
  answered: RawTransaction | undefined
): boolean => {
  if (raw === undefined) return false
  if (!Transaction.isFeeDelegatedTransaction(raw.transaction)) {
    const own = hashOf(raw)
    return own !== undefined && isOther(own, transactionHash)
  }
  const own = senderHashOf(raw)
  return own !== undefined && answered !== undefined && isOther(own, senderHashOf(answered))
}

/** Whether a transaction on the chain has the sender's signature of a raw request, so that it can be no other. */
export const isSigned = ({ raw }: TransactionIntent, { senderTxHash, transactionHash }: FoundTransaction): boolean => {
  const own = raw === undefined ? undefined : senderHashOf(raw)
  return own !== undefined && (senderTxHash === own || transactionHash === own)
}

/** What a send moves. What can't be read may move anything. */
export const movesOf = ({ marks, raw, request }: TransactionIntent, gasLimit: number | undefined) => ({
  to: marks?.to,
  value: marks?.value ?? 0n,
  fee: request._tag === "Rlp" ? raw?.fee ?? 0n : maxFee(gasLimit ?? defaultGas(request)),
  opaque: marks === undefined || isOpaque(marks)
})

/** Whether a transaction is of the kind that was asked for, with the same receiver, value and input. */
const hasMarks = (asked: Marks, { families: [family], input, to, value }: Marks): boolean =>
  asked.families.includes(family) && asked.to === to && asked.value === value && asked.input === input

/**
 * Whether a transaction on the chain is what was asked for: the same kind, sender, receiver, value, input and key. It
 * is unclear if what was asked for can't be read, or the look-up does not show the key of an account update.
 */
export const compare = (intent: TransactionIntent, found: FoundTransaction): "same" | "different" | "unclear" => {
  const { from, marks } = intent
  if (isSigned(intent, found)) return "same"
  if (marks === undefined) return "unclear"
  if (from !== found.from || !hasMarks(marks, { ...found, families: [familyOf(found.typeInt)] })) return "different"
  if (marks.key === found.key) return "same"
  return marks.key === undefined || found.key === undefined ? "unclear" : "different"
}

/** The hash of raw bytes. That of Ethereum's types leaves out the 0x78 before them. */
const hashOfBytes = (rlp: string): string => `0x${bytesToHex(keccak_256(hexToBytes(rlp.replace(/^0x(78)?/, ""))))}`

/** Whether an answer differs from the request by a lower nonce than the one that the request names, and in nothing else. */
export const isOfLowerNonce = (intent: TransactionIntent, result: TransactionResult): boolean =>
  intent.isKeyed && intent.nonce !== undefined && result.nonce < intent.nonce &&
  mismatch({ ...intent, isKeyed: false }, result) === undefined

/**
 * The nonce of the transaction that an answer is about, if that differs from the request by another nonce, and in nothing else. Whether it
 * can still run makes no difference.
 */
export const otherNonce = (intent: TransactionIntent, { outcome: _, status: __, ...result }: TransactionResult) =>
  intent.isKeyed && result.nonce !== intent.nonce && mismatch({ ...intent, isKeyed: false }, result) === undefined
    ? result.nonce
    : undefined

/** What a service that knows the name of a send says of the transaction that it made for it before, if that one can't run any more. */
const ended = ({ outcome, status }: TransactionResult): string | undefined =>
  status === "CommitError" && outcome !== undefined
    ? `the transaction of an earlier request of this name, which can't run any more (${outcome.stage}): nothing else is sent under ` +
      "the name; cancel this payment, and make it under a new key"
    : undefined

/** How an answer differs from the request, if it does: the answer is then about another request. */
export const mismatch = (intent: TransactionIntent, result: TransactionResult): string | undefined => {
  const { chain, from: asked, isKeyed, marks, nonce: named } = intent
  const { from, input, nonce, rlp, status, to, transactionHash, value } = result
  if (asked !== undefined && asked !== from) return "another sender"
  const end = ended(result)
  if (end !== undefined) return end
  if (isKeyed && named !== undefined && named !== nonce) return "another nonce"
  if (rlp !== undefined && transactionHash !== undefined && hashOfBytes(rlp) !== transactionHash) {
    return "a hash that is not that of its own bytes"
  }
  const read = rlp === undefined ? undefined : readRaw(rlp, chain)
  const raw = read === undefined ? undefined : Either.getOrUndefined(read)
  if (isOfOtherBytes(intent, transactionHash, raw)) return "another hash"
  if (status === "CommitError") return "a transaction that failed in its block"
  if (marks === undefined) return undefined
  if (read !== undefined && isOfAnotherChain(read)) return "bytes of another chain"
  if (raw !== undefined && (raw.nonce !== nonce || isOther(from, raw.from))) return "bytes of another sender or nonce"
  const answered = raw?.marks ??
    { ...marks, to: to ?? marks.to, value: value ?? marks.value, input: input ?? marks.input }
  return hasMarks(marks, answered) && marks.key === answered.key ? undefined : "another content"
}
