/**
 * Moving accounts of a self-run node into the wallet: the document's three steps, in one stream that can be stopped and
 * gone on with.
 *
 * **Details**
 *
 * 1. A key is created for each account (`POST /v2/key`) and written into the journal.
 * 2. One fee-delegated account update per account gives it that key, of the public-key type (any other may leave the
 *    account unusable, says the document), signed with the old keys in this process.
 * 3. The accounts are registered (`POST /v2/registration/account`); the service pays and sends the updates.
 *
 * Before any of it, each account is looked up in the wallet (`GET /v2/account/{address}`, beyond the document): what is
 * there already is told as `AlreadyMigrated` and left alone. If the node can be asked, the old keys are checked against
 * the account's key on the chain, and an account that has its new key already is registered without another update.
 *
 * Accounts go in groups of 100. What is the matter with one account is told of it and does not stop the others; a
 * failure of the network, the credential or the journal ends the stream. Run it again with the same input: accounts that
 * are done are told as such, keys that were created are used.
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
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { ClientConfig, EnvironmentOptions } from "@effect-klaytn/core/ClientConfig"
import * as Configuration from "@effect-klaytn/core/ClientConfig"
import type { KeyId } from "@effect-klaytn/core/KeyId"
import type { InvalidInput, ServiceError } from "@effect-klaytn/core/ServiceError"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type { Account } from "./Account.js"
import type { LookupFailed } from "./FoundTransaction.js"
import * as internal from "./internal/migration.js"
import type { JournalFailed } from "./MigrationJournal.js"
import type { MigrationProgress } from "./MigrationProgress.js"
import type { OldKey } from "./OldKey.js"
import type { SpendRefused } from "./SpendPolicy.js"
import type * as Wallet from "./Wallet.js"

/**
 * An account to move in.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountInput {
  readonly address: string
  /** The keys that open it now. */
  readonly oldKey: OldKey
  /** The nonce of the account update; asked of the node when absent. */
  readonly nonce?: number | undefined
}

/**
 * Settings of a migration.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Peb a unit of gas; asked of the node (`klay_gasPrice`) when absent. */
  readonly gasPrice?: bigint | undefined
  /** The most gas of one account update; 1000000 when absent, as public clients have it. */
  readonly gasLimit?: number | undefined
}

/**
 * What a dry run shows of an account: the update as it would be sent, with a stand-in for the key that is yet to be
 * created.
 *
 * @since 0.1.0
 * @category models
 */
export interface Preview {
  readonly address: Address
  readonly nonce: number
  readonly gasPrice: bigint
  readonly gasLimit: number
  /** The most that the update can cost its fee payer, in peb. */
  readonly mostFee: bigint
  /** Who signs, by the addresses of the old keys. */
  readonly signers: ReadonlyArray<Address>
  /** Whether the key on the chain accepts these signers; `undefined` if the node could not be asked. */
  readonly accepted: boolean | undefined
  /** The key that an earlier run created. */
  readonly keyId: KeyId | undefined
  /** The same in words. */
  readonly text: string
}

/**
 * What a dry run found.
 *
 * @since 0.1.0
 * @category models
 */
export interface DryRun {
  readonly previews: ReadonlyArray<Preview>
  readonly alreadyMigrated: ReadonlyArray<Account>
  /** What would fail before anything is created for the account. */
  readonly failures: ReadonlyArray<{ readonly address: Address; readonly problem: string }>
}

/**
 * The failures that end a migration.
 *
 * @since 0.1.0
 * @category errors
 */
export type MigrationError = ServiceError | SpendRefused | LookupFailed | JournalFailed

/**
 * The operations.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Moves accounts in, and tells of each step of each account. */
  readonly migrateAccounts: (
    accounts: ReadonlyArray<AccountInput>,
    options?: Options
  ) => Stream.Stream<MigrationProgress, MigrationError>
  /** Builds, signs and checks everything, and sends nothing that changes anything. */
  readonly dryRun: (
    accounts: ReadonlyArray<AccountInput>,
    options?: Options
  ) => Effect.Effect<DryRun, MigrationError>
}

/**
 * The migration as a service.
 *
 * @since 0.1.0
 * @category services
 */
export class Migration extends Context.Tag("@effect-klaytn/wallet/Migration")<Migration, Service>() {}

/**
 * What {@link make} and {@link layer} take: a policy and look-ups, as `Wallet` does.
 *
 * @since 0.1.0
 * @category models
 */
export type MakeOptions = Wallet.MakeOptions

/**
 * Makes a migration. Captures the `MigrationJournal` of its surroundings, or keeps one in memory.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: MakeOptions = {}): Effect.Effect<Service, InvalidInput, ClientConfig | HttpClient> =>
  internal.make(options)

/**
 * A migration as a layer. Each call gives a layer with a client of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: MakeOptions = {}): Layer.Layer<Migration, InvalidInput, ClientConfig | HttpClient> =>
  Layer.effect(Migration, make(options))

/**
 * A migration as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each call gives a
 * layer with a client of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: MakeOptions & EnvironmentOptions = {}
): Layer.Layer<Migration, ConfigError | InvalidInput, HttpClient> =>
  Layer.effect(Migration, Effect.provide(make(options), Configuration.layerConfig({ ...options, service: "wallet" })))
