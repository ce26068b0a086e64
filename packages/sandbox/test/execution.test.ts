import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Chains from "../src/Chains.js"
import * as TokenContract from "../src/TokenContract.js"

const klay = 10n ** 18n
const options = { clock: { start: 1_600_000_000, step: 1 }, seed: "execution tests" } as const
const alice = DevAccount.derive(options.seed, "alice")
const bob = DevAccount.derive(options.seed, "bob")

const withChain = Effect.gen(function*() {
  const chain = (yield* Chains.make(options)).chain(1001)
  yield* chain.fund(alice.address, 1000n * klay)
  yield* chain.fund(bob.address, 1000n * klay)
  return chain
})

describe("execution, as the index shows it", () => {
  it.scoped("uses up the nonce of a cancel and of an anchoring without any transfer", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const cancel = yield* chain.execute({ kind: "cancel", from: alice })
      const anchor = yield* chain.execute({ kind: "anchor", from: alice, data: "0x1234", feePayer: bob })
      assert.deepStrictEqual([cancel.typeInt, anchor.typeInt, anchor.gasUsed], [56, 73, 31_080n])
      assert.deepStrictEqual(yield* chain.transfersOf(anchor.hash), [])
      assert.strictEqual(Option.getOrThrow(yield* chain.account(alice.address)).nonce, 2n)
      const bySender = Option.getOrThrow(yield* chain.transactionBySenderHash(anchor.senderTxHash))
      assert.notStrictEqual(anchor.senderTxHash, anchor.hash)
      assert.deepStrictEqual(bySender, anchor)
      assert.deepStrictEqual(Option.getOrThrow(yield* chain.transactionBySenderHash(cancel.hash)), cancel)
    }))

  it.scoped("gives a contract account a key that nobody can sign for", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const { address } = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "A", symbol: "B" })
      const account = Option.getOrThrow(yield* chain.account(address))
      assert.deepStrictEqual([account.key.type, account.isContract, account.nonce], ["AccountKeyFail", true, 1n])
      const refused = yield* Effect.flip(chain.execute({ kind: "transfer", from: alice, to: address, value: 1n }))
      assert.strictEqual(refused.message, "recipient must be an EOA without code")
    }))

  it.scoped("finds logs by block, emitter and topics, and shows them in the block's bloom filter", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const apples = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "A", symbol: "B" })
      const pears = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "C", symbol: "D" })
      for (const token of [apples, pears]) {
        yield* TokenContract.mint(chain, alice, token, { kind: "ft", to: alice.address, amount: 9n })
        yield* TokenContract.transfer(chain, alice, token, { kind: "ft", to: bob.address, amount: 4n })
      }
      const all = { fromBlock: 0, toBlock: (yield* chain.head).number, limit: 100 }
      const count = (query: Partial<Parameters<typeof chain.logs>[0]>) =>
        Effect.map(chain.logs({ ...all, ...query }), (logs) => logs.length)
      const word = (address: Hex): Hex => `0x${address.slice(2).padStart(64, "0")}`
      assert.strictEqual(yield* count({}), 4)
      assert.strictEqual(yield* count({ addresses: [pears.address] }), 2)
      assert.strictEqual(yield* count({ addresses: [pears.address, apples.address] }), 4)
      assert.strictEqual(yield* count({ topics: [undefined, [word(alice.address)]] }), 2)
      assert.strictEqual(yield* count({ topics: [undefined, undefined, [word(alice.address), word(bob.address)]] }), 4)
      assert.strictEqual(yield* count({ topics: [undefined, undefined, undefined, undefined] }), 0)
      const last = Option.getOrThrow(yield* chain.block(all.toBlock))
      assert.strictEqual(yield* count({ fromBlock: last.number }), 1)
      const [log] = yield* chain.logs({ ...all, fromBlock: last.number })
      assert.isDefined(log)
      assert.strictEqual(log.blockHash, last.hash)
      const bits = BigInt(last.logsBloom)
      for (const item of [log.address, ...log.topics]) {
        const hash = keccak_256(Buffer.from(item.slice(2), "hex"))
        for (const at of [0, 2, 4]) {
          const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047
          assert.strictEqual(bits >> BigInt(bit) & 1n, 1n)
        }
      }
    }))

  it.scoped("builds a block of what waits at every interval, by the runtime's clock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_000)
      const chain = (yield* Chains.make({ seed: "x", mining: { every: "5 seconds" } })).chain(8217)
      const hash = yield* chain.send({ kind: "transfer", from: chain.faucet, to: bob.address, value: 1n })
      assert.isTrue(Option.isNone(yield* chain.transaction(hash)))
      yield* TestClock.adjust("6 seconds")
      // The block is built outside of the test clock; asking for the head's turn waits for it.
      yield* Effect.repeat(Effect.promise(() => new Promise((resolve) => setImmediate(resolve))), {
        until: () => Effect.map(chain.transaction(hash), Option.isSome)
      })
      const record = Option.getOrThrow(yield* chain.transaction(hash))
      assert.isAtLeast(record.timestamp, 1_700_000_005)
      assert.strictEqual(yield* chain.now, 1_700_000_006)
    }))
})
