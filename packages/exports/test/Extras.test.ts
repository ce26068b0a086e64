/** A source that contradicts itself: what it returned once stays, is named and marked, and goes only by its name. */
import * as Range from "@effect-klaytn/history/Range"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import * as Exports from "../src/Exports.js"
import * as Plan from "../src/Plan.js"
import type { Sink } from "../src/Sink.js"
import * as Service from "./support/service.js"
import * as stores from "./support/stores.js"

const account = records.addressOf(0)
const all = records.make({ seed: "extras", transfers: 60, accounts: 2, misshapen: 0.05 })
/** Every second record, as while an index is rebuilt. */
const half = all.filter((_, index) => index % 2 === 0)
const truth = records.expected(all, new Set([account]))

const plan = Effect.flatMap(
  Range.time({ from: records.began, to: records.began + records.lasts }),
  (range) => Plan.make({ accounts: [account], range, windows: 2, size: 10 })
)

const from = (history: ReadonlyArray<records.Recorded>) => Effect.provide(Service.of(new HistoryService(history)))

const reconciled = (
  sink: Sink,
  history: ReadonlyArray<records.Recorded>,
  more: Partial<Exports.ReconcileOptions> = {}
) =>
  Stream.runCollect(Exports.reconcile({ sink, ...more })).pipe(
    Effect.map(Chunk.toReadonlyArray),
    from(history)
  )

const idsOf = (found: ReadonlyArray<Exports.Difference>, which: "extra" | "missing" | "removed") =>
  found.flatMap((one) => one[which]).sort()

for (const kind of stores.kinds) {
  describe(`an export, ${kind.name}`, () => {
    const audit = (store: stores.Store) =>
      Effect.map(
        Effect.all([store.rows, store.rejected]),
        ([rows, rejected]) => [
          records.compare(truth.rows, records.tally(rows.map(records.exportedKey))),
          records.compare(truth.rejected, records.tally(rejected.map(({ raw }) => String(raw))))
        ]
      )
    const whole = [{ missing: 0, doubled: 0 }, { missing: 0, doubled: 0 }]

    it.scopedLive("keeps and marks what the service no longer returns, and unmarks what it returns again", () =>
      Effect.gen(function*() {
        const store = yield* kind.open(undefined, "half")
        const { sink } = store
        yield* from(all)(Exports.run({ plan: yield* plan, sink }))
        const found = yield* reconciled(sink, half, { repair: true })
        const extra = idsOf(found, "extra")
        assert.isAbove(extra.length, 10)
        assert.deepStrictEqual(yield* audit(store), whole)
        const manifest = yield* Exports.manifest(sink)
        assert.deepStrictEqual([manifest.extra, manifest.complete], [extra.length, "except-rejected"])
        assert.deepStrictEqual(yield* reconciled(sink, all), [])
        assert.strictEqual((yield* Exports.manifest(sink)).extra, 0)
      }))

    it.scopedLive(
      "keeps what it has when a repair adds what the service left out before",
      () =>
        Effect.gen(function*() {
          const store = yield* kind.open(undefined, "half")
          const { sink } = store
          yield* from(half)(Exports.run({ plan: yield* plan, sink }))
          // The other half, and nothing of what is stored.
          const other = all.filter((record) => !half.includes(record))
          const found = yield* reconciled(sink, other, { repair: true })
          assert.isTrue(found.every(({ repaired }) => repaired))
          assert.deepStrictEqual(yield* audit(store), whole)
          assert.deepStrictEqual(yield* reconciled(sink, all), [])
        })
    )

    it.scopedLive("removes only what is named, was marked before, and is still not returned", () =>
      Effect.gen(function*() {
        const store = yield* kind.open(undefined, "half")
        const { sink } = store
        yield* from(all)(Exports.run({ plan: yield* plan, sink }))
        const whatever = yield* reconciled(sink, half, { remove: "all" })
        assert.deepStrictEqual(idsOf(whatever, "removed"), [])
        const extra = idsOf(whatever, "extra")
        const [one = "", two = "", ...rest] = extra
        // Nothing is extra for a service that returns everything.
        assert.deepStrictEqual(yield* reconciled(sink, all, { remove: new Set([one]) }), [])
        yield* reconciled(sink, half)
        const named = yield* reconciled(sink, half, { remove: new Set([one, two, "unknown"]) })
        assert.deepStrictEqual(idsOf(named, "removed"), [one, two].sort())
        const left = [...yield* store.rows, ...yield* store.rejected].map(({ id }) => String(id))
        assert.isFalse(left.includes(one) || left.includes(two))
        assert.isTrue(rest.every((id) => left.includes(id)))
        const manifest = yield* Exports.manifest(sink)
        assert.deepStrictEqual([manifest.extra, manifest.rows + manifest.rejected], [rest.length, left.length])
        const { extra: marked } = (yield* reconciled(sink, half)).reduce(
          (sum, { damage, extra }) => ({ damage: sum.damage ?? damage, extra: sum.extra + extra.length }),
          { damage: undefined as string | undefined, extra: 0 }
        )
        assert.strictEqual(marked, rest.length)
        const again = yield* reconciled(sink, all, { repair: true })
        assert.deepStrictEqual(idsOf(again, "missing"), [one, two].sort())
        assert.isTrue(again.every(({ damage }) => damage === undefined))
        assert.deepStrictEqual(yield* audit(store), whole)
      }))
  })
}
