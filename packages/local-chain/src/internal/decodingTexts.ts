import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import { fromTypeInt } from "@effect-klaytn/transaction/TransactionType"
import { RLP } from "@ethereumjs/rlp"

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
  ["feePayerSignatures", ["FeePayerSignatures", "types.TxSignatures"]],
  ["maxFeePerBlobGas", ["BlobFeeCap", "*big.Int"]],
  ["blobVersionedHashes", ["BlobHashes", "[]common.Hash"]],
  ["accessList", ["AccessList", "types.AccessList"]],
  ["sidecar.version", ["Version", "uint8"]],
  ["sidecar.blobs", ["Blobs", "[]kzg4844.Blob"]],
  ["sidecar.commitments", ["Commitments", "[]kzg4844.Commitment"]],
  ["sidecar.proofs", ["Proofs", "[]kzg4844.Proof"]]
])

/** The field of an error: what is in lists keeps its place. */
const fieldOf = (path: string): readonly [name: string, type: string] | undefined => {
  const [, listed, place] = /^(\w+(?:\.\w+)?)(\[\d+\])$/.exec(path) ?? []
  const [list, type] = (listed !== undefined && fields.get(listed)) || []
  if (list !== undefined && type?.startsWith("[]")) return [`${list}${place}`, type.slice(2)]
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
  const type = fromTypeInt(isWrapped ? (first << 8) + second : first < 8 ? 0x7800 + first : first)
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
  return reason === "OutOfRange" && (type === "uint64" || type === "uint8")
    ? `rlp: input string too long for ${type}`
    : undefined
}

/** The node's text for bytes that can't be decoded, as far as it is one of these; undefined otherwise. */
export const decodingText = (error: TransactionError, raw: Uint8Array): string | undefined => {
  const { message, path, reason } = error
  const found = kindOf(raw)
  if (found === undefined) return undefined
  const { kind, start } = found
  if (kind === "TxInternalDataEthereumBlob") return blobText(error, raw.subarray(start))
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

// --- blobs: a node finds out first whether they are there ---

const blobTransaction = "TxInternalDataEthereumBlobSerializable"

/** What is read of the bytes: the transaction alone, or one of the two forms with a sidecar. Undefined if they end too early. */
const blobForm = (list: Uint8Array): "bare" | "V0" | "V1" | undefined => {
  try {
    const { data } = RLP.decode(list, true)
    const [first, second] = Array.isArray(data) ? data : []
    if (first === undefined) return undefined
    if (first instanceof Uint8Array) return "bare"
    return second === undefined ? undefined : Array.isArray(second) ? "V0" : "V1"
  } catch {
    return "bare"
  }
}

/** How many elements a list has too few or too many. */
const countFault = (message: string, type: string): string | undefined => {
  const [, is, wanted] = /the list has (\d+) elements instead of (\d+)/.exec(message) ?? []
  if (is === undefined && !message.endsWith("is missing")) return undefined
  return is === undefined || Number(is) < Number(wanted)
    ? `rlp: too few elements for types.${type}`
    : `rlp: input list has too many elements for types.${type}`
}

const blobText = (error: TransactionError, list: Uint8Array): string | undefined => {
  if (list.length === 0) return "EOF"
  const head = headFault(list, blobTransaction)
  if (head !== undefined) return head.startsWith("rlp: expected") || head === "EOF" ? "rlp: expected List" : head
  const { message, path, reason } = error
  if (path === "" && reason === "TrailingBytes") return "rlp: input contains more than one value"
  const form = blobForm(list)
  if (form === undefined) return "unexpected EOF"
  const into = "decoding into (types.Transaction)(types.TxInternalDataSerializer)(types.TxInternalDataEthereumBlob)"
  const whole = `blobTxWithBlobs${form}`
  if (path === "sidecar") return countFault(message, whole)
  const counted = path.startsWith("sidecar") ? undefined : countFault(message, blobTransaction)
  if (counted !== undefined) return form === "bare" ? counted : `${counted}, ${into}(types.${whole}).BlobTx`
  const [name, type] = fieldOf(path) ?? ["", ""]
  // The numbers of this type have a type of their own, as far as they are not signatures.
  const number = type === "*big.Int" ? "*uint256.Int" : type
  if (number === "*uint256.Int" && reason === "OutOfRange") return "rlp: value too large for uint256"
  const problem = name === "" ? undefined : problemOf(error, number)
  if (problem === undefined) return undefined
  if (form === "bare") return `${problem}, ${into}(types.${blobTransaction}).${name}`
  return `${problem}, ${into}(types.${whole}).${path.startsWith("sidecar") ? "" : "BlobTx."}${name}`
}
