/**
 * The wallet: accounts, fee payers, keys, value transfers, and the registration of migrated accounts.
 *
 * **Details**
 *
 * This module has the document's six operations. Everything that the service offers beyond the document is in
 * `Transactions` and `Accounts`, `Keys`, `Multisig`. `Migration` migrates accounts from start to end.
 *
 * | Operation | Request | May be repeated by the client |
 * |---|---|---|
 * | `getAccounts` | `GET /v2/account` | yes |
 * | `createAccount` | `POST /v2/account` | no |
 * | `getFeePayers` | `GET /v2/feepayer` | yes |
 * | `sendValue` | `POST /v2/tx/value` | only with a nonce above 0 |
 * | `createKeys` | `POST /v2/key` | no |
 * | `registerAccounts` | `POST /v2/registration/account` | no |
 *
 * **Example** (plan a send, show it, carry it out)
 *
 * ```ts
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 * import * as Wallet from "@effect-klaytn/wallet/Wallet"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function*() {
 *   const wallet = yield* Wallet.Wallet
 *   const plan = yield* wallet.plan({
 *     from: "0x1111111111111111111111111111111111111111",
 *     to: "0x2222222222222222222222222222222222222222",
 *     value: 1_500_000_000_000_000_000n,
 *     payer: FeeDelegation.service,
 *     nonce: 7
 *   })
 *   yield* Effect.log(plan.preview)
 *   return yield* wallet.execute(plan)
 * })
 * ```
 *
 * @since 0.1.0
 */
import type { ClientConfig, EnvironmentOptions } from "@effect-klaytn/core/ClientConfig"
import * as Configuration from "@effect-klaytn/core/ClientConfig"
import type { KeyId } from "@effect-klaytn/core/KeyId"
import type * as Paged from "@effect-klaytn/core/Paged"
import type { InvalidInput, ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type { Account, FeePayerAccount, Key, Status } from "./Account.js"
import type { FeePayerInput } from "./FeeDelegation.js"
import * as internal from "./internal/wallet.js"
import type { RegistrationResult } from "./Registration.js"
import type { LookupFailed, NotSent, PlanChanged, SendUnknown, Submission } from "./SendOutcome.js"
import type { SendPlan } from "./SendPlan.js"
import type { SendRecord } from "./SendRecord.js"
import type * as SpendPolicy from "./SpendPolicy.js"
import type * as TransactionLookup from "./TransactionLookup.js"

/**
 * Bounds and paging of a list. Fields that are left out are not sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListInput {
  /** Only records created at this time or later, in Unix seconds. 0 or absent means no bound. */
  readonly from?: number | undefined
  /**
   * Only records created at this time or earlier (that the bound is inclusive is inferred). 0 or absent means no bound.
   */
  readonly to?: number | undefined
  /** Records per page, 1 to 1000. Absent or 0 means 100; the service takes more than 1000 as 1000. */
  readonly size?: number | undefined
  /** The cursor of the previous page, with the same bounds and size. Streams begin at this page. */
  readonly cursor?: string | undefined
}

/**
 * Input of `getAccounts`.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountsInput extends ListInput {
  /** Defaults to enabled accounts. Seen in public clients, not in the document. */
  readonly status?: Status | undefined
}

/**
 * Input of `sendValue` and `plan`.
 *
 * @since 0.1.0
 * @category models
 */
export interface SendValueInput {
  /** The sending account, in the current pool. In one case or with a correct checksum. */
  readonly from: string
  /** The receiver. */
  readonly to: string
  /** The amount in peb. */
  readonly value: bigint
  /** Text whose UTF-8 bytes become the input of the transaction, even if it looks like hexadecimal. */
  readonly memo?: string | undefined
  /** Who pays the fee: `FeeDelegation.user(address)`, `FeeDelegation.service` or `FeeDelegation.sender`. */
  readonly payer: FeePayerInput
  /**
   * The nonce of the transaction. A nonce above 0 makes the send safe to repeat, and the client repeats it. Without a
   * nonce, or with 0 (which the service reads as none), the service uses the account's next, and the send is never
   * repeated.
   */
  readonly nonce?: number | undefined
  /** The gas limit. Defaults to the service's. */
  readonly gasLimit?: number | undefined
  /** The percentage that the fee payer pays, 1 to 99. Beyond the document, and only with `FeeDelegation.withStyle`. */
  readonly feeRatio?: number | undefined
  /** `false` to only sign. Defaults to `true`. */
  readonly submit?: boolean | undefined
}

/**
 * An account to register.
 *
 * @since 0.1.0
 * @category models
 */
