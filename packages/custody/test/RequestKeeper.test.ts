import * as RequestKeeper from "@effect-klaytn/custody/RequestKeeper"
import type { SendState } from "@effect-klaytn/custody/SendStore"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as WalletRepair from "@effect-klaytn/custody/WalletRepair"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as localWallet from "./support/localWallet.js"
import { newSend } from "./support/newSend.js"

const account = `0x${"ab".repeat(20)}` as const

/** Requests of a database in memory, and sends that belong to them. */
const start = Effect.gen(function*() {
  const { sql } = yield* localWallet.make
  const store = SqlSendStore.requests(sql, 1001)
  const sends = SqlSendStore.make(sql, 1001)
  const now = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1000))
  let count = 0
  const begin = (id: string) => Effect.flatMap(now, (at) => store.begin(id, "0x01", at))
  const send = (request: string | undefined, nonce: bigint, state: SendState) =>
    Effect.gen(function*() {
      const hash = `0x${(++count).toString(16).padStart(64, "0")}` as const
      const at = yield* now
      const taken = yield* sends.take(newSend({ account, nonce, hash, request }), at)
      assert(taken !== undefined)
      if (state !== "open") yield* sends.settle(taken, state, at)
      return taken
    })
  const kept = Effect.map(
    sql<{ id: string }>`SELECT id FROM wallet_requests_1001 ORDER BY id`,
    (rows) => rows.map(({ id }) => id)
  )
  return { store, sends, begin, send, kept, now, sql }
})

/** How the database runs the statements of an effect. */
const plansOf = <A, E>(sql: SqlClient, effect: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const statements: Array<readonly [text: string, params: ReadonlyArray<unknown>]> = []
    yield* Statement.withTransformer(effect, (one) =>
      Effect.sync(() => {
        statements.push(one.compile(true))
        return one
      }))
    const plans = yield* Effect.forEach(statements, ([text, params]) =>
      sql.unsafe(`EXPLAIN QUERY PLAN ${text}`, params).withoutTransform)
    return JSON.stringify(plans)
  })

