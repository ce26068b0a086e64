import * as Range from "@effect-klaytn/history/Range"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { addressOf } from "../../../drills/exports/records.js"
import * as Plan from "../src/Plan.js"
import * as Sink from "../src/Sink.js"

const accounts = [addressOf(0), addressOf(1)]
const day = 86_400
const blocks = (from: number, to: number) => Either.getOrThrow(Range.blocks({ from, to }))
const days = (count: number) =>
  Either.getOrThrow(Range.time({ from: 1_600_000_000, to: 1_600_000_000 + count * day - 1 }))

describe("a plan", () => {
  it.effect.prop(
    "covers its range once for every source: each window ends right before the later one begins",
    [
      FastCheck.integer({ min: 0, max: 2_000_000_000 }),
      FastCheck.integer({ min: 0, max: 200_000_000 }),
      FastCheck.integer({
        min: 1,
        max: 70
      })
    ],
    ([from, length, windows]) =>
      Effect.gen(function*() {
        const plan = yield* Plan.make({ accounts, range: blocks(from, from + length), windows })
        plan.windows.forEach(({ index }, place) => assert.strictEqual(index, place))
        for (const source of [0, 1]) {
          const own = plan.windows.filter((window) => window.source === source)
          assert.strictEqual(own[0]?.to, from + length)
          assert.strictEqual(own.at(-1)?.from, from)
          own.forEach((window, place) => {
            assert.isAtMost(window.from, window.to)
            assert.isAtMost(window.to - window.from, Range.maxBlocks)
            const older = own[place + 1]
            if (older !== undefined) assert.strictEqual(older.to, window.from - 1)
          })
        }
      })
  )

  it.effect("splits at the six-month rule even if one window was asked for", () =>
    Effect.gen(function*() {
      const plan = yield* Plan.make({ accounts: [addressOf(0)], range: days(730), windows: 1 })
      assert.strictEqual(plan.windows.length, 5)
    }))

  it.effect("has 16 windows in all by default, and more if the accounts are more", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Plan.make({ accounts, range: days(30) })).windows.length, 16)
      const many = Array.from({ length: 20 }, (_, index) => addressOf(index))
      assert.strictEqual((yield* Plan.make({ accounts: many, range: days(30) })).windows.length, 20)
    }))

  it.effect("counts an account once, whatever its letter case", () =>
    Effect.gen(function*() {
      const account = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
      const plan = yield* Plan.make({ accounts: [account, account.toLowerCase()], range: days(1) })
      assert.deepStrictEqual(plan.sources.length, 1)
    }))

  it.effect("ends an open range the settle delay ago", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_600_000_600_500)
      const range = Either.getOrThrow(Range.time({ from: 1_600_000_000 }))
      assert.strictEqual((yield* Plan.make({ accounts, range })).to, 1_600_000_540)
      assert.strictEqual((yield* Plan.make({ accounts, range, indexLag: "5 minutes" })).to, 1_600_000_300)
    }))

  it.effect("survives JSON", () =>
    Effect.gen(function*() {
      const plan = yield* Plan.make({ presets: [65, "68"], range: days(2), kinds: ["ft"] })
      const text = Schema.encodeSync(Schema.parseJson(Plan.Plan))(plan)
      assert.deepStrictEqual(Schema.decodeSync(Schema.parseJson(Plan.Plan))(text), plan)
    }))

  it.effect("is extended by longer windows, and by others where one search can't cover them", () =>
    Effect.gen(function*() {
      const plan = yield* Plan.make({ accounts, range: blocks(0, 99), windows: 2 })
      const longer = yield* Plan.extend(plan, 149)
      assert.deepStrictEqual(longer.windows, [
        { index: 0, source: 0, from: 50, to: 149, planned: 99 },
        { index: 1, source: 1, from: 50, to: 149, planned: 99 },
        ...plan.windows.slice(2)
      ])
      assert.deepStrictEqual([longer.to, longer.version], [149, 3])
      assert.strictEqual(yield* Plan.extend(longer, 149), longer)
      const day = 86_400
      const next = yield* Plan.extend(longer, 50 + 180 * day - 1)
      assert.deepStrictEqual(next.windows.map(({ planned, to }) => [to, planned]).slice(0, 2), [
        [50 + 180 * day - 1, 99],
        [50 + 180 * day - 1, 99]
      ])
      const full = yield* Plan.extend(next, 50 + 180 * day)
      assert.deepStrictEqual(full.windows, [
        ...next.windows,
        { index: 4, source: 0, from: 50 + 180 * day, to: 50 + 180 * day },
        { index: 5, source: 1, from: 50 + 180 * day, to: 50 + 180 * day }
      ])
      assert.isTrue(Sink.isContinuation(plan, full))
      assert.isFalse(Sink.isContinuation(full, longer))
    }))

  it.effect("says that it costs at least a request a window, that presets cost fewer, and that they return more", () =>
    Effect.gen(function*() {
      const summary = Plan.summary(yield* Plan.make({ accounts, range: days(30) }))
      assert.strictEqual(summary.atLeastRequests, 16)
      assert.match(
        summary.advice[0] ?? "",
        /One preset of these accounts is 8:[^.]* may return more than the accounts do/
      )
      const one = Plan.summary(yield* Plan.make({ accounts: [addressOf(0)], range: days(30) }))
      assert.deepStrictEqual(one.advice, [])
    }))

  const refused: ReadonlyArray<readonly [string, Plan.Options, string]> = [
    ["neither accounts nor presets", { range: days(1) }, "accounts"],
    ["both accounts and presets", { accounts, presets: [1], range: days(1) }, "accounts"],
    ["no account", { accounts: [], range: days(1) }, "accounts"],
    ["contracts of presets", { presets: [1], contracts: accounts, range: days(1) }, "contracts"],
    ["an open range of blocks", { accounts, range: Either.getOrThrow(Range.blocks({ from: 1 })) }, "range"],
    ["a size above 1000", { accounts, range: days(1), size: 1001 }, "size"],
    ["no windows", { accounts, range: days(1), windows: 0 }, "windows"],
    ["an account that is no address", { accounts: ["alice"], range: days(1) }, "accounts"],
    ["an open range that has not begun", { accounts, range: Either.getOrThrow(Range.time({ from: 9 })) }, "range"]
  ]
  for (const [name, options, path] of refused) {
    it.effect(`refuses ${name}`, () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* Effect.flip(Plan.make(options))).path[0], path)
      }))
  }
})
