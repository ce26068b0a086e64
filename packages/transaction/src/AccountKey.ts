/**
 * Account keys: what an account of the chain demands from those who sign for it.
 *
 * An account starts with `AccountKeyLegacy` (the key that belongs to its address) and can be given any other kind by
 * an account update. Kinds, encodings and rules are those of the chain's documentation.
 *
 * @since 0.1.0
 */
import { fromBytes, type Hex, toBytes } from "./Hex.js"
import * as codec from "./internal/accountKey.js"
import { Faults, holds, total } from "./internal/faults.js"
import * as rules from "./internal/keyRules.js"
import * as PublicKey from "./PublicKey.js"
import { flatMap, map, type Result } from "./Result.js"
import type { Signer } from "./Signature.js"

/**
 * Says nothing: in an update of a role-based key, leaves that role as it is. Legal nowhere else.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountKeyNil {
  readonly type: "AccountKeyNil"
}

/**
 * The key that belongs to the account's address.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountKeyLegacy {
  readonly type: "AccountKeyLegacy"
}

/**
 * One key, independent of the address. `publicKey` is compressed (33 bytes).
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountKeyPublic {
  readonly type: "AccountKeyPublic"
  readonly publicKey: Hex
}

/**
 * No signature is accepted any more.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountKeyFail {
  readonly type: "AccountKeyFail"
}

/**
 * One key of a weighted multisig: `weight` at least 1, `publicKey` compressed (33 bytes).
 *
 * @since 0.1.0
 * @category models
 */
export interface WeightedKey {
  readonly weight: number
  readonly publicKey: Hex
}

/**
 * One to ten different keys; the weights of those that signed must reach `threshold`.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountKeyWeightedMultiSig {
  readonly type: "AccountKeyWeightedMultiSig"
  readonly threshold: number
  readonly keys: ReadonlyArray<WeightedKey>
}

/**
 * A key that can stand in a role.
 *
 * @since 0.1.0
 * @category models
 */
export type RoleKey = AccountKeyNil | AccountKeyLegacy | AccountKeyPublic | AccountKeyFail | AccountKeyWeightedMultiSig

/**
 * One key a role. Roles at the end may be left out: they fall back to the transaction role.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountKeyRoleBased {
  readonly type: "AccountKeyRoleBased"
  readonly keys: readonly [transaction: RoleKey, accountUpdate?: RoleKey, feePayer?: RoleKey]
}

/**
 * Every kind of account key, told apart by `type`.
 *
 * @since 0.1.0
 * @category models
 */
export type AccountKey = RoleKey | AccountKeyRoleBased

/**
 * What a signature is for. Account updates are signed in the role `accountUpdate`, fees in `feePayer`, everything
 * else in `transaction`.
 *
 * @since 0.1.0
 * @category models
 */
export type Role = "transaction" | "accountUpdate" | "feePayer"

/**
 * `AccountKeyLegacy`, what every account starts with.
 *
 * @since 0.1.0
 * @category constructors
 */
export const legacy: AccountKeyLegacy = { type: "AccountKeyLegacy" }

/**
 * `AccountKeyNil`, for a role that an update leaves as it is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const nil: AccountKeyNil = { type: "AccountKeyNil" }

/**
 * `AccountKeyPublic` of a public key in either form. Fails with `NotHex` or `InvalidKey`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromPublicKey = (key: Hex | Uint8Array): Result<AccountKeyPublic> =>
  map(PublicKey.compress(key), (publicKey) => ({ type: "AccountKeyPublic", publicKey }))

/**
 * The bytes of an account key, as they stand in an account update and in `accountKey` of the service's results.
 *
 * **Details**
 *
 * nil `80`; legacy `01c0`; public `02` and RLP of the key; fail `03c0`; multisig `04` and RLP of
 * `[threshold, [[weight, key], ...]]`; role based `05` and RLP of the encoded keys. Public keys may be given in either
 * form and are written compressed.
 *
 * Fails with `InvalidKey` if the key breaks a rule: see `validate`.
 *
 * @since 0.1.0
 * @category encoding
 */
export const encode = (key: AccountKey): Result<Hex> => map(encodeBytes(key), fromBytes)

/**
 * As `encode`, without the step to text.
 *
 * @since 0.1.0
 * @category encoding
 */
export const encodeBytes = (key: AccountKey): Result<Uint8Array> =>
  total(() => {
    const faults = new Faults()
    return faults.result(codec.write(key, "", faults))
  })

/**
 * Reads the bytes of an account key. Only what `encode` writes is accepted, so decoding and encoding again gives the
 * same bytes.
 *
 * @since 0.1.0
 * @category decoding
 */
export const decode = (raw: Hex | Uint8Array): Result<AccountKey> =>
  flatMap(toBytes(raw), (bytes) => {
    const faults = new Faults()
    return faults.result(codec.read(bytes, "", faults))
  })

/**
 * Checks a key against the chain's rules: at most 10 multisig keys, no key twice, weights at least 1, threshold at
 * least 1 and within reach of the weights; 1 to 3 roles, none of them role based. Fails with `InvalidKey`.
 *
 * It judges any value, also one that was made without types: what lacks a part, or has one of another kind, fails with
 * `WrongShape`, `OutOfRange` or `NotHex` and the path of that part.
 *
 * `AccountKeyNil` passes: whether it may stand where it does depends on the account, see `update`.
 *
 * @since 0.1.0
 * @category validation
 */
export const validate = (key: AccountKey): Result<AccountKey> => map(encodeBytes(key), () => key)

/**
 * Whether those who signed may act for an account in a role.
 *
 * **Details**
 *
 * - legacy: one signer, whose address is `address`; public: one signer, that key; fail: nobody
 * - weighted multisig: every signer is one of the keys, and the weights of those that signed, each counted once, reach the
 *   threshold; a key may sign twice, but there are never more signatures than keys
 * - role based: the key of the role; a role that was left out falls back to the transaction role
 *
 * Public keys are compared as text: `key` with keys compressed and in lower case, as `decode` and `fromPublicKey` give
 * them, and `signers` as `Transaction.recoverSenders` and `recoverFeePayers` name them, one a signature. These are the
 * chain's rules since its Istanbul upgrade, by its public source. A key that can't be read, or with a threshold below 1, is
 * satisfied by nobody.
 *
 * @since 0.1.0
 * @category validation
 */
export const isSatisfiedBy = (
  key: AccountKey,
  options: { readonly role: Role; readonly address: Hex; readonly signers: ReadonlyArray<Signer> }
): boolean => holds(() => rules.isSatisfiedBy(key, options.role, options.address.toLowerCase(), options.signers))

/**
 * The key of an account after an update: `next`, except that `AccountKeyNil` in a role keeps what a role-based
 * `current` has there, as do roles that `next` leaves out. Fails with `InvalidKey` if there is nothing to keep, and as
 * `validate` does if one of the two breaks a rule.
 *
 * @since 0.1.0
 * @category validation
 */
export const update = (current: AccountKey, next: AccountKey): Result<AccountKey> =>
  flatMap(validate(current), () => flatMap(validate(next), () => rules.update(current, next)))

/**
 * How many public keys an account key holds; each costs gas when it is registered.
 *
 * @since 0.1.0
 * @category getters
 */
export const size = (key: AccountKey): number => rules.size(key)
