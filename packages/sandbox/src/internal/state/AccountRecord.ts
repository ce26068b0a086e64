import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import { RLP } from "@ethereumjs/rlp"
import { bigIntToUnpaddedBytes, bytesToBigInt, bytesToHex, hexToBytes, KECCAK256_NULL } from "@ethereumjs/util"

/** What the chain knows about one address. Records are never changed in place: a change puts a new record. */
export interface AccountRecord {
  readonly nonce: bigint
  /** peb */
  readonly balance: bigint
  /** Keccak-256 of the code; that of nothing for an account without code. */
  readonly codeHash: Uint8Array
  /** Encoded Klaytn account key, lower-case hex: `0x01c0` until an account update installs another one. */
  readonly key: string
}

/** Encoded AccountKeyLegacy: the key an address has from birth. */
export const legacyKey = "0x01c0"

/** Encoded AccountKeyFail: what a contract account carries, as no signature may speak for it. */
export const failKey = "0x03c0"

/** The account of an address that nobody has touched yet. */
export const emptyAccount: AccountRecord = { nonce: 0n, balance: 0n, codeHash: KECCAK256_NULL, key: legacyKey }

/** Same content. */
export const sameAccount = (a: AccountRecord, b: AccountRecord): boolean =>
  a.nonce === b.nonce && a.balance === b.balance && a.key === b.key && sameBytes(a.codeHash, b.codeHash)

/** Same bytes. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** True when the account carries code. */
export const hasCode = (account: AccountRecord): boolean => !sameBytes(account.codeHash, KECCAK256_NULL)

/** The form in which an account is stored: RLP of nonce, balance, code hash and key. */
export const encodeAccount = (account: AccountRecord): Uint8Array =>
  RLP.encode([
    bigIntToUnpaddedBytes(account.nonce),
    bigIntToUnpaddedBytes(account.balance),
    account.codeHash,
    hexToBytes(`0x${account.key.slice(2)}`)
  ])

/** Reads {@link encodeAccount} back. */
export const decodeAccount = (bytes: Uint8Array): AccountRecord => {
  const [nonce, balance, codeHash, key] = RLP.decode(bytes)
  if (
    !(nonce instanceof Uint8Array) || !(balance instanceof Uint8Array) || !(codeHash instanceof Uint8Array) ||
    !(key instanceof Uint8Array)
  ) throw new TypeError("the stored account is not a list of four byte strings")
  return { nonce: bytesToBigInt(nonce), balance: bytesToBigInt(balance), codeHash, key: bytesToHex(key) }
}

// --- keys ---

const fail: AccountKey.AccountKey = { type: "AccountKeyFail" }
const known = new Map<string, AccountKey.AccountKey>([[legacyKey, AccountKey.legacy], [failKey, fail]])

/** The key of an account. A stored key that cannot be read lets nobody sign. */
export const keyOf = (account: AccountRecord): AccountKey.AccountKey => {
  const cached = known.get(account.key)
  if (cached !== undefined) return cached
  const decoded = AccountKey.decode(`0x${account.key.slice(2)}`)
  const key = decoded.ok ? decoded.value : fail
  if (known.size > 10_000) known.clear()
  known.set(account.key, key)
  return key
}

/** Do the signers together satisfy the account's key for a role? */
export const speaksFor = (
  account: AccountRecord,
  address: Hex,
  role: AccountKey.Role,
  signers: ReadonlyArray<Signer>
): boolean => AccountKey.isSatisfiedBy(keyOf(account), { role, address, signers })
