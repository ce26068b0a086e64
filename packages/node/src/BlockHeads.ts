/**
 * New blocks, announced by the node through a WebSocket, so that a program does not have to ask for them.
 *
 * **Details**
 *
 * With {@link layer} or {@link layerService} in its context, `BlockStream`, `LogRange.follow`, the event streams of contracts and
 * the waits for a receipt ask as soon as the node announces a block. Without it, or while the connection is lost, they ask every
 * `pollInterval`. Nothing else changes: blocks and logs are always read with calls, by ranges. So a lost connection leaves no gap,
 * an announcement that comes twice delivers nothing twice, and a node that lags behind the one that announced is asked again.
 *
 * The connection subscribes to `newHeads` in the first of the namespaces `klay`, `kaia` and `eth` that the node accepts. A connection that ends, or that
 * is silent for 30 seconds, is opened again: after a quarter of a second, then twice as long each time, up to 30 seconds.
 *
 * **Example** (blocks as they come)
 *
 * ```ts
 * import * as BlockHeads from "@effect-klaytn/node/BlockHeads"
 * import * as BlockStream from "@effect-klaytn/node/BlockStream"
 * import * as Socket from "@effect/platform/Socket"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Redacted from "effect/Redacted"
 * import * as Stream from "effect/Stream"
 *
 * const Heads = BlockHeads.layer({ url: Redacted.make("wss://node.example/ws") }).pipe(
 *   Layer.provide(Socket.layerWebSocketConstructorGlobal)
 * )
 *
 * export const program = BlockStream.blocks().pipe(
 *   Stream.runForEach((block) => Effect.log(`block ${block.number}`)),
 *   Effect.provide(Heads)
 * )
 * ```
 */
import { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { WebSocketConstructor } from "@effect/platform/Socket"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import * as internal from "./internal/streams/headSubscription.js"

/**
 * What is known of the node's blocks by subscription.
 *
 * @category models
 */
export interface Announced {
  /** Whether the node has confirmed the subscription and its connection is open. */
  readonly isSubscribed: boolean
  /** The highest block that was announced since the start, unless one far below it was announced later. */
  readonly newest: Option.Option<bigint>
}

/**
 * The announcements of a node.
 *
 * @category models
 */
export interface Service {
  /** What is known now. */
  readonly current: Effect.Effect<Announced>
  /** What is known now, and every change. */
  readonly changes: Stream.Stream<Announced>
}

/**
 * The announcements as a service. Streams and waits of this package use the service if it is in the context.
 *
 * @category services
 */
export class BlockHeads extends Context.Tag("@effect-klaytn/node/BlockHeads")<BlockHeads, Service>() {}

/**
 * Where to subscribe.
 *
 * @category models
 */
export interface Options {
  /** The address: `ws:` or `wss:`. It may hold a key or `ID:SECRET@`, and is never shown. */
  readonly url: Redacted.Redacted<string>
  /** After how much silence a connection is opened again. Defaults to 30 seconds: a chain has a block each second. */
  readonly silence?: Duration.DurationInput | undefined
}

/**
 * Subscribes at an address. Fails with `InvalidInput` if that is no address of a WebSocket; everything later is only a reason to
 * open the connection again.
 *
 * **Details**
 *
 * `WebSocketConstructor` is that of `@effect/platform`: `Socket.layerWebSocketConstructorGlobal` in browsers, Bun, Deno and from
 * Node 22 on, `NodeSocket.layerWebSocketConstructor` of `@effect/platform-node` in every Node. The latter sends `ID:SECRET@`
 * of the address as Basic credentials; that of Node itself does not.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<BlockHeads, InvalidInput, WebSocketConstructor> =>
  Layer.scoped(
    BlockHeads,
    Effect.gen(function*() {
      const { silence, url } = yield* internal.readOptions(options)
      return yield* internal.make(Effect.succeed(url), silence)
    })
  )

/**
 * Subscribes where the hosted service's own client does: `wss://ID:SECRET@host/v1/ws/open?chain-id=`, with the host of the
 * configured node, the chain and the credential of the configuration. The credential is read again for each connection.
 *
 * **Details**
 *
 * The service's document does not describe this address; it was seen in public clients of the service. Use a
 * `WebSocketConstructor` that sends the credential of an address, see {@link layer}.
 *
 * @category layers
 */
export const layerService = (
  options: Omit<Options, "url"> = {}
): Layer.Layer<BlockHeads, InvalidInput, ClientConfig | WebSocketConstructor> =>
  Layer.scoped(
    BlockHeads,
    Effect.gen(function*() {
      const { chain, credentials, endpoints } = yield* ClientConfig
      if (endpoints.node === undefined) {
        return yield* InvalidInput.at(
          "node.blockHeads",
          ["endpoints", "node"],
          "no base address for node is configured"
        )
      }
      const address = internal.serviceAddress(endpoints.node, chain)
      const { silence } = yield* internal.readOptions({ ...options, url: Redacted.make(address) })
      const url = Effect.map(credentials, (found) => internal.withCredential(address, Credentials.authorization(found)))
      return yield* internal.make(url, silence)
    })
  )
