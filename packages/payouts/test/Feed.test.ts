import { Address } from "@effect-klaytn/core/Address"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { databases, onPostgres, stranger } from "../../engine/test/support/databases.js"
import * as changes from "../src/internal/changes.js"
import { orFailed } from "../src/internal/databaseErrors.js"
import * as stores from "../src/internal/store.js"
import { Content, type RecordedChange } from "../src/Payout.js"
import type { DatabaseFailed } from "../src/PayoutError.js"
import type * as PayoutState from "../src/PayoutState.js"

const from = Schema.decodeSync(Address)("0x71c7656ec7ab88b098defb751b7401b5f6d8976f")

const content = Schema.decodeSync(Content)({
  chain: 1001,
  request: { _tag: "Value", from, to: "0x2222222222222222222222222222222222222222", value: "1" },
  payer: FeeDelegation.service
})

const open = SqlClient.SqlClient.pipe(
  Effect.flatMap((sql) => stores.make(sql.withoutTransforms(), "klaytn")),
  Effect.map((operations) => stores.failing<DatabaseFailed>(operations, orFailed))
)

const events: ReadonlyArray<PayoutState.PayoutEvent> = [
  { _tag: "ApprovalNeeded", problem: "large" },
  { _tag: "Approved" },
  { _tag: "CancelRequested", problem: "no" }
]

const applyTo = (store: stores.Store<DatabaseFailed>, key: string) => (event: PayoutState.PayoutEvent) =>
  Effect.flatMap(
    store.apply(key, event),
    Either.match({ onLeft: (why) => Effect.dieMessage(why), onRight: Effect.succeed })
  )

/** Writes three changes of each of some payouts. */
const write = (writer: string, payouts: number) =>
  Effect.gen(function*() {
    const store = yield* open
    yield* Effect.forEach(Array.from({ length: payouts }, (_, i) => `${writer}-${i}`), (key) =>
      Effect.gen(function*() {
        yield* store.insert(key, content, null)
        yield* Effect.forEach(events, applyTo(store, key), { discard: true })
      }), { concurrency: 3, discard: true })
  })

/** A transaction that inserts its change early and commits late. */
const writeSlowly = (key: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const store = yield* open
    yield* store.insert(key, content, null)
    yield* sql.withTransaction(
      Effect.zipRight(applyTo(store, key)({ _tag: "ApprovalNeeded", problem: "slow" }), Effect.sleep("400 millis"))
    )
  })

const quick = Duration.millis(5)

/** Reads some changes from where the last reader stopped, and is killed in the middle of the next. */
const readSome = (store: stores.Store<DatabaseFailed>, size: number, seen: Array<RecordedChange>) =>
  Effect.gen(function*() {
    const after = Option.getOrUndefined(yield* store.cursor("test"))
    yield* changes.feed(store, { after }, quick).pipe(
      Stream.take(size),
      Stream.runForEach((change) =>
        // Both or none: a reader that is killed between the two gets the change once more.
        Effect.uninterruptible(
          Effect.zipRight(Effect.sync(() => seen.push(change)), store.advanceCursor("test", change.cursor))
        )
      ),
      Effect.timeoutOption("200 millis")
    )
  })

describe.each(databases)("the feed of changes on %s", (_, database) => {
  it.scopedLive(
    "misses none, repeats none and keeps their order while processes write and readers are killed",
    () =>
      Effect.flatMap(database, ({ layer }) =>
        Effect.gen(function*() {
          const store = yield* open
          const total = 4 * 20 * events.length + 1
          const writing = yield* Effect.fork(Effect.all([
            ...["a", "b", "c", "d"].map((writer) => Effect.provide(write(writer, 20), layer)),
            Effect.delay(Effect.provide(writeSlowly("slow"), layer), "30 millis")
          ], { concurrency: "unbounded" }))
          const seen: Array<RecordedChange> = []
          for (let turn = 0; seen.length < total && turn < 600; turn++) yield* readSome(store, 1 + turn * 7 % 23, seen)
          yield* Fiber.join(writing)
          const cursors = seen.map(({ cursor }) => Number(cursor))
          assert.deepStrictEqual(cursors, [...new Set(cursors)].toSorted((a, b) => a - b))
          const versions = Object.entries(Arr.groupBy(seen, ({ key }) => key))
          assert.strictEqual(versions.length, 81)
          for (const [key, of] of versions) {
            assert.deepStrictEqual(of.map(({ version }) => version), key === "slow" ? [1] : [1, 2, 3], key)
          }
          assert.strictEqual(seen.length, total)
          const all = yield* Stream.runCollect(changes.feed(store, { ends: true }, quick))
          assert.deepStrictEqual(Chunk.toReadonlyArray(all), seen)
        }).pipe(Effect.provide(layer))),
    60_000
  )

  it.scopedLive("refuses a cursor that is none, or ahead of the database, and never goes back", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const store = yield* open
        yield* write("a", 1)
        for (const [cursor, problem] of [["x", "no cursor"], ["99", "another database"]] as const) {
          const error = yield* Effect.flip(Stream.runDrain(changes.feed(store, { after: cursor, ends: true }, quick)))
          assert.deepStrictEqual([error._tag, error.message.includes(problem)], ["InvalidInput", true], error.message)
        }
        yield* store.advanceCursor("test", "3")
        yield* store.advanceCursor("test", "2")
        assert.deepStrictEqual(yield* store.cursor("test"), Option.some("3"))
        assert.deepStrictEqual(yield* store.cursor("other"), Option.none())
      }).pipe(Effect.provide(layer))))
})

describe.each(onPostgres)("what waits before a change is written on %s", (_, database) => {
  const earlier = "SELECT pg_advisory_xact_lock(716449, hashtext('klaytn_payout_changes'))"

  it.scopedLive("is no lock of whoever may connect", () =>
    Effect.flatMap(database, (place) =>
      Effect.gen(function*() {
        yield* open
        yield* stranger(place, `BEGIN; ${earlier}`)
        yield* Effect.timeout(write("a", 2), "4 seconds")
      }).pipe(Effect.provide(place.layer))))

  it.scopedLive("is the change of a program of an earlier version", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const store = yield* open
        const isWriting = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        const other = yield* Effect.fork(sql.withTransaction(
          Effect.zipRight(
            Effect.zipRight(sql.unsafe(earlier), Deferred.succeed(isWriting, undefined)),
            Deferred.await(mayEnd)
          )
        ))
        yield* Deferred.await(isWriting)
        const writing = yield* Effect.fork(write("a", 1))
        yield* Effect.sleep("300 millis")
        assert.strictEqual((yield* Stream.runCollect(changes.feed(store, { ends: true }, quick))).length, 0)
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(other)
        yield* Fiber.join(writing)
        assert.strictEqual((yield* Stream.runCollect(changes.feed(store, { ends: true }, quick))).length, 3)
      }).pipe(Effect.provide(layer))))
})
