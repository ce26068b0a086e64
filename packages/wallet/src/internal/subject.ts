/** What a transaction is about: who sends it, its nonce, what it moves, and how to know it again on the chain. */
import * as Address from "@effect-klaytn/core/Address"
import type * as Chain from "@effect-klaytn/core/Chain"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { FoundTransaction } from "../FoundTransaction.js"
import type { Contents } from "../SendPlan.js"
import type { TransactionRequest } from "../TransactionRequest.js"
import type { TransactionResult } from "../TransactionResult.js"

interface Moves {
  readonly to: Address.Address | undefined
  readonly value: bigint
  readonly fee: bigint
  readonly opaque: boolean
}

/** The marks of a transaction on the chain. `families` are type numbers without their kind of fee. */
interface Marks {
  readonly families: readonly [number, ...ReadonlyArray<number>]
  readonly to: Address.Address | undefined
  readonly value: bigint
  readonly input: string
  readonly key: string | undefined
}

interface Decoded {
  readonly type: string
  readonly from: Address.Address | undefined
  readonly nonce: number
  readonly signed: boolean
  /** The most that its fee can come to. */
  readonly fee: bigint
  readonly marks: Marks
}

/** Klaytn types come in threes: the sender pays, a fee payer does, they share. Those of Ethereum begin at 30721. */
const familyOf = (typeInt: number): number => typeInt < 30720 ? typeInt - typeInt % 8 : typeInt

const addressOf = (text: string | undefined): Address.Address | undefined =>
  Option.getOrUndefined(
    Option.flatMap(Option.fromNullable(text), (given) => Either.getRight(Address.make(given.toLowerCase())))
  )

const keyHex = (key: AccountKey.AccountKey): string | undefined => {
  const encoded = AccountKey.encode(key)
  return encoded.ok ? encoded.value : undefined
}

const senderOf = (transaction: Transaction.Transaction, chain: Chain.Chain): Address.Address | undefined => {
  if ("from" in transaction) return addressOf(transaction.from)
  const signers = Transaction.recoverSenders(transaction, { chainId: chain })
  return signers.ok ? signers.value.map(({ address }) => addressOf(address))[0] : undefined
}

/** Types that move their value and nothing else. */
const plain = new Set([8, 16, 56, 72])

/** The one rule for requests and raw bytes: what a transaction of these marks may move beside its value. */
const isOpaque = ({ families: [family], input, to }: Marks): boolean =>
  family === 0 ? input !== "0x" || to === undefined : !plain.has(family)

/** The highest price of a unit of gas that the service was seen to name: 750 ston. */
const highestPrice = 750_000_000_000n

/** The gas limits that the service takes when none is given, as seen. */
const defaultGas = (request: TransactionRequest): number => request._tag === "Deploy" ? 9_000_000 : 1_000_000

/** The most that a fee can come to where the service chooses the price. */
export const feeOf = (gas: number = 1_000_000): bigint => BigInt(gas) * highestPrice

/** A raw transaction of this chain, if it can be read. */
export const decoded = (rlp: string, chain: Chain.Chain): Option.Option<Decoded> => {
  const result = Transaction.decode(`0x${rlp.slice(2)}`, { chainId: chain })
  if (!result.ok) return Option.none()
  const transaction = result.value
  const typeInt = TransactionType.typeInt(transaction.type)
  const to = "to" in transaction ? addressOf(transaction.to) : undefined
  const value = "value" in transaction ? transaction.value : 0n
  const input = "input" in transaction ? transaction.input : "0x"
  const price = "gasPrice" in transaction ? transaction.gasPrice : transaction.maxFeePerGas
  return Option.some({
    type: transaction.type,
    from: senderOf(transaction, chain),
    nonce: Number(transaction.nonce),
    signed: transaction.signatures.length > 0,
    fee: transaction.gas * price,
    marks: {
      families: [familyOf(typeInt)],
      to,
      value,
      input,
      key: "key" in transaction ? keyHex(transaction.key) : undefined
    }
  })
}

/** Whether a raw transaction was signed for another chain. */
export const isOfAnotherChain = (rlp: string, chain: Chain.Chain): boolean => {
  const result = Transaction.decode(`0x${rlp.slice(2)}`, { chainId: chain })
  return !result.ok && result.error.reason === "WrongChain"
}

export type Subject = Pick<Contents, "request" | "chain" | "nonce">

const inside = ({ chain, request }: Subject): Option.Option<Decoded> =>
  request._tag === "Rlp" ? decoded(request.rlp, chain) : Option.none()

/** The sender, if it is known. */
export const fromOf = (subject: Subject): Address.Address | undefined =>
  subject.request.from ?? Option.getOrUndefined(Option.flatMapNullable(inside(subject), (_) => _.from))

/** The nonce that the send itself names. */
export const nonceOf = (subject: Subject): Option.Option<number> =>
  subject.request._tag === "Rlp"
    ? Option.map(inside(subject), (_) => _.nonce)
    : subject.request._tag === "Cancel"
    ? Option.fromNullable(subject.request.nonce)
    : Option.fromNullable(subject.nonce)

