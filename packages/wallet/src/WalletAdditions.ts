/**
 * What the wallet offers beyond the document: single accounts, fee payers, keys, multisig transactions, receipts,
 * contract reads, counts and charged fees.
 *
 * **Beyond the document**: everything here was seen in public clients of the service, which may answer differently, or
 * not at all. "Not found" fails with `NotFound` (code 1061010); an empty list is an empty page.
 *
 * **Details**
 *
 * | Operation | Request | May be repeated by the client |
 * |---|---|---|
 * | `getAccount` | `GET /v2/account/{address}` | yes |
 * | `deleteAccount` | `DELETE /v2/account/{address}` | no |
 * | `disableAccount`, `enableAccount` | `PUT /v2/account/{address}/disable`, `.../enable` | no |
 * | `updateMultiSig` | `PUT /v2/account/{address}/multisig` | no |
 * | `getAccountsByPublicKey` | `GET /v2/pubkey/{public-key}/account` | yes |
 * | `createFeePayer` | `POST /v2/feepayer` | no |
 * | `getFeePayer`, `deleteFeePayer` | `GET`, `DELETE /v2/feepayer/{address}` | yes, no |
 * | `getKeys`, `getKey`, `deleteKey` | `GET /v2/key`, `GET`, `DELETE /v2/key/{key-id}` | yes, yes, no |
 * | `sign` | `POST /v2/key/{key-id}/sign` | yes |
 * | `getTransaction` | `GET /v2/tx/{transaction-hash}` | yes |
 * | `callContract` | `POST /v2/tx/contract/call` | yes |
 * | `getPendingTransactions` | `GET /v2/multisig/account/{address}/tx` | yes |
 * | `signPending` | `POST /v2/multisig/account/{address}/tx/{transaction-id}/sign` | yes |
 * | `addSignatures` | `POST /v2/multisig/tx/{transaction-id}/sign` | yes |
 * | `getSignature` | `POST /v2/account/{address}/tx/{transaction-id}/sign` | yes |
 * | `countAccounts`, `countAccountsInPool` | `GET /v2/stat/count`, `GET /v2/stat/count/krn` | yes |
 * | `getChargedFees`, `getChargedFee` | `GET /v2/history/fd/tx`, `.../{transaction-hash}` | yes |
 *
 * The spending policy is consulted before `updateMultiSig`, `sign`, `signPending`, `addSignatures` and `getSignature`:
 * they can move assets, and how much can't be seen.
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Chain } from "@effect-klaytn/core/Chain"
import type { ClientConfig, EnvironmentOptions } from "@effect-klaytn/core/ClientConfig"
import * as Configuration from "@effect-klaytn/core/ClientConfig"
import type { HexData } from "@effect-klaytn/core/Hex"
import type { KeyId } from "@effect-klaytn/core/KeyId"
import type { Krn } from "@effect-klaytn/core/Krn"
import type * as Paged from "@effect-klaytn/core/Paged"
import type { InvalidInput, ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Account, FeePayerAccount } from "./Account.js"
import type { ChargedFee } from "./ChargedFee.js"
import * as internal from "./internal/walletAdditions.js"
import type { Key } from "./Key.js"
import type { PendingTransaction, SigningStatus } from "./PendingTransaction.js"
import type { Receipt } from "./Receipt.js"
import type { SpendRefused } from "./SpendPolicy.js"
import type { Signature } from "./TransactionResult.js"
import type { ListInput } from "./Wallet.js"
import type * as Wallet from "./Wallet.js"
import type * as WalletAdditionsApi from "./WalletAdditionsApi.js"

/** An account given by its address. *
 * @since 0.1.0
 * @category models
 */
export interface AddressInput {
  readonly address: string
}

/**
 * Input of `updateMultiSig`: the keys in either form, and the weight that the signatures must reach.
 *
 * @since 0.1.0
 * @category models
 */
export interface MultiSigInput extends AddressInput {
  readonly threshold: number
  readonly weightedKeys: ReadonlyArray<{ readonly publicKey: string; readonly weight: number }>
}

/**
 * A key, by its ID as a string or as returned with the key.
 *
 * @since 0.1.0
 * @category models
 */
export interface KeyInput {
  readonly keyId: string | KeyId
}

/**
 * Input of `keys`: the pool is required.
 *
 * @since 0.1.0
 * @category models
 */
export interface KeysInput {
  readonly pool: Krn
  readonly size?: number | undefined
  readonly cursor?: string | undefined
}

/**
 * Input of `callContract`. `type` is an ABI type such as `uint256` or `address[]`; `value` is what the service accepts
 * for it: a number, string, boolean or array. Write large numbers as strings.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallInput {
  readonly to: string
  readonly method: string
  readonly arguments: ReadonlyArray<{ readonly type: string; readonly value: unknown }>
  readonly from?: string | undefined
  readonly value?: bigint | undefined
  readonly gas?: number | undefined
}

/**
 * A multisig transaction and the account that signs it.
 *
 * @since 0.1.0
 * @category models
 */
export interface PendingInput extends AddressInput {
  readonly transactionId: string
}

