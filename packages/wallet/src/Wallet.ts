/**
 * The wallet: accounts, fee payers, keys, sending value, and registering accounts that were moved in.
 *
 * **Details**
 *
 * The six operations of the document. Everything else that the service offers, under paths that the document does not
 * name, is in `Transactions` and `WalletAdditions`; moving accounts in from start to end is `Migration`.
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
import type { Account, FeePayerAccount, Status } from "./Account.js"
import type { FeePayerInput } from "./FeeDelegation.js"
import * as internal from "./internal/wallet.js"
import type { Key } from "./Key.js"
import type { RegistrationResult } from "./Registration.js"
import type { NotSent, SendUnknown, Submission } from "./SendOutcome.js"
import type { SendPlan } from "./SendPlan.js"
import type * as SpendPolicy from "./SpendPolicy.js"
import type * as TransactionLookup from "./TransactionLookup.js"

/**
 * Bounds and paging of a list. What is left out is not sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListInput {
  /** Only what was created at this time or later, in Unix seconds; 0 and none mean no bound. */
  readonly from?: number | undefined
  /** Only what was created at this time or earlier (that it is included is inferred); 0 and none mean no bound. */
  readonly to?: number | undefined
  /** Records in a page: 1 to 1000, 100 when absent or 0; the service takes more than 1000 as 1000. */
  readonly size?: number | undefined
  /** From the page before, with the same bounds and size. Streams begin at this page. */
  readonly cursor?: string | undefined
}

/**
 * Input of `getAccounts`.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountsInput extends ListInput {
  /** Enabled ones when absent. Seen in public clients, not in the document. */
  readonly status?: Status | undefined
}

/**
 * Input of `sendValue` and `plan`.
 *
 * @since 0.1.0
 * @category models
 */
export interface SendValueInput {
  /** The sending account, in the pool in force. In one case, or with a correct checksum. */
  readonly from: string
  /** The receiver. */
  readonly to: string
  /** The amount in peb. */
  readonly value: bigint
  /** Text; its UTF-8 bytes become the input of the transaction, also when it looks like hexadecimal. */
  readonly memo?: string | undefined
  /** Who pays the fee: `FeeDelegation.user(address)`, `FeeDelegation.service` or `FeeDelegation.sender`. */
  readonly payer: FeePayerInput
  /**
   * The nonce of the transaction. Above 0 it makes the send safe to repeat, and the client repeats it. Without one, or
   * with 0 (which the service reads as none), the service takes the account's next, and the send is never repeated.
   */
  readonly nonce?: number | undefined
  /** The most gas it may use; the service's default when absent. */
  readonly gasLimit?: number | undefined
  /** The percentage that the fee payer pays, 1 to 99. Beyond the document, and only with `FeeDelegation.withWay`. */
  readonly feeRatio?: number | undefined
  /** `false` to sign only; `true` when absent. */
  readonly submit?: boolean | undefined
}

/**
 * An account to register.
 *
 * @since 0.1.0
 * @category models
 */
export interface RegistrationInput {
  /** The created key that the account was given, as text or as it came with the key. */
  readonly keyId: string | KeyId
  readonly address: string
  /**
   * The signed fee-delegated account update, in hexadecimal. The document lists it; without it the account must have
   * been given the key already (seen).
   */
  readonly rlp?: string | undefined
}

/**
 * The operations of the wallet.
 *
 * **Details**
 *
 * Input is checked before anything is sent. The service answers an empty list as a failure (HTTP 400, code 1061010,
 * seen); here it is an empty page, and behind a page it is the end.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The accounts, newest first. */
  readonly getAccounts: Paged.List<AccountsInput, Account, ReadError>
  /** Creates an account in the pool in force, see `Pool`. */
  readonly createAccount: Effect.Effect<Account, ServiceError | SpendPolicy.SpendRefused>
  /** The fee payers, newest first. */
  readonly getFeePayers: Paged.List<ListInput, FeePayerAccount, ReadError>
  /** Sends value: `plan` and `execute` in one. See `SendOutcome` for the five ways it ends. */
  readonly sendValue: (input: SendValueInput) => Effect.Effect<Submission, NotSent | SendUnknown>
  /** Prepares a send for a person to read. Sends nothing. */
  readonly plan: (input: SendValueInput) => Effect.Effect<SendPlan, InvalidInput>
  /**
   * Carries out a plan of this wallet that was not changed. `approved` is the digest that somebody agreed to; a plan
   * with another digest is refused.
   */
  readonly execute: (plan: SendPlan, approved?: string) => Effect.Effect<Submission, NotSent | SendUnknown>
  /**
   * Creates keys, as many as asked, at most 100 a call. Each is delivered as soon as its call has answered; if a later
   * call fails, the stream fails after what was created so far. A call whose outcome is not known fails as
   * `OutcomeUnknown` and may have made keys that nobody knows of.
   */
  readonly createKeys: (count: number) => Stream.Stream<Key, ServiceError | SpendPolicy.SpendRefused>
  /**
   * Registers accounts that were given created keys, `chunkSize` (100 unless given) a call, and tells what became of
   * each, in the order given.
   *
   * A call that the service refuses for its content makes each of its accounts `Refused`, and the next call is made.
   * After any other failure the accounts of that call are `Refused` or `Unclear`, and the stream fails: what was not
   * delivered was not asked for. To go on, give it the accounts that are not `Registered`.
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
 * What {@link make} and {@link layer} take.
 *
 * @since 0.1.0
 * @category models
 */
export interface MakeOptions {
  /**
   * What may be spent: rules, or a policy that was made with `SpendPolicy.make` and may be shared. Without one everything
   * goes on testnet and nothing on mainnet.
   */
  readonly policy?: SpendPolicy.Service | SpendPolicy.Options | undefined
  /** Where it is looked up what became of a transaction; the service and its node unless given. */
  readonly lookup?: TransactionLookup.Service | undefined
}

/**
 * Makes a client. Fails as `InvalidInput` if the configuration has no base address for `wallet`, or the policy makes no
 * sense.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: MakeOptions = {}): Effect.Effect<Service, InvalidInput, ClientConfig | HttpClient> =>
  internal.make(options)

/**
 * A client as a layer. Each call gives a layer with a client of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: MakeOptions = {}): Layer.Layer<Wallet, InvalidInput, ClientConfig | HttpClient> =>
  Layer.effect(Wallet, make(options))

/**
 * A client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each call gives a
 * layer with a client of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: MakeOptions & EnvironmentOptions = {}
): Layer.Layer<Wallet, ConfigError | InvalidInput, HttpClient> =>
  Layer.effect(Wallet, Effect.provide(make(options), Configuration.layerConfig({ ...options, service: "wallet" })))
