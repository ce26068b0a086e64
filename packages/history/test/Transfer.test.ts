import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Transfer from "../src/Transfer.js"
import {
  alice,
  bob,
  coin,
  expected,
  expectedTokens,
  ft,
  hash,
  mt,
  nft,
  transaction,
  unknown
} from "./support/records.js"
import * as Service from "./support/service.js"

/** The records of a page as a caller sees them. */
const read = (...items: ReadonlyArray<unknown>) =>
  Effect.gen(function*() {
    const history = yield* Service.make(Testing.wire(Service.page(items)))
    const page = yield* history.getTransfersByEoa({ address: alice })
    return page.items
  })

const without = (record: object, ...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))

const records: ReadonlyArray<readonly [name: string, sent: unknown, read: unknown]> = [
  ["a coin record with every field", coin, expected.coin],
  ["a coin record under the document's word", { ...coin, transferType: "coin" }, expected.coin],
  ["a failed transaction", { ...coin, status: 0 }, { ...expected.coin, status: "failure" }],
  ["a status that is not known as its number", { ...coin, status: 9 }, { ...expected.coin, status: 9 }],
  [
    "a fee payer",
    { ...coin, feePayer: "0x4444444444444444444444444444444444444444", feeRatio: 99, typeInt: 50 },
    { ...expected.coin, feePayer: "0x4444444444444444444444444444444444444444", feeRatio: 99, typeInt: 50 }
  ],
  ["a coin record without a fee payer's field", without(coin, "feePayer"), expected.coin],
  [
    "an older coin record, without status, block, position and time",
    without(coin, "status", "blockNumber", "transactionIndex", "timestamp"),
    {
      _tag: "CoinTransfer",
      from: "0x1111111111111111111111111111111111111111",
      to: "0x3333333333333333333333333333333333333333",
      value: 0n,
      fee: 525_000_000_000_000n,
      feeRatio: 0,
      transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      typeInt: 48
    }
  ],
  ["a fungible token's record with every field", ft, expectedTokens.ft],
  [
    "a fungible token's record of a contract that shows its address only",
    { ...ft, contract: { address: "0x3333333333333333333333333333333333333333" } },
    { ...expectedTokens.ft, contract: { address: "0x3333333333333333333333333333333333333333" } }
  ],
  [
    "a fungible token's record without the decimal text",
    without(ft, "formattedValue"),
    without(expectedTokens.ft, "formattedValue")
  ],
  [
    "an older token record, whose transaction has no block, time and fee payer",
    { ...ft, transaction: { ...without(transaction, "blockNumber", "timestamp"), feePayer: "", feeRatio: 0 } },
    {
      ...expectedTokens.ft,
      transaction: {
        from: "0x1111111111111111111111111111111111111111",
        transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        typeInt: 49,
        value: 0n,
        fee: 525_000_000_000_000n,
        feeRatio: 0
      }
    }
  ],
  ["a non-fungible token's record with every field", nft, expectedTokens.nft],
  ["a multi token's record with every field", mt, expectedTokens.mt],
  ["a multi token's record of nothing", { ...mt, ids: [], values: [] }, { ...expectedTokens.mt, ids: [], values: [] }],
  ["a record of an unknown kind as it came", unknown, expectedTokens.unknown],
  [
    "a record of an unknown kind that shows nothing else",
    { transferType: "" },
    { _tag: "UnknownTransfer", transferType: "", record: { transferType: "" } }
  ],
  [
    "a known record without the fields that this SDK does not know",
    { ...nft, rarity: 5, contract: { ...nft.contract, logo: "x" }, transaction: { ...transaction, memo: [1] } },
    expectedTokens.nft
  ],
  [
    "addresses and hashes in any case as lower case",
    { ...coin, from: `0x${"AbCd".repeat(10)}`, transactionHash: `0x${"EF01".repeat(16)}` },
    { ...expected.coin, from: `0x${"abcd".repeat(10)}`, transactionHash: `0x${"ef01".repeat(16)}` }
  ],
  [
    "a token ID of 160 bits to its last digit",
    { ...nft, tokenId: "0x8000000000000000000000000000000000000001" },
    { ...expectedTokens.nft, tokenId: 730750818665451459101842416358141509827966271489n }
  ],
  [
    "a value of 256 bits to its last digit",
    { ...ft, value: "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff" },
    {
      ...expectedTokens.ft,
      value: 115792089237316195423570985008687907853269984665640564039457584007913129639935n
    }
  ],
  [
    "multi-token IDs and values of 256 bits to their last digit",
    {
      ...mt,
      ids: ["0x8000000000000000000000000000000000000000000000000000000000000001"],
      values: ["0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"]
    },
    {
      ...expectedTokens.mt,
      ids: [57896044618658097711785492504343953926634992332820282019728792003956564819969n],
      values: [115792089237316195423570985008687907853269984665640564039457584007913129639935n]
    }
  ],
  [
    "an amount of the coin beyond the whole numbers of JSON to its last digit",
    { ...coin, value: "0xde0b6b3a7640001" },
    { ...expected.coin, value: 1_000_000_000_000_000_001n }
  ],
  ["an amount with leading zeros", { ...coin, value: "0x00ff" }, { ...expected.coin, value: 255n }]
]

