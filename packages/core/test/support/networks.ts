/** Two networks in one program, for the clients that take one network each. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "./client.js"

/** The base addresses. */
export const urls = { 8217: "https://mainnet.example", 1001: "https://testnet.example" }
type Chain = keyof typeof urls

type Clients<R> = Layer.Layer<R, unknown, HttpClient.HttpClient>

interface Story<R> {
  /** What the service answers. */
  readonly answer: Testing.Step
  /** Makes one call, or one of each client. */
  readonly use: Effect.Effect<unknown, unknown, R>
  /** The clients by `make`. */
  readonly make: (configured: ReturnType<typeof ClientConfig.provide>) => Clients<R>
  /** The clients by `layer`. */
  readonly layer: () => Layer.Layer<R, unknown, HttpClient.HttpClient | ClientConfig.ClientConfig>
  /** The clients by `layerConfig`. */
  readonly layerConfig: () => Clients<R>
}

/** Where the requests of both networks went, and which chain they named. */
const asked = <R>({ answer, use }: Story<R>, clients: (chain: Chain) => Clients<R>) =>
  Effect.gen(function*() {
    const wire = Testing.wire(answer)
    const on = (chain: Chain) => Layer.provide(Layer.effectDiscard(use), clients(chain))
    yield* Effect.scoped(Layer.build(Layer.merge(on(8217), on(1001)))).pipe(
      Effect.provideService(HttpClient.HttpClient, wire.client)
    )
    return wire.sent.map(({ headers, url }) => `${headers["x-chain-id"]} ${new URL(url).host}`).sort()
  })

/** That both networks are asked, by each way to make a client. */
export const areApart = <R>(service: "history" | "node" | "tokens", calls: number, story: Story<R>): void => {
  const each = ["1001 testnet.example", "8217 mainnet.example"].flatMap((one) => Array<string>(calls).fill(one))
  const config = (chain: Chain) => ({ ...Client.options, chain, endpoints: { [service]: urls[chain] } })
  const environment = (chain: Chain) =>
    Layer.setConfigProvider(
      ConfigProvider.fromMap(
        new Map([
          ["KLAYTN_CHAIN_ID", String(chain)],
          ["KLAYTN_AUTHORIZATION", "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA=="],
          [`KLAYTN_${service.toUpperCase()}_URL`, urls[chain]]
        ])
      )
    )
  const ways: ReadonlyArray<readonly [name: string, clients: (chain: Chain) => Clients<R>]> = [
    ["clients, each made with a configuration of its own", (chain) => story.make(ClientConfig.provide(config(chain)))],
    ["layers over two configurations", (chain) => Layer.provide(story.layer(), ClientConfig.layer(config(chain)))],
    ["layers over two environments", (chain) => Layer.provide(story.layerConfig(), environment(chain))]
  ]
  describe("two networks in one program", () => {
    it.effect.each(ways)("are two %s", ([, clients]) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* asked(story, clients), each)
      }))
  })
}
