/**
 * The wallet: accounts, fee payers, keys, value transfers, and the registration of migrated accounts.
 *
 * **Details**
 *
 * This module has the API document's six operations. The other operations of the service, which are not in the API
 * document, are in `Transactions` and `Accounts`, `Keys`, `Multisig`. `Migration` migrates accounts from start to end.
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
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Input from "@effect-klaytn/core/Input"
import type * as Operation from "@effect-klaytn/core/Operation"
import type * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Account, type FeePayerAccount, type Key, maxKeysInOneCall, Status } from "./Account.js"
import * as registration from "./internal/accounts/accountRegistration.js"
import { harmless } from "./internal/client/client.js"
import * as fields from "./internal/contract/fields.js"
import * as sending from "./internal/sends/sending.js"
import type { RegistrationResult } from "./Registration.js"
import type { LookupFailed, NotSent, PlanChanged, Sending, SendUnknown, Submission } from "./SendOutcome.js"
import type { SendPlan } from "./SendPlan.js"
import type { SendRecord } from "./SendRecord.js"
import type * as SpendPolicy from "./SpendPolicy.js"
import * as Api from "./WalletApi.js"

/**
 * Bounds and paging of a list. Fields that are left out are not sent.
 *
 * @category models
 */
export interface ListInput extends Input.Of<typeof fields.list> {}

const accountList = {
  ...fields.list,
  /** Defaults to enabled accounts. Seen in public clients, not in the API document. */
  status: Schema.optional(Input.oneOf(Status, "a status is one of enabled, disabled, all and corrupted"))
}

/**
 * Input of `getAccounts`.
 *
 * @category models
 */
export interface AccountsInput extends Input.Of<typeof accountList> {}

const valueTransfer = {
  /** The sending account, in the current pool. In one case or with a correct checksum. */
  from: Address.FromInput,
  /** The receiver. */
  to: Address.FromInput,
  /** The amount in peb. */
  value: Amount.Peb,
  /** Text whose UTF-8 bytes become the input of the transaction, even if it looks like hexadecimal. */
  memo: Schema.optional(fields.notEmpty("leave memo out for a transaction without one")),
  ...fields.send
}

/**
 * Input of `sendValue` and `plan`.
 *
 * @category models
 */
export interface SendValueInput extends Input.Of<typeof valueTransfer> {}

/**
 * An account to register.
 *
 * @category models
 */
export interface RegistrationInput extends Input.Of<typeof registration.account> {}

const registrationOptions = {
  /** How many accounts one call registers. Defaults to 100. */
  chunkSize: Schema.optional(Input.wholeNumber("the size of a chunk is a whole number, 1 or more", 1))
}

/**
 * Options of `registerAccounts`.
 *
 * @category models
 */
export interface RegistrationOptions extends Input.Of<typeof registrationOptions> {}

/**
 * The operations of the wallet.
 *
 * **Details**
 *
 * Input is checked before anything is sent. The service answers an empty list with a failure (HTTP 400, code 1061010,
 * seen); here it is an empty page, and after another page it is the end.
 *
 * @category models
 */
export interface Service {
  /** The accounts, newest first. */
  readonly getAccounts: Paged.List<AccountsInput, Account, ServiceError.ReadError>
  /** Creates an account in the current pool, see `Pool`. */
  readonly createAccount: Effect.Effect<Account, ServiceError.ServiceError | SpendPolicy.SpendRefused>
  /** The fee payers, newest first. */
  readonly getFeePayers: Paged.List<ListInput, FeePayerAccount, ServiceError.ReadError>
  /** Sends value: `plan` and `execute` in one. See `SendOutcome` for the five outcomes. */
  readonly sendValue: Sending<SendValueInput>
  /** Prepares a send for review. Sends nothing. */
  readonly plan: (input: SendValueInput) => Effect.Effect<SendPlan, ServiceError.InvalidInput>
  /**
   * Makes the record of a plan: all that is needed to find out later what became of its send. Store it before the send.
   * Without a nonce above 0, the account's nonces are looked up; if that fails, a send could not be found again.
   */
  readonly prepare: (plan: SendPlan) => Effect.Effect<SendRecord, PlanChanged | LookupFailed>
  /**
   * Carries out an unchanged plan of this wallet, or its record, whichever process made it. `approved` is the digest
   * that was approved; a plan with a different digest is refused.
   */
  readonly execute: (plan: SendPlan | SendRecord, approved?: string) => Effect.Effect<Submission, NotSent | SendUnknown>
  /**
   * Creates the requested number of keys, at most 100 per call. The keys of a call are emitted as soon as it answers;
   * if a later call fails, the stream fails after the keys created so far. A call with an unknown outcome fails with
   * `OutcomeUnknown` and may have created keys that are lost.
   */
  readonly createKeys: (count: number) => Stream.Stream<Key, ServiceError.ServiceError | SpendPolicy.SpendRefused>
  /**
   * Registers accounts with their created keys, in chunks, and emits one result per account, in the same order.
   *
   * If the service refuses a call because of its content, each of its accounts is `Refused` and the next call is made.
   * After any other failure the accounts of that call are `Refused` or `Unclear` and the stream fails: no registration
   * was requested for accounts without a result. To resume, pass the accounts that are not `Registered`.
   */
  readonly registerAccounts: (
    accounts: ReadonlyArray<RegistrationInput>,
    options?: RegistrationOptions
  ) => Stream.Stream<RegistrationResult, ServiceError.ServiceError | SpendPolicy.SpendRefused>
}

