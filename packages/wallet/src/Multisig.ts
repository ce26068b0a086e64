/**
 * Multisig accounts: giving an account several keys, and signing the transactions that wait for signatures.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all. An empty list is an empty page.
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
 */
import type { Address } from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import type * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Client from "./internal/client/client.js"
import * as fields from "./internal/contract/fields.js"
import { maxFee } from "./internal/plans/transactionIntent.js"
import * as Api from "./MultisigApi.js"
import type { SpendRefused } from "./SpendPolicy.js"
import { Signature } from "./TransactionResult.js"
import type * as Wallet from "./Wallet.js"

const multiSig = {
  ...fields.accountAddress,
  /** The weight that signatures must reach together. */
  threshold: Input.wholeNumber("a threshold is a whole number, 1 or more", 1),
  /** The keys, each compressed or not. */
  weightedKeys: Input.atLeastOne(
    Schema.Struct({
      publicKey: fields.Uncompressed,
      weight: Input.wholeNumber("a weight is a whole number, 1 or more", 1)
    }),
    "give at least one key"
  )
}

/**
 * Input of `updateMultiSig`.
 *
 * @category models
 */
export interface MultiSigInput extends Input.Of<typeof multiSig> {}

const pendingList = { ...fields.accountAddress, ...fields.list }

/**
 * Input of `getPendingTransactions`.
 *
 * @category models
 */
export interface PendingTransactionsInput extends Input.Of<typeof pendingList> {}

const ofPending = {
  /** The ID of the waiting transaction: 32 bytes in hex with `0x`. */
  transactionId: Hash.FromWire
}

const pending = { ...fields.accountAddress, ...ofPending }

/**
 * A multisig transaction and the account that signs it.
 *
 * @category models
 */
export interface PendingInput extends Input.Of<typeof pending> {}

const signed = {
  ...ofPending,
  /** The signatures, at least one. */
  signatures: Input.atLeastOne(Schema.typeSchema(Signature), "give at least one signature")
}

/**
 * Input of `addSignatures`.
 *
 * @category models
 */
export interface SignaturesInput extends Input.Of<typeof signed> {}

/**
 * The operations.
 *
 * @category models
 */
export interface Service {
  /** Gives an account of the wallet several keys, all of them keys of the customer's accounts. */
  readonly updateMultiSig: (input: MultiSigInput) => Effect.Effect<Api.MultiSigAccount, ServiceError | SpendRefused>
  /** The waiting transactions of a multisig account or of one of its signers. */
  readonly getPendingTransactions: Paged.List<PendingTransactionsInput, Api.PendingTransaction, ReadError>
  /**
   * Adds the signature of an account of the wallet. The service sends the transaction when the threshold is met. If it
   * was already sent, the call fails with `Rejected` and code 1061914, see `WalletCode.namedHash`.
   */
  readonly signPending: (input: PendingInput) => Effect.Effect<Api.SigningStatus, ServiceError | SpendRefused>
  /** Adds signatures that were made elsewhere. */
  readonly addSignatures: (input: SignaturesInput) => Effect.Effect<Api.SigningStatus, ServiceError | SpendRefused>
  /** Makes a signature with an account of the wallet without adding it. */
  readonly getSignature: (input: PendingInput) => Effect.Effect<Signature, ServiceError | SpendRefused>
}

/**
 * Multisig as a service.
 *
 * @category services
 */
export class Multisig extends Context.Tag("@effect-klaytn/wallet/Multisig")<Multisig, Service>() {}

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
  Effect.map(Client.make(options.policy), ({ change, list }) => {
    const signing = ({ address }: { readonly address: Address }) => ({ from: address, opaque: true })
    return {
      updateMultiSig: change(Api.updateMultiSig, multiSig, {}, (input) => ({ ...signing(input), fee: maxFee() })),
      getPendingTransactions: list(Api.getPendingTransactions, pendingList, fields.bounds, { run: fields.orEmpty }),
      signPending: change(Api.signPending, pending, {}, signing),
      addSignatures: change(Api.addSignatures, signed, {}, Client.opaque),
      getSignature: change(Api.getSignature, pending, {}, signing)
    }
  })

/**
 * Provides a client as a layer. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(Multisig, make)

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(Multisig, "wallet", make)
