import { type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as Signature from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Predicate from "effect/Predicate"
import { isCancel } from "../TransactionFields.js"
import { isHexadecimal } from "./api/bodies.js"

/** A request as it came. */
export interface Received {
  readonly method: string
  readonly url: string
  /** The header `x-krn`. */
  readonly krn: string
  readonly text: string
}

/** What a transaction has beside what it does: another copy of the same payment may have other ones. */
const passing: ReadonlySet<string> = new Set([
  "nonce",
  "gas",
  "gasLimit",
  "gasPrice",
  "maxFeePerGas",
  "maxPriorityFeePerGas",
  "signatures",
  "feePayerSignatures"
])

const isHex = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-f]*$/i.test(value)

/** Fields that are hex by the contract in lower case, fields in the order of their names, and any other text as it is. */
const normal = (value: unknown, name = ""): unknown => {
  if (typeof value === "bigint") return `0x${value.toString(16)}`
  if (isHex(value)) return isHexadecimal(name) ? lowerCase(value) : value
  if (Array.isArray(value)) return value.map((one) => normal(one))
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => one < other ? -1 : 1).map(([field, inner]) =>
      [field, normal(inner, field)] as const
    )
  )
}

const withoutPassing = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !passing.has(name)))

/** The sender of a transaction that does not name it: its signature does. */
const impliedSender = (transaction: Transaction.Transaction): Hex | undefined => {
  if ("from" in transaction) return undefined
  const [first] = transaction.signatures
  const chainId = "chainId" in transaction ? transaction.chainId : first && Signature.chainIdOf(first)
  const recovered = Transaction.recoverSenders(transaction, { chainId: chainId ?? 0, unprotected: true })
  return recovered.ok ? recovered.value[0]?.address : undefined
}

/** What a raw transaction does; its bytes, if they are none, or if they cancel a nonce. */
const rawContent = (rlp: Hex): unknown => {
  const decoded = Transaction.decode(rlp)
  if (!decoded.ok || isCancel(decoded.value)) return rlp
  const sender = impliedSender(decoded.value)
  return { ...withoutPassing({ ...decoded.value }), ...(sender !== undefined && { sender }) }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The path of all transactions; one that is deleted is cancelled, by its nonce. */
const isTransaction = ({ method, url }: Received): boolean => method !== "DELETE" && /^\/v2\/tx[/?]/.test(url)

const contentOf = (received: Received): unknown => {
  const body = parsed(received.text)
  if (!Predicate.isRecord(body) || !isTransaction(received)) return body
  const { rlp, ...fields } = body
  return { ...withoutPassing(fields), ...(rlp === undefined ? {} : { rlp: isHex(rlp) ? rawContent(rlp) : rlp }) }
}

/**
 * What a request with a key asks for, as text: a transaction is told by what it does (type, sender, receiver, amount, input, who
 * pays), and not by its nonce, gas and price.
 */
export const textOf = (received: Received): string =>
  JSON.stringify([received.method, received.url, received.krn, normal(contentOf(received))])

/** The text of a request in version 1 of the tables. */
export const formerTextOf = ({ krn, method, text, url }: Received): string => JSON.stringify([method, url, krn, text])
