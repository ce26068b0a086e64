import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { CallRequest } from "../src/Call.js"
import type { ReadFailure } from "../src/ChainError.js"
import * as DevAccount from "../src/DevAccount.js"
import { yieldToOthers } from "../src/internal/calls.js"
import * as LocalChain from "../src/LocalChain.js"
import { openChain } from "./support/openChain.js"

const alice = DevAccount.derive("returning", "alice")
const bob = DevAccount.derive("returning", "bob")
const carol = DevAccount.derive("returning", "carol")
const receiver: Hex = `0x${"cc".repeat(20)}`
const gpeb = 10n ** 9n

const open = (options: Omit<LocalChain.LocalChainOptions, "chainId"> = {}) =>
  Effect.gen(function*() {
    const clock = { start: 1_600_000_000, step: 1 } as const
    const { chain, storage } = yield* openChain({ clock, mining: "onDemand", ...options })
    for (const { address } of [alice, bob]) yield* chain.edit(address, { balance: 10n ** 24n })
    // The edits are in a block that stays.
    yield* chain.mine()
    const pay = (from: DevAccount.DevAccount, nonce: bigint) =>
      chain.send({ kind: "transfer", from, to: receiver, value: 1n, nonce })
    const whyOf = (hash: Hex) =>
      Effect.map(chain.dropped, (dropped) => dropped.find((one) => one.hash === hash)?.reason)
    return { chain, storage, pay, whyOf }
  })

describe("A transaction that waits again", () => {
  it.effect("after a reorganisation is not executed with a key that its sender no longer has", () =>
    Effect.gen(function*() {
      const { chain, pay, storage, whyOf } = yield* open()
      yield* pay(alice, 0n)
      const second = yield* pay(alice, 1n)
      yield* chain.mine()
      yield* chain.reorg(1)
      assert.include(yield* chain.pending, second)
      // Another key takes the place of the first payment.
      yield* chain.setNextBlock({ baseFeePerGas: 100n * gpeb })
      yield* chain.send({
        kind: "updateKey",
        from: alice,
        key: { type: "AccountKeyPublic", publicKey: carol.publicKey },
        nonce: 0n
      })
      yield* chain.setNextBlock({ baseFeePerGas: 25n * gpeb })
      yield* chain.mine()
      yield* chain.mine()
      assert.isUndefined(storage.transactionByHash(second))
      assert.strictEqual(yield* whyOf(second), "invalid sender: invalid account key")
    }))

  it.effect("after a reorganisation need not be signed if its sender was taken for granted", () =>
    Effect.gen(function*() {
      const { chain, storage } = yield* open()
      const hash = yield* chain.submitAs({
        type: "ValueTransfer",
        from: alice.address,
        to: receiver,
        nonce: 0n,
        gas: 100_000n,
        gasPrice: 50n * gpeb,
        value: 1n,
        signatures: [{ v: 2_037n, r: 1n, s: 1n }]
      }, alice.address)
      yield* chain.mine()
      yield* chain.reorg(1)
      yield* chain.mine()
      assert.strictEqual(storage.transactionByHash(hash)?.blockNumber, 3)
    }))

  it.effect("needs no room in a full pool", () =>
    Effect.gen(function*() {
      const { chain, pay } = yield* open({ poolSize: 4 })
      const first = yield* Effect.forEach([0n, 1n, 2n, 3n], (nonce) => pay(alice, nonce))
      yield* chain.mine()
      const others = yield* Effect.forEach([0n, 1n, 2n, 3n], (nonce) => pay(bob, nonce))
      yield* chain.reorg(1)
      assert.deepStrictEqual(yield* chain.pending, [...first, ...others])
      assert.strictEqual((yield* Effect.flip(pay(bob, 4n))).message, "txpool is full: 8")
    }))

  it.effect("leaves, and says why, if another branch has used its nonce", () =>
    Effect.gen(function*() {
      const { chain, pay, whyOf } = yield* open()
      yield* chain.mine()
      const waiting = yield* pay(alice, 0n)
      const transaction = {
        type: "ValueTransfer",
        from: alice.address,
        to: receiver,
        nonce: 0n,
        gas: 100_000n,
        gasPrice: 50n * gpeb,
        value: 2n,
        signatures: [{ v: 2_037n, r: 1n, s: 1n }]
      } as const
      yield* chain.reorg(1, { blocks: [[{ transaction, from: alice.address }]] })
      assert.deepStrictEqual(yield* chain.pending, [])
      assert.strictEqual(yield* whyOf(waiting), "nonce too low")
    }))

  it.effect("leaves if the rules of the next start don't have its type", () =>
    Effect.gen(function*() {
      const before = yield* open()
      const hash = yield* before.chain.submitAs({
        type: "EthereumSetCode",
        chainId: 1001,
        nonce: 0n,
        maxFeePerGas: 50n * gpeb,
        maxPriorityFeePerGas: 0n,
        gas: 100_000n,
        to: receiver,
        value: 0n,
        input: "0x",
        accessList: [],
        authorizationList: [{ chainId: 1001n, address: receiver, nonce: 0n, yParity: 0, r: 1n, s: 1n }],
        signatures: [{ v: 1n, r: 1n, s: 1n }]
      }, alice.address)
      assert.strictEqual(yield* before.chain.keepPool, 1)
      const chain = yield* LocalChain.makeWith(before.storage, {
        chainId: 1001,
        hardfork: "cancun",
        mining: "onDemand"
      })
      assert.deepStrictEqual(yield* chain.pending, [])
      assert.deepInclude(yield* chain.dropped, {
        hash,
        from: alice.address,
        nonce: 0n,
        reason: "transaction type not supported"
      })
    }))

  it.effect("after a revert is mined where each transaction is", () =>
    Effect.gen(function*() {
      const { chain, pay, storage } = yield* open()
      const hash = yield* pay(alice, 0n)
      const snapshot = yield* chain.snapshot
      yield* chain.setAutomine(true)
      yield* chain.revert(snapshot)
      assert.deepStrictEqual(yield* chain.pending, [])
      assert.isDefined(storage.transactionByHash(hash))
    }))

  it.effect("leaves five minutes after it could run last", () =>
    Effect.gen(function*() {
      const { chain, pay, whyOf } = yield* open()
      const hash = yield* pay(alice, 0n)
      yield* chain.advanceTime(400)
      assert.deepStrictEqual(yield* chain.pending, [hash])
      yield* chain.setNextBlock({ baseFeePerGas: 100n * gpeb })
      yield* chain.advanceTime(299)
      assert.deepStrictEqual(yield* chain.pending, [hash])
      yield* chain.advanceTime(2)
      assert.deepStrictEqual(yield* chain.pending, [])
      assert.include(yield* whyOf(hash), "for five minutes")
    }))

  it.effect("for the base fee keeps its nonce from sends that name none", () =>
    Effect.gen(function*() {
      const { chain, pay } = yield* open()
      const waiting = [yield* pay(alice, 0n), yield* pay(alice, 1n)]
      yield* chain.setNextBlock({ baseFeePerGas: 100n * gpeb })
      assert.deepStrictEqual(
        yield* Effect.all([chain.pendingNonce(alice.address), chain.freeNonce(alice.address)]),
        [0n, 2n]
      )
      const third = yield* chain.send({ kind: "transfer", from: alice, to: receiver, value: 3n })
      assert.deepStrictEqual(yield* chain.pending, [...waiting, third])
    }))
})

