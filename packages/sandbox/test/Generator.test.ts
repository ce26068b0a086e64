import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Chains from "../src/Chains.js"
import * as Generator from "../src/Generator.js"

const options = { clock: { start: 1_600_000_000, step: 1 }, seed: "generator tests" } as const

const run = (seed: string) =>
  Effect.scoped(Effect.gen(function*() {
    const chain = (yield* Chains.make(options)).chain(1001)
    const generated = yield* Generator.generate(chain, { seed, transfers: 600, accounts: 20 })
    return { head: (yield* chain.head).hash, transfers: generated.transfers }
  }))

describe("Generator", () => {
  it.effect("makes the same chain from the same seed, and another from another", () =>
    Effect.gen(function*() {
      const first = yield* run("a")
      assert.deepStrictEqual(yield* run("a"), first)
      assert.notStrictEqual((yield* run("b")).head, first.head)
    }))

  it.scoped("adds exactly as many transfers as asked for, of all kinds, all of them successful", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make(options)).chain(1001)
      const { accounts, blocks, busiest, tokens, transfers } = yield* Generator.generate(chain, {
        seed: "a",
        transfers: 1_000,
        accounts: 20
      })
      assert.strictEqual(transfers, 1_000)
      const all = yield* chain.transfers({
        accounts: [...accounts, chain.faucet].map(({ address }) => address),
        contracts: Object.values(tokens).map(({ address }) => address),
        limit: 2_000
      })
      assert.strictEqual(all.length, 1_000)
      assert.deepStrictEqual(new Set(all.map(({ kind }) => kind)), new Set(["coin", "ft", "nft", "mt"]))
      assert.isTrue(all.every(({ transaction }) => transaction.status === 1))
      const count = (address: string) => all.filter(({ from, to }) => from === address || to === address).length
      assert.isTrue(accounts.slice(1).every(({ address }) => count(address) < count(busiest.address)))
      assert.isTrue(all.some(({ transaction }) => transaction.feeRatio !== undefined))
      assert.strictEqual((yield* chain.head).number, blocks)
    }))

  it.scoped("keeps every balance of tokens equal to what the contracts say", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make(options)).chain(8217)
      const { accounts, tokens } = yield* Generator.generate(chain, { seed: "c", transfers: 700, accounts: 10 })
      const supply = yield* chain.tokens({ contract: tokens.mt.address, order: "tokenId", limit: 1_000 })
      const held = yield* chain.holdings({ contracts: [tokens.mt.address], limit: 10_000 })
      for (const { supply: all, tokenId } of supply) {
        const sum = held.filter((one) => one.tokenId === tokenId).reduce((total, one) => total + one.balance, 0n)
        assert.strictEqual(sum, all)
      }
      for (const { address } of accounts) {
        const data = `0x70a08231${address.slice(2).padStart(64, "0")}` as const
        for (
          const [token, known] of [
            [tokens.ft, Effect.map(chain.holding(tokens.ft.address, address), Option.map(({ balance }) => balance))],
            [tokens.nft, Effect.map(chain.totalBalance(tokens.nft.address, address), Option.some)]
          ] as const
        ) {
          const answer = yield* chain.call({ to: token.address, data })
          assert.strictEqual(Option.getOrElse(yield* known, () => 0n), BigInt(answer.data))
        }
      }
    }))

  it.scoped("refuses fewer transfers than setting up takes, and changes nothing", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make(options)).chain(1001)
      const refused = yield* Effect.flip(Generator.generate(chain, { seed: "a", transfers: 10 }))
      assert.strictEqual(refused._tag, "InvalidRequest")
      assert.strictEqual((yield* chain.head).number, 0)
    }))
})
