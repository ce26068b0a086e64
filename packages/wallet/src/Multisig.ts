/**
 * Multisig accounts: giving an account several keys, and signing the transactions that wait for signatures.
 *
 * **Beyond the document**: everything here was seen in public clients of the service, which may answer differently, or
 * not at all. An empty list is an empty page.
 *
 * **Details**
 *
 * | Operation | Request | May be repeated by the client |
 * |---|---|---|
 * | `updateMultiSig` | `PUT /v2/account/{address}/multisig` | no |
 * | `getPendingTransactions` | `GET /v2/multisig/account/{address}/tx` | yes |
 * | `signPending` | `POST /v2/multisig/account/{address}/tx/{transaction-id}/sign` | yes |
 * | `addSignatures` | `POST /v2/multisig/tx/{transaction-id}/sign` | yes |
 * | `getSignature` | `POST /v2/account/{address}/tx/{transaction-id}/sign` | yes |
 *
 * The spending policy is consulted before all of them but the list: they can move assets, and how much can't be seen.
 *
 * @since 0.1.0
 */
import type { ClientConfig, EnvironmentOptions } from "@effect-klaytn/core/ClientConfig"
import * as Configuration from "@effect-klaytn/core/ClientConfig"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import type * as Paged from "@effect-klaytn/core/Paged"
import type { InvalidInput, ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { AddressInput } from "./Accounts.js"
import * as Client from "./internal/client.js"
import * as fields from "./internal/fields.js"
import { mostFee } from "./internal/transactionIntent.js"
import * as Api from "./MultisigApi.js"
import type { SpendRefused } from "./SpendPolicy.js"
import { Signature } from "./TransactionResult.js"
import type * as Wallet from "./Wallet.js"

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
  /** Gives an account of the wallet several keys, all of them keys of the customer's accounts. */
  readonly updateMultiSig: (input: MultiSigInput) => Effect.Effect<Api.MultiSigAccount, ServiceError | SpendRefused>
  /** The waiting transactions of a multisig account or of one of its signers. */
  readonly getPendingTransactions: Paged.List<AddressInput & Wallet.ListInput, Api.PendingTransaction, ReadError>
  /**
   * Adds the signature of an account of the wallet. The service sends the transaction when the threshold is met. If it
   * was already sent, the call fails with `Rejected` and code 1061914, see `WalletCode.namedHash`.
   */
  readonly signPending: (input: PendingInput) => Effect.Effect<Api.SigningStatus, ServiceError | SpendRefused>
  /** Adds signatures that were made elsewhere. */
  readonly addSignatures: (input: {
    readonly transactionId: string
    readonly signatures: ReadonlyArray<Signature>
  }) => Effect.Effect<Api.SigningStatus, ServiceError | SpendRefused>
  /** Makes a signature with an account of the wallet without adding it. */
  readonly getSignature: (input: PendingInput) => Effect.Effect<Signature, ServiceError | SpendRefused>
}

/**
 * Multisig as a service.
 *
 * @since 0.1.0
 * @category services
 */
export class Multisig extends Context.Tag("@effect-klaytn/wallet/Multisig")<Multisig, Service>() {}

/**
 * Options of {@link make} and {@link layer}: a spending policy, as for `Wallet`.
 *
 * @since 0.1.0
 * @category models
 */
export type MakeOptions = Pick<Wallet.MakeOptions, "policy">

const transactionId = { transactionId: Hash.FromWire }

const multiSigKeys = {
  ...fields.accountAddress,
  threshold: fields.whole("a threshold is a whole number, 1 or more", 1),
  weightedKeys: Input.atLeastOne(
    Schema.Struct({ publicKey: fields.Uncompressed, weight: fields.whole("a weight is a whole number, 1 or more", 1) }),
    "give at least one key"
  )
}

const signatures = {
  ...transactionId,
  signatures: Input.atLeastOne(Schema.typeSchema(Signature), "give at least one signature")
}

/**
 * Makes a client. Fails with `InvalidInput` if the configuration has no base address for `wallet`, or the policy is
 * invalid.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: MakeOptions = {}): Effect.Effect<Service, InvalidInput, ClientConfig | HttpClient> =>
  Effect.map(Client.make(options), ({ list, operation }) => {
    const { byPath, opaque } = Client
    const pendingId = { ...fields.accountAddress, ...transactionId }
    return {
      updateMultiSig: operation(
        Api.updateMultiSig,
        multiSigKeys,
        ({ address, ...payload }, headers) => ({ path: { address }, headers, payload }),
        ({ address }) => ({ from: address, fee: mostFee(), opaque: true })
      ),
      getPendingTransactions: list(
        Api.getPendingTransactions,
        { ...fields.accountAddress, ...fields.list },
        ({ address, ...input }, call) =>
          fields.orEmpty(call({ path: { address }, urlParams: fields.listParameters(input) }))
      ),
      signPending: operation(
        Api.signPending,
        pendingId,
        byPath,
        ({ address }) => ({ from: address, opaque: true })
      ),
      addSignatures: operation(
        Api.addSignatures,
        signatures,
        ({ signatures, transactionId }) => ({ path: { transactionId }, payload: { signatures } }),
        opaque
      ),
      getSignature: operation(
        Api.getSignature,
        pendingId,
        byPath,
        ({ address }) => ({ from: address, opaque: true })
      )
    }
  })

/**
 * Provides a client as a layer. Each call creates a layer with its own client.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: MakeOptions = {}): Layer.Layer<Multisig, InvalidInput, ClientConfig | HttpClient> =>
  Layer.effect(Multisig, make(options))

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: MakeOptions & EnvironmentOptions = {}
): Layer.Layer<Multisig, ConfigError | InvalidInput, HttpClient> =>
  Layer.effect(Multisig, Effect.provide(make(options), Configuration.layerConfig({ ...options, service: "wallet" })))
