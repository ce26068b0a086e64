import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { klaytn } from "../support/terminal.js"

/** A sandbox, and the command with the environment that leads to it. */
const staying = Effect.gen(function*() {
  const { accessKeyId, chains, secretAccessKey, url } = yield* Sandbox.make({ seed: "accounts" })
  const client = yield* HttpClient.HttpClient
  const environment = {
    KLAYTN_CHAIN_ID: "1001",
    KLAYTN_ACCESS_KEY_ID: accessKeyId,
    KLAYTN_SECRET_ACCESS_KEY: Redacted.value(secretAccessKey),
    KLAYTN_WALLET_URL: url
  }
  const run = (words: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
    klaytn(words, { client, environment: { ...environment, ...more } })
  return { run, chain: chains.chain(1001), node: { KLAYTN_NODE_URL: url } }
}).pipe(Effect.provide(FetchHttpClient.layer))

describe("klaytn accounts", () => {
  it.scopedLive(
    "creates an account that pays, lists it, and shows its balance where the node is configured",
    () =>
      Effect.gen(function*() {
        const { chain, node, run } = yield* staying
        const before = yield* run(["accounts", "list", "--json"])
        const made = yield* run(["accounts", "create"])
        assert.match(made.out, /^0x[0-9a-fA-F]{40}\n$/, made.error)
        const address = made.out.trim()
        const list = yield* run(["accounts", "list"])
        assert.match(list.out, /^ADDRESS +CREATED, UTC\n/)
        assert.match(list.out, new RegExp(`\\n${address} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\n`))
        assert.isTrue(list.out.split("\n").every((line) => line.length <= 60), list.out)
        const none = yield* run(["fee-payers", "list"])
        assert.strictEqual(none.out, "no fee payer yet\n")
        const json = yield* run(["accounts", "list", "--json"])
        assert.strictEqual(json.out.split("\n").length, before.out.split("\n").length + 1)
        yield* chain.fund(`0x${address.slice(2).toLowerCase()}`, 5n * 10n ** 17n)
        const shown = yield* run(["accounts", "show", address], node)
        assert.match(shown.out, new RegExp(`address +${address}\n`))
        assert.match(shown.out, /\nbalance +0\.5 KLAY\n/)
        assert.match(shown.out, /\nnextNonce +0\n/)
        const alone = yield* run(["accounts", "show", address])
        assert.deepStrictEqual([alone.code, alone.out.includes("balance")], [0, false], alone.error)
      }),
    60_000
  )

  it.scopedLive("creates, lists and shows fee payers in the same way", () =>
    Effect.gen(function*() {
      const { run } = yield* staying
      const made = yield* run(["fee-payers", "create", "--json"])
      assert.strictEqual(made.code, 0, made.error)
      const { address }: { readonly address: string } = JSON.parse(made.out)
      const list = yield* run(["fee-payers", "list", "--json"])
      assert.include(list.out, address)
      assert.notInclude((yield* run(["accounts", "list", "--json"])).out, address)
      const shown = yield* run(["fee-payers", "show", address, "--json"])
      assert.strictEqual(JSON.parse(shown.out).address.toLowerCase(), address.toLowerCase())
    }), 60_000)

  it.effect("says what is missing, before anything is sent", () =>
    Effect.forEach(
      [
        [["accounts", "show"], "show needs an address"],
        [["accounts", "create", "0x12"], "create takes no address"],
        [["accounts", "show", "0x12"], "ADDRESS 0x12 is not an address"],
        [["accounts", "list", "--pool", "default"], "--pool default is no name of a pool"],
        [["fee-payers", "list", "--pool", "default"], "--pool"]
      ] as const,
      ([words, problem]) =>
        Effect.gen(function*() {
          const { code, error } = yield* klaytn(words)
          assert.deepStrictEqual([code, error.includes(problem)], [2, true], error)
        }),
      { discard: true }
    ))
})
