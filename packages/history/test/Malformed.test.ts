import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { failsAs } from "../../core/test/support/client.js"
import { alice, coin, expected, ft, hash, mt, nft, transaction } from "./support/records.js"
import * as Service from "./support/service.js"

const without = (record: object, name: string) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name))

type Path = ReadonlyArray<string | number>

/** The second record of a page, the path below it, and what the failure says. */
const broken: ReadonlyArray<readonly [name: string, record: unknown, path: Path, expected: string, actual: string]> = [
  ["an amount that is a JSON number", { ...ft, value: 1000 }, ["value"], "string", "a number"],
  [
    "an amount in decimal digits",
    { ...coin, value: "1000" },
    ["value"],
    "a string matching the pattern ^0x[0-9a-fA-F]+$",
    "a string of 4 characters"
  ],
  [
    "an amount beyond 256 bits",
    { ...coin, fee: `0x1${"0".repeat(64)}` },
    ["fee"],
    "Peb",
    "a bigint"
  ],
  ["a token ID that is a JSON number", { ...nft, tokenId: 450 }, ["tokenId"], "string", "a number"],
  ["a multi-token ID that is none", { ...mt, ids: ["0x1", null] }, ["ids", 1], "string", "null"],
  [
    "fewer multi-token values than IDs",
    { ...mt, values: ["0x1"] },
    [],
    "MtTransfer with as many values as ids",
    "an object"
  ],
  [
    "a coin record's address cut short",
    { ...coin, from: "0x1111" },
    ["from"],
    "a string matching the pattern ^0x[0-9a-fA-F]{40}$",
    "a string of 6 characters"
  ],
  [
    "an address cut short under the document's word for the coin",
    { ...coin, transferType: "coin", from: "0x1111" },
    ["from"],
    "a string matching the pattern ^0x[0-9a-fA-F]{40}$",
    "a string of 6 characters"
  ],
  [
    "a fee payer that is no address",
    { ...coin, feePayer: "nobody" },
    ["feePayer"],
    "a string matching the pattern ^0x[0-9a-fA-F]{40}$",
    "a string of 6 characters"
  ],
  [
    "a contract without an address",
    { ...ft, contract: { ...ft.contract, address: "" } },
    ["contract", "address"],
    "a string matching the pattern ^0x[0-9a-fA-F]{40}$",
    "a string of 0 characters"
  ],
  [
    "a hash of the wrong length inside the transaction",
    { ...nft, transaction: { ...transaction, transactionHash: "0xabc" } },
    ["transaction", "transactionHash"],
    "a string matching the pattern ^0x[0-9a-fA-F]{64}$",
    "a string of 5 characters"
  ],
  [
    "a block number as text",
    { ...coin, blockNumber: "0x6acfc1" },
    ["blockNumber"],
    "number",
    "a string of 8 characters"
  ],
  ["a block number that is a fraction", { ...coin, blockNumber: 1.5 }, ["blockNumber"], "BlockNumber", "a number"],
  [
    "a time before 1970",
    { ...ft, transaction: { ...transaction, timestamp: -1 } },
    ["transaction", "timestamp"],
    "UnixTime",
    "a number"
  ],
  [
    "a kind that is no text",
    { ...coin, transferType: 1 },
    ["transferType"],
    "\"klay\" or \"coin\" or \"ft\" or \"nft\" or \"mt\"",
    "a number"
  ],
  [
    "null instead of a record",
    null,
    [],
    "KlayTransfer or CoinTransfer or FtTransfer or NftTransfer or MtTransfer with as many values as ids",
    "null"
  ]
]

const lacking: ReadonlyArray<readonly [name: string, record: object, field: string]> = [
  ["a coin record", coin, "to"],
  ["a coin record", coin, "fee"],
  ["a coin record", coin, "transactionHash"],
  ["a fungible token's record", ft, "value"],
  ["a fungible token's record", ft, "transaction"],
  ["a non-fungible token's record", nft, "tokenId"],
  ["a non-fungible token's record", nft, "contract"],
  ["a multi token's record", mt, "operator"]
]

describe("a broken answer of transfer history", () => {
  it.effect.each(broken)("is told by its place: %s", ([, record, path, expectation, actual]) =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Service.page([coin, record])))
      const error = yield* failsAs("MalformedResponse")(history.getTransfersByEoa({ address: alice }))
      assert.deepStrictEqual(
        { operation: error.operation, status: error.status, path: error.path, expected: error.expected },
        { operation: "history.getTransfersByEoa", status: 200, path: ["items", 1, ...path], expected: expectation }
      )
      assert.strictEqual(error.actual, actual)
    }))

  it.effect.each(lacking)(
    "is told by its place: %s without a field it needs (case %#)",
    ([, record, field]) =>
      Effect.gen(function*() {
        const history = yield* Service.make(Testing.wire(Service.page([without(record, field)])))
        const error = yield* failsAs("MalformedResponse")(history.getTransfersByEoa({ address: alice }))
        assert.deepStrictEqual([error.path, error.actual], [["items", 0, field], "nothing"])
      })
  )

  it.effect("is a record that does not tell its kind", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Testing.json(200, { items: [without(coin, "transferType")] })))
      const error = yield* failsAs("MalformedResponse")(history.getTransfersByTxHash({ transactionHash: hash }))
      assert.deepStrictEqual([error.path, error.actual], [["items", 0, "transferType"], "nothing"])
    }))

  it.effect("is a page without a cursor, which would end a list too early", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Testing.json(200, { items: [coin] })))
      const error = yield* failsAs("MalformedResponse")(history.getTransfers({ presets: [65] }))
      assert.deepStrictEqual([error.path, error.actual], [["cursor"], "nothing"])
    }))

  it.effect("is a page whose items are no list", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Testing.json(200, { items: { 0: coin }, cursor: "" })))
      const error = yield* failsAs("MalformedResponse")(history.getTransfers({ presets: [65] }))
      assert.deepStrictEqual([error.path, error.actual], [["items"], "an object"])
    }))

  it.effect("is a page of something else than JSON", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(200, "<html>welcome</html>", { "content-type": "text/html" }))
      const history = yield* Service.make(wire)
      const error = yield* failsAs("MalformedResponse")(history.getTransfers({ presets: [65] }))
      assert.deepStrictEqual(
        [error.path, error.expected, error.actual],
        [[], "JSON", "20 characters of text/html"]
      )
    }))

  it.effect("is not asked for again, and shows nothing of what it held", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([{ ...coin, from: "0xprivate" }]))
      const history = yield* Service.make(wire)
      const error = yield* failsAs("MalformedResponse")(history.getTransfers({ presets: [65] }))
      assert.strictEqual(wire.sent.length, 1)
      assert.notInclude(JSON.stringify(error) + error.message, "private")
    }))

  it.effect("ends a stream after the pages before it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([coin, coin], "next"), Service.page([coin, null]))
      const history = yield* Service.make(wire)
      const got = yield* history.getTransfers.items({ presets: [65] }).pipe(
        Stream.either,
        Stream.runCollect
      )
      const [one, two, end, ...more] = Chunk.toReadonlyArray(got)
      assert.deepStrictEqual([one, two], [Either.right(expected.coin), Either.right(expected.coin)])
      assert.isTrue(end !== undefined && Either.isLeft(end) && end.left._tag === "MalformedResponse")
      assert.deepStrictEqual(more, [])
    }))
})
