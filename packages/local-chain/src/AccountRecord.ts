/**
 * Accounts as the state keeps them.
 */
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import { RLP } from "@ethereumjs/rlp"
import {
  bigIntToUnpaddedBytes,
  bytesToBigInt,
  bytesToHex,
  equalsBytes,
  hexToBytes,
  KECCAK256_NULL
} from "@ethereumjs/util"

/**
 * The account of an address. Records are immutable: a change replaces the record.
 *
 * @category models
 */
export interface AccountRecord {
  readonly nonce: bigint
  /** peb */
  readonly balance: bigint
  /** Keccak-256 of the code, which is empty for an account without code. */
  readonly codeHash: Uint8Array
  /** Encoded Klaytn account key, lower-case hex: `0x01c0` until an account update installs another one. */
  readonly key: string
  /** Whether it is a contract that code and key do not show to be one: it has no code. */
  readonly isContractWithoutCode?: boolean | undefined
}

/**
 * Encoded AccountKeyLegacy: the initial key of every address.
 *
 * @category constants
 */
export const legacyKey = "0x01c0"

/**
 * Encoded AccountKeyFail: the key of a contract account, for which no signature is valid.
 *
 * @category constants
 */
export const failKey = "0x03c0"

/**
 * The account of an unused address.
 *
 * @category constants
 */
export const emptyAccount: AccountRecord = { nonce: 0n, balance: 0n, codeHash: KECCAK256_NULL, key: legacyKey }

/**
 * Whether two accounts are equal.
 *
 * @category guards
 */
export const sameAccount = (a: AccountRecord, b: AccountRecord): boolean =>
  a.nonce === b.nonce && a.balance === b.balance && a.key === b.key && equalsBytes(a.codeHash, b.codeHash) &&
  isContract(a) === isContract(b)

/**
 * Whether an account has code.
 *
 * @category guards
 */
export const hasCode = (account: AccountRecord): boolean => !equalsBytes(account.codeHash, KECCAK256_NULL)

/**
 * Whether an account is a contract. An account with a key of its own may have code too (EIP-7702), and a contract may have none:
 * the deployment that made it left none behind.
 *
 * @category guards
 */
export const isContract = (account: AccountRecord): boolean =>
  hasCode(account) ? account.key === failKey : account.isContractWithoutCode === true

/**
 * Encodes an account for the store, as RLP of nonce, balance, code hash and key; a contract without code has a fifth element.
 *
 * @category encoding
 */
export const encodeAccount = (account: AccountRecord): Uint8Array =>
  RLP.encode([
    bigIntToUnpaddedBytes(account.nonce),
    bigIntToUnpaddedBytes(account.balance),
    account.codeHash,
    hexToBytes(`0x${account.key.slice(2)}`),
    ...(isContract(account) && !hasCode(account) ? [Uint8Array.of(1)] : [])
  ])

/**
 * Decodes an account that {@link encodeAccount} encoded.
 *
 * @category decoding
 */
export const decodeAccount = (bytes: Uint8Array): AccountRecord => {
  const [nonce, balance, codeHash, key, isContractWithoutCode] = RLP.decode(bytes)
  if (
    !(nonce instanceof Uint8Array) || !(balance instanceof Uint8Array) || !(codeHash instanceof Uint8Array) ||
    !(key instanceof Uint8Array)
  ) throw new TypeError("the stored account is not a list of four byte strings or five")
  return {
    nonce: bytesToBigInt(nonce),
    balance: bytesToBigInt(balance),
    codeHash,
    key: bytesToHex(key),
    ...(isContractWithoutCode !== undefined && { isContractWithoutCode: true })
  }
}

// --- keys ---

const fail: AccountKey.AccountKey = { type: "AccountKeyFail" }
const known = new Map<string, AccountKey.AccountKey>([[legacyKey, AccountKey.legacy], [failKey, fail]])

/**
 * The key of an account. If it can't be decoded, no signature is valid.
 *
 * @category accessors
 */
export const keyOf = (account: AccountRecord): AccountKey.AccountKey => {
  const cached = known.get(account.key)
  if (cached !== undefined) return cached
  const decoded = AccountKey.decode(`0x${account.key.slice(2)}`)
  const key = decoded.ok ? decoded.value : fail
  if (known.size > 10_000) known.clear()
  known.set(account.key, key)
  return key
}

/**
 * Whether the signers together satisfy the account's key for a role.
 *
 * @category guards
 */
export const speaksFor = (
  account: AccountRecord,
  address: Hex,
  role: AccountKey.Role,
  signers: ReadonlyArray<Signer>
): boolean => AccountKey.isSatisfiedBy(keyOf(account), { role, address, signers })
