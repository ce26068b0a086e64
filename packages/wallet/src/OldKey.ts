/**
 * The private keys that control an account before its migration.
 *
 * **Details**
 *
 * They are `Redacted` and never leave the process: each signs one account update and appears in no error, log, plan,
 * event or journal. Each is 32 bytes as `0x` and 64 hexadecimal digits.
 */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"

/**
 * The keys that sign the account update.
 *
 * @category models
 */
export interface OldKey {
  /** The keys that sign account updates, at least one. */
  readonly signers: ReadonlyArray<Redacted.Redacted<string>>
}

/**
 * The key of an account whose key was never changed, or was changed to another single key.
 *
 * @category constructors
 */
export const single = (privateKey: Redacted.Redacted<string>): OldKey => ({ signers: [privateKey] })

/**
 * Keys of a weighted multisig account: enough to reach its threshold.
 *
 * @category constructors
 */
export const multiSig = (privateKeys: ReadonlyArray<Redacted.Redacted<string>>): OldKey => ({ signers: privateKeys })

/**
 * Keys of a role-based account: those of the account-update role. If the account's key has no such role, give the keys
 * of the transaction role, which then acts in its place.
 *
 * @category constructors
 */
export const roleBased = (keys: { readonly accountUpdate: ReadonlyArray<Redacted.Redacted<string>> }): OldKey => ({
  signers: keys.accountUpdate
})

/**
 * What is wrong with the keys, in words that never include a key; `undefined` if nothing is.
 *
 * @category accessors
 */
export const problem = (key: unknown): string | undefined => {
  const signers = Predicate.hasProperty(key, "signers") ? key.signers : undefined
  if (!Array.isArray(signers) || signers.length === 0) {
    return "give the old keys with OldKey.single, OldKey.multiSig or OldKey.roleBased, at least one"
  }
  return signers.every((one) => Redacted.isRedacted(one)) ? undefined : "wrap each private key with Redacted.make"
}
