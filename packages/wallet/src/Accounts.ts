/**
 * Single accounts and fee payers of the wallet: getting, deleting, disabling and counting them, and creating fee
 * payers. `Wallet` creates accounts and lists both.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all. "Not found" fails with `NotFound` (code 1061010).
 *
 * **Details**
 *
 * | Operation | Request | May be repeated by the client |
 * |---|---|---|
 * | `getAccount` | `GET /v2/account/{address}` | yes |
 * | `deleteAccount` | `DELETE /v2/account/{address}` | no |
 * | `disableAccount`, `enableAccount` | `PUT /v2/account/{address}/disable`, `.../enable` | no |
 * | `getAccountsByPublicKey` | `GET /v2/pubkey/{public-key}/account` | yes |
 * | `createFeePayer` | `POST /v2/feepayer` | no |
 * | `getFeePayer`, `deleteFeePayer` | `GET`, `DELETE /v2/feepayer/{address}` | yes, no |
 * | `countAccounts`, `countAccountsInPool` | `GET /v2/stat/count`, `GET /v2/stat/count/krn` | yes |
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Chain } from "@effect-klaytn/core/Chain"
import type * as Input from "@effect-klaytn/core/Input"
import type { Krn } from "@effect-klaytn/core/Krn"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Account, Deleted, FeePayerAccount } from "./Account.js"
import * as Api from "./AccountsApi.js"
import * as Client from "./internal/client/client.js"
import { accountAddress, Uncompressed } from "./internal/contract/fields.js"
import type { SpendRefused } from "./SpendPolicy.js"
import type * as Wallet from "./Wallet.js"
import { codes } from "./WalletCode.js"

/**
 * An account given by its address.
 *
 * @category models
 */
export interface AddressInput extends Input.Of<typeof accountAddress> {}

const accountToDelete = {
  ...accountAddress,
  /** Whether the account may have coin: a gateway of your own refuses to delete one that has without it. Default: false. */
  withCoin: Schema.optional(Schema.Boolean)
}

/**
 * Input of `deleteAccount` and `deleteFeePayer`.
 *
 * @category models
 */
export interface DeletionInput extends Input.Of<typeof accountToDelete> {}

const ofPublicKey = {
  /** The key, compressed or not, in hexadecimal. */
  publicKey: Uncompressed
}

/**
 * Input of `getAccountsByPublicKey`.
 *
 * @category models
 */
export interface PublicKeyInput extends Input.Of<typeof ofPublicKey> {}

const newFeePayer = {
  /** `true` for a fee payer whose key can also send. By default it gets a key that can only pay fees. */
  withoutAccountUpdate: Schema.optional(Schema.Boolean)
}

/**
 * Input of `createFeePayer`.
 *
 * @category models
 */
export interface CreateFeePayerInput extends Input.Of<typeof newFeePayer> {}

/**
 * The operations.
 *
 * @category models
 */
export interface Service {
  readonly getAccount: (input: AddressInput) => Effect.Effect<Account, ReadError>
  /**
   * Deletes an account. If the answer is lost, the account is read: it is a success if the pool has no such account.
   * Otherwise fails with `NotFound` if the pool has none. Where something below the SDK delivers the request twice, this
   * can be the answer to the second copy, after the first one has deleted the account.
   */
  readonly deleteAccount: (input: DeletionInput) => Effect.Effect<Deleted, ServiceError | SpendRefused>
  /**
   * Disables an account. One that is disabled already, also by another copy of this request, is a success; one that is
   * unknown or deleted fails with `Rejected`.
   */
  readonly disableAccount: (input: AddressInput) => Effect.Effect<Api.ChangedAccount, ServiceError | SpendRefused>
  /** Enables a disabled account. One that is enabled already is a success; one that is unknown fails with `Rejected`. */
  readonly enableAccount: (input: AddressInput) => Effect.Effect<Api.ChangedAccount, ServiceError | SpendRefused>
  /** The accounts that a public key controls. */
  readonly getAccountsByPublicKey: (
    input: PublicKeyInput
  ) => Effect.Effect<ReadonlyArray<{ readonly address: Address; readonly chainId: Chain }>, ReadError>
  /** Creates a fee payer. */
  readonly createFeePayer: (input?: CreateFeePayerInput) => Effect.Effect<FeePayerAccount, ServiceError | SpendRefused>
  readonly getFeePayer: (input: AddressInput) => Effect.Effect<FeePayerAccount, ReadError>
  readonly deleteFeePayer: (input: DeletionInput) => Effect.Effect<Deleted, ServiceError | SpendRefused>
  /** The number of accounts and keys of the customer. */
  readonly countAccounts: Effect.Effect<{ readonly accountId: string; readonly count: number }, ReadError>
  /** The number of accounts in the current pool, see `Pool`. */
  readonly countAccountsInPool: Effect.Effect<
    { readonly accountId: string; readonly count: number; readonly krn: Krn },
    ReadError
  >
}

