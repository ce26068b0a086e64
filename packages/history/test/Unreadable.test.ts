import type * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import { Cursor } from "@effect-klaytn/core/Cursor"
import * as Paged from "@effect-klaytn/core/Paged"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Client from "../../core/test/support/client.js"
import { alice, coin, expected, expectedTokens, ft, mt, nft, transaction } from "./support/records.js"
import * as Service from "./support/service.js"

/** Records that were seen or may come, the place in them that is odd, and what is said of it. */
const odd: ReadonlyArray<readonly [name: string, record: object, reason: string]> = [
  [
    "a receiver that is an empty text",
    { ...coin, to: "" },
    "to: expected a string matching the pattern ^0x[0-9a-fA-F]{40}$, got a string of 0 characters"
  ],
  [
    "a token ID in decimal digits",
    { ...nft, tokenId: "450" },
    "tokenId: expected a string matching the pattern ^0x[0-9a-fA-F]+$, got a string of 3 characters"
  ],
  [
    "more IDs than values",
    { ...mt, values: ["0x1"] },
    "record: expected MtTransfer with as many values as ids, got an object"
  ]
]

const list = <A, E>(stream: Stream.Stream<A, E>) => Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

describe("a record that can't be read", () => {
  it.effect.each(odd)(
    "makes its page fail, with its place and the cursor to go on from: %s",
    ([, record]) =>
      Effect.gen(function*() {
        const history = yield* Service.make(Testing.wire(Service.page([coin, record], "next")))
        const error = yield* Client.failsAs("MalformedResponse")(history.getTransfersByEoa({ address: alice }))
        assert.deepStrictEqual(error.path.slice(0, 2), ["items", 1])
        assert.strictEqual(error.nextCursor, "next")
        assert.include(error.message, "nextCursor")
      })
  )

  it.effect.each(odd)(
    "is handed on as it came where that is asked for: %s",
    ([, record, reason]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(Service.page([ft], "c1"), Service.page([coin, record], "c2"), Service.page([nft]))
        const history = yield* Service.make(wire)
        const [first, second, third, last] = yield* list(
          history.getTransfersByEoa.items({ address: alice }, { unreadable: "keep" })
        )
        assert.deepStrictEqual([first, second, last], [expectedTokens.ft, expected.coin, expectedTokens.nft])
        assert.isTrue(Paged.isUnreadable(third))
        assert.deepStrictEqual({ ...third }, { _tag: "Unreadable", raw: record, index: 1, cursor: "c1", reason })
      })
  )

  it.effect("is handed on by a single page, and says no cursor on the first", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Service.page([null, coin], "next")))
      const page = yield* history.getTransfers({ presets: [65] }, { unreadable: "keep" })
      assert.deepStrictEqual(page.cursor, Option.some(Cursor.make("next")))
      const [odd, good] = page.items
      assert.isTrue(Paged.isUnreadable(odd) && odd.cursor === undefined && odd.raw === null && odd.index === 0)
      assert.deepStrictEqual(good, expected.coin)
    }))

  it.effect("does not hold up checkpoints: one made before it is resumed behind it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Service.page([coin], "c1"),
        Service.page([{ ...coin, to: "" }], "c2"),
        Service.page([{ ...coin, to: "" }], "c2"),
        Service.page([ft])
      )
      const history = yield* Service.make(wire)
      const seen: Array<Checkpoint.Checkpoint> = []
      const failed = yield* history.getTransfers.checkpoints({ presets: [65] }).pipe(
        Stream.runForEach(({ checkpoint }) => Effect.sync(() => seen.push(checkpoint))),
        Client.failsAs("MalformedResponse")
      )
      assert.strictEqual(failed.nextCursor, "c2")
      const [resumeFrom] = seen
      const rest = yield* list(
        history.getTransfers.checkpoints({ presets: [65] }, { resumeFrom, unreadable: "keep" })
      )
      assert.deepStrictEqual(rest.map(({ checkpoint, items }) => [items.length, checkpoint.pages]), [[1, 2], [1, 3]])
      assert.isTrue(rest[1]?.checkpoint.finished)
    }))

  it.effect("does not hide that its page has no cursor", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Testing.json(200, { items: [null] })))
      const error = yield* history.getTransfers({ presets: [65] }, { unreadable: "keep" }).pipe(
        Client.failsAs("MalformedResponse")
      )
      assert.deepStrictEqual(error.path, ["cursor"])
    }))

  it.effect("is told without a cursor that would have to be changed to be shown", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Service.page([null], "not-a-secret")))
      const error = yield* Client.failsAs("MalformedResponse")(history.getTransfers({ presets: [65] }))
      assert.isUndefined(error.nextCursor)
    }))
})

const bare = { ...coin, timestamp: null, status: null, transactionIndex: null, blockNumber: null, feePayer: null }

describe("a field that may be missing", () => {
  it.effect("reads as missing where it is null", () =>
    Effect.gen(function*() {
      const contract = { ...ft.contract, name: null, symbol: null, decimals: null, status: null }
      const token = { ...ft, contract, formattedValue: null, transaction: { ...transaction, feePayer: null } }
      const history = yield* Service.make(Testing.wire(Service.page([bare, token])))
      const [first, second] = yield* list(history.getTransfers.items({ presets: [65] }))
      const { _tag, fee, feeRatio, from, to, transactionHash, typeInt, value } = expected.coin
      assert.deepStrictEqual(first, { _tag, fee, feeRatio, from, to, transactionHash, typeInt, value })
      const { feePayer: _, ...ofTransaction } = expected.transaction
      const { formattedValue: __, ...ofToken } = expectedTokens.ft
      assert.deepStrictEqual(second, {
        ...ofToken,
        contract: { address: expectedTokens.ft.contract.address },
        transaction: ofTransaction
      })
    }))

  it.effect("reads as missing where it is an empty text that it can't be, and keeps one that it can", () =>
    Effect.gen(function*() {
      const contract = { ...nft.contract, name: "" }
      const wire = Testing.wire(Service.page([{ ...coin, timestamp: "" }, { ...nft, contract }]))
      const history = yield* Service.make(wire)
      const [first, second] = yield* list(history.getTransfers.items({ presets: [65] }))
      assert.isTrue(first?._tag === "CoinTransfer" && !("timestamp" in first))
      assert.isTrue(second?._tag === "NftTransfer" && second.contract.name === "")
    }))
})
