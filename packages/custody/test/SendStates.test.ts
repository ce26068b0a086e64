import * as SendStore from "@effect-klaytn/custody/SendStore"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as WalletRepair from "@effect-klaytn/custody/WalletRepair"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { databases, type TestDatabase } from "../../engine/test/support/databases.js"
import { chain, makeTables } from "./support/guardedWallet.js"
import { newSend } from "./support/newSend.js"

const account = `0x${"ab".repeat(20)}` as const
const nonce = 3n

/** Numbers that look random, the same ones for a seed. */
const random = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

/** The sends of a wallet as two processes have them open, each with what it has read of them. */
const start = (open: Effect.Effect<TestDatabase, unknown, never> | typeof databases[number][1]) =>
  Effect.gen(function*() {
    const { layer } = yield* open
    const connect = Effect.map(Layer.build(layer), Context.get(SqlClient.SqlClient))
    const sql = yield* connect
    yield* makeTables(sql)
    const processes = [sql, yield* connect].map((client) => ({ client, store: SqlSendStore.make(client, chain) }))
    const [one, other] = processes
    assert(one !== undefined && other !== undefined)
    let count = 0
    /** A send of its own bytes. */
    const made = (more: Partial<SendStore.NewSend> = {}): SendStore.NewSend => {
      const hash = `0x${(++count).toString(16).padStart(64, "0")}` as const
      return newSend({ account, nonce, hash, ...more })
    }
    const rows = sql.withoutTransforms()<{
      readonly id: number
      readonly payment: number | null
      readonly state: number
      readonly cancels: number
      readonly why: string | null
    }>`SELECT id, payment, state, cancels, why FROM ${sql(`wallet_sends_${chain}`)} ORDER BY id`
    const all = Effect.map(
      rows,
      (found) => found.map((row) => ({ ...row, id: Number(row.id), payment: Number(row.payment ?? row.id) }))
    )
    const ending = (id: number, client = sql) =>
      WalletRepair.end(client, chain, { append: () => Effect.void }, { table: "sends", id })
    const end = (id: number, client = sql) => Effect.ignore(ending(id, client))
    return { all, end, ending, made, one: one.store, other: other.store, processes, sql }
  })

type Known = Array<SendStore.StoredSend>

/** What somebody does by what was read before, which may be so no more. */
const step = (
  { end, made, processes }: Effect.Effect.Success<ReturnType<typeof start>>,
  known: Known,
  pick: (below: number) => number
) =>
  Effect.gen(function*() {
    const process = processes[pick(processes.length)]
    const row = known[pick(known.length)]
    assert(process !== undefined)
    const { client, store } = process
    const keep = (taken: SendStore.StoredSend | undefined) => {
      if (taken !== undefined) known.push(taken)
    }
    const what = pick(9)
    if (row === undefined || what === 0) return keep(yield* store.take(made(), 1))
    if (what === 1) {
      return keep(yield* store.take(made({ payment: row.payment, attempt: row.attempt + 1, repairs: row }), 1))
    }
    if (what === 2) return keep(yield* store.take(made({ cancels: "own", repairs: row }), 1))
    if (what === 3) return yield* store.settle(row, "mined", 1)
    if (what === 4) return yield* store.settle(row, "replaced", 1, { winner: `0x${"cd".repeat(32)}` })
    if (what === 5) return yield* store.settle(row, "refused", 1, { why: "the node refused it" })
    if (what === 6) return void (yield* store.retake(row, 1, 0))
    if (what === 7) return yield* end(row.id, client)
    return yield* store.given(row, undefined, 1)
  })

const open = 0
const mined = 1

/** From which other states one can be reached: 0 is open, 1 mined, 2 replaced, 3 refused. The owner ends what is in any of them. */
const statesBefore: ReadonlyArray<ReadonlyArray<number>> = [[3], [0, 2, 3], [0, 3], [0]]

