import { concatBytes } from "@noble/hashes/utils.js"
import { fromBytes, zeroAddress } from "../Hex.js"
import { fail, type Result } from "../Result.js"
import { namesNoChain } from "../Signature.js"
import type { Transactions } from "../TransactionBody.js"
import { TransactionError } from "../TransactionError.js"
import { fromTypeInt, isEthereum, isFeeDelegated, type TransactionType, typeInt } from "../TransactionType.js"
import * as body from "./body.js"
import { Faults } from "./faults.js"
import * as fields from "./fields.js"
import * as rlp from "./rlp.js"
import * as sidecar from "./sidecar.js"
import * as signatures from "./signatures.js"

interface DecodeOptions {
  readonly chainId?: number | undefined
  readonly unprotected?: boolean | undefined
}

/** What the bytes say of the fee payer. */
type FeePayerForm = "NotDelegated" | "Signed" | "Placeholder" | "EmptySignatures" | "SenderOnly"

/** A decoded transaction and the form of its bytes. */
interface Inspected<T extends TransactionType> {
  readonly transaction: Transactions[T]
  readonly feePayerForm: FeePayerForm
  readonly wrapped: boolean
}

const wrapper = 0x78

/** The bytes before the list: none, the type byte, or 0x78 and the Ethereum type byte. */
const prefix = (type: TransactionType, wrapped: boolean): Uint8Array => {
  const int = typeInt(type)
  return int === 0
    ? new Uint8Array(0)
    : isEthereum(type)
    ? wrapped ? Uint8Array.of(wrapper, int & 0xff) : Uint8Array.of(int & 0xff)
    : Uint8Array.of(int)
}

/** Legacy and Ethereum types have one signature, whose parts are elements of the list itself. */
const isSingle = (type: TransactionType): boolean => type === "LegacyTransaction" || isEthereum(type)

export const encode = (
  type: TransactionType,
  source: body.Fields,
  part: "complete" | "sender",
  wrapped = false
): Result<Uint8Array> => {
  const faults = new Faults()
  const list = body.write(type, source, faults)
  const sender = fields.elements(source.signatures ?? [], "signatures", faults)
  if (isSingle(type)) {
    const [signature] = sender
    if (sender.length > 1) faults.add("WrongShape", "signatures", "this type has exactly one signature")
    list.push(
      ...(sender.length === 0
        ? signatures.placeholder()
        : signatures.writeOne(type, signature, "signatures[0]", faults))
    )
  } else {
    list.push(signatures.write(type, sender, "signatures", faults))
  }
  if (part === "complete" && isFeeDelegated(type)) {
    const payer = fields.elements(source.feePayerSignatures ?? [], "feePayerSignatures", faults)
    if (payer.length > 0 && source.feePayer === undefined) {
      faults.add("WrongShape", "feePayer", "is missing although the fee payer has signed")
    }
    list.push(
      fields.address.write(source.feePayer ?? zeroAddress, "feePayer", faults),
      signatures.write(type, payer, "feePayerSignatures", faults)
    )
  }
  signatures.checkChain(part === "complete" ? source : { signatures: source.signatures }, undefined, faults)
  const blobs = part === "complete" && type === "EthereumBlob" ? source.sidecar : undefined
  const whole = blobs === undefined ? list : [list, ...sidecar.write(blobs, faults)]
  return faults.result(concatBytes(prefix(type, wrapped), rlp.encode(whole)))
}

/** The type and the length of the prefix. */
const start = (bytes: Uint8Array): { readonly type: TransactionType | undefined; readonly length: number } => {
  const first = bytes[0]
  if (first === undefined || first >= 0xc0) return { type: "LegacyTransaction", length: 0 }
  if (first === wrapper) return { type: fromTypeInt((wrapper << 8) + (bytes[1] ?? 0)), length: 2 }
  return { type: first < 8 ? fromTypeInt((wrapper << 8) + first) : fromTypeInt(first), length: 1 }
}

export const decode = (bytes: Uint8Array, options: DecodeOptions): Result<Inspected<TransactionType>> => {
  const { chainId } = options
  const { length, type } = start(bytes)
  const faults = new Faults()
  if (chainId !== undefined) body.chainId.write(chainId, "chainId", faults)
  return faults.first !== undefined
    ? fail(faults.first)
    : type === undefined
    ? fail(
      new TransactionError(
        "UnknownType",
        "type",
        `${fromBytes(bytes.subarray(0, length))} is not the prefix of a transaction type that this package knows`
      )
    )
    : decodeAs(type, bytes, options)
}

export const decodeAs = <T extends TransactionType>(
  type: T,
  bytes: Uint8Array,
  { chainId, unprotected }: DecodeOptions
): Result<Inspected<T>> => {
  const faults = new Faults()
  const wrapped = bytes[0] === wrapper
  const target: body.Fields = {}
  const all = fields.readList(rlp.decode(bytes.subarray(prefix(type, wrapped).length), "", faults), "", faults)
  const [first, ...sent] = all
  const hasSidecar = type === "EthereumBlob" && first !== undefined && !(first instanceof Uint8Array)
  const items = hasSidecar ? first : all
  const count = body.read(type, items, target, faults)
  const tail = items.slice(count)
  const expected = isSingle(type) ? 3 : isFeeDelegated(type) && tail.length !== 1 ? 3 : 1
  fields.expectLength(items, count + expected, "", faults)
  if (hasSidecar) target.sidecar = sidecar.read(sent, faults)
  const feePayerForm = isSingle(type)
    ? readSingle(type, tail, target, faults)
    : readLists(type, tail, target, faults)
  if (target.signatures?.some(namesNoChain) === true) {
    if (unprotected !== true) faults.add("WrongChain", "signatures[0].v", signatures.noChain)
  } else if (!isEthereum(type)) {
    signatures.checkChain(target, chainId, faults)
  } else if (chainId !== undefined && target.chainId !== chainId) {
    faults.add("WrongChain", "chainId", `is ${target.chainId} instead of ${chainId}`)
  }
  return faults.result({ transaction: assemble(type, target), feePayerForm, wrapped })
}

const readSingle = (
  type: TransactionType,
  tail: ReadonlyArray<rlp.Item>,
  target: body.Fields,
  faults: Faults
): FeePayerForm => {
  const signature = signatures.readOne(type, tail, "signatures[0]", faults)
  target.signatures = signature === undefined ? [] : [signature]
  return "NotDelegated"
}

const readLists = (
  type: TransactionType,
  [sender, feePayer, payerSignatures]: ReadonlyArray<rlp.Item>,
  target: body.Fields,
  faults: Faults
): FeePayerForm => {
  target.signatures = signatures.read(type, sender, "signatures", faults).signatures
  if (!isFeeDelegated(type)) return "NotDelegated"
  target.feePayerSignatures = []
  if (feePayer === undefined) return "SenderOnly"
  const payer = signatures.read(type, payerSignatures, "feePayerSignatures", faults)
  target.feePayerSignatures = payer.signatures
  const isEmpty = payer.form !== "Signed" && fields.readBytes(feePayer, "feePayer", faults).length === 0
  const address = isEmpty ? zeroAddress : fields.address.read(feePayer, "feePayer", faults)
  if (payer.form === "Signed" || address !== zeroAddress) target.feePayer = address
  return payer.form
}

// The cast is safe: a layout lists exactly the fields of its type, but in `Fields` all are optional.
// Type tests and round-trip tests of every type check it.
const assemble = <T extends TransactionType>(type: T, fields: body.Fields): Transactions[T] =>
  ({ type, ...fields }) as unknown as Transactions[T]
