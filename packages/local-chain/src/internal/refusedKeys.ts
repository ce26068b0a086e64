import { type Hex, toBytes } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { recoveryOf, type Signature, type Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { viewOf } from "@effect-klaytn/transaction/TransactionView"
import { type Input, RLP } from "@ethereumjs/rlp"
import { bigIntToBytes, concatBytes, hexToBytes, intToUnpaddedBytes, setLengthLeft } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { legacyKey, speaksFor } from "../AccountRecord.js"
import type { TransactionRejected } from "../ChainError.js"
import { type EncodedKey, keyTexts, readKey, registrationGas, updateFault } from "./keyRules.js"
import type { ValidationContext } from "./validation.js"

/** The types of account updates, and how many elements of each are signed. */
const updates: ReadonlyMap<number, number> = new Map([[0x20, 5], [0x21, 5], [0x22, 6]])

const place = 4

/** The elements of an account update, and its key. */
const elementsOf = (bytes: Uint8Array) => {
  const count = updates.get(bytes[0] ?? 0)
  if (count === undefined) return undefined
  try {
    const list = RLP.decode(bytes.subarray(1))
    const key = Array.isArray(list) ? list[place] : undefined
    return Array.isArray(list) && key instanceof Uint8Array ? { list, key, count } : undefined
  } catch {
    return undefined
  }
}

const signerOf = (digest: Uint8Array, signature: Signature, { curve }: ValidationContext): ReadonlyArray<Signer> => {
  const rs = concatBytes(...[signature.r, signature.s].map((part) => setLengthLeft(bigIntToBytes(part), 32)))
  try {
    const key = curve.recover(digest, { rs, recovery: recoveryOf(signature) })
    return key === undefined ? [] : [{ address: PublicKey.addressOf(key), publicKey: PublicKey.compressedOf(key) }]
  } catch {
    return []
  }
}

/** The checks of an ordinary transaction that come before the key's own. */
interface Checks {
  readonly shape: (transaction: Transaction.Transaction, raw: Uint8Array) => TransactionRejected | undefined
  readonly afterSignature: (transaction: Transaction.Transaction) => TransactionRejected | undefined
  readonly wrongSigner: TransactionRejected
  readonly tooLittleGas: TransactionRejected
  readonly key: (message: string) => TransactionRejected
}

const refusal = (
  { count, key, list }: NonNullable<ReturnType<typeof elementsOf>>,
  bytes: Uint8Array,
  context: ValidationContext,
  checks: Checks
): TransactionRejected | undefined => {
  const type = bytes.subarray(0, 1)
  const wanted = readKey(key)
  if (wanted === undefined) return checks.key(keyTexts.unserializable)
  // The same with a key that can be read, for everything but the signature.
  const like = list.map((item, at): Input => at === place ? hexToBytes(legacyKey as Hex) : item)
  const decoded = Transaction.decode(concatBytes(type, RLP.encode(like)), { chainId: context.chainId })
  if (!decoded.ok) return undefined
  const transaction = decoded.value
  const { from, gas } = viewOf(transaction, "from" in transaction ? transaction.from : "0x")
  const shape = checks.shape(transaction, bytes)
  if (shape !== undefined) return shape
  const inner = RLP.encode([type, ...list.slice(0, count)])
  const digest = keccak_256(
    RLP.encode([inner, intToUnpaddedBytes(context.chainId), new Uint8Array(0), new Uint8Array(0)])
  )
  const signers = transaction.signatures.flatMap((signature) => signerOf(digest, signature, context))
  const account = context.state.accountOrEmpty(from)
  if (!speaksFor(account, from, "accountUpdate", signers)) return checks.wrongSigner
  const later = checks.afterSignature(transaction)
  if (later !== undefined) return later
  const registration = registrationGas(wanted)
  if (typeof registration === "string") return checks.key(registration)
  if (gas < Transaction.intrinsicGas(transaction, context.hardfork) + registration) return checks.tooLittleGas
  const fault = updateFault(keyOfAccount(account.key), wanted)
  return fault === undefined ? undefined : checks.key(fault)
}

/** The key of an account; one that can't be read lets nobody sign. */
export const keyOfAccount = (encoded: string): EncodedKey =>
  readKey(hexToBytes(`0x${encoded.slice(2)}`)) ?? { kind: "fail" }

/**
 * Why a node refuses an account update whose key no account may have: it asks for signature, nonce, funds and gas first. Undefined if
 * the bytes are no such update.
 */
export const refusalOfKey = (
  raw: Hex | Uint8Array,
  context: ValidationContext,
  checks: Checks
): TransactionRejected | undefined => {
  const bytes = toBytes(raw)
  const elements = bytes.ok ? elementsOf(bytes.value) : undefined
  return bytes.ok && elements !== undefined ? refusal(elements, bytes.value, context, checks) : undefined
}