/**
 * Accounts and fee payers as a service.
 *
 * @category services
 */
export class Accounts extends Context.Tag("@effect-klaytn/wallet/Accounts")<Accounts, Service>() {}

/**
 * Options of {@link make} and {@link layer}: a spending policy, as for `Wallet`.
 *
 * @category models
 */
export type Options = Pick<Wallet.Options, "policy">

/**
 * Makes a client. Fails with `InvalidInput` if the configuration has no base address for `wallet`, or the policy is
 * invalid.
 *
 * @category constructors
 */
export const make = (options: Options = {}): ServiceClient.Make<Service> =>
  Effect.map(Client.make(options.policy), ({ change, read }) => {
    const { harmless, opaque } = Client
    const byPublicKey = read(Api.getAccountsByPublicKey, ofPublicKey, {})
    const createFeePayer = change(Api.createFeePayer, newFeePayer, {}, harmless)
    const getAccount = read(Api.getAccount, accountAddress, {})
    const deleteAccount = change(Api.deleteAccount, accountToDelete, {}, opaque)
    /** Changes the state. If it is refused with `code`, the account already has the state, and is returned as it is. */
    const changeState = (
      operation: typeof Api.disableAccount | typeof Api.enableAccount,
      code: number
    ): Service["disableAccount"] => {
      const changed = change(operation, accountAddress, {}, harmless)
      return (input) =>
        Effect.catchIf(
          changed(input),
          (error) => "code" in error && error.code === code,
          // The same code means that the account is unknown: then the account can't be read, and the refusal stands.
          (refusal) =>
            Effect.mapBoth(getAccount(input), {
              onFailure: () => refusal,
              onSuccess: ({ address, krn, updatedAt }) => ({ address, krn, updatedAt })
            })
        )
    }
    return {
      getAccount,
      deleteAccount: (input) =>
        Effect.catchTag(deleteAccount(input), "OutcomeUnknown", (unknown) =>
          Effect.matchEffect(getAccount(input), {
            onSuccess: () => Effect.fail(unknown),
            onFailure: (error) =>
              "code" in error && error.code === codes.noData
                ? Effect.succeed({ status: "deleted" })
                : Effect.fail(unknown)
          })),
      disableAccount: changeState(Api.disableAccount, codes.alreadyDisabled),
      enableAccount: changeState(Api.enableAccount, codes.alreadyEnabled),
      getAccountsByPublicKey: (input) => Effect.map(byPublicKey(input), ({ items }) => items),
      createFeePayer: (input = {}) => createFeePayer(input),
      getFeePayer: read(Api.getFeePayer, accountAddress, {}),
      deleteFeePayer: change(Api.deleteFeePayer, accountToDelete, {}, opaque),
      countAccounts: read(Api.countAccounts, {}, {})({}),
      countAccountsInPool: read(Api.countAccountsInPool, {}, {})({})
    }
  })

/**
 * Provides a client as a layer. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(Accounts, make)

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(Accounts, "wallet", make)
