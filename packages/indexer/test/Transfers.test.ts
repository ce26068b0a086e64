import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { catchUp } from "../src/CatchUp.js"
import type { TransferRecord } from "../src/TransferRecord.js"
import { alice, bob, FakeNode, hash, token, transfer } from "./support/fakeNode.js"
import { stores } from "./support/stores.js"

/** A chain whose blocks have as many token transfers as their height says, but one, and then the coin of the transaction. */
const chain = () => {
  const node = new FakeNode(3)
  node.logsOf = (height) => Array.from({ length: height - 1 }, (_, index) => transfer(bob, BigInt(height * 10 + index)))
  return node
}

const shown = (record: TransferRecord) => [
  record.transaction.blockNumber,
  record.kind,
  record.from,
  record.to,
  record.kind === "coin" || record.kind === "ft" ? record.value : undefined
]

describe.each(stores)("the transfers of transactions on %s", (_, emptyIndex) => {
  const followed = Effect.gen(function*() {
    const index = yield* emptyIndex()
    yield* catchUp(index, yield* chain().source({ namespace: "eth" }))
    const hashes = yield* Effect.forEach(
      [1, 2, 3],
      (height) => Effect.map(index.reader.transactionsOf(height), ([one]) => one?.hash ?? "0x")
    )
    return { hashes, reader: index.reader }
  })

  it.scoped("are the coin after the tokens", () =>
    Effect.gen(function*() {
      const { hashes: [, , third], reader } = yield* followed
      assert.deepStrictEqual((yield* reader.transfersOf(third ?? "0x")).map(shown), [
        [3, "ft", alice, bob, 31n],
        [3, "ft", alice, bob, 30n],
        [3, "coin", alice, token, 7n]
      ])
    }))

  it.scoped("end with the coin that triggered the tokens, however many these are", () =>
    Effect.gen(function*() {
      const { hashes, reader } = yield* followed
      const last = yield* reader.lastTransfersOf([...hashes, hash("unknown 1")])
      assert.deepStrictEqual(last.map(shown), [
        [3, "coin", alice, token, 7n],
        [2, "coin", alice, token, 7n],
        [1, "coin", alice, token, 7n]
      ])
      assert.deepStrictEqual(yield* reader.lastTransfersOf([]), [])
      assert.deepStrictEqual(
        (yield* reader.lastTransfersOf(hashes.slice(1, 2))).map(shown),
        last.slice(1, 2).map(shown)
      )
    }))
})