/**
 * The wallet as a service.
 *
 * @category services
 */
export class Wallet extends Context.Tag("@effect-klaytn/wallet/Wallet")<Wallet, Service>() {}

/**
 * Options of {@link make} and {@link layer}.
 *
 * @category models
 */
export interface Options extends sending.Options {}

const readSendValue = Input.decode(Api.sendValue.name, Schema.Struct(valueTransfer))
const readKeyCount = Input.decode(Api.createKeys.name, fields.KeyCount)
const readRegistrationOptions = Input.decode(Api.registerAccounts.name, Schema.Struct(registrationOptions))

const noKeys = (asked: number): ServiceError.MalformedResponse =>
  new ServiceError.MalformedResponse({
    operation: Api.createKeys.name,
    retrySafe: true,
    attempts: [],
    status: 200,
    path: ["items"],
    expected: `${asked} keys`,
    actual: "none"
  })

/**
 * Makes a client. Fails with `InvalidInput` if the configuration has no base address for `wallet`, or the policy is
 * invalid.
 *
 * @category constructors
 */
export const make = (options: Options = {}): ServiceClient.Make<Service> =>
  Effect.gen(function*() {
    const context = yield* sending.makeContext(options)
    const { client } = context
    const { change, list } = client

    /** The header of an operation for which the API document lists none: only the current pool is named. */
    const unlistedHeader = ({ name }: Operation.Descriptor) =>
      Effect.map(client.accountPool(name, false), fields.poolHeader)

    const { execute, plan, prepare, send } = sending.make(
      context,
      Api.sendValue.name,
      (input: SendValueInput) =>
        Effect.map(readSendValue(input), ({ from, memo, to, value, ...rest }) => ({
          ...rest,
          request: { _tag: "Value", from, to, value, ...(memo === undefined ? {} : { memo }) }
        }))
    )

    const registerAccounts: Service["registerAccounts"] = (accounts, options = {}) =>
      Stream.unwrap(Effect.gen(function*() {
        const { chunkSize = 100 } = yield* readRegistrationOptions(options)
        const registrations = yield* registration.read(accounts, client.settings.chain)
        const headers = yield* unlistedHeader(Api.registerAccounts)
        return registration.register(registrations, chunkSize, (payload, change) =>
          client.call(Api.registerAccounts, { headers, payload }).pipe(
            client.guard(Api.registerAccounts.name, change)
          ))
      }))

    /** The next keys, if any are left to create; an answer without a key fails, so that the calls always end. */
    const nextKeys = Effect.fnUntraced(function*(headers: fields.PoolHeader, left: number) {
      if (left <= 0) {
        return Option.none()
      }
      const size = Math.min(left, maxKeysInOneCall)
      const { items } = yield* client.call(Api.createKeys, { headers, payload: { size } }).pipe(
        client.guard(Api.createKeys.name, harmless())
      )
      if (items.length === 0) {
        return yield* noKeys(size)
      }
      return Option.some([Chunk.fromIterable(items), left - items.length] as const)
    })

    return {
      getAccounts: list(Api.getAccounts, accountList, fields.bounds, {
        added: unlistedHeader(Api.getAccounts),
        run: fields.orEmpty
      }),
      createAccount: change(Api.createAccount, {}, {}, harmless)({}),
      getFeePayers: list(Api.getFeePayers, fields.list, fields.bounds, {
        added: unlistedHeader(Api.getFeePayers),
        run: fields.orEmpty
      }),
      plan,
      prepare,
      execute,
      sendValue: send,
      createKeys: (count: number) =>
        Stream.unwrap(Effect.gen(function*() {
          const wanted = yield* readKeyCount(count)
          const headers = yield* unlistedHeader(Api.createKeys)
          return Stream.unfoldChunkEffect(wanted, (left) =>
            nextKeys(headers, left))
        })),
      registerAccounts
    }
  })

/**
 * Provides a client as a layer. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(Wallet, make)

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(Wallet, "wallet", make)
