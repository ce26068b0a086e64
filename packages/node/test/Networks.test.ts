import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "../../core/test/support/client.js"
import * as Wire from "../../core/test/support/wire.js"
import * as KlaytnNode from "../src/KlaytnNode.js"
import * as Node from "./support/node.js"

class Mainnet extends Context.Tag("test/Mainnet")<Mainnet, KlaytnNode.Service>() {}
class Testnet extends Context.Tag("test/Testnet")<Testnet, KlaytnNode.Service>() {}

const urls = { 8217: "https://mainnet.example", 1001: "https://testnet.example" }
type Chain = keyof typeof urls

/** Asks both networks once and gives where the requests went and which chain they named. */
const asked = <E>(clients: Layer.Layer<Mainnet | Testnet, E, HttpClient.HttpClient>) =>
  Effect.gen(function*() {
    const wire = Wire.make(Node.node(() => ({ result: "0x1" })))
    yield* Effect.gen(function*() {
      for (const node of [yield* Mainnet, yield* Testnet]) yield* node.klay.blockNumber()
    }).pipe(Effect.provide(clients), Effect.provideService(HttpClient.HttpClient, wire.client))
    return wire.sent.map(({ headers, url }) => `${headers["x-chain-id"]} ${new URL(url).host}`)
  })

const each = ["8217 mainnet.example", "1001 testnet.example"]

describe("a client from the environment", () => {
  it.effect("takes a provider of credentials beside it, and then needs no credential there", () =>
    Effect.gen(function*() {
      const wire = Wire.make(Node.node(() => ({ result: "0x1" })))
      const environment = Layer.setConfigProvider(
        ConfigProvider.fromMap(new Map([["KLAYTN_CHAIN_ID", "1001"], ["KLAYTN_NODE_URL", urls[1001]]]))
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
      ).pipe(Effect.scoped, Effect.provideService(HttpClient.HttpClient, Wire.make().client))
      assert.include(String(error), "KLAYTN_NODE_URL")
    }))
})

describe("two networks in one program", () => {
  it.effect("are two clients, each made with a configuration of its own", () =>
    Effect.gen(function*() {
      const client = (chain: Chain) =>
        KlaytnNode.make().pipe(
          ClientConfig.provide({ ...Client.options, chain, endpoints: { node: urls[chain] } })
        )
      const clients = Layer.merge(Layer.effect(Mainnet, client(8217)), Layer.effect(Testnet, client(1001)))
      assert.deepStrictEqual(yield* asked(clients), each)
    }))

  it.effect("are two layers over two configurations", () =>
    Effect.gen(function*() {
      const client = (chain: Chain) =>
        KlaytnNode.layer().pipe(
          Layer.provide(ClientConfig.layer({ ...Client.options, chain, endpoints: { node: urls[chain] } }))
        )
      const clients = Layer.merge(
        Layer.provide(Layer.effect(Mainnet, KlaytnNode.KlaytnNode), client(8217)),
        Layer.provide(Layer.effect(Testnet, KlaytnNode.KlaytnNode), client(1001))
      )
      assert.deepStrictEqual(yield* asked(clients), each)
    }))

  it.effect("are two layers over two environments", () =>
    Effect.gen(function*() {
      const environment = (chain: Chain) =>
        Layer.setConfigProvider(
          ConfigProvider.fromMap(
            new Map([
              ["KLAYTN_CHAIN_ID", String(chain)],
              ["KLAYTN_AUTHORIZATION", "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA=="],
              ["KLAYTN_NODE_URL", urls[chain]]
            ])
          )
        )
      const client = (chain: Chain) => KlaytnNode.layerConfig().pipe(Layer.provide(environment(chain)))
      const clients = Layer.merge(
        Layer.provide(Layer.effect(Mainnet, KlaytnNode.KlaytnNode), client(8217)),
        Layer.provide(Layer.effect(Testnet, KlaytnNode.KlaytnNode), client(1001))
      )
      assert.deepStrictEqual(yield* asked(clients), each)
    }))
})
