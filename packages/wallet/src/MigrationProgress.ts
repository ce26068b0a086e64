/**
 * The steps of a migration, as its stream reports them.
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { HexData } from "@effect-klaytn/core/HexEncoding"
import type { KeyId } from "@effect-klaytn/core/KeyId"
import * as Data from "effect/Data"
import type { Account } from "./Account.js"
import type { RegistrationResult } from "./Registration.js"

/**
 * A step of one account.
 *
 * - `AlreadyMigrated`: the wallet already has the account; nothing is done.
 * - `KeyAssigned`: a key was created for it, or `resumed` from the journal.
 * - `Signed`: its account update is signed. `rlp` is sent to the service; `senderTxHash` identifies the update before
 *   the fee payer has signed. Without an update, the account already has its new key on the chain.
 * - `Registered`: the wallet can use it. `confirmed` if a look-up showed this after an unclear answer.
 * - `Failed`: it was not migrated. `step` says where it failed, `problem` why; `result` is the result of the
 *   registration.
 * - `Unclear`: it is not known whether it was registered. Run the migration again, which looks it up.
 *
 * @category models
 */
export type MigrationProgress = Data.TaggedEnum<{
  AlreadyMigrated: { readonly address: Address; readonly account: Account }
  KeyAssigned: {
    readonly address: Address
    readonly keyId: KeyId
    readonly publicKey: HexData
    readonly resumed: boolean
  }
  Signed: {
    readonly address: Address
    readonly nonce: number
    readonly rlp: HexData | undefined
    readonly senderTxHash: Hash | undefined
  }
  Registered: { readonly address: Address; readonly keyId: KeyId; readonly confirmed: boolean }
  Failed: {
    readonly address: Address
    readonly step: "check" | "sign" | "register"
    readonly problem: string
    readonly result: RegistrationResult | undefined
  }
  Unclear: { readonly address: Address; readonly keyId: KeyId; readonly result: RegistrationResult }
}>

/**
 * Constructors, `$is` and `$match` of {@link MigrationProgress}.
 *
 * @category constructors
 */
export const MigrationProgress = Data.taggedEnum<MigrationProgress>()
