/**
 * Migrates accounts of a node of your own into the wallet: the API document's three steps, as one stream that can be
 * stopped and resumed.
 *
 * **Details**
 *
 * 1. A key is created for each account (`POST /v2/key`) and recorded in the journal.
 * 2. One fee-delegated account update per account gives it that key, as a key of the public-key type (according to the
 *    document, any other may leave the account unusable). The old keys sign it in this process.
 * 3. The accounts are registered (`POST /v2/registration/account`); the service pays for the updates and sends them.
 *
 * Before that, each account is looked up in the wallet (`GET /v2/account/{address}`, not in the API document). An
 * account that is already there is reported as `AlreadyMigrated` and not changed. If a node is configured, the old keys
 * are checked against the account's key on the chain, and an account that already has its new key is registered without
 * another update.
 *
 * Accounts are processed in groups of 100. A problem with one account is reported for that account and does not stop
 * the others; a failure of the network, the credential or the journal ends the stream. To resume, run it again with the
 * same input: finished accounts are reported as such, and keys that were created are reused.
 *
 * **Example**
 *
 * ```ts
 * import * as Migration from "@effect-klaytn/wallet/Migration"
 * import * as OldKey from "@effect-klaytn/wallet/OldKey"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 * import * as Stream from "effect/Stream"
 *
 * export const program = Effect.gen(function*() {
 *   const migration = yield* Migration.Migration
 *   const accounts = [{
 *     address: "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b",
 *     oldKey: OldKey.single(Redacted.make("0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8"))
 *   }]
 *   const { failures } = yield* migration.dryRun(accounts)
 *   if (failures.length > 0) return yield* Effect.fail(failures)
 *   yield* migration.migrateAccounts(accounts).pipe(
 *     Stream.runForEach((progress) => Effect.log(`${progress.address} ${progress._tag}`))
 *   )
 * })
 * ```
 */
import type { Address } from "@effect-klaytn/core/Address"
import type * as Input from "@effect-klaytn/core/Input"
import type { KeyId } from "@effect-klaytn/core/KeyId"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Account } from "./Account.js"
import * as internal from "./internal/migration/migrationSteps.js"
import type { JournalFailed } from "./MigrationJournal.js"
import type { MigrationProgress } from "./MigrationProgress.js"
import type { LookupFailed } from "./SendOutcome.js"
import type { SpendRefused } from "./SpendPolicy.js"
import type * as Wallet from "./Wallet.js"

/**
 * An account to migrate.
 *
 * @category models
 */
export interface AccountInput extends Input.Of<typeof internal.account> {}

/**
 * Gas of the account updates.
 *
 * @category models
 */
export interface UpdateOptions extends Input.Of<typeof internal.updateOptions> {}

/**
 * What a dry run shows for an account: the update as it would be sent, with a placeholder for a key that is not created
 * yet.
 *
 * @category models
 */
export interface Preview {
  readonly address: Address
  readonly nonce: number
  readonly gasPrice: bigint
  readonly gasLimit: number
  /** The most that the update can cost the fee payer, in peb. */
  readonly maxFee: bigint
  /** The addresses of the old keys that sign. */
  readonly signers: ReadonlyArray<Address>
  /** Whether the account's key on the chain accepts these signers; `undefined` if the node could not be asked. */
  readonly accepted: boolean | undefined
  /** The key that an earlier run created. */
  readonly keyId: KeyId | undefined
  /** The preview as text. */
  readonly text: string
}

/**
 * The result of a dry run.
 *
 * @category models
 */
export interface DryRun {
  readonly previews: ReadonlyArray<Preview>
  readonly alreadyMigrated: ReadonlyArray<Account>
  /** Accounts that would fail before anything is created for them. */
  readonly failures: ReadonlyArray<{ readonly address: Address; readonly problem: string }>
}

/**
 * The failures that end a migration.
 *
 * @category errors
 */
export type MigrationError = ServiceError | SpendRefused | LookupFailed | JournalFailed

/**
 * The operations.
 *
 * @category models
 */
export interface Service {
  /** Migrates accounts and reports each step of each account. */
  readonly migrateAccounts: (
    accounts: ReadonlyArray<AccountInput>,
    options?: UpdateOptions
  ) => Stream.Stream<MigrationProgress, MigrationError>
  /** Builds, signs and checks everything without changing anything. */
  readonly dryRun: (
    accounts: ReadonlyArray<AccountInput>,
    options?: UpdateOptions
  ) => Effect.Effect<DryRun, MigrationError>
}

/**
 * The migration as a service.
 *
 * @category services
 */
export class Migration extends Context.Tag("@effect-klaytn/wallet/Migration")<Migration, Service>() {}

/**
 * Options of {@link make} and {@link layer}: a policy and look-ups, as for `Wallet`.
 *
 * @category models
 */
export type Options = Wallet.Options

/**
 * Makes a migration. Uses the `MigrationJournal` in the context if there is one, or else one in memory.
 *
 * @category constructors
 */
export const make = (options: Options = {}): ServiceClient.Make<Service> => internal.make(options)

/**
 * Provides a migration as a layer. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(Migration, make)

/**
 * Provides a migration as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables.
 * Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(Migration, "wallet", make)
