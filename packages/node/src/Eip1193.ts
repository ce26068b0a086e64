/**
 * An EIP-1193 provider on top of a node, so that `viem`, `ethers` and other libraries use the same credential,
 * batching, retries and telemetry.
 *
 * **Details**
 *
 * Results are returned as the node sent them, except that a JSON number above 2^53 becomes a `bigint` instead of being
 * rounded. `eth_` methods answer in Ethereum's shapes; `klay_` methods can be called too. There are no events, no
 * accounts and no signing: sign with a local account and send the raw transaction.
 *
 * **Gotchas**
 *
 * Retries and batching are done here, so switch off those of the library (`retryCount: 0` for the `custom` transport of
 * `viem`). `ethers` caches answers, nonces included, for a quarter of a second, which is long on a chain with one block
 * per second: make its `BrowserProvider` with `cacheTimeout: -1`.
 *
 * **Example** (a provider for `viem`'s `custom` transport or `ethers`' `BrowserProvider`)
 *
 * ```ts
 * import * as Eip1193 from "@effect-klaytn/node/Eip1193"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Effect from "effect/Effect"
 *
 * const Test = KlaytnNode.layerTest(() => Effect.succeed("0x3e9"))
 *
 * const provider = Effect.runSync(Effect.provide(Eip1193.make, Test))
 * provider.request({ method: "eth_chainId" }).then((chain) => console.log(chain)) // "0x3e9"
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as internal from "./internal/eip1193.js"
import type { KlaytnNode } from "./KlaytnNode.js"

/**
 * An EIP-1193 provider without events.
 *
 * @since 0.1.0
 * @category models
 */
export interface Provider {
  /**
   * Makes a call. Rejects with a `ProviderError`. Aborting `signal` releases the caller at once.
   */
  readonly request: (request: {
    readonly method: string
    readonly params?: ReadonlyArray<unknown> | object | undefined
  }, options?: { readonly signal?: AbortSignal | undefined }) => Promise<unknown>
}

/**
 * Makes a provider from the node in the context. It uses the logger, tracer and clock of the runtime that it is made
 * in. A deadline in force there does not apply to its calls.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Provider, never, KlaytnNode> = internal.make