describe.each(databases)("the states of a send on %s", (name, place) => {
  it.scopedLive("hold whatever is done by whom, in which order, by what was read before", () =>
    Effect.gen(function*() {
      for (let seed = 1; seed <= (name === "SQLite" ? 20 : 5); seed++) {
        const world = yield* start(place)
        const known: Known = []
        const pick = random(seed)
        let before = yield* world.all
        for (let at = 0; at < 40; at++) {
          yield* step(world, known, pick)
          const now = yield* world.all
          const label = `seed ${seed}, step ${at}: ${JSON.stringify([before, now])}`
          const live = new Set(
            now.filter(({ cancels, state }) => state <= mined && cancels === 0).map((row) => row.payment)
          )
          assert.isAtMost(live.size, 1, `two payments have the nonce; ${label}`)
          const ended = new Set(now.filter(({ why }) => why === SendStore.endedByOwner).map((row) => row.payment))
          for (const row of now) {
            const was = before.find(({ id }) => id === row.id)
            if (was !== undefined && was.state !== row.state) {
              const isOfOwner = row.state === 3 && row.why === SendStore.endedByOwner
              assert.isTrue(
                isOfOwner || statesBefore[row.state]?.includes(was.state),
                `a state that can't follow; ${label}`
              )
            }
            if (was?.why === SendStore.endedByOwner) assert.strictEqual(row.why, was.why, label)
            if (ended.has(row.payment)) assert.notStrictEqual(row.state, open, `what was ended goes on; ${label}`)
            if (was === undefined) {
              assert.isFalse(before.some(({ state }) => state === mined), `signed after a block; ${label}`)
            }
          }
          before = now
        }
      }
    }), 120_000)

  it.scopedLive("end with all that is under way at the nonce, and nothing more is stored for them", () =>
    Effect.gen(function*() {
      for (const named of [0, 1, 2]) {
        const { all, end, made, one, other } = yield* start(place)
        const first = yield* one.take(made(), 1)
        assert(first !== undefined)
        const raised = yield* one.take(made({ payment: first.payment, attempt: 1, repairs: first }), 1)
        const cancel = yield* other.take(made({ cancels: "global", repairs: first }), 1)
        assert(raised !== undefined && cancel !== undefined)
        yield* end([first, raised, cancel][named]?.id ?? 0)
        assert.deepStrictEqual((yield* all).map(({ state }) => state), [3, 3, 3])
        for (const row of [first, raised, cancel]) {
          assert.isUndefined(yield* other.take(made({ cancels: "own", repairs: row }), 1))
          assert.isFalse(yield* other.retake(row, 1, 0))
          yield* other.settle(row, "refused", 2, { why: "refused" })
        }
        assert.isUndefined(yield* other.take(made({ payment: first.payment, attempt: 2, repairs: raised }), 1))
        assert.deepStrictEqual(
          (yield* all).map(({ why }) => why),
          Array.from({ length: 3 }, () => SendStore.endedByOwner)
        )
        // The nonce is free, and a block is believed.
        assert.isDefined(yield* other.take(made(), 1))
        yield* one.settle(raised, "mined", 2)
        assert.strictEqual((yield* all)[1]?.state, mined)
      }
    }))

  it.scopedLive("let nothing be signed or taken again that a nonce, a block, an owner or a lost key forbids", () =>
    Effect.gen(function*() {
      const { end, made, one, other } = yield* start(place)
      const taken = (more: Partial<SendStore.NewSend> = {}) =>
        Effect.map(one.take(made(more), 1), (row) => row ?? assert.fail("the nonce is not free"))
      const of = (at: bigint, more: Partial<SendStore.NewSend> = {}) => taken({ nonce: at, ...more })
      // Another one has the nonce, open and in a block.
      const refused = yield* of(1n)
      yield* one.settle(refused, "refused", 1, { why: "refused" })
      const next = yield* of(1n)
      assert.isFalse(yield* other.retake(refused, 1, 0))
      const cancel = yield* of(1n, { cancels: "own", repairs: next })
      yield* one.settle(cancel, "refused", 1, { why: "refused" })
      assert.isTrue(yield* other.retake(cancel, 1, 0))
      yield* one.settle(cancel, "refused", 1, { why: "refused" })
      yield* one.settle(next, "mined", 1)
      assert.deepStrictEqual([yield* other.retake(refused, 1, 0), yield* other.retake(cancel, 1, 0)], [false, false])
      // A block has one of two attempts that a sender has signed once.
      const first = yield* of(2n)
      const { payment, senderHash } = first
      const paid = yield* of(2n, { payment, attempt: 1, repairs: first, senderHash })
      yield* one.settle(paid, "mined", 1)
      // The first one is paid by it, and is not replaced: its key would pay anew.
      assert.strictEqual((yield* other.byHash(first.hash))?.state, "open")
      assert.isUndefined(yield* other.take(made({ nonce: 2n, cancels: "own", repairs: first }), 1))
      assert.isUndefined(yield* other.take(made({ nonce: 2n, payment, attempt: 2, repairs: first }), 1))
      // The owner has ended a payment.
      const ended = yield* of(4n)
      yield* end(ended.id)
      assert.isUndefined(yield* other.take(made({ nonce: 4n, payment: ended.payment, attempt: 1 }), 1))
      // Somebody else has given the bytes to the node, or repairs the send: a refusal of the first copy ends nothing.
      const given = yield* of(6n)
      yield* other.given(given, undefined, 2)
      assert.isFalse(yield* one.refuse(given, 3, "refused"))
      assert.isTrue(yield* one.refuse({ ...given, attempts: 1 }, 3, "refused"))
      const leased = yield* of(7n)
      yield* other.lease(leased, 10, 20)
      assert.isFalse(yield* one.refuse(leased, 11, "refused"))
      const inBlock = yield* of(8n)
      yield* other.settle(inBlock, "mined", 2)
      assert.isFalse(yield* one.refuse(inBlock, 3, "refused"))
      // Somebody repairs a send for some seconds.
      const repaired = yield* of(5n)
      const leases = [other.lease(repaired, 10, 20), one.lease(repaired, 15, 30), one.lease(repaired, 20, 30)]
      assert.deepStrictEqual(yield* Effect.all(leases), [true, false, true])
      // The key of a request is not in the database.
      const lost = yield* Effect.flip(one.take(made({ nonce: 6n, request: "gone" }), 1))
      assert.include(String(lost.cause), "the key of the request is not in the database")
    }))

  it.scopedLive("are ended by the owner if they are open or in a block, and no other payment at the nonce is", () =>
    Effect.gen(function*() {
      const { ending, made, one } = yield* start(place)
      const taken = Effect.map(
        Effect.suspend(() => one.take(made(), 1)),
        (row) => row ?? assert.fail("the nonce is not free")
      )
      const refused = yield* taken
      yield* one.settle(refused, "refused", 1, { why: "refused" })
      const next = yield* taken
      assert.strictEqual((yield* Effect.flip(ending(refused.id)))._tag, "NothingToEnd")
      assert.strictEqual((yield* one.byHash(next.hash))?.state, "open")
      // One that was seen in a block which is not there any more keeps the nonce from all others until it is ended.
      yield* one.settle(next, "mined", 2)
      assert.isUndefined(yield* one.take(made(), 3))
      yield* ending(next.id)
      assert.strictEqual((yield* one.byHash(next.hash))?.state, "refused")
      yield* taken
      assert.strictEqual((yield* Effect.flip(ending(next.id)))._tag, "NothingToEnd")
    }))

  it.scopedLive("leave nothing open of what is ended while it is raised and cancelled", () =>
    Effect.gen(function*() {
      for (let round = 0; round < 6; round++) {
        const { all, end, made, one, other, processes } = yield* start(place)
        const first = yield* one.take(made(), 1)
        assert(first !== undefined)
        const raises = Array.from({ length: 6 }, (_, at) =>
          Effect.zipRight(
            Effect.yieldNow(),
            (at % 2 === 0 ? one : other).take(
              at % 3 === 0
                ? made({ cancels: "own", repairs: first })
                : made({ payment: first.payment, attempt: at + 1, repairs: first }),
              1
            )
          ))
        const working = yield* Effect.fork(Effect.all(raises, { concurrency: "unbounded" }))
        for (let turn = 0; turn < round % 5; turn++) yield* Effect.yieldNow()
        yield* end(first.id, processes[1]?.client)
        yield* Fiber.join(working)
        assert.isFalse((yield* all).some(({ state }) => state === open), `round ${round}`)
      }
    }))
})
