import * as SendKeeper from "@effect-klaytn/custody/SendKeeper"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import { pricesAt, type RemoteChain } from "@effect-klaytn/custody/WalletChain"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as localWallet from "./support/localWallet.js"
import { newSend } from "./support/newSend.js"

/** Hex of so many bytes. */
const hexOf = (value: number, bytes: number): Hex => `0x${value.toString(16).padStart(2 * bytes, "0")}`

/** A keeper over sends that are stored without a request, and a node that counts what it is asked. */
const start = Effect.gen(function*() {
  const { local, sql, wallet } = yield* localWallet.make
  const store = SqlSendStore.make(sql, 1001)
  const mined = new Set<Hex>()
  const asked: Array<Hex> = []
  const given: Array<Hex> = []
  const chain: RemoteChain = {
    ...localWallet.walletChain(local),
    submitRaw: (raw) => Effect.sync(() => (given.push(raw), raw)),
    prices: Effect.succeed(pricesAt(1n)),
    verdict: ({ hash }) => Effect.sync(() => (asked.push(hash), { _tag: mined.has(hash) ? "mined" : "open" })),
    blockTime: Effect.succeed(0)
  }
  let count = 0
  const add = (caller: string, account: Hex, nonce: number) =>
    Effect.gen(function*() {
      const hash = hexOf(++count, 32)
      const send = newSend({ account, nonce: BigInt(nonce), hash, price: 100n, caller })
      assert.isDefined(yield* store.take(send, 0))
      return hash
    })
  return { add, asked, given, mined, parts: { chain, store, wallet }, sql, store }
})

describe("a round of the keeper of sends", () => {
  it.scoped("looks at a caller's thousands of sends piece by piece, and at those of others in each", () =>
    Effect.gen(function*() {
      const { add, asked, given, parts, sql } = yield* start
      yield* sql.withTransaction(Effect.gen(function*() {
        for (let nonce = 5; nonce < 305; nonce++) yield* add("hostile", hexOf(1, 20), nonce)
        for (let index = 0; index < 600; index++) yield* add("hostile", hexOf(100 + index, 20), 7)
      }))
      const honest = yield* add("shop", hexOf(9999, 20), 0)
      yield* TestClock.adjust("5 seconds")
      const keeper = yield* Effect.fork(SendKeeper.run(parts))
      const looked = new Set<Hex>()
      for (let round = 1; round <= 2; round++) {
        // It rests when it has done a round.
        while (Chunk.isEmpty(yield* TestClock.sleeps())) yield* Effect.yieldNow()
        assert.isAtMost(asked.length, 512 + 2 + 1, `round ${round}`)
        assert.isBelow(asked.indexOf(honest), 40, "others come by turns")
        for (const hash of asked) looked.add(hash)
        asked.length = 0
        yield* TestClock.adjust("1 second")
      }
      // Each of the accounts was looked at once, and an account's lowest nonces alone.
      assert.isAtLeast(looked.size, 602)
      assert.strictEqual(new Set(given.filter((raw) => BigInt(raw) <= 300n)).size, 32)
      yield* Fiber.interrupt(keeper)
    }))

  it.scoped("settles thousands of sends of one account that blocks have, and asks for each once", () =>
    Effect.gen(function*() {
      const { add, asked, mined, parts, sql, store } = yield* start
      yield* sql.withTransaction(Effect.gen(function*() {
        for (let nonce = 0; nonce < 500; nonce++) mined.add(yield* add("shop", hexOf(1, 20), nonce))
      }))
      const next = yield* add("shop", hexOf(1, 20), 500)
      yield* SendKeeper.round(parts)
      assert.deepStrictEqual((yield* store.open).map(({ hash }) => hash), [next])
      assert.isAtMost(asked.length, 501)
    }))

  it.scoped("settles what a block has, though nothing is shown of an earlier one", () =>
    Effect.gen(function*() {
      const { add, mined, parts, store } = yield* start
      const hashes = yield* Effect.forEach([0, 1, 2, 3], (nonce) => add("shop", hexOf(1, 20), nonce))
      for (const hash of hashes.slice(1)) mined.add(hash)
      yield* SendKeeper.round(parts)
      assert.deepStrictEqual((yield* store.open).map(({ hash }) => hash), hashes.slice(0, 1))
    }))
})
