import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { accountMethods } from "../../src/AccountMethods.js"
import { chainMethods } from "../../src/ChainMethods.js"
import * as Contract from "../../src/Contract.js"
import { KlaytnNode } from "../../src/KlaytnNode.js"
import * as Method from "../../src/Method.js"
import { BlockNotFound } from "../../src/RpcError.js"
import * as Testing from "../../src/Testing.js"
import { alice, bob, token } from "../golden/row.js"

const missing = new BlockNotFound({
  operation: "node.klay_getTransactionCount",
  method: "klay_getTransactionCount",
  code: -32000,
  serviceMessage: "the block does not exist",
  retrySafe: true
})

const stubs = Testing.make({
  klay: {
    getTransactionCount: (address) => address === alice ? Effect.succeed(7n) : Effect.fail(missing),
    chainId: () => Effect.succeed(1001n)
  },
  eth: { getTransactionCount: () => Effect.succeed(9n) }
})

describe("a node of stubs", () => {
  it.effect("answers with them, in their namespaces", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* stubs.klay.getTransactionCount(alice), 7n)
      assert.strictEqual(yield* stubs.eth.getTransactionCount(bob), 9n)
      assert.strictEqual((yield* Effect.flip(stubs.klay.getTransactionCount(bob)))._tag, "BlockNotFound")
      assert.strictEqual(yield* stubs.run(accountMethods.getTransactionCount, alice), 7n)
      assert.deepStrictEqual([stubs.chain, stubs.namespace], [1001, "klay"])
    }))

  it.effect("answers lists of calls with them, each in its place", () =>
    Effect.gen(function*() {
      const tell = (outcomes: ReadonlyArray<Either.Either<unknown, { readonly _tag: string }>>) =>
        outcomes.map((one) => Either.isRight(one) ? one.right : one.left._tag)
      assert.deepStrictEqual(tell(yield* stubs.runEach(accountMethods.getTransactionCount, [[alice], [bob]])), [
        7n,
        "BlockNotFound"
      ])
      const calls = [Method.call(accountMethods.getTransactionCount, bob), Method.call(chainMethods.chainId)] as const
      assert.deepStrictEqual(tell(yield* stubs.runAll(calls)), ["BlockNotFound", 1001n])
    }))

  it.effect("names the method of any other call as a defect", () =>
    Effect.gen(function*() {
      const told = (exit: Exit.Exit<unknown, unknown>) =>
        Exit.isFailure(exit) ? `${Cause.isDie(exit.cause)} ${String(Cause.squash(exit.cause))}` : "answered"
      const calls: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, string]> = [
        [stubs.klay.getBalance(alice), "node.klay.getBalance"],
        [stubs.eth.getBalance(alice), "node.eth.getBalance"],
        [stubs.runEach(accountMethods.getCode, [[alice]]), "node.klay.getCode"],
        [stubs.notify("klay_x", []), "node.notify"]
      ]
      for (const [call, name] of calls) {
        const said = told(yield* Effect.exit(call))
        assert.include(said, "true ")
        assert.include(said, `no stub for ${name}`)
      }
    }))

  it.effect("is what a contract reads from", () =>
    Effect.gen(function*() {
      const word = (n: number) => `0x${n.toString(16).padStart(64, "0")}`
      const node = Testing.layer({ klay: { call: () => Effect.succeed(word(5) as never) } })
      const abi = ["function balanceOf(address owner) view returns (uint256)"] as const
      const contract = yield* Contract.make({ address: token, abi })
      assert.strictEqual(yield* Effect.provide(contract.read("balanceOf", [alice]), node), 5n)
      assert.strictEqual((yield* Effect.provide(KlaytnNode, node)).chain, 1001)
    }))
})