export interface RegistrationInput {
  /** The ID of the created key that the account was given, as a string or as returned with the key. */
  readonly keyId: string | KeyId
  readonly address: string
  /**
   * The signed fee-delegated account update, in hexadecimal. The document lists it; without it, the account must
   * already have the key (seen).
   */
  readonly rlp?: string | undefined
}

/**
 * The operations of the wallet.
 *
 * **Details**
 *
 * Input is checked before anything is sent. The service answers an empty list with a failure (HTTP 400, code 1061010,
 * seen); here it is an empty page, and after another page it is the end.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The accounts, newest first. */
  readonly getAccounts: Paged.List<AccountsInput, Account, ReadError>
  /** Creates an account in the current pool, see `Pool`. */
  readonly createAccount: Effect.Effect<Account, ServiceError | SpendPolicy.SpendRefused>
  /** The fee payers, newest first. */
  readonly getFeePayers: Paged.List<ListInput, FeePayerAccount, ReadError>
  /** Sends value: `plan` and `execute` in one. See `SendOutcome` for the five outcomes. */
  readonly sendValue: (input: SendValueInput) => Effect.Effect<Submission, NotSent | SendUnknown>
  /** Prepares a send for review. Sends nothing. */
  readonly plan: (input: SendValueInput) => Effect.Effect<SendPlan, InvalidInput>
  /**
   * Makes the record of a plan: all that is needed to find out later what became of its send. Store it before the send.
   * Without a nonce above 0, the account's nonces are looked up; if that fails, a send could not be found again.
   */
  readonly prepare: (plan: SendPlan) => Effect.Effect<SendRecord, PlanChanged | LookupFailed>
  /**
   * Carries out an unchanged plan of this wallet, or its record, whichever process made it. `approved` is the digest that was approved; a plan with a different
   * digest is refused.
   */
  readonly execute: (plan: SendPlan | SendRecord, approved?: string) => Effect.Effect<Submission, NotSent | SendUnknown>
  /**
   * Creates the requested number of keys, at most 100 per call. The keys of a call are emitted as soon as it answers;
   * if a later call fails, the stream fails after the keys created so far. A call with an unknown outcome fails with
   * `OutcomeUnknown` and may have created keys that are lost.
   */
  readonly createKeys: (count: number) => Stream.Stream<Key, ServiceError | SpendPolicy.SpendRefused>
  /**
   * Registers accounts that were given created keys, `chunkSize` (default 100) per call, and emits the result for each,
   * in the given order.
   *
   * If the service refuses a call because of its content, each of its accounts is `Refused` and the next call is made.
   * After any other failure the accounts of that call are `Refused` or `Unclear` and the stream fails: no registration
   * was requested for accounts without a result. To resume, pass the accounts that are not `Registered`.
   */
  readonly registerAccounts: (
    accounts: ReadonlyArray<RegistrationInput>,
    options?: { readonly chunkSize?: number | undefined }
  ) => Stream.Stream<RegistrationResult, ServiceError | SpendPolicy.SpendRefused>
}

/**
 * The wallet as a service.
 *
 * @since 0.1.0
 * @category services
 */
export class Wallet extends Context.Tag("@effect-klaytn/wallet/Wallet")<Wallet, Service>() {}

/**
 * Options of {@link make} and {@link layer}.
 *
 * @since 0.1.0
 * @category models
 */
export interface MakeOptions {
  /**
   * What may be spent: rules, or a policy made with `SpendPolicy.make`, which can be shared. Without one, everything is
   * allowed on testnet and nothing on mainnet.
   */
  readonly policy?: SpendPolicy.Service | SpendPolicy.Rules | undefined
  /** Looks up what became of a transaction. Defaults to the service and its node. */
  readonly lookup?: TransactionLookup.Service | undefined
}

/**
 * Makes a client. Fails with `InvalidInput` if the configuration has no base address for `wallet`, or the policy is
 * invalid.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: MakeOptions = {}): Effect.Effect<Service, InvalidInput, ClientConfig | HttpClient> =>
  internal.make(options)

/**
 * Provides a client as a layer. Each call creates a layer with its own client.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: MakeOptions = {}): Layer.Layer<Wallet, InvalidInput, ClientConfig | HttpClient> =>
  Layer.effect(Wallet, make(options))

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: MakeOptions & EnvironmentOptions = {}
): Layer.Layer<Wallet, ConfigError | InvalidInput, HttpClient> =>
  Layer.effect(Wallet, Effect.provide(make(options), Configuration.layerConfig({ ...options, service: "wallet" })))
