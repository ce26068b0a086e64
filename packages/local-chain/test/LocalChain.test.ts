import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as DevAccount from "../src/DevAccount.js"
import * as LocalChain from "../src/LocalChain.js"

const alice = DevAccount.derive("test", "alice")
const bob = DevAccount.derive("test", "bob")
const make = LocalChain.make({ chainId: 1001, clock: { start: 1_600_000_000, step: 1 } })
const balanceOf = (chain: LocalChain.LocalChain, block?: number) =>
  Effect.map(chain.account(bob.address, block), Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance }))

describe("LocalChain", () => {
  it.effect("runs a block without HTTP and without a database", () =>
    Effect.gen(function*() {
      const chain = yield* make
      yield* chain.fund(alice.address, 10n ** 18n)
      const sent = yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: 5n })
      assert.deepInclude(sent, { blockNumber: 2, status: 1, gasUsed: 21_000n, timestamp: 1_600_000_002 })
      assert.strictEqual(yield* balanceOf(chain), 5n)
    }))

  it.effect("reads the state of earlier blocks, and reverts to a snapshot", () =>
    Effect.gen(function*() {
      const chain = yield* make
      const snapshot = yield* chain.snapshot
      yield* chain.fund(bob.address, 1n)
      yield* chain.fund(bob.address, 2n)
      assert.deepStrictEqual(
        yield* Effect.forEach([0, 1, 2], (block) => balanceOf(chain, block)),
        [0n, 1n, 3n]
      )
      const { hash } = yield* chain.head
      yield* chain.revert(snapshot)
      assert.deepStrictEqual([(yield* chain.head).number, yield* balanceOf(chain)], [0, 0n])
      yield* chain.fund(bob.address, 1n)
      yield* chain.fund(bob.address, 2n)
      assert.strictEqual((yield* chain.head).hash, hash)
    }))

  it.effect("refuses what a node refuses, and changes nothing", () =>
    Effect.gen(function*() {
      const chain = yield* make
      const failure = yield* Effect.flip(chain.send({ kind: "transfer", from: alice, to: bob.address, value: 5n }))
      assert.deepInclude(failure, { _tag: "TransactionRejected", reason: "InsufficientFundsOfSender" })
      assert.strictEqual((yield* chain.head).number, 0)
    }))
})