describe("Another branch", () => {
  it.effect("has what its earlier transactions make possible, and what it leaves out is told", () =>
    Effect.gen(function*() {
      const { chain, storage, whyOf } = yield* open()
      yield* chain.mine()
      const payment = (from: Hex, to: Hex, value: bigint) => ({
        from,
        transaction: {
          type: "ValueTransfer",
          from,
          to,
          nonce: 0n,
          gas: 100_000n,
          gasPrice: 50n * gpeb,
          value,
          signatures: [{ v: 2_037n, r: 1n, s: value }]
        } as const
      })
      const content = [
        payment(alice.address, carol.address, 10n ** 18n),
        payment(carol.address, bob.address, 1n),
        payment(bob.address, carol.address, 10n ** 30n)
      ]
      yield* chain.reorg(1, { blocks: [content] })
      const hashes = content.map(({ transaction }) => {
        const hash = Transaction.hash(transaction)
        return hash.ok ? hash.value : assert.fail(hash.error.message)
      })
      assert.deepStrictEqual(
        hashes.map((hash) => storage.transactionByHash(hash)?.transactionIndex),
        [0, 1, undefined]
      )
      assert.deepStrictEqual(
        yield* Effect.forEach(hashes, whyOf),
        [undefined, undefined, "insufficient funds of the sender for value "]
      )
    }))
})

describe("A call", () => {
  it.effect("that is interrupted ends, and the chain goes on", () =>
    Effect.gen(function*() {
      const { chain } = yield* open()
      // JUMPDEST PUSH1 0 JUMP
      yield* chain.edit(receiver, { code: "0x5b600056" })
      const asks: ReadonlyArray<(request: CallRequest) => Effect.Effect<unknown, ReadFailure>> = [
        chain.call,
        chain.measure,
        chain.estimateGas
      ]
      for (const ask of asks) {
        const fiber = yield* Effect.fork(ask({ from: alice.address, to: receiver }))
        yield* yieldToOthers
        const exit = yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.isInterrupted(exit))
      }
      assert.lengthOf(yield* chain.mine(), 1)
    }))
})

describe("The times that a chain was set back", () => {
  it.effect("are told with the lowest height since any of them", () =>
    Effect.gen(function*() {
      const { chain } = yield* open()
      yield* chain.mine(9)
      for (const depth of [2, 5, 1]) yield* chain.reorg(depth)
      assert.deepStrictEqual(
        yield* Effect.forEach([0, 1, 2, 3], (since) => chain.setBacks(since)),
        [5, 5, 9, undefined].map((lowest) => ({ times: 3, lowest }))
      )
    }))
})
