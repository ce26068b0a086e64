/**
 * Account keys: who may sign for an account of the chain.
 *
 * An account starts with `AccountKeyLegacy` (the key that belongs to its address) and can be given any other kind by
 * an account update. Kinds, encodings and rules are those of the chain's documentation.
 */
import { fromBytes, type Hex, toBytes } from "./Hex.js"
import * as internal from "./internal/accountKeyRules.js"
import { catchThrown, Faults, holds } from "./internal/faults.js"
import * as PublicKey from "./PublicKey.js"
import { flatMap, map, type Result } from "./Result.js"
import type { Signer } from "./Signature.js"

/**
 * No key: in an update of a role-based key, it leaves that role unchanged. It is not valid anywhere else.
 *
 * @category models
 */
export interface AccountKeyNil {
  readonly type: "AccountKeyNil"
}

/**
 * The key that belongs to the account's address.
 *
 * @category models
 */
export interface AccountKeyLegacy {
  readonly type: "AccountKeyLegacy"
}

/**
 * One key, independent of the address. `publicKey` is compressed (33 bytes).
 *
 * @category models
 */
export interface AccountKeyPublic {
  readonly type: "AccountKeyPublic"
  readonly publicKey: Hex
}

/**
 * A key that no signature satisfies.
 *
 * @category models
 */
export interface AccountKeyFail {
  readonly type: "AccountKeyFail"
}

/**
 * One key of a weighted multisig: `weight` at least 1, `publicKey` compressed (33 bytes).
 *
 * @category models
 */
export interface WeightedKey {
  readonly weight: number
  readonly publicKey: Hex
}

/**
 * One to ten different keys; the weights of the keys that signed must add up to at least `threshold`.
 *
 * @category models
 */
export interface AccountKeyWeightedMultiSig {
  readonly type: "AccountKeyWeightedMultiSig"
  readonly threshold: number
  readonly keys: ReadonlyArray<WeightedKey>
}

/**
 * A key that a role can have.
 *
 * @category models
 */
export type RoleKey = AccountKeyNil | AccountKeyLegacy | AccountKeyPublic | AccountKeyFail | AccountKeyWeightedMultiSig

/**
 * One key per role. Trailing roles may be left out: they fall back to the transaction role.
 *
 * @category models
 */
export interface AccountKeyRoleBased {
  readonly type: "AccountKeyRoleBased"
  readonly keys: readonly [transaction: RoleKey, accountUpdate?: RoleKey, feePayer?: RoleKey]
}

/**
 * Any account key, discriminated by `type`.
 *
 * @category models
 */
export type AccountKey = RoleKey | AccountKeyRoleBased

/**
 * What a signature is for. Account updates are signed in the role `accountUpdate`, fees in `feePayer`, everything
 * else in `transaction`.
 *
 * @category models
 */
export type Role = "transaction" | "accountUpdate" | "feePayer"

/**
 * `AccountKeyLegacy`, the key that every account starts with.
 *
 * @category constructors
 */
export const legacy: AccountKeyLegacy = { type: "AccountKeyLegacy" }

/**
 * `AccountKeyNil`, for a role that an update leaves unchanged.
 *
 * @category constructors
 */
export const nil: AccountKeyNil = { type: "AccountKeyNil" }

/**
 * Makes an `AccountKeyPublic` from a public key in either form. Fails with `NotHex` or `InvalidKey`.
 *
 * @category constructors
 */
export const fromPublicKey = (key: Hex | Uint8Array): Result<AccountKeyPublic> =>
  map(PublicKey.compress(key), (publicKey) => ({ type: "AccountKeyPublic", publicKey }))

/**
 * Encodes an account key as in an account update and in `accountKey` of the service's results.
 *
 * **Details**
 *
 * nil `80`; legacy `01c0`; public `02` and RLP of the key; fail `03c0`; multisig `04` and RLP of
 * `[threshold, [[weight, key], ...]]`; role based `05` and RLP of the encoded keys. Public keys may be given in either
 * form and are written compressed.
 *
 * Fails with `InvalidKey` if the key breaks a rule: see `validate`.
 *
 * @category encoding
 */
export const encode = (key: AccountKey): Result<Hex> => map(encodeBytes(key), fromBytes)

/**
 * Like `encode`, but returns bytes.
 *
 * @category encoding
 */
export const encodeBytes = (key: AccountKey): Result<Uint8Array> =>
  catchThrown(() => {
    const faults = new Faults()
    return faults.result(internal.write(key, "", faults))
  })

/**
 * Decodes the bytes of an account key. Only what `encode` writes is accepted, so decoding and encoding again returns
 * the same bytes.
 *
 * @category decoding
 */
export const decode = (raw: Hex | Uint8Array): Result<AccountKey> =>
  flatMap(toBytes(raw), (bytes) => {
    const faults = new Faults()
    return faults.result(internal.read(bytes, "", faults))
  })

/**
 * Checks a value against the chain's rules for account keys: at most 10 multisig keys, no key twice, weights at least 1,
 * threshold within reach of the weights; 1 to 3 roles, none of them role based. Fails with `InvalidKey`. A threshold of 0 is
 * the chain's too: one signature is enough, as with 1.
 * Returns the key as `decode` does: a new value, with compressed public keys in lower case, and nothing else.
 *
 * It accepts any value, including one from untyped code: if a part is missing or of the wrong kind, it fails with
 * `WrongShape`, `OutOfRange` or `NotHex` and the path of that part.
 *
 * `AccountKeyNil` passes: whether it is allowed depends on the account, see `update`.
 *
 * @category validation
 */
// The cast is safe: `encodeBytes` refuses a value that is not a key.
export const validate = (key: unknown): Result<AccountKey> => flatMap(encodeBytes(key as AccountKey), decode)

/**
 * Checks whether the signers may act for an account in a role.
 *
 * **Details**
 *
 * - legacy: one signer, whose address is `address`; public: one signer, that key; fail: nobody
 * - weighted multisig: every signer is one of the keys, and the weights of the keys that signed, each counted once,
 *   reach the threshold; a key may sign twice, but there may not be more signatures than keys
 * - role based: the key of the role; a role that was left out falls back to the transaction role
 *
 * Public keys are compared as text: those in `key` must be compressed and in lower case, as `decode` and
 * `fromPublicKey` return them, and `signers` must be as `Transaction.recoverSenders` and `recoverFeePayers` return
 * them, one per signature. These are the chain's rules since its Istanbul upgrade, according to its public source.
 * Nobody satisfies a malformed key, and without a signer no key is satisfied.
 *
 * @category validation
 */
export const isSatisfiedBy = (
  key: AccountKey,
  options: { readonly role: Role; readonly address: Hex; readonly signers: ReadonlyArray<Signer> }
): boolean => holds(() => internal.isSatisfiedBy(key, options.role, options.address.toLowerCase(), options.signers))

/**
 * The key of an account after an update: `next`, except that a role that is `AccountKeyNil` or left out in `next` keeps
 * the key that a role-based `current` has there. Fails with `InvalidKey` if there is nothing to keep, and like
 * `validate` if one of the two breaks a rule.
 *
 * @category validation
 */
export const update = (current: AccountKey, next: AccountKey): Result<AccountKey> =>
  flatMap(validate(current), (before) => flatMap(validate(next), (wanted) => internal.update(before, wanted)))

/**
 * The number of public keys in an account key; registering each costs gas.
 *
 * @category getters
 */
export const size = (key: AccountKey): number => internal.size(key)
