/**
 * The fees that the service's global fee payer paid, and what was charged for them.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all. "Not found" fails with `NotFound` (code 1061010); an empty list is an empty page.
 *
 * **Details**
 *
 * | Operation | Request | May be repeated by the client |
 * |---|---|---|
 * | `getChargedFees`, `getChargedFee` | `GET /v2/history/fd/tx`, `.../{transaction-hash}` | yes |
 */
import * as Address from "@effect-klaytn/core/Address"
import type * as Input from "@effect-klaytn/core/Input"
import * as Operations from "@effect-klaytn/core/Operations"
import * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Api from "./FeesApi.js"
import { orEmpty, transactionHash } from "./internal/contract/fields.js"

const feeList = {
  /** Only fees of this sender's transactions. */
  from: Schema.optional(Address.FromInput),
  ...Paged.fields
}

/**
 * Input of `getChargedFees`.
 *
 * @category models
 */
export interface ChargedFeesInput extends Input.Of<typeof feeList> {}

/**
 * Input of `getChargedFee`.
 *
 * @category models
 */
export interface ChargedFeeInput extends Input.Of<typeof transactionHash> {}

/**
 * The operations.
 *
 * @category models
 */
export interface Service {
  /** The charged fees, of one sender or of all. */
  readonly getChargedFees: Paged.List<ChargedFeesInput, Api.ChargedFee, ReadError>
  /** The fee that was charged for a transaction. */
  readonly getChargedFee: (input: ChargedFeeInput) => Effect.Effect<Api.ChargedFee, ReadError>
}

/**
 * Charged fees as a service.
 *
 * @category services
 */
export class Fees extends Context.Tag("@effect-klaytn/wallet/Fees")<Fees, Service>() {}

/**
 * Makes a client. Fails with `InvalidInput` if the configuration has no base address for `wallet`.
 *
 * @category constructors
 */
export const make = (): ServiceClient.Make<Service> =>
  Effect.map(Operations.make("wallet"), ({ list, one }) => ({
    getChargedFees: list(Api.getChargedFees, feeList, {}, { run: orEmpty }),
    getChargedFee: one(Api.getChargedFee, transactionHash, { transactionHash: "hash" })
  }))

/**
 * Provides a client as a layer. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(Fees, make)

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(Fees, "wallet", make)
