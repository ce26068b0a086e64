/**
 * Finding out what became of a transaction: how far an account has come, and which transaction took a nonce.
 *
 * **Details**
 *
 * Sends use it to settle what is unclear, `NonceSource` to learn where an account stands. The {@link layer} of this
 * module asks the service: transactions by hash at the wallet (`GET /v2/tx/{hash}`, beyond the document), everything
 * else at its node (`klay_blockNumber`, `klay_getTransactionCount`, `klay_getBlockByNumber`), which needs the base
 * address `node`. `Wallet` makes the same for itself if none is provided.
 *
 * There is no index from sender and nonce to a transaction: the block is found by searching for the one that raised the
 * account's count, from the newest backwards. A node forgets old states, so look soon. One look-up makes at most 50
 * requests, failed ones that the retry policy repeats not counted: about one for each doubling of the distance to the
 * latest block, and half of that before. What is not found in so many fails.
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { ClientConfig, EnvironmentOptions } from "@effect-klaytn/core/ClientConfig"
import * as Configuration from "@effect-klaytn/core/ClientConfig"
import type { Hash } from "@effect-klaytn/core/Hash"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type { FoundTransaction, LookupFailed } from "./FoundTransaction.js"
import * as finding from "./internal/findOut.js"
import * as internal from "./internal/lookup.js"
import type { SendUnknown, SendVerdict } from "./SendOutcome.js"

/**
 * The look-ups.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * The nonce of the account's next transaction: that of the latest block, or with `pending` after everything that
   * waits at the node.
   */
  readonly nextNonce: (address: Address, at?: "latest" | "pending") => Effect.Effect<number, LookupFailed>
  /** A transaction by its hash, in a block or waiting. */
  readonly byHash: (hash: Hash) => Effect.Effect<Option.Option<FoundTransaction>, LookupFailed>
  /** The transaction in a block that took a nonce of an account; none while the nonce is free. */
  readonly byNonce: (address: Address, nonce: number) => Effect.Effect<Option.Option<FoundTransaction>, LookupFailed>
  /**
   * Those of several nonces; what no block shows yet is left out, and then a send that is searched among them can't be told.
   * Their `state` may be `executed` only.
   */
  readonly byNonces: (
    address: Address,
    nonces: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<FoundTransaction>, LookupFailed>
}

/**
 * The look-ups as a service, to be replaced by an index of your own.
 *
 * @since 0.1.0
 * @category services
 */
export class TransactionLookup extends Context.Tag("@effect-klaytn/wallet/TransactionLookup")<
  TransactionLookup,
  Service
>() {}

/**
 * Finds out what became of a send that ended as `SendUnknown`, from the data of the error alone: of this program, or kept by
 * one that ended. It changes nothing and can be run again.
 *
 * **Details**
 *
 * The program that made the send knows more than its data tells: `findOut` of the error leaves out what other sends of the
 * same client were told of. Use this one where that one is gone.
 *
 * **Example** (a send of an earlier program)
 *
 * ```ts
 * import { SendUnknown } from "@effect-klaytn/wallet/SendOutcome"
 * import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * export const settle = (kept: string) =>
 *   Effect.flatMap(Schema.decode(Schema.parseJson(SendUnknown))(kept), TransactionLookup.findOut)
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const findOut = (
  send: Pick<
    SendUnknown,
    "request" | "chain" | "nonce" | "nonceAtLeast" | "nonceAfterWaiting" | "hash" | "retrySafe"
  >
): Effect.Effect<SendVerdict, LookupFailed, TransactionLookup> =>
  Effect.flatMap(TransactionLookup, (lookup) => finding.findOut(lookup, finding.questionOf(send)))

/**
 * Makes look-ups of the service. Fails as `InvalidInput` if the configuration has no base address for `wallet`;
 * without one for `node` only transactions by hash can be found.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Effect.Effect<Service, InvalidInput, ClientConfig | HttpClient> =>
  Effect.flatMap(ServiceClient.make("wallet"), internal.make)

/**
 * Look-ups of the service as a layer. Each call gives a layer with a client of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (): Layer.Layer<TransactionLookup, InvalidInput, ClientConfig | HttpClient> =>
  Layer.effect(TransactionLookup, make())

/**
 * Look-ups of the service as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each call gives a
 * layer with a client of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: EnvironmentOptions = {}
): Layer.Layer<TransactionLookup, ConfigError | InvalidInput, HttpClient> =>
  Layer.effect(TransactionLookup, Effect.provide(make(), Configuration.layerConfig({ ...options, service: "wallet" })))
