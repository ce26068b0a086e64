import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Chains from "../src/Chains.js"
import * as Sandbox from "../src/Sandbox.js"
import * as Scenario from "../src/Scenario.js"

const open = Chains.make({ clock: { start: 1_600_000_000, step: 1 }, seed: "scenario tests" })

const shop = {
  chain: 8217,
  accounts: [{ name: "alice", klay: "100" }, { name: "bob", klay: "20.5" }, { name: "carol", klay: "1" }],
  tokens: [
    { name: "apples", kind: "ft", title: "Apple", symbol: "APL", decimals: 2, deployer: "alice" },
    { name: "cats", kind: "nft", title: "Cats", symbol: "CAT", deployer: "alice", minter: "deployer" },
    { name: "items", kind: "mt", uri: "u", deployer: "bob" }
  ],
  steps: [
    { do: "mint", token: "apples", to: "alice", amount: "1000" },
    { do: "mint", token: "cats", to: "bob", tokenId: "0" },
    { do: "mint", token: "items", to: "bob", tokenId: "0x10", amount: "7" },
    { do: "sendToken", token: "apples", from: "alice", to: "bob", amount: "350", feePayer: "carol", feeRatio: 40 },
    { do: "sendToken", token: "items", from: "bob", to: "carol", tokenId: "16", amount: "2" },
    { do: "wait", seconds: 3600 },
    { do: "send", from: "alice", to: "0x00000000000000000000000000000000DEADBEEF", klay: "1.5", memo: "thanks" }
  ],
  presets: [{ name: "shop", accounts: ["alice"], contracts: ["cats"] }]
}

describe("Scenario", () => {
  it.scoped("plays accounts, tokens, steps and presets by signed transactions", () =>
    Effect.gen(function*() {
      const chains = yield* open
      const chain = chains.chain(8217)
      const [scenario] = yield* Scenario.decode(shop)
      assert.isDefined(scenario)
      const { accounts, presets, tokens } = yield* Scenario.play(chains, scenario)
      const alice = accounts.get("alice")?.address ?? "0x"
      const bob = accounts.get("bob")?.address ?? "0x"
      const apples = tokens.get("apples")?.address ?? "0x"
      assert.strictEqual(Option.getOrThrow(yield* chain.holding(apples, bob)).balance, 350n)
      assert.strictEqual(yield* chain.totalBalance(tokens.get("items")?.address ?? "0x", bob), 5n)
      const [last] = yield* chain.transfers({ accounts: [alice], limit: 1 })
      assert(last?.kind === "coin")
      assert.strictEqual(last.to, "0x00000000000000000000000000000000deadbeef")
      assert.strictEqual(last.value, 15n * 10n ** 17n)
      assert.strictEqual(last.transaction.typeInt, 16)
      assert.isAtLeast(last.transaction.timestamp, 1_600_003_600)
      const preset = Option.getOrThrow(yield* chain.preset(presets.get("shop") ?? 0))
      assert.deepStrictEqual(preset.accounts, [alice])
      assert.deepStrictEqual(preset.contracts, [tokens.get("cats")?.address ?? "0x"])
      assert.strictEqual((yield* chains.chain(1001).head).number, 0)
    }))

  it.scoped("leaves its accounts known by name to the controls and the explorer, on both chains", () =>
    Effect.gen(function*() {
      const { control, chains, url } = yield* Sandbox.make({ accounts: ["erin"], seed: "scenario tests" })
      const [scenario] = yield* Scenario.decode({
        ...shop,
        accounts: [...shop.accounts, { name: "frank", klay: "2" }]
      })
      assert.isDefined(scenario)
      yield* Scenario.play(chains, scenario)
      const named = ["erin", "alice", "bob", "carol", "frank"]
      for (const chainId of [8217, 1001] as const) {
        const listed = yield* control.chain(chainId).accounts
        assert.deepStrictEqual(listed.map(({ name }) => name), named)
      }
      yield* control.chain(8217).transfer({ from: "frank", to: "alice", amount: 1n })
      const page = yield* Effect.promise(async () => (await fetch(`${url}/explorer/8217/accounts`)).text())
      for (const name of named) assert.include(page, `>${name}<`)
    }))

  it.scoped("registers no account when a step fails", () =>
    Effect.gen(function*() {
      const { control, chains } = yield* Sandbox.make({ accounts: ["erin"], seed: "scenario tests" })
      const [scenario] = yield* Scenario.decode({
        ...shop,
        steps: [{ do: "sendToken", token: "apples", from: "bob", to: "alice", amount: "1" }]
      })
      assert.isDefined(scenario)
      yield* Effect.flip(Scenario.play(chains, scenario))
      assert.deepStrictEqual((yield* control.chain(8217).accounts).map(({ name }) => name), ["erin"])
    }))

  it.scoped("goes back to where the chain was when a step fails", () =>
    Effect.gen(function*() {
      const chains = yield* open
      const [scenario] = yield* Scenario.decode({
        ...shop,
        steps: [{ do: "sendToken", token: "apples", from: "bob", to: "alice", amount: "1" }]
      })
      assert.isDefined(scenario)
      const failed = yield* Effect.flip(Scenario.play(chains, scenario))
      assert.strictEqual(failed._tag, "ExecutionFailed")
      assert.strictEqual((yield* chains.chain(8217).head).number, 0)
      assert.deepStrictEqual(yield* chains.chain(8217).presets, [])
    }))

  it.effect("says where it is wrong before anything happens", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ ...shop, chain: 1 }, "chain"],
        [{ ...shop, stepps: [] }, "stepps"],
        [{ ...shop, accounts: [{ name: "alice", klay: "-1" }] }, "accounts.0.klay"],
        [{ ...shop, steps: [{ do: "send", from: "dave", to: "alice", klay: "1" }] }, "steps.0.from"],
        [{ ...shop, steps: [{ do: "send", from: "alice", to: "0x12", klay: "1" }] }, "steps.0.to"],
        [{ ...shop, steps: [{ do: "mint", token: "cats", to: "bob" }] }, "steps.0.tokenId"],
        [{ ...shop, steps: [{ do: "mint", token: "pears", to: "bob" }] }, "steps.0.token"],
        [{ ...shop, presets: [{ name: "p", accounts: [], contracts: ["pears"] }] }, "presets.0.contracts"]
      ]
      for (const [input, path] of cases) {
        const error = yield* Effect.flip(Effect.scoped(Effect.gen(function*() {
          const chains = yield* open
          for (const scenario of yield* Scenario.decode(input)) yield* Scenario.play(chains, scenario)
        })))
        assert(error._tag === "ScenarioInvalid")
        assert.include(error.path, path)
      }
    }))

  it.effect("refuses text that is no JSON", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(Scenario.parse("{")))._tag, "ScenarioInvalid")
    }))
})
