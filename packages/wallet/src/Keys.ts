/**
 * Keys that the service holds: listing, getting and deleting them, and signing with them. `Wallet` creates them.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, which may answer differently,
 * or not at all. "Not found" fails with `NotFound` (code 1061010); an empty list is an empty page.
 *
 * **Details**
 *
 * | Operation | Request | May be repeated by the client |
 * |---|---|---|
 * | `getKeys` | `GET /v2/key` | yes |
 * | `getKey`, `deleteKey` | `GET`, `DELETE /v2/key/{key-id}` | yes, no |
 * | `sign` | `POST /v2/key/{key-id}/sign` | yes |
 *
 * The spending policy is consulted before `sign`: a signature can move assets, and how much can't be seen.
 */
import type { HexData } from "@effect-klaytn/core/HexEncoding"
import type * as Input from "@effect-klaytn/core/Input"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Deleted, Key } from "./Account.js"
import * as Client from "./internal/client/client.js"
import { Digest, keyId, orEmpty } from "./internal/contract/fields.js"
import * as Api from "./KeysApi.js"
import type { SpendRefused } from "./SpendPolicy.js"
import type * as Wallet from "./Wallet.js"

/**
 * A key, by its ID as a string or as returned with the key.
 *
 * @category models
 */
export interface KeyInput extends Input.Of<typeof keyId> {}

const keyToDelete = {
  ...keyId,
  /** Whether an account that uses the key may have coin: a gateway of your own refuses to delete it without this. Default: false. */
  withCoin: Schema.optional(Schema.Boolean)
}

/**
 * Input of `deleteKey`.
 *
 * @category models
 */
export interface KeyDeletionInput extends Input.Of<typeof keyToDelete> {}

const signing = {
  ...keyId,
  /** The 32 bytes to sign, in hexadecimal. */
  data: Digest
}

/**
 * Input of `sign`.
 *
 * @category models
 */
export interface SignInput extends Input.Of<typeof signing> {}

const keyList = {
  /** The pool of the keys. */
  pool: Schema.typeSchema(Krn.Krn),
  ...Paged.fields
}

/**
 * Input of `getKeys`: the pool is required.
 *
 * @category models
 */
export interface KeysInput extends Input.Of<typeof keyList> {}

/**
 * The operations.
 *
 * @category models
 */
export interface Service {
  /** The keys of a pool. */
  readonly getKeys: Paged.List<KeysInput, Api.ListedKey, ReadError>
  readonly getKey: (input: KeyInput) => Effect.Effect<Key, ReadError>
  readonly deleteKey: (input: KeyDeletionInput) => Effect.Effect<Deleted, ServiceError | SpendRefused>
  /** Signs 32 bytes with a key. Returns 65 bytes: r, s and the recovery bit. */
  readonly sign: (input: SignInput) => Effect.Effect<HexData, ServiceError | SpendRefused>
}

/**
 * Keys as a service.
 *
 * @category services
 */
export class Keys extends Context.Tag("@effect-klaytn/wallet/Keys")<Keys, Service>() {}

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
  Effect.map(Client.make(options.policy), ({ change, list, read }) => {
    const sign = change(Api.sign, signing, {}, Client.opaque)
    return {
      getKeys: list(Api.getKeys, keyList, { pool: "krn" }, { run: orEmpty }),
      getKey: read(Api.getKey, keyId, {}),
      deleteKey: change(Api.deleteKey, keyToDelete, {}, Client.opaque),
      sign: (input) => Effect.map(sign(input), ({ signedData }) => signedData)
    }
  })

/**
 * Provides a client as a layer. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(Keys, make)

/**
 * Provides a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call creates a layer with its own client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(Keys, "wallet", make)