/**
 * The operations.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly getAccount: (input: AddressInput) => Effect.Effect<Account, ReadError>
  readonly deleteAccount: (
    input: AddressInput
  ) => Effect.Effect<{ readonly status: string }, ServiceError | SpendRefused>
  readonly disableAccount: (
    input: AddressInput
  ) => Effect.Effect<typeof WalletAdditionsApi.ChangedAccount.Type, ServiceError | SpendRefused>
  readonly enableAccount: (
    input: AddressInput
  ) => Effect.Effect<typeof WalletAdditionsApi.ChangedAccount.Type, ServiceError | SpendRefused>
  /** Gives an account of the wallet several keys, all of them keys of the customer's accounts. */
  readonly updateMultiSig: (
    input: MultiSigInput
  ) => Effect.Effect<typeof WalletAdditionsApi.MultiSigAccount.Type, ServiceError | SpendRefused>
  /** The accounts that a public key controls. */
  readonly getAccountsByPublicKey: (input: {
    readonly publicKey: string
  }) => Effect.Effect<ReadonlyArray<{ readonly address: Address; readonly chainId: Chain }>, ReadError>
  /**
   * Creates a fee payer. Unless `withoutAccountUpdate` is set, it gets a key that can only pay fees.
   */
  readonly createFeePayer: (input?: {
    readonly withoutAccountUpdate?: boolean | undefined
  }) => Effect.Effect<FeePayerAccount, ServiceError | SpendRefused>
  readonly getFeePayer: (input: AddressInput) => Effect.Effect<FeePayerAccount, ReadError>
  readonly deleteFeePayer: (
    input: AddressInput
  ) => Effect.Effect<{ readonly status: string }, ServiceError | SpendRefused>
  /** The keys of a pool. */
  readonly getKeys: Paged.List<KeysInput, typeof WalletAdditionsApi.ListedKey.Type, ReadError>
  readonly getKey: (input: KeyInput) => Effect.Effect<Key, ReadError>
  readonly deleteKey: (input: KeyInput) => Effect.Effect<{ readonly status: string }, ServiceError | SpendRefused>
  /** Signs 32 bytes with a key. Returns 65 bytes: r, s and the recovery bit. */
  readonly sign: (input: KeyInput & { readonly data: string }) => Effect.Effect<HexData, ServiceError | SpendRefused>
  /** The receipt of a transaction; an unknown one fails with `Rejected` and code 1065000. */
  readonly getTransaction: (input: { readonly transactionHash: string }) => Effect.Effect<Receipt, ReadError>
  /** Calls a method of a contract without changing anything. Returns the encoded call and its result. */
  readonly callContract: (
    input: CallInput
  ) => Effect.Effect<{ readonly data: HexData; readonly result: HexData }, ServiceError>
  /** The waiting multisig transactions of a multisig account or of one of its signers. */
  readonly getPendingTransactions: Paged.List<AddressInput & ListInput, PendingTransaction, ReadError>
  /**
   * Adds the signature of an account of the wallet. The service sends the transaction when the threshold is met. If it
   * was already sent, the call fails with `Rejected` and code 1061914, see `WalletCode.namedHash`.
   */
  readonly signPending: (input: PendingInput) => Effect.Effect<SigningStatus, ServiceError | SpendRefused>
  /** Adds signatures that were made elsewhere. */
  readonly addSignatures: (input: {
    readonly transactionId: string
    readonly signatures: ReadonlyArray<Signature>
  }) => Effect.Effect<SigningStatus, ServiceError | SpendRefused>
  /** Makes a signature with an account of the wallet without adding it. */
  readonly getSignature: (input: PendingInput) => Effect.Effect<Signature, ServiceError | SpendRefused>
  /** The number of accounts and keys of the customer. */
  readonly countAccounts: Effect.Effect<{ readonly accountId: string; readonly count: number }, ReadError>
  /** The number of accounts in the current pool, see `Pool`. */
  readonly countAccountsInPool: Effect.Effect<
    { readonly accountId: string; readonly count: number; readonly krn: Krn },
    ReadError
  >
  /** Fees that the service's global fee payer paid; `from` is the sender. */
  readonly getChargedFees: Paged.List<
    { readonly from?: string | undefined; readonly size?: number | undefined; readonly cursor?: string | undefined },
    ChargedFee,
    ReadError
  >
  readonly getChargedFee: (input: { readonly transactionHash: string }) => Effect.Effect<ChargedFee, ReadError>
}

/**
 * The additions as a service.
 *
 * @since 0.1.0
 * @category services
 */
export class WalletAdditions extends Context.Tag("@effect-klaytn/wallet/WalletAdditions")<
  WalletAdditions,
  Service
>() {}

/**
 * Options of {@link make} and {@link layer}: a policy and look-ups, as for `Wallet`.
 *
 * @since 0.1.0
 * @category models
 */
export type MakeOptions = Wallet.MakeOptions

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
export const layer = (
  options: MakeOptions = {}
): Layer.Layer<WalletAdditions, InvalidInput, ClientConfig | HttpClient> => Layer.effect(WalletAdditions, make(options))

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: MakeOptions & EnvironmentOptions = {}
): Layer.Layer<WalletAdditions, ConfigError | InvalidInput, HttpClient> =>
  Layer.effect(
    WalletAdditions,
    Effect.provide(make(options), Configuration.layerConfig({ ...options, service: "wallet" }))
  )
