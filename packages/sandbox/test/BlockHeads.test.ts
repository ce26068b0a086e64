import * as BlockHeads from "@effect-klaytn/node/BlockHeads"
import * as BlockStream from "@effect-klaytn/node/BlockStream"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as LogRange from "@effect-klaytn/node/LogRange"
import * as NodeReport from "@effect-klaytn/node/NodeReport"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Sandbox from "../src/Sandbox.js"

const sandbox = Sandbox.layer({ seed: "heads", clock: { start: 1_600_000_000, step: 1 } })

const clients = Layer.mergeAll(
  KlaytnNode.layer(),
  BlockHeads.layerService().pipe(Layer.provide(NodeSocket.layerWebSocketConstructor))
).pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer),
  Layer.provideMerge(sandbox)
)

/** So long that a test that polls does not end in time. */
const pollInterval = "5 minutes"

layer(clients, { excludeTestServices: true })("Blocks that the service's WebSocket announces", (it) => {
  const isSubscribed = Effect.flatMap(
    BlockHeads.BlockHeads,
    ({ changes }) => changes.pipe(Stream.takeUntil((now) => now.isSubscribed), Stream.runDrain)
  )

  it.scoped("come at once, each once, and so do logs", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      yield* isSubscribed
      const start = yield* Effect.flatMap(KlaytnNode.KlaytnNode, (node) => node.klay.blockNumber())
      const [blocks, pieces] = yield* Effect.all([Queue.unbounded<bigint>(), Queue.unbounded<bigint>()])
      yield* Effect.forkScoped(
        BlockStream.blocks({ from: start + 1n, pollInterval }).pipe(
          Stream.runForEach(({ number }) => Queue.offer(blocks, number ?? -1n))
        )
      )
      yield* Effect.forkScoped(
        LogRange.follow({ fromBlock: start + 1n, pollInterval }).pipe(
          Stream.runForEach(({ toBlock }) => Queue.offer(pieces, toBlock))
        )
      )
      for (let next = start + 1n; next <= start + 5n; next++) {
        // Both have asked for the height before, and wait.
        yield* Effect.sleep("100 millis")
        yield* control.chain(1001).transfer({ from: "alice", to: "bob", amount: 1n })
        assert.strictEqual(yield* Queue.take(blocks), next)
        assert.strictEqual(yield* Queue.take(pieces), next)
      }
    }))

  it.effect("are found by a report on the node", () =>
    Effect.gen(function*() {
      const { accessKeyId, secretAccessKey, url } = yield* Sandbox.Sandbox
      const address = new URL(url.replace(/^http/, "ws"))
      address.username = accessKeyId
      address.password = Redacted.value(secretAccessKey)
      const { webSocket } = yield* NodeReport.inspect({ webSocketUrl: Redacted.make(address.href) }).pipe(
        Effect.provide([Sandbox.clientConfig(1001), FetchHttpClient.layer, NodeSocket.layerWebSocketConstructor])
      )
      assert.deepStrictEqual(webSocket, { sameAddress: "no", service: "yes" })
    }))
})