describe("requests with a key", () => {
  it.scoped("are kept for seven days, and removed piece by piece", () =>
    Effect.gen(function*() {
      const { begin, kept, sql, store } = yield* start
      const pieces: Array<number> = []
      const counted = {
        forget: (before: number, limit: number) =>
          Effect.tap(store.forget(before, limit), (removed) => Effect.sync(() => pieces.push(removed)))
      }
      for (let index = 0; index < 25; index++) yield* begin(`old ${index}`)
      yield* Effect.forkScoped(RequestKeeper.run({ store: counted, piece: 10, every: "6 hours" }))
      yield* TestClock.adjust("6 days")
      yield* begin("young")
      assert.lengthOf(yield* kept, 26)
      yield* TestClock.adjust("31 hours")
      assert.deepStrictEqual(yield* kept, ["young"])
      assert.deepStrictEqual(pieces.filter((removed) => removed > 0), [10, 10, 5])
      yield* TestClock.adjust("7 days")
      assert.deepStrictEqual(yield* kept, [])
      yield* begin("older")
      const plans = yield* plansOf(sql, store.forget(2 ** 40, 1))
      assert.include(plans, "wallet_requests_young_1001")
      assert.notMatch(plans, /SCAN \w+(?! USING (COVERING )?INDEX)\b/)
    }))

  it.scoped("that made an account or a key are kept for good", () =>
    Effect.gen(function*() {
      const { begin, kept, sql, store } = yield* start
      yield* begin("account")
      yield* begin("nothing")
      yield* sql`INSERT INTO wallet_effects_1001 (request, effect, subject) VALUES ('account', 'account', x'01')`
      yield* TestClock.adjust("8 days")
      yield* RequestKeeper.round({ store })
      assert.deepStrictEqual(yield* kept, ["account"])
    }))

  it.scoped("are freed only while nothing was answered, sent or made for them", () =>
    Effect.gen(function*() {
      const { begin, kept, send, sql, store } = yield* start
      for (const id of ["answered", "for good", "made", "prepared", "nothing", "sent"]) yield* begin(id)
      yield* store.answer("answered", { status: 200, body: "{}" })
      yield* sql`UPDATE wallet_requests_1001 SET kept = 1 WHERE id = 'for good'`
      yield* send("sent", 0n, "refused")
      yield* sql`INSERT INTO wallet_effects_1001 (request, effect, subject)
        VALUES ('made', 'account', x'01'), ('prepared', 'made', x'01')`
      for (const id of yield* kept) yield* store.free(id)
      assert.deepStrictEqual(yield* kept, ["answered", "for good", "made", "sent"])
    }))

  it.scoped("have the sends that they had under the name of an older version", () =>
    Effect.gen(function*() {
      const { kept, now, sends, send, sql, store } = yield* start
      yield* sql`INSERT INTO wallet_requests_1001 (id, digest, created) VALUES ('shop key', x'01', 0)`
      const { hash } = yield* send("shop key", 0n, "open")
      const found = yield* store.begin("0xnew", "0x01", yield* now, "shop key")
      assert.deepInclude(found, { digest: "0x01", isRepeated: true })
      assert.deepStrictEqual([yield* kept, (yield* sends.ofRequest("0xnew"))?.hash], [["0xnew"], hash])
    }))

  it.scoped("and their sends are found through an index", () =>
    Effect.gen(function*() {
      const { begin, send, sends, sql } = yield* start
      yield* begin("shop")
      const open = yield* send("shop", 1n, "open")
      const { payment: _, ...first } = open
      // All of them run before their plans are asked for: a plan of a write holds a lock.
      const looks: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        sends.take({ ...first, nonce: 7n, hash: "0x07" }, 0),
        sends.take({ ...open, nonce: 8n, hash: "0x08", attempt: 1, repairs: open }, 0),
        sends.retake(open, 0, 0),
        sends.settle(open, "mined", 0),
        sends.open,
        sends.openOf(account, 1),
        sends.countOf("shop", account),
        sends.firstUnused(account),
        sends.takenFrom(account, 0n)
      ]
      const plans = yield* plansOf(sql, Effect.all(looks, { discard: true }))
      // A whole index may be read if it has just the rows that are wanted.
      assert.notMatch(plans, /SCAN (?!CONSTANT|held|repaired|lowest)\w+(?! USING (COVERING )?INDEX)\b/)
      assert.isAtLeast(plans.match(/USING (COVERING )?INDEX/g)?.length ?? 0, looks.length)
    }))

  it.scoped("stay as long as a transaction of theirs may run", () =>
    Effect.gen(function*() {
      const { begin, kept, send, sends, store } = yield* start
      for (const id of ["open", "mined", "refused", "refused, used", "replaced", "none"]) yield* begin(id)
      yield* send("refused, used", 0n, "refused")
      yield* send("replaced", 1n, "replaced")
      yield* send("mined", 1n, "mined")
      const open = yield* send("open", 2n, "open")
      yield* send("refused", 3n, "refused")
      yield* TestClock.adjust("30 days")
      yield* RequestKeeper.round({ store })
      assert.deepStrictEqual(yield* kept, ["mined", "open", "refused"])
      // The key of a removed request is a new one: its old send does not answer for the new request.
      assert.isUndefined(yield* sends.ofRequest("replaced", account))
      assert.isDefined(yield* sends.ofRequest("mined", account))
      assert.strictEqual((yield* sends.byHash(open.hash))?.request, "open")
      yield* sends.settle(open, "mined", 0)
      yield* RequestKeeper.round({ store })
      assert.deepStrictEqual(yield* kept, ["mined", "open", "refused"])
      yield* send(undefined, 4n, "mined")
      yield* RequestKeeper.round({ store })
      assert.deepStrictEqual(yield* kept, ["mined", "open"])
    }))

  it.scoped("that moved something are kept for good, without their answers, and not looked at again", () =>
    Effect.gen(function*() {
      const { begin, kept, now, send, store } = yield* start
      yield* begin("paid")
      yield* store.answer("paid", { status: 200, body: "{}" })
      yield* send("paid", 0n, "mined")
      yield* TestClock.adjust("30 days")
      assert.strictEqual(yield* RequestKeeper.round({ store }), 1)
      assert.strictEqual(yield* RequestKeeper.round({ store }), 0)
      assert.deepStrictEqual(yield* kept, ["paid"])
      const expected = { digest: "0x01", answer: undefined, isRepeated: true } as const
      assert.deepStrictEqual(yield* begin("paid"), expected)
      // The answer is made again each time.
      yield* store.answer("paid", { status: 200, body: "{}" })
      assert.deepStrictEqual(yield* store.begin("paid", "0x01", yield* now), expected)
    }))

  it.scoped("whose payment the owner has ended are kept for good, and what is made for one meanwhile stays with it", () =>
    Effect.gen(function*() {
      const { begin, kept, send, sends, sql, store } = yield* start
      for (const id of ["ended", "raised", "cancelled"]) yield* begin(id)
      const ended = yield* send("ended", 0n, "open")
      const raised = yield* send("raised", 1n, "open")
      const second = {
        ...raised,
        hash: "0x0a",
        senderHash: "0x0a",
        attempt: 1,
        request: undefined,
        repairs: raised
      } as const
      assert.isDefined(yield* sends.take(second, 0))
      for (const { id } of [ended, raised]) {
        yield* WalletRepair.end(sql, 1001, { append: () => Effect.void }, { table: "sends", id })
      }
      yield* send("cancelled", 2n, "replaced")
      yield* send(undefined, 2n, "mined")
      yield* TestClock.adjust("30 days")
      // A repeated request is at work on a send of a key that is put away.
      const again = yield* send("cancelled", 3n, "open")
      yield* sends.settle(again, "refused", 0)
      yield* send(undefined, 4n, "mined")
      yield* RequestKeeper.round({ store })
      assert.deepStrictEqual(yield* kept, ["ended", "raised"])
      assert.strictEqual((yield* sends.ofRequest("ended", account))?.id, ended.id)
    }))

  it.scoped("are refused if they are new, as long as the store takes no new ones", () =>
    Effect.gen(function*() {
      const { begin, send, sql, store } = yield* start
      for (const id of ["known", "answered", "lost"]) yield* begin(id)
      yield* send("known", 0n, "open")
      yield* store.answer("answered", { status: 200, body: "{}" })
      yield* store.refuseNew("it was restored")
      yield* store.refuseNew("another reason")
      assert.strictEqual(yield* begin("new"), "it was restored")
      assert.deepInclude(yield* begin("known"), { isRepeated: true })
      assert.deepInclude(yield* begin("answered"), { isRepeated: true })
      // What its request did may have been done after the copy was made.
      assert.strictEqual(yield* begin("lost"), "it was restored")
      yield* store.acceptNew
      assert.deepInclude(yield* begin("lost"), { isRepeated: true })
      // In the statement that stores it: the database may be another one than at the last look.
      const elsewhere = SqlSendStore.requests(sql, 1001, sql`false`)
      assert.match(String(yield* elsewhere.begin("newer", "0x01", 0)), /another one than a moment ago/)
      assert.deepInclude(yield* elsewhere.begin("known", "0x01", 0), { isRepeated: true })
      const lost = yield* Effect.flip(send("of another database", 9n, "open"))
      assert.match(lost.message, /the key of the request is not in the database/)
      assert.isUndefined(yield* store.refusal)
      assert.deepInclude(yield* begin("new"), { isRepeated: false })
    }))
})
