/**
 * A node as an EIP-1193 provider, so that `viem`, `ethers` and anything else that takes one runs on the same
 * credential, batching, retries and telemetry.
 *
 * **Details**
 *
 * Results come as the node wrote them; a JSON number above 2^53 comes as `bigint` instead of rounded. `eth_` methods
 * are asked for in Ethereum's shapes; the `klay_` ones can be asked for too. There are no events, no accounts and no
 * signing: sign with a local account and send the raw transaction.
 *
 * **Gotchas**
 *
 * Libraries above may retry and batch on their own: switch that off (`retryCount: 0` for the `custom` transport of
 * `viem`), it is done here. `ethers` remembers answers for a quarter of a second, nonces too, which is long on a chain
 * with a block each second: make its `BrowserProvider` with `cacheTimeout: -1`.
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
 * What EIP-1193 asks of a provider, without events.
 *
 * @since 0.1.0
 * @category models
 */
export interface Provider {
  /**
   * Makes a call. Rejects with a `ProviderError`. `signal` releases the caller at once.
   */
  readonly request: (request: {
    readonly method: string
    readonly params?: ReadonlyArray<unknown> | object | undefined
  }, options?: { readonly signal?: AbortSignal | undefined }) => Promise<unknown>
}

/**
 * A provider over the node in the context. It uses the runtime that it is made in: its logger, tracer and clock. A
 * deadline in force there is not that of its calls.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Provider, never, KlaytnNode> = internal.make
