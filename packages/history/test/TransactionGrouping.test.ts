import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TransactionGrouping from "../src/TransactionGrouping.js"
import { Transfer } from "../src/Transfer.js"
import { alice, coin, expected, ft, mt, nft, transaction, unknown } from "./support/records.js"
import * as Service from "./support/service.js"

const decode = Schema.decodeUnknownSync(Transfer)

const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`
const inTransaction = (n: number) => ({ ...transaction, transactionHash: hashOf(n) })

/** One record of the transaction with this number, of each kind. */
const records = [
  (n: number) => ({ ...coin, transactionHash: hashOf(n) }),
  (n: number) => ({ ...ft, transaction: inTransaction(n) }),
  (n: number) => ({ ...nft, transaction: inTransaction(n) }),
  (n: number) => ({ ...mt, transaction: inTransaction(n) }),
  (n: number) => ({ ...unknown, transactionHash: hashOf(n) })
]

const grouped = (...chunks: ReadonlyArray<ReadonlyArray<unknown>>) =>
  Stream.fromChunks(...chunks.map((chunk) => Chunk.fromIterable(chunk.map((record) => decode(record))))).pipe(
    TransactionGrouping.fromTransfers,
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray)
  )

const shape = (transactions: ReadonlyArray<TransactionGrouping.Transaction>) =>
  transactions.map((one) => one.transfers.map((transfer) => transfer._tag))

/** Transactions with the kinds of their records, and how many records stand on each page. */
const lists = FastCheck.record({
  groups: FastCheck.array(FastCheck.array(FastCheck.nat({ max: 4 }), { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
  sizes: FastCheck.array(FastCheck.nat({ max: 5 }), { maxLength: 60 })
})

describe("the view by transaction", () => {
  it.effect("puts the records of a transaction together and counts its fee once", () =>
    Effect.gen(function*() {
      const [first, second, ...more] = yield* grouped([
        { ...ft, transaction: { ...inTransaction(1), feePayer: "", feeRatio: 0 } },
        { ...coin, transactionHash: hashOf(1) },
        { ...nft, transaction: inTransaction(2) }
      ])
      assert.deepStrictEqual(first, {
        transactionHash: expected.coin.transactionHash.replace(/a+$/, "1".padStart(64, "0")),
        blockNumber: 7_000_001,
        timestamp: expected.coin.timestamp,
        from: expected.coin.from,
        fee: expected.coin.fee,
        feePayer: undefined,
        feeRatio: 0,
        status: "success",
        transfers: [
          decode({ ...ft, transaction: { ...inTransaction(1), feePayer: "", feeRatio: 0 } }),
          decode({ ...coin, transactionHash: hashOf(1) })
        ]
      } as unknown as TransactionGrouping.Transaction)
      assert.deepStrictEqual(
        [second?.feePayer, second?.feeRatio, second?.status],
        [expected.transaction.feePayer, 30, undefined]
      )
      assert.deepStrictEqual(more, [])
    }))

  it.effect("takes block and time from any record that has them, since older ones lack them", () =>
    Effect.gen(function*() {
      const { blockNumber: _, timestamp: __, ...older } = coin
      const [one] = yield* grouped([older, ft])
      assert.deepStrictEqual([one?.blockNumber, one?.timestamp], [7_000_001, expected.coin.timestamp])
    }))

  it.effect("tells a transaction that failed", () =>
    Effect.gen(function*() {
      const [one] = yield* grouped([{ ...coin, status: 0 }])
      assert.strictEqual(one?.status, "failure")
    }))

  it.effect("keeps equal records of one transaction apart from each other", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(shape(yield* grouped([ft, ft], [ft])), [["FtTransfer", "FtTransfer", "FtTransfer"]])
    }))

  it.effect("puts an unknown record to its transaction, and gives one without a hash a group of its own", () =>
    Effect.gen(function*() {
      const transactions = yield* grouped([ft, unknown, { transferType: "sbt" }, coin])
      assert.deepStrictEqual(shape(transactions), [
        ["UnknownTransfer"],
        ["FtTransfer", "UnknownTransfer", "CoinTransfer"]
      ])
      assert.deepStrictEqual(transactions.map((one) => one.fee), [undefined, expected.coin.fee])
    }))

  it.effect("of nothing is nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* grouped(), [])
      assert.deepStrictEqual(yield* grouped([], []), [])
    }))

  it.effect.prop(
    "is the same for any paging of any list: no record lost, no transaction torn, each fee once",
    [lists],
    ([{ groups, sizes }]) =>
      Effect.gen(function*() {
        const flat = groups.flatMap((kinds, n) => kinds.map((kind) => records[kind]?.(n)))
        const pages: Array<ReadonlyArray<unknown>> = []
        let at = 0
        for (const size of sizes) {
          pages.push(flat.slice(at, at + size))
          at += size
        }
        pages.push(flat.slice(at))
        const transactions = yield* grouped(...pages)
        assert.deepStrictEqual(
          transactions.map((one) => one.transfers),
          groups.map((kinds, n) => kinds.map((kind) => decode(records[kind]?.(n)))) as unknown as ReadonlyArray<
            TransactionGrouping.Transaction["transfers"]
          >
        )
        const known = groups.filter((kinds) => kinds.some((kind) => kind !== 4)).length
        const fees = transactions.reduce((sum, one) => sum + (one.fee ?? 0n), 0n)
        assert.strictEqual(fees, BigInt(known) * 525_000_000_000_000n)
      })
  )

  it.effect("holds a transaction together across the pages of the service", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Service.page([{ ...coin, transactionHash: hashOf(1) }, ft], "a"),
        Service.page([], "b"),
        Service.page([ft], "c"),
        Service.page([coin, { ...nft, transaction: inTransaction(2) }])
      )
      const history = yield* Service.make(wire)
      const transactions = yield* history.getTransfersByEoa.items({ address: alice }).pipe(
        TransactionGrouping.fromTransfers,
        Stream.runCollect
      )
      assert.deepStrictEqual(shape(Chunk.toReadonlyArray(transactions)), [
        ["CoinTransfer"],
        ["FtTransfer", "FtTransfer", "CoinTransfer"],
        ["NftTransfer"]
      ])
    }))

  it.effect("delivers a transaction that a failure tore, as far as it came, and then the failure", () =>
    Effect.gen(function*() {
      const got = yield* Stream.concat(
        Stream.fromIterable([{ ...coin, transactionHash: hashOf(1) }, ft, nft].map((record) => decode(record))),
        Stream.fail("broken")
      ).pipe(TransactionGrouping.fromTransfers, Stream.either, Stream.runCollect)
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(got).map(Either.match({ onLeft: (error) => [error], onRight: (one) => shape([one])[0] })),
        [["CoinTransfer"], ["FtTransfer", "NftTransfer"], ["broken"]]
      )
    }))

  it.effect("asks for a page only when it is pulled", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Service.page([{ ...coin, transactionHash: hashOf(1) }, ft], "a"),
        Service.page([coin], "b"),
        Service.page([])
      )
      const history = yield* Service.make(wire)
      yield* history.getTransfersByEoa.items({ address: alice }).pipe(TransactionGrouping.fromTransfers, Stream.runHead)
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("begins anew each time it is run", () =>
    Effect.gen(function*() {
      const view = TransactionGrouping.fromTransfers(Stream.make(decode(ft), decode(coin)))
      const first = yield* Stream.runCollect(view)
      const second = yield* Stream.runCollect(view)
      assert.deepStrictEqual(shape(Chunk.toReadonlyArray(first)), [["FtTransfer", "CoinTransfer"]])
      assert.deepStrictEqual(shape(Chunk.toReadonlyArray(second)), [["FtTransfer", "CoinTransfer"]])
    }))
})
