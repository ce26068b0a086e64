import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { ClientConfig } from "../../src/ClientConfig.js"

const height = { method: "klay_blockNumber", params: [], result: BigIntFromQuantity } as const
const found = Testing.json(200, { jsonrpc: "2.0", id: 1, result: "0x1c2" })

const ask = (options: Omit<OwnNode.Options, "chain">, ...steps: ReadonlyArray<Testing.Step>) => {
  const wire = Testing.wire(...steps)
  const asked = Effect.flatMap(ServiceClient.make("node"), (client) => JsonRpc.call(client, height)).pipe(
    Effect.provide(OwnNode.layer({ chain: 8217, ...options })),
    Effect.provideService(HttpClient.HttpClient, wire.client)
  )
  return { wire, asked }
}

const key = "d1f8c0ffee5ec2e7key"
const bearer = Redacted.make("Bearer tok-123456789")

describe("a node of your own", () => {
  it.effect("is called at its exact address", () =>
    Effect.gen(function*() {
      for (
        const [url, sent, authorization] of [
          ["http://127.0.0.1:8551", "http://127.0.0.1:8551/", undefined],
          ["http://10.0.0.5:8551/", "http://10.0.0.5:8551/", undefined],
          [`https://node.example/v3/${key}`, `https://node.example/v3/${key}`, undefined],
          [`https://node.example/rpc?key=${key}`, `https://node.example/rpc?key=${key}`, undefined],
          ["https://me:p%40ss@node.example/", "https://node.example/", `Basic ${btoa("me:p@ss")}`]
        ] as const
      ) {
        const { asked, wire } = ask({ url }, found)
        assert.strictEqual(yield* asked, 450n)
        assert.deepStrictEqual(wire.sent.map(({ headers, url }) => [url, headers["authorization"]]), [
          [sent, authorization]
        ])
      }
      const { asked, wire } = ask({ url: "https://node.example", authorization: bearer }, found)
      yield* asked
      assert.deepStrictEqual(wire.sent.map(({ headers }) => headers["authorization"]), [Redacted.value(bearer)])
    }))

  it.effect("shows neither the key of its address nor its credential", () =>
    Effect.gen(function*() {
      for (
        const [options, secret] of [
          [{ url: `https://node.example/v3/${key}` }, key],
          [{ url: `https://node.example/?apikey=${key}` }, key],
          [{ url: "https://me:p%40ssw0rd123@node.example/" }, btoa("me:p@ssw0rd123")],
          [{ url: "https://me:p%40ssw0rd123@node.example/" }, "p@ssw0rd123"],
          [{ url: "https://:p%40ss@node.example/" }, "p@ss"],
          [{ url: "https://my-access-key@node.example/" }, "my-access-key"],
          [{ url: "https://node.example", authorization: Redacted.make(`basic ${btoa("me:horse-1")}`) }, "me:horse-1"],
          [{ url: "https://node.example", authorization: Redacted.make("Basic %%%not-base64") }, "%%%not-base64"],
          [{ url: "https://node.example", authorization: bearer }, "tok-123456789"]
        ] as const
      ) {
        const settings = yield* OwnNode.make({ chain: 1001, ...options })
        const credentials = yield* settings.credentials
        const words = `no access for ${secret}`
        const exit = yield* Effect.exit(
          ask(options, Testing.json(200, { id: 1, error: { code: -1, message: words } })).asked
        )
        assert.isTrue(Exit.isFailure(exit))
        const printed = [
          JSON.stringify(settings),
          inspect(settings, { depth: null, showHidden: true }),
          JSON.stringify(credentials),
          inspect(exit, { depth: null, showHidden: true }),
          Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
        ].join("\n")
        assert.notInclude(printed, secret)
        assert.include(printed, "no access for <redacted>")
      }
    }))

  it.effect("shows no key of any characters, in whatever form the node repeats it", () =>
    Effect.gen(function*() {
      const signs = [..."abcXYZ0123456789+/=&?%:@#;,._~-!$ \"\\é"]
      const keys = fc.sample(fc.array(fc.constantFrom(...signs), { minLength: 10, maxLength: 40 }), {
        numRuns: 150,
        seed: 55
      }).map((found) => `k${found.join("")}e`)
      for (const key of keys) {
        const coded = encodeURIComponent(key)
        const places: ReadonlyArray<Omit<OwnNode.Options, "chain">> = [
          { url: `https://node.example/rpc?apikey=${coded}` },
          { url: `https://node.example/rpc?a=b&${coded}` },
          { url: `https://node.example/v1/${coded}/rpc` },
          { url: `https://me:${coded}@node.example/` },
          { url: `https://${coded}:x@node.example/` },
          ...(/^[\x21-\x7e]+$/.test(key)
            ? [{ url: "https://node.example", authorization: Redacted.make(`Bearer ${key}`) }]
            : [])
        ]
        const said = [
          key,
          coded,
          encodeURIComponent(coded),
          coded.replace(/%../g, (code) => code.toLowerCase()),
          JSON.stringify(key).slice(1, -1)
        ]
        for (const place of places) {
          const { asked } = ask(
            place,
            Testing.json(200, {
              jsonrpc: "2.0",
              id: 1,
              error: { code: -32000, message: `refused: ${said.join(" | ")}` }
            })
          )
          const text = JSON.stringify(yield* Effect.flip(asked))
          assert.include(text, "refused: <redacted>", Redacted.isRedacted(place.url) ? "" : place.url)
          const shown = said.filter((one) => text.includes(one) || text.includes(JSON.stringify(one).slice(1, -1)))
          assert.deepStrictEqual(shown, [], Redacted.isRedacted(place.url) ? "" : place.url)
        }
      }
    }))

  it.effect("shows no key whose parts are short, or in which a blank is a plus", () =>
    Effect.gen(function*() {
      const cases = [
        ["https://node.example/a1b2/c3d4/e5f6", "a1b2/c3d4/e5f6"],
        ["https://node.example/rpc?k=1234567", "k=1234567"],
        ["https://node.example/rpc?key=ab=cd=ef=gh", "ab=cd=ef=gh"],
        ["https://node.example/rpc?key=ab+cd+ef+gh", "ab cd ef gh"]
      ] as const
      for (const [url, said] of cases) {
        const error = { code: -32000, message: `no access for ${said}` }
        const { asked } = ask({ url }, Testing.json(200, { jsonrpc: "2.0", id: 1, error }))
        assert.include((yield* Effect.flip(asked)).message, "no access for <redacted>", url)
      }
    }))

  it.effect("is refused before anything is sent, without its address in the error", () =>
    Effect.gen(function*() {
      for (
        const [options, problem] of [
          [{ url: `ftp://node.example/${key}` }, "begin with http"],
          [{ url: `https://node.example/${key}#x` }, "fragment"],
          [{ url: `https://node.example/${key} ` }, "whitespace"],
          [{ url: `https://node.example/%zz${key}` }, "UTF-8"],
          [{ url: `https://node.example/%ff${key}` }, "UTF-8"],
          [{ url: `https://me%ff:${key}@node.example` }, "UTF-8"],
          [{ url: `http://me:${key}@node.example` }, "https"],
          [{ url: `http://node.example/${key}`, authorization: bearer }, "https"],
          [{ url: `https://me:${key}@node.example`, authorization: bearer }, "one of the two"],
          [{ url: `https://node.example/${key}`, authorization: Redacted.make("tok") }, "a scheme, a space"],
          // As a program without types passes it.
          [{ url: "https://node.example", authorization: `Bearer ${key}` as never }, "Redacted.make"],
          [{ url: undefined as never }, "Redacted"]
        ] as const
      ) {
        const { asked, wire } = ask(options, found)
        const error = yield* Effect.flip(asked)
        assert.strictEqual(error._tag, "InvalidInput")
        assert.include(error.message, problem)
        assert.notInclude(inspect(error, { depth: null, showHidden: true }), key)
        assert.deepStrictEqual(wire.sent, [])
      }
    }))

  it.effect("is read from the environment, and a bad variable is named and not shown", () =>
    Effect.gen(function*() {
      const load = (variables: Record<string, string>, options?: object) =>
        Effect.provide(
          ClientConfig,
          Layer.provide(
            OwnNode.layerConfig(options),
            Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))
          )
        )
      const settings = yield* load({ KLAYTN_CHAIN_ID: "1001", KLAYTN_OWN_NODE_URL: `https://node.example/${key}` })
      assert.deepStrictEqual([settings.chain, settings.endpoints.node], [1001, "https://node.example"])
      const error = yield* Effect.flip(load({ KLAYTN_CHAIN_ID: "1001", KLAYTN_OWN_NODE_URL: `ftp://${key}` }))
      assert.include(String(error), "KLAYTN_OWN_NODE_URL")
      assert.notInclude(String(error), key)
      const bad = yield* Effect.flip(load({
        KLAYTN_CHAIN_ID: "1001",
        KLAYTN_OWN_NODE_URL: "https://node.example",
        KLAYTN_OWN_NODE_AUTHORIZATION: key
      }))
      assert.include(String(bad), "KLAYTN_OWN_NODE_AUTHORIZATION")
      assert.notInclude(String(bad), key)
      const swapped = yield* Effect.flip(load({ KLAYTN_CHAIN_ID: key, KLAYTN_OWN_NODE_URL: "https://node.example" }))
      assert.include(String(swapped), "KLAYTN_CHAIN_ID")
      assert.notInclude(String(swapped), key)
      const complete = { KLAYTN_CHAIN_ID: "1001", KLAYTN_OWN_NODE_URL: "https://node.example" }
      const option = yield* Effect.flip(load(complete, { attemptTimeout: "soon" }))
      assert.include(String(option), "attemptTimeout")
      assert.notInclude(String(option), "KLAYTN_OWN_NODE_URL")
    }))
})
