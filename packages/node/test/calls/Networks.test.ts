import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "../../../core/test/support/client.js"
import * as Networks from "../../../core/test/support/networks.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"
import * as Node from "../support/node.js"

describe("a client from the environment", () => {
  it.effect("takes a provider of credentials beside it, and then needs no credential there", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0x1" })))
      const environment = Layer.setConfigProvider(
        ConfigProvider.fromMap(new Map([["KLAYTN_CHAIN_ID", "1001"], ["KLAYTN_NODE_URL", Networks.urls[1001]]]))
      )
      let asked = 0
      const credentials = Effect.sync(() => {
        asked++
        return Client.credentials
      })
      yield* Effect.flatMap(KlaytnNode.KlaytnNode, (node) => node.klay.blockNumber()).pipe(
        Effect.provide(Layer.provide(KlaytnNode.layerConfig({ credentials }), environment)),
        Effect.provideService(HttpClient.HttpClient, wire.client)
      )
      assert.deepStrictEqual([asked, wire.sent.length], [1, 1])
    }))

  it.effect("says that the node's address is missing, and names its variable", () =>
    Effect.gen(function*() {
      const environment = Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["KLAYTN_CHAIN_ID", "1001"]])))
      const error = yield* Effect.flip(
        Layer.build(
          Layer.provide(KlaytnNode.layerConfig({ credentials: Effect.succeed(Client.credentials) }), environment)
        )
      ).pipe(Effect.scoped, Effect.provideService(HttpClient.HttpClient, Testing.wire().client))
      assert.include(String(error), "KLAYTN_NODE_URL")
    }))
})

Networks.areApart("node", 1, {
  answer: Node.node(() => ({ result: "0x1" })),
  use: Effect.flatMap(KlaytnNode.KlaytnNode, (node) => node.klay.blockNumber()),
  make: (configured) => Layer.effect(KlaytnNode.KlaytnNode, configured(KlaytnNode.make())),
  layer: () => KlaytnNode.layer(),
  layerConfig: () => KlaytnNode.layerConfig()
})
