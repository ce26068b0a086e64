import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "../../core/test/support/client.js"
import * as Wire from "../../core/test/support/wire.js"
import * as TokenData from "../src/TokenData.js"
import * as TokenDirectory from "../src/TokenDirectory.js"
import { alice, token } from "./support/records.js"
import { page } from "./support/service.js"

const urls = { 8217: "https://mainnet.example", 1001: "https://testnet.example" }
type Chain = keyof typeof urls

/** Lists something of each service. */
const use = Effect.gen(function*() {
  const tokens = yield* TokenData.TokenData
  const directory = yield* TokenDirectory.TokenDirectory
  yield* tokens.getNftsByContractAddress({ contract: token })
  yield* directory.getTokensByOwnerAddress({ owner: alice })
})

/** The mainnet and then the testnet in one program: where the requests went and which chain they named. */
const asked = <E>(
  clients: (chain: Chain) => Layer.Layer<
    TokenData.TokenData | TokenDirectory.TokenDirectory,
    E,
    HttpClient.HttpClient
  >
) =>
  Effect.gen(function*() {
    const wire = Wire.make(page([]))
    const on = (chain: Chain) => Layer.provide(Layer.effectDiscard(use), clients(chain))
    yield* Effect.scoped(Layer.build(Layer.merge(on(8217), on(1001)))).pipe(
      Effect.provideService(HttpClient.HttpClient, wire.client)
    )
    return wire.sent.map(({ headers, url }) => `${headers["x-chain-id"]} ${new URL(url).host}`).sort()
  })

const each = ["1001 testnet.example", "1001 testnet.example", "8217 mainnet.example", "8217 mainnet.example"]

describe("two networks in one program", () => {
  it.effect("are two layers over two configurations, for token data and for the directory", () =>
    Effect.gen(function*() {
      const found = yield* asked((chain) =>
        Layer.merge(TokenData.layer(), TokenDirectory.layer()).pipe(
          Layer.provide(ClientConfig.layer({ ...Client.options, chain, endpoints: { tokens: urls[chain] } }))
        )
      )
      assert.deepStrictEqual(found, each)
    }))

  it.effect("are two layers over two environments, for token data and for the directory", () =>
    Effect.gen(function*() {
      const environment = (chain: Chain) =>
        Layer.setConfigProvider(
          ConfigProvider.fromMap(
            new Map([
              ["KLAYTN_CHAIN_ID", String(chain)],
              ["KLAYTN_AUTHORIZATION", "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA=="],
              ["KLAYTN_TOKENS_URL", urls[chain]]
            ])
          )
        )
      const found = yield* asked((chain) =>
        Layer.merge(TokenData.layerConfig(), TokenDirectory.layerConfig()).pipe(Layer.provide(environment(chain)))
      )
      assert.deepStrictEqual(found, each)
    }))

  it.effect("are two clients, each made with a configuration of its own", () =>
    Effect.gen(function*() {
      const found = yield* asked((chain) => {
        const configured = ClientConfig.provide({ ...Client.options, chain, endpoints: { tokens: urls[chain] } })
        return Layer.merge(
          Layer.effect(TokenData.TokenData, configured(TokenData.make())),
          Layer.effect(TokenDirectory.TokenDirectory, configured(TokenDirectory.make()))
        )
      })
      assert.deepStrictEqual(found, each)
    }))
})
