import * as Range from "@effect-klaytn/history/Range"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import * as Exports from "../src/Exports.js"
import * as Plan from "../src/Plan.js"
import type { Row } from "../src/Row.js"
import * as Service from "./support/service.js"

const accounts = [0, 1, 2].map(records.addressOf)
const history = records.make({ seed: "merged", transfers: 200, accounts: 4, misshapen: 0.02 })
const range = Either.getOrThrow(Range.time({ from: records.began, to: records.began + records.lasts }))
const blocks = Either.getOrThrow(Range.blocks({ from: 0, to: history.at(-1)?.block ?? 0 }))

const truths = accounts.map((_, index) => records.expected(history, new Set(accounts.slice(0, index + 1))))

const read = (
  plan: Partial<Plan.Options>,
  options: Omit<Exports.MergedOptions, "plan"> = {},
  service = new HistoryService(history)
) =>
  Effect.gen(function*() {
    const made = yield* Plan.make({ accounts, range, size: 40, ...plan })
    const items = Chunk.toReadonlyArray(yield* Stream.runCollect(Exports.merged({ ...options, plan: made })))
    return {
      rows: items.flatMap((item) => Either.isRight(item) ? [item.right] : []),
      rejected: items.flatMap((item) => Either.isLeft(item) ? [item.left.raw] : [])
    }
  }).pipe(Effect.provide(Service.of(service)))

/** What one search after the other gives, for the first, the first two, and all accounts. */
const plains: Array<Effect.Effect.Success<ReturnType<typeof read>>> = []

/** The first row that is out of order: older than the one after it, or apart from its transaction. */
const outOfOrder = (rows: ReadonlyArray<Row>): Row | undefined => {
  const seen = new Set<string>()
  return rows.find((row, index) => {
    const before = rows[index - 1]
    const isNew = before?.transaction_hash !== row.transaction_hash
    const isAgain = isNew && seen.has(row.transaction_hash)
    seen.add(row.transaction_hash)
    return isAgain || before !== undefined && (
          (row.unix ?? 0) > (before.unix ?? 0) || (row.block_number ?? 0) > (before.block_number ?? 0)
        )
  })
}

describe("merged records", () => {
  it.effect.prop(
    "are each there once and in one order, however they are split, read ahead, and begun again",
    {
      windows: FastCheck.integer({ min: 1, max: 12 }),
      size: FastCheck.integer({ min: 4, max: 60 }),
      concurrency: FastCheck.integer({ min: 1, max: 9 }),
      ahead: FastCheck.integer({ min: 1, max: 3 }),
      count: FastCheck.integer({ min: 1, max: 3 }),
      inBlocks: FastCheck.boolean(),
      seed: FastCheck.string({ maxLength: 4 })
    },
    ({ ahead, concurrency, count, inBlocks, seed, size, windows }) =>
      Effect.gen(function*() {
        const some = accounts.slice(0, count)
        const plain = plains[count - 1] ?? (yield* read({ accounts: some, size: 1000, windows: 1 }, { concurrency: 1 }))
        plains[count - 1] = plain
        const dying = new HistoryService(history, { dying: 0.1, random: records.random(seed) })
        const { rejected, rows } = yield* read(
          { accounts: some, range: inBlocks ? blocks : range, size, windows },
          { ahead, concurrency },
          size < 20 ? undefined : dying
        )
        const truth = truths[count - 1]
        if (truth === undefined) return assert.fail("no such number of accounts")
        assert.deepStrictEqual(
          records.compare(truth.rows, records.tally(rows.map((row) => records.exportedKey(row)))),
          {
            missing: 0,
            doubled: 0
          }
        )
        assert.deepStrictEqual(records.compare(truth.rejected, records.tally(rejected)), { missing: 0, doubled: 0 })
        assert.isUndefined(outOfOrder(rows))
        assert.deepStrictEqual(rows.map(({ id }) => id), plain.rows.map(({ id }) => id))
      }),
    { fastCheck: { numRuns: 10 } }
  )

  it.effect("stay in order where records are without block or time", () =>
    Effect.gen(function*() {
      const bare = history.map((record, index) => {
        if (record.kind !== "coin" || index % 3 > 0) return record
        const { blockNumber: _, timestamp: __, ...wire } = record.wire
        return { ...record, wire }
      })
      const { rows } = yield* read({ windows: 3, size: 10 }, {}, new HistoryService(bare))
      const isBare = ({ block_number, unix }: Row) => block_number === null && unix === null
      assert.isAbove(rows.filter(isBare).length, 10)
      assert.isUndefined(outOfOrder(rows.filter((row) => !isBare(row))))
      const truth = records.expected(bare, new Set(accounts))
      assert.deepStrictEqual(records.compare(truth.rows, records.tally(rows.map((row) => records.exportedKey(row)))), {
        missing: 0,
        doubled: 0
      })
    }))

  it.effect("are in the order of blocks where many blocks have the same second", () =>
    Effect.gen(function*() {
      const second = (time: number) => time - time % (records.lasts / 4)
      const crowded = history.map((record) => {
        const time = second(record.time)
        const { timestamp: _, transaction, ...wire } = record.wire
        return {
          ...record,
          time,
          wire: record.kind === "coin"
            ? { ...wire, timestamp: time }
            : { ...wire, transaction: { ...(transaction as object), timestamp: time } }
        }
      })
      for (const count of [2, 3]) {
        const { rows } = yield* read({ accounts: accounts.slice(0, count), size: 7 }, {}, new HistoryService(crowded))
        const blocks = rows.map(({ block_number }) => block_number ?? 0)
        assert.isAbove(blocks.length, 50)
        assert.isBelow(new Set(rows.map(({ unix }) => unix)).size, 8)
        assert.deepStrictEqual(blocks, [...blocks].sort((a, b) => b - a))
      }
    }))

  it.effect("are read ahead in parallel, and no further than was asked for", () =>
    Effect.gen(function*() {
      // Without equal records, of which the number at a border is asked for.
      const service = new HistoryService(history.filter(({ kind }) => kind === "coin"))
      const plan = yield* Plan.make({ accounts, range, size: 3, windows: 4 })
      const fiber = yield* Exports.merged({ plan, concurrency: 6, ahead: 2 }).pipe(
        Stream.mapEffect(() => Effect.never),
        Stream.runDrain,
        Effect.provide(Service.of(service)),
        Effect.fork
      )
      for (let turn = 0; turn < 200; turn++) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.isAtLeast(service.answered, 6 * 3)
      assert.isAtMost(service.answered, 6 * 4)
      yield* Fiber.interrupt(fiber)
      const { rows } = yield* read({ size: 3, windows: 4 })
      assert.isAbove(rows.length / 3, 6 * 4)
    }))

  it.effect("end as out of reach after everything that is newer", () =>
    Effect.gen(function*() {
      const reach = Math.floor(records.began + records.lasts * 0.25)
      const plan = yield* Plan.make({ accounts, range, windows: 10 })
      let count = 0
      const failed = yield* Exports.merged({ plan }).pipe(
        Stream.runForEach(() => Effect.sync(() => count++)),
        Effect.flip,
        Effect.provide(Service.of(new HistoryService(history, { reach })))
      )
      assert.strictEqual(failed._tag, "RangeUnavailable")
      const border = failed._tag === "RangeUnavailable" ? failed.to : 0
      const newer = records.expected(history.filter(({ time }) => time > border), new Set(accounts))
      const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, one) => all + one, 0)
      assert.strictEqual(count, sum(newer.rows) + sum(newer.rejected))
      assert.isAbove(count, 0)
    }))
})
