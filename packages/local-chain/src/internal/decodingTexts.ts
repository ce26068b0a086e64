import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import { fromTypeInt } from "@effect-klaytn/transaction/TransactionType"

/** What a node calls the fields of a transaction, and what it reads them as. */
const fields: ReadonlyMap<string, readonly [name: string, type: string]> = new Map([
  ["nonce", ["AccountNonce", "uint64"]],
  ["gasPrice", ["Price", "*big.Int"]],
  ["gas", ["GasLimit", "uint64"]],
  ["to", ["Recipient", "common.Address"]],
  ["value", ["Amount", "*big.Int"]],
  ["from", ["From", "common.Address"]],
  ["input", ["Payload", "[]uint8"]],
  ["feePayer", ["FeePayer", "common.Address"]],
  ["chainId", ["ChainID", "*big.Int"]],
  ["maxPriorityFeePerGas", ["GasTipCap", "*big.Int"]],
  ["maxFeePerGas", ["GasFeeCap", "*big.Int"]],
  ["humanReadable", ["HumanReadable", "bool"]],
  ["codeFormat", ["CodeFormat", "params.CodeFormat"]],
  ["signatures", ["TxSignatures", "types.TxSignatures"]],
  ["feePayerSignatures", ["FeePayerSignatures", "types.TxSignatures"]]
])

/** The field of an error: an access list and its parts keep their place. */
const fieldOf = (path: string): readonly [name: string, type: string] | undefined => {
  const [, index, part] = /^accessList\[(\d+)\]\.(address|storageKeys)/.exec(path) ?? []
  if (index !== undefined) {
    return part === "address"
      ? [`AccessList[${index}].Address`, "common.Address"]
      : [`AccessList[${index}].StorageKeys`, "common.Hash"]
  }
  return fields.get(path)
}

/** The node's name of the kind of transaction that bytes begin as, and where its list begins. */
const kindOf = (
  [first = 0xc0, second = 0]: Uint8Array
): { readonly kind: string; readonly start: number } | undefined => {
  if (first === 0 || first >= 0x80) return { kind: "TxInternalDataLegacy", start: 0 }
  const isWrapped = first === 0x78
  const type = fromTypeInt(isWrapped ? (first << 8) + second : first)
  return type === undefined ? undefined : { kind: `TxInternalData${type}`, start: isWrapped ? 2 : 1 }
}

/** What is wrong with the head of an element that should be a list. */
const headFault = (list: Uint8Array, kind: string): string | undefined => {
  const [head = 0] = list
  if (list.length === 0 || (list.length === 1 && head === 0x80)) return "EOF"
  const isList = head >= 0xc0
  const short = head - (isList ? 0xc0 : 0x80)
  const notList = isList ? undefined : `rlp: expected input list for types.${kind}`
  if (head < 0x80) return notList
  if (short < 56) return list.length < 1 + short ? tooLong : notList
  const digits = list.subarray(1, 1 + short - 55)
  if (digits.length < short - 55) return tooLong
  const length = digits.reduce((sum, digit) => sum * 256 + digit, 0)
  if (digits[0] === 0 || length < 56) return `rlp: non-canonical size information for types.${kind}`
  return list.length < 1 + digits.length + length ? tooLong : notList
}

const tooLong = "rlp: value size exceeds available input length"

/** What is wrong with an element, as a node says it. */
const problemOf = ({ message, reason }: TransactionError, type: string): string | undefined => {
  if (message.includes("is a list where bytes belong")) {
    return `rlp: expected input string or byte for ${type}`
  }
  if (message.includes("is bytes where a list belongs")) return `rlp: expected input list for ${type}`
  const [, found, wanted] = /has (\d+) bytes instead of (\d+)/.exec(message) ?? []
  if (found !== undefined && wanted !== undefined) {
    return `rlp: input string too ${Number(found) < Number(wanted) ? "short" : "long"} for ${type}`
  }
  if (reason === "LeadingZero") return `rlp: non-canonical integer (leading zero bytes) for ${type}`
  return reason === "OutOfRange" && type === "uint64" ? `rlp: input string too long for ${type}` : undefined
}

/** The node's text for bytes that can't be decoded, as far as it is one of these; undefined otherwise. */
export const decodingText = (error: TransactionError, raw: Uint8Array): string | undefined => {
  const { message, path, reason } = error
  const found = kindOf(raw)
  if (found === undefined) return undefined
  const { kind, start } = found
  const head = headFault(raw.subarray(start), kind)
  if (head !== undefined) return head
  if (path === "" && reason === "TrailingBytes") return "rlp: input contains more than one value"
  const [, flag] = /is neither false \(empty\) nor true \((\d+)\)/.exec(message) ?? []
  if (flag !== undefined) return "rlp: invalid boolean value"
  const [, is, wanted] = /the list has (\d+) elements instead of (\d+)/.exec(message) ?? []
  const isShort = is !== undefined && wanted !== undefined && Number(is) < Number(wanted)
  if ((path === "" && isShort) || message.endsWith("is missing")) return `rlp: too few elements for types.${kind}`
  // What is too much stands where the signatures should, as a rule.
  const [name, problem] = path === "" && is !== undefined
    ? ["TxSignatures", "rlp: expected input list for types.TxSignatures"]
    : faultOf(error)
  return problem &&
    `${problem}, decoding into (types.Transaction)(types.TxInternalDataSerializer)(types.${kind}).${name}`
}

/** The node's name of a field, and what is wrong with it. */
const faultOf = (error: TransactionError): readonly [name: string, problem: string | undefined] => {
  const [name, type] = fieldOf(error.path) ?? ["", ""]
  return [name, name === "" ? undefined : problemOf(error, type)]
}
