/** What strangers can put into a history, and what an answer may hold by mistake, in every store. */
import * as Range from "@effect-klaytn/history/Range"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as records from "../../../drills/exports/records.js"
import { databases } from "../../engine/test/support/databases.js"
import * as Exports from "../src/Exports.js"
import * as Plan from "../src/Plan.js"
import * as SqlSink from "../src/SqlSink.js"
import * as Service from "./support/service.js"
import * as stores from "./support/stores.js"

const account = records.addressOf(0)
const zero = `0x${"0".repeat(40)}`
const time = records.began + 100

const fees = { fee: "0x1", feePayer: "", feeRatio: 0 }
const hash = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`

/** A transfer to the account, or from nobody to nobody, with other fields. */
const coin = (number: number, more: object = {}) => ({
  transferType: "klay",
  from: account,
  to: records.addressOf(1),
  value: "0x5",
  ...fees,
  status: 1,
  transactionHash: hash(number),
  transactionIndex: 0,
  blockNumber: 10 + number,
  typeInt: 8,
  timestamp: time,
  ...more
})

const token = (transferType: "ft" | "nft" | "mt", number: number, more: object = {}, transaction: object = {}) => ({
  transferType,
  from: account,
  to: records.addressOf(1),
  contract: { address: records.addressOf(9) },
  transaction: {
    from: account,
    transactionHash: hash(number),
    blockNumber: 10 + number,
    timestamp: time,
    typeInt: 48,
    value: "0x0",
    ...fees,
    ...transaction
  },
  ...more
})

const longest = `0x${"f".repeat(120_000)}`

const refused = [
  ["a time in milliseconds", coin(1, { timestamp: time * 1000 }), "after the year 9999"],
  ["a time in milliseconds of a token", token("ft", 2, { value: "0x1" }, { timestamp: time * 1000 }), "year 9999"],
  ["a token ID of 144,000 digits", token("nft", 3, { tokenId: longest }), "token ID is above 2^256 - 1"],
  [
    "the same in a batch",
    token("mt", 4, { operator: account, ids: ["0x1", longest], values: ["0x1", "0x1"] }),
    "token ID is above 2^256 - 1"
  ],
  ["a fee above 2^256 - 1", coin(5, { fee: longest }), "fee"],
  ["an amount above 2^256 - 1", token("ft", 6, { value: longest }), "amount is above 2^256 - 1"]
] as const

const empty = [
  ["an empty batch", token("mt", 7, { operator: records.addressOf(8), ids: [], values: [] })],
  ["a transfer from nobody to nobody", token("ft", 8, { value: "0x0", from: zero, to: zero })]
] as const

/** Everything that a store must hold, however odd. */
const odd = [
  coin(20, { blockNumber: Number.MAX_SAFE_INTEGER, feeRatio: -Number.MAX_SAFE_INTEGER }),
  coin(21, { timestamp: 253_402_300_799 }),
  token("ft", 22, { value: `0x${"f".repeat(64)}`, contract: { address: records.addressOf(9), decimals: 255 } }),
  token("ft", 23, {
    value: "0x1",
    contract: { address: records.addressOf(9), decimals: -5, symbol: "a\0b\ud800\u202e" }
  }),
  token("nft", 24, { tokenId: `0x${"f".repeat(64)}` })
]

const plan = Effect.flatMap(
  Range.time({ from: records.began, to: records.began + 1000 }),
  (range) => Plan.make({ accounts: [account], range, windows: 1 })
)

const answering = (items: ReadonlyArray<object>) =>
  Service.layer(Service.wire(() => ({ status: 200, body: JSON.stringify({ items, cursor: "" }) })))

for (const kind of stores.kinds) {
  describe(`an export, ${kind.name}`, () => {
    it.scopedLive("keeps a record that no store could hold apart, says why, and stores the others", () =>
      Effect.gen(function*() {
        const { rejected, rows, sink } = yield* kind.open(undefined, "half")
        const items = [...odd, ...refused.map(([, record]) => record)]
        const manifest = yield* Exports.run({ plan: yield* plan, sink }).pipe(Effect.provide(answering(items)))
        assert.deepStrictEqual([manifest.complete, manifest.rows], ["except-rejected", odd.length])
        assert.strictEqual((yield* rows).length, odd.length)
        const reasons = (yield* rejected).map((one) => String(one["reason"]))
        for (const [name, , reason] of refused) {
          assert.isTrue(reasons.some((one) => one.includes(reason)), name)
        }
        assert.strictEqual(reasons.length, refused.length)
      }))

    it.scopedLive("is complete with records that move nothing, which anybody can have a contract log", () =>
      Effect.gen(function*() {
        const { rejected, rows, sink } = yield* kind.open(undefined, "half")
        const items = [...empty.map(([, record]) => record), coin(30)]
        const manifest = yield* Exports.run({ plan: yield* plan, sink }).pipe(Effect.provide(answering(items)))
        assert.deepStrictEqual([manifest.complete, manifest.rows, manifest.left], ["yes", 1, empty.length])
        assert.deepStrictEqual([(yield* rows).length, (yield* rejected).length], [1, 0])
      }))
  })
}

/** Searches of one account by two contracts: each returns the coin transfers of transactions that moved tokens of both. */
const contracts = [records.addressOf(11), records.addressOf(12)]
const both = Array.from({ length: 20 }, (_, number) => [
  ...contracts.map((address) => token("ft", 100 + number, { value: "0x1", contract: { address } })),
  coin(100 + number, { value: "0x0" })
]).flat()

const byContract = Service.layer(Service.wire((target) => {
  const asked = contracts.find((address) => target.includes(address))
  const items = both.filter((one) => !("contract" in one) || one.contract.address === asked)
  return { status: 200, body: JSON.stringify({ items, cursor: "" }) }
}))

for (const kind of stores.kinds) {
  it.scopedLive(`a record that two contracts of an account share is in an export once, ${kind.name}`, () =>
    Effect.gen(function*() {
      const { rows, sink } = yield* kind.open(undefined, "half")
      const range = yield* Range.time({ from: records.began, to: records.began + 1000 })
      const plan = yield* Plan.make({ accounts: [account], contracts, range, windows: 1 })
      const manifest = yield* Exports.run({ plan, sink, concurrency: 2 })
      const ids = (yield* rows).map(({ id }) => String(id))
      assert.deepStrictEqual([manifest.rows, ids.length, new Set(ids).size], [60, 60, 60])
      for (const repair of [false, true]) {
        assert.strictEqual(yield* Stream.runCount(Exports.reconcile({ sink, repair })), 0)
      }
    }).pipe(Effect.provide(byContract)))
}

for (const [name, open] of databases) {
  it.scopedLive(`a repair of a damaged window leaves what another contract shares with it to that one, on ${name}`, () =>
    Effect.gen(function*() {
      const context = yield* Layer.build((yield* open).layer)
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const sink = yield* SqlSink.make()
        const range = yield* Range.time({ from: records.began, to: records.began + 1000 })
        const plan = yield* Plan.make({ accounts: [account], contracts, range, windows: 1 })
        yield* Exports.run({ plan, sink, concurrency: 1 })
        const shared = yield* sql`SELECT DISTINCT "window" FROM transfers WHERE kind = 'coin'`
        assert.deepStrictEqual(shared.map((row) => Number(row["window"])), [0])
        yield* sql`UPDATE transfers SET amount = 999 WHERE id = (SELECT MIN(id) FROM transfers WHERE "window" = 1)`
        const repaired = yield* Stream.runCollect(Exports.reconcile({ sink, repair: true }))
        assert.deepStrictEqual([...repaired].map(({ repaired, window }) => [window.index, repaired]), [[1, true]])
        assert.strictEqual(yield* Stream.runCount(Exports.reconcile({ sink })), 0)
      }).pipe(Effect.provide(context))
    }).pipe(Effect.provide(byContract)))
}
