/**
 * The private keys that open an account before it is moved in.
 *
 * **Details**
 *
 * They are `Redacted` and never leave the process: they sign one account update each, and stand in no error, log, plan,
 * event or journal. Each is 32 bytes as `0x` and 64 hexadecimal digits.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"

/**
 * The keys that sign the account update.
 *
 * @since 0.1.0
 * @category models
 */
export interface OldKey {
  readonly _tag: "SingleKey" | "MultiSigKeys" | "RoleBasedKeys"
  /** Those that sign account updates, at least one. */
  readonly signers: ReadonlyArray<Redacted.Redacted<string>>
}

/**
 * One key: of an account whose key was never changed, or was changed to another single key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const single = (privateKey: Redacted.Redacted<string>): OldKey => ({ _tag: "SingleKey", signers: [privateKey] })

/**
 * Keys of a weighted multisig account: as many as reach its threshold.
 *
 * @since 0.1.0
 * @category constructors
 */
export const multiSig = (privateKeys: ReadonlyArray<Redacted.Redacted<string>>): OldKey => ({
  _tag: "MultiSigKeys",
  signers: privateKeys
})

/**
 * Keys of a role-based account: those of the account-update role. If that role was left out when the account got its
 * key, the transaction role stands in, so give the keys of that.
 *
 * @since 0.1.0
 * @category constructors
 */
export const roleBased = (keys: { readonly accountUpdate: ReadonlyArray<Redacted.Redacted<string>> }): OldKey => ({
  _tag: "RoleBasedKeys",
  signers: keys.accountUpdate
})

/**
 * What is wrong with keys, in words that never repeat one.
 *
 * @since 0.1.0
 * @category accessors
 */
export const problem = (key: OldKey): string | undefined => {
  if (!Array.isArray(key?.signers) || key.signers.length === 0) {
    return "give the old keys with OldKey.single, OldKey.multiSig or OldKey.roleBased, at least one"
  }
  return key.signers.every((one) => Redacted.isRedacted(one)) ? undefined : "wrap each private key with Redacted.make"
}
