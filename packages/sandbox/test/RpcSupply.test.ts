import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import * as Dev from "./support/devRpc.js"

const options = { seed: "supply", mining: "manual", clock: { start: 1_600_000_000, step: 1 } } as const

const holder: Hex = `0x${"11".repeat(20)}`
const dead: Hex = "0x000000000000000000000000000000000000dead"
const nowhere: Hex = `0x${"0".repeat(40)}`

const supplyAt = (...params: ReadonlyArray<unknown>) =>
  Effect.map(
    Dev.object("kaia_getTotalSupply", ...params),
    (answer) => Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, BigInt(String(value))]))
  )

describe("The coin of a chain", () => {
  it.effect("is what its accounts have, and what was burnt, at any block", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const chain = chains.chain(1001)
        const genesis = yield* supplyAt("0x0")
        assert.deepInclude(genesis, { number: 0n, totalBurnt: 0n, burntFee: 0n })
        assert.strictEqual(genesis["totalSupply"], genesis["totalMinted"])
        const first = yield* chain.fund(holder, 7n)
        const second = yield* chain.fund(nowhere, 5n)
        const third = yield* chain.fund(dead, 3n)
        const burnt = first.fee + second.fee + third.fee
        const minted = genesis["totalMinted"] ?? 0n
        const now = {
          number: 3n,
          totalSupply: minted - burnt - 8n,
          totalMinted: minted,
          totalBurnt: burnt + 8n,
          burntFee: burnt,
          zeroBurn: 5n,
          deadBurn: 3n,
          kip103Burn: 0n,
          kip160Burn: 0n
        }
        for (const params of [[], ["latest"], ["pending", true], [null, null], ["0x3"]]) {
          assert.deepStrictEqual(yield* supplyAt(...params), now)
        }
        assert.deepInclude(yield* supplyAt("0x1"), { totalMinted: minted, burntFee: first.fee, zeroBurn: 0n })
        assert.deepStrictEqual(yield* supplyAt("0x0"), genesis)
        // An edit counts as minted.
        yield* Dev.call("anvil_setBalance", holder, "0x64")
        assert.deepInclude(yield* supplyAt(), { totalMinted: minted + 93n, totalBurnt: burnt + 8n })
        yield* Dev.call("evm_mine")
        assert.deepStrictEqual(yield* supplyAt("0x3"), now)
        assert.deepStrictEqual(yield* Dev.failure("klay_getTotalSupply", "0x9"), {
          code: -32000,
          message: "supply checkpoint not found"
        })
      }),
      Sandbox.layer(options)
    ))

  it.effect("is counted again from where a chain was set back", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const chain = chains.chain(1001)
        const first = yield* chain.fund(holder, 7n)
        yield* chain.fund(holder, 7n)
        yield* supplyAt()
        yield* chain.reorg(1, { transactions: "drop" })
        assert.deepInclude(yield* supplyAt(), { number: 2n, burntFee: first.fee })
        const [from, to] = [yield* Dev.object("governance_getRewardsAccumulated", "0x0", "latest"), Number(first.fee)]
        assert.deepInclude(from, {
          firstBlock: 0,
          lastBlock: 2,
          totalMinted: 0,
          totalTxFee: to,
          totalBurntTxFee: to,
          rewards: {}
        })
        for (const range of [["0x2", "0x1"], ["0x0", "0x9"]]) {
          assert.strictEqual(
            (yield* Dev.failure("governance_getRewardsAccumulated", ...range)).message,
            "invalid block number range"
          )
        }
      }),
      Sandbox.layer(options)
    ))

  it.effect("is agreed on by one validator, without votes", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const { validator } = chains.chain(1001)
        const { hash } = yield* Dev.object("eth_getBlockByNumber", "0x0", false)
        for (
          const [method, answer, ...params] of [
            ["istanbul_getValidators", [validator]],
            ["istanbul_getValidators", [validator], "0x0"],
            ["istanbul_getValidatorsAtHash", [validator], hash],
            ["istanbul_getDemotedValidators", [], "latest"],
            ["istanbul_candidates", {}],
            ["istanbul_getTimeout", 10_000],
            ["governance_nodeAddress", validator],
            ["governance_votes", []],
            ["governance_myVotes", []],
            ["governance_idxCache", [0]]
          ] as const
        ) {
          assert.deepStrictEqual(yield* Dev.call(method, ...params), answer, method)
        }
        assert.deepStrictEqual(yield* Dev.call("governance_getParams"), yield* Dev.call("kaia_getParams"))
        assert.strictEqual((yield* Dev.failure("istanbul_getValidators", "0x9")).message, "unknown block")
        assert.strictEqual(
          (yield* Dev.failure("istanbul_getValidatorsAtHash", `0x${"00".repeat(32)}`)).message,
          "unknown block"
        )
      }),
      Sandbox.layer(options)
    ))
})
