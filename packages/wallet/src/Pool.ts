/**
 * The pools that calls use, sent in the header `x-krn`.
 *
 * **Details**
 *
 * | Pool | Where it comes from | Where it is sent |
 * |---|---|---|
 * | account pool | {@link CurrentPool}, or else `pool` of the `ClientConfig` (`KLAYTN_POOL`) | creating accounts and sending value, where the API document lists the header, and everything not in the API document |
 * | account pool | {@link CurrentPool} only | the other operations of the API document; that it is accepted there is inferred |
 * | fee-payer pool | {@link CurrentFeePayerPool} | after the account pool, on the separate paths of a user fee payer (seen) |
 *
 * Without a pool the service uses the customer's default pool (seen); `Resources` lists the pools. A pool must belong
 * to the chain of the client and its name must be printable ASCII; otherwise the call fails with `InvalidInput` before
 * anything is sent.
 *
 * **Example** (one account in another pool)
 *
 * ```ts
 * import * as Krn from "@effect-klaytn/core/Krn"
 * import * as Pool from "@effect-klaytn/wallet/Pool"
 * import * as Wallet from "@effect-klaytn/wallet/Wallet"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function*() {
 *   const wallet = yield* Wallet.Wallet
 *   const pool = yield* Krn.make("krn:1001:wallet:local:account-pool:payouts")
 *   return yield* wallet.createAccount.pipe(Pool.withPool(pool))
 * })
 * ```
 */
import type { Krn } from "@effect-klaytn/core/Krn"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/**
 * The account pool of the current calls; none means the one of the `ClientConfig`.
 *
 * @category references
 */
export class CurrentPool extends Context.Reference<CurrentPool>()("@effect-klaytn/wallet/CurrentPool", {
  defaultValue: (): Option.Option<Krn> => Option.none()
}) {}

/**
 * The fee-payer pool of the current calls; none means the customer's default.
 *
 * @category references
 */
export class CurrentFeePayerPool extends Context.Reference<CurrentFeePayerPool>()(
  "@effect-klaytn/wallet/CurrentFeePayerPool",
  { defaultValue: (): Option.Option<Krn> => Option.none() }
) {}

/** Uses a pool for every call inside an effect. */
interface OnEffect {
  (pool: Krn): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, pool: Krn): Effect.Effect<A, E, R>
}

const onEffect = <Id>(tag: Context.Tag<Id, Option.Option<Krn>>): OnEffect =>
  dual(2, <A, E, R>(self: Effect.Effect<A, E, R>, pool: Krn) => Effect.provideService(self, tag, Option.some(pool)))

/**
 * Uses an account pool for every call inside an effect.
 *
 * @category combinators
 */
export const withPool = onEffect(CurrentPool)

/**
 * Uses an account pool for every call of a stream.
 *
 * @category combinators
 */
export const withStreamPool: {
  (pool: Krn): <A, E, R>(self: Stream.Stream<A, E, R>) => Stream.Stream<A, E, R>
  <A, E, R>(self: Stream.Stream<A, E, R>, pool: Krn): Stream.Stream<A, E, R>
} = dual(
  2,
  <A, E, R>(self: Stream.Stream<A, E, R>, pool: Krn): Stream.Stream<A, E, R> =>
    Stream.provideService(self, CurrentPool, Option.some(pool))
)

/**
 * Uses a fee-payer pool for every call inside an effect.
 *
 * @category combinators
 */
export const withFeePayerPool = onEffect(CurrentFeePayerPool)