/**
 * Whether the send names a nonce that makes it safe to repeat. Nonce 0 does not: the service reads it as "choose one",
 * unless it stands in bytes that are signed already.
 */
export const isKeyed = (subject: Subject): boolean =>
  Option.exists(nonceOf(subject), (nonce) => nonce > 0) || Option.exists(inside(subject), (_) => _.signed)

const nothing: Omit<Marks, "families"> = { to: undefined, value: 0n, input: "0x", key: undefined }

const memoInput = (memo: string | undefined): string => memo === undefined ? "0x" : `0x${bytesToHex(utf8ToBytes(memo))}`

const marksOf = (request: TransactionRequest, within: Option.Option<Decoded>): Option.Option<Marks> => {
  switch (request._tag) {
    case "Value":
      return Option.some({
        ...nothing,
        families: [8, 16],
        to: request.to,
        value: request.value,
        input: memoInput(request.memo)
      })
    case "Legacy":
    case "Execute":
      return Option.some({
        ...nothing,
        families: [request._tag === "Legacy" ? 0 : 48],
        to: request.to,
        value: request.value ?? 0n,
        input: request.input ?? "0x"
      })
    case "Deploy":
      return Option.some({ ...nothing, families: [40], value: request.value ?? 0n, input: request.input })
    case "Anchor":
      return Option.some({ ...nothing, families: [72], input: request.input })
    case "Cancel":
      return Option.some({ ...nothing, families: [56] })
    case "AccountUpdate":
      return Option.some({ ...nothing, families: [32], key: keyHex(request.accountKey) })
    case "Rlp":
      return Option.map(within, (_) => _.marks)
  }
}

/** What a send moves. What can't be read may move anything. */
export const movesOf = (subject: Pick<Contents, "request" | "chain" | "nonce" | "gasLimit">): Moves => {
  const { gasLimit, request } = subject
  const within = inside(subject)
  const fee = request._tag === "Rlp"
    ? Option.match(within, { onNone: () => 0n, onSome: (_) => _.fee })
    : feeOf(gasLimit ?? defaultGas(request))
  return Option.match(marksOf(request, within), {
    onNone: () => ({ to: undefined, value: 0n, fee, opaque: true }),
    onSome: (marks) => ({ to: marks.to, value: marks.value, fee, opaque: isOpaque(marks) })
  })
}

/**
 * Whether a transaction on the chain is what was asked for: the same kind, sender, receiver, value, input and key. It is
 * unclear if what was asked for can't be read, or the look-up does not show the key of an account update.
 */
export const compare = (subject: Subject, found: FoundTransaction): "same" | "different" | "unclear" =>
  Option.match(marksOf(subject.request, inside(subject)), {
    onNone: () => "unclear",
    onSome: (marks) => {
      const same = marks.families.includes(familyOf(found.typeInt)) && fromOf(subject) === found.from &&
        marks.to === found.to && marks.value === found.value && marks.input === found.input
      if (!same) return "different"
      if (marks.key === found.key) return "same"
      return marks.key === undefined || found.key === undefined ? "unclear" : "different"
    }
  })

/** The hash of raw bytes. */
const hashOf = (rlp: string): string => `0x${bytesToHex(keccak_256(hexToBytes(rlp.slice(2))))}`

const isOther = <A>(asked: A | undefined, told: A | undefined): boolean => told !== undefined && asked !== told

/** What in an answer is not what was asked for, if anything is: then the answer belongs to something else. */
export const misfit = (subject: Subject, result: TransactionResult): string | undefined => {
  const { from, input, nonce, rlp, status, to, transactionHash, value } = result
  const sender = fromOf(subject)
  if (sender !== undefined && sender !== from) return "another sender"
  if (isKeyed(subject) && Option.exists(nonceOf(subject), (asked) => asked !== nonce)) return "another nonce"
  if (rlp !== undefined && transactionHash !== undefined && hashOf(rlp) !== transactionHash) {
    return "a hash that is not that of its own bytes"
  }
  if (status === "CommitError") return "a transaction that failed in its block"
  const marks = Option.getOrUndefined(marksOf(subject.request, inside(subject)))
  if (marks === undefined) return undefined
  if (rlp !== undefined && isOfAnotherChain(rlp, subject.chain)) return "bytes of another chain"
  const bytes = rlp === undefined ? Option.none() : decoded(rlp, subject.chain)
  if (Option.exists(bytes, (_) => _.nonce !== nonce || (_.from !== undefined && _.from !== from))) {
    return "bytes of another sender or nonce"
  }
  const told = Option.match(bytes, { onNone: () => ({ ...marks, to, value, input }), onSome: (_) => _.marks })
  return isOther(marks.to, told.to) || isOther(marks.value, told.value) || isOther(marks.input, told.input) ||
      isOther(marks.key, told.key) || !marks.families.includes(told.families[0])
    ? "another content"
    : undefined
}