describe("an answer of transfer history", () => {
  it.effect.each(records)("is read: %s", ([, sent, expected]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* read(sent), [expected] as unknown as ReadonlyArray<Transfer.Transfer>)
    }))

  it.effect("keeps records of mixed kinds in their order, kinds that were not asked for included", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([ft, coin, unknown, mt, coin, nft]))
      const history = yield* Service.make(wire)
      const page = yield* history.getTransfers({ presets: [65], kinds: ["ft"] })
      const { ft: fungible, mt: multi, nft: single, unknown: other } = expectedTokens
      assert.deepStrictEqual(page.items, [fungible, expected.coin, other, multi, expected.coin, single])
    }))

  it.effect("hands out its cursor as it came, and an empty one as none", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([coin], "aB3".repeat(42)), Service.page([coin]))
      const history = yield* Service.make(wire)
      const first = yield* history.getTransfers({ presets: [65] })
      const last = yield* history.getTransfers({ presets: [65] })
      assert.strictEqual(Option.getOrUndefined(first.cursor), "aB3".repeat(42))
      assert.deepStrictEqual(last.cursor, Option.none())
    }))

  it.effect("with nothing found is an empty page and the end", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Testing.text(200, "{\"items\": [], \"cursor\": \"\"}")))
      const page = yield* history.getTransfersByEoa({ address: alice })
      assert.deepStrictEqual(page, { items: [], cursor: Option.none() })
    }))

  it.effect("that lacks its items counts as empty", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Testing.json(200, { cursor: "" }), Testing.json(200, {})))
      const page = yield* history.getTransfersByEoa({ address: alice })
      assert.deepStrictEqual(page, { items: [], cursor: Option.none() })
      assert.deepStrictEqual(yield* history.getTransfersByTxHash({ transactionHash: hash }), [])
    }))

  it.effect("about one transaction has its records without a cursor, the token's before the coin's", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Testing.json(200, { items: [ft, coin] })))
      const transfers = yield* history.getTransfersByTxHash({ transactionHash: hash })
      assert.deepStrictEqual(transfers, [expectedTokens.ft, expected.coin])
    }))

  it.effect("about a transaction that nobody knows has no transfers, and is no failure", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Testing.json(200, { items: [] })))
      assert.deepStrictEqual(yield* history.getTransfersByTxHash({ transactionHash: hash }), [])
    }))

  it.effect("keeps two equal records of one transaction", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* read(ft, ft), [expectedTokens.ft, expectedTokens.ft])
    }))
})

describe("transactionHash", () => {
  it.effect("finds the hash in every kind of record, and in an unknown one where the known ones have it", () =>
    Effect.gen(function*() {
      const nested = { transferType: "sbt", transaction: { transactionHash: `0x${"A".repeat(64)}` } }
      const transfers = yield* read(coin, ft, nft, mt, unknown, nested)
      assert.deepStrictEqual(new Set(transfers.map(Transfer.transactionHash)), new Set([expected.coin.transactionHash]))
    }))

  it.effect("finds none in an unknown record that does not show it there", () =>
    Effect.gen(function*() {
      const transfers = yield* read(
        { transferType: "sbt", transactionHash: "0x12" },
        { transferType: "sbt", hash },
        { transferType: "sbt", transaction: null, to: bob }
      )
      assert.deepStrictEqual(transfers.map(Transfer.transactionHash), [undefined, undefined, undefined])
    }))
})
