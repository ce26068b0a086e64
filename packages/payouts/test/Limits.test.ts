import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { databases, onPostgres, type TestDatabase } from "../../engine/test/support/databases.js"
import * as limits from "../src/internal/limitRows.js"
import * as Limits from "../src/Limits.js"
import type { Payout } from "../src/Payout.js"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

const { klay, order } = Backend

const get = (key: string) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.get(key))
const submit = (input: Payouts.PayInput) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(input))
const pay = (input: Payouts.PayInput) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.pay(input))
const until = (key: string, tag: Payout["state"]["_tag"]) => Backend.until(get(key), ({ state }) => state._tag === tag)

const problemOf = ({ state }: Pick<Payout, "state">): string => "problem" in state ? state.problem ?? "" : ""

const strict: Payouts.Options = {
  policy: { maxPerTransaction: 200n * klay, window: { max: 120n * klay, duration: "24 hours" } },
  approveAbove: 50n * klay
}

/** The processes of a test: with and without the limits, and those that work on nothing. */
const on = ({ layer: database }: TestDatabase) => ({
  strict: Backend.processAt(strict, { database }),
  loose: Backend.processAt({}, { database }),
  strictClient: Backend.processAt(strict, { database, runs: false }),
  operator: Backend.processAt({}, { database, runs: false })
})

const tagsOf = (keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => Effect.map(get(key), ({ state }) => state._tag))

/** What the receiver has got, in KLAY, in the order of the chain. */
const paid = Effect.map(Backend.payments, (all) => all.map(({ value }) => Number(value / klay)))

describe.each(databases)("limits of payouts on %s", (_, open) => {
  it.scopedLive("are those under which a payout was stored: a process with others leaves it, and one with them begins it", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const processes = on(yield* open)
      yield* Effect.provide(submit(order("strict", from, 5n * klay)), processes.strictClient)
      const { lines, use } = Backend.errorLines()
      yield* Effect.gen(function*() {
        const left = yield* Backend.until(get("strict"), (payout) => problemOf(payout) !== "")
        assert.strictEqual(left.state._tag, "Planned")
        assert.include(
          problemOf(left),
          "(200 KLAY each, 120 KLAY in 1d, fees of up to 5 KLAY each, no contract calls, "
        )
        assert.strictEqual((yield* pay(order("loose", from, 1n * klay))).state._tag, "Executed")
        const { health } = yield* Payouts.Payouts
        assert.strictEqual((yield* health).otherLimits, 1)
      }).pipe(Effect.provide(processes.loose), use)
      assert.isTrue(lines.some((line) => line.includes("payout strict needs attention: it waits for a process")))
      assert.deepStrictEqual(yield* paid, [1])
      yield* Effect.provide(until("strict", "Executed"), processes.strict)
      assert.deepStrictEqual(yield* paid, [1, 5])
    })))

  it.scopedLive("of a day count what processes without such limits have paid", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const database = yield* open
      const run = (key: string, options: Payouts.Options) =>
        pay(order(key, from, 9n * klay)).pipe(
          Effect.map(({ state }) => state._tag),
          Effect.provide(Backend.processAt(options, { database: database.layer }))
        )
      assert.strictEqual(yield* run("none", {}), "Executed")
      assert.strictEqual(yield* run("each", { policy: { maxPerTransaction: 10n * klay } }), "Executed")
      const policy = { window: { max: 26n * klay, duration: "1 day" } } as const
      assert.strictEqual(yield* run("day", { policy }), "Refused")
      assert.deepStrictEqual(yield* paid, [9, 9])
    })))

  it.scopedLive("hold for what an operator's command decides, and it works on nothing", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const processes = on(yield* open)
      yield* Effect.gen(function*() {
        yield* submit(order("big", from, 100n * klay))
        yield* submit(order("dropped", from, 70n * klay))
        yield* until("big", "WaitingForApproval")
        yield* until("dropped", "WaitingForApproval")
        yield* pay(order("small", from, 30n * klay))
      }).pipe(Effect.provide(processes.strict))
      yield* Effect.provide(submit(order("other", from, 60n * klay)), processes.strictClient)
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        assert.deepInclude((yield* payouts.approve("big")).state, { _tag: "Planned", approved: true })
        assert.strictEqual((yield* payouts.cancel("dropped")).state._tag, "Cancelled")
        yield* Effect.sleep("300 millis")
        assert.deepStrictEqual(yield* tagsOf(["big", "other"]), ["Planned", "Planned"])
      }).pipe(Effect.provide(processes.operator))
      assert.deepStrictEqual(yield* paid, [30])
      yield* Effect.gen(function*() {
        // It is approved, and 90 of 120 KLAY are left.
        yield* until("big", "Refused")
        yield* until("other", "WaitingForApproval")
      }).pipe(Effect.provide(processes.strict))
      assert.deepStrictEqual(yield* paid, [30])
    })))

  it.scopedLive("that a payout of an older version lacks come from the process that adopts it", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const database = yield* open
      const processes = on(database)
      yield* Effect.gen(function*() {
        yield* submit(order("big", from, 60n * klay))
        yield* until("big", "WaitingForApproval")
      }).pipe(Effect.provide(processes.strict))
      yield* Effect.provide(submit(order("old", from, 5n * klay)), processes.strictClient)
      const sql = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE klaytn_payouts SET limits = NULL`)
      yield* Effect.provide(sql, database.layer)
      yield* Effect.gen(function*() {
        const left = yield* Backend.until(get("old"), (payout) => problemOf(payout) !== "")
        assert.include(problemOf(left), "an older version, without limits: it waits until it is adopted")
        const payouts = yield* Payouts.Payouts
        yield* payouts.adopt("old")
        const executed = yield* until("old", "Executed")
        assert.deepInclude(executed.history.map(({ event }) => event), { _tag: "Adopted", limits: payouts.ownLimits })
        const late = yield* Effect.flip(
          payouts.adopt("big").pipe(
            Effect.zipRight(payouts.adopt("old")),
            Effect.zipRight(
              Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE klaytn_payouts SET limits = NULL`)
            ),
            Effect.zipRight(payouts.adopt("old"))
          )
        )
        assert.include(String(late), "payout old is Executed: it has a nonce")
        assert.strictEqual((yield* get("big")).state._tag, "WaitingForApproval")
      }).pipe(Effect.provide(processes.strict))
      assert.deepStrictEqual(yield* paid, [5])
    })))
})

describe("the limits of a payout that is adopted", () => {
  it.scopedLive("ask for an approval that its first attempt did not need: it is refused, and not paid without", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const [open] = databases.map(([, open]) => open)
      if (open === undefined) return assert.fail("no database")
      const database = yield* open
      const processes = on(database)
      yield* Effect.provide(
        Effect.forEach(["never", "approved"], (key) => submit(order(key, from, 60n * klay))),
        processes.operator
      )
      const state = JSON.stringify({ _tag: "Superseded", attempt: 1, nonce: 1, by: `0x${"ab".repeat(32)}` })
      yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.all([
            sql`UPDATE klaytn_payouts SET state = ${state}, tag = 'Superseded'`,
            sql`INSERT INTO klaytn_payout_changes (payout, version, at, event, state)
              VALUES ('approved', 50, 1, '{"_tag":"Approved"}', ${state})`
          ])),
        database.layer
      )
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* payouts.adopt("never")
        yield* payouts.adopt("approved")
        const { state } = yield* payouts.wait("never")
        assert.deepInclude(state, { _tag: "Refused", reason: "NotApproved" })
        assert.deepInclude((yield* payouts.wait("approved")).state, { _tag: "Executed", attempt: 2 })
      }).pipe(Effect.provide(processes.strict))
      assert.deepStrictEqual(yield* paid, [60])
    })))
})

describe.each(onPostgres)("limits of payouts on %s", (_, open) => {
  it.scopedLive(
    "hold while processes with and without them work beside each other",
    () =>
      Backend.onSandbox(Effect.gen(function*() {
        const from = yield* Backend.account()
        const processes = on(yield* open)
        const small = Array.from({ length: 12 }, (_, i) => `small ${i}`)
        const big = Array.from({ length: 12 }, (_, i) => `big ${i}`)
        yield* Effect.gen(function*() {
          yield* Effect.scope.pipe(Effect.flatMap((scope) => Layer.buildWithScope(processes.loose, scope)))
          yield* Effect.gen(function*() {
            yield* Effect.forEach(small, (key) => submit(order(key, from, klay)))
            yield* Effect.forEach(big, (key) => submit(order(key, from, 60n * klay)))
            yield* Effect.forEach(small, (key) => until(key, "Executed"))
            yield* Effect.forEach(big, (key) => until(key, "WaitingForApproval"))
          }).pipe(Effect.provide(processes.strict))
        }).pipe(Effect.scoped)
        assert.deepStrictEqual(yield* paid, small.map(() => 1))
      })),
    60_000
  )
})

describe("limits", () => {
  it.effect("have the same ID whatever the order and the spelling of their rules", () =>
    Effect.gen(function*() {
      const [one, other] = ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"]
      const idOf = (policy: Payouts.Options["policy"], approveAbove?: bigint) =>
        Effect.map(limits.of({ policy, approveAbove }), ({ id }) => id)
      const id = yield* idOf({ recipients: [one, other], window: { max: 5n, duration: "1 day" } })
      const same = { recipients: [other, one.toUpperCase().replace("0X", "0x"), one], opaque: "refuse" as const }
      assert.strictEqual(id, yield* idOf({ ...same, window: { max: 5n, duration: "24 hours" } }))
      const others = yield* Effect.all([
        idOf({ ...same, window: { max: 6n, duration: "24 hours" } }),
        idOf({ ...same, window: { max: 5n, maxFees: 0n, duration: "24 hours" } }),
        idOf({ window: { max: 5n, duration: "1 day" } }),
        idOf({ ...same, window: { max: 5n, duration: "1 day" } }, 0n),
        idOf({}),
        idOf(undefined)
      ])
      assert.strictEqual(new Set([id, ...others]).size, others.length + 1)
    }))

  it("are described by what they allow", () => {
    const policy = {
      chains: null,
      maxPerTransaction: null,
      maxFeePerTransaction: klay,
      window: null,
      recipients: null,
      opaque: "allow" as const
    }
    assert.strictEqual(Limits.describe({ approveAbove: null, policy: null }), "no policy")
    assert.strictEqual(
      Limits.describe({
        approveAbove: 5n * klay,
        policy: { ...policy, window: { max: klay, maxFees: 0n, millis: null } }
      }),
      "1 KLAY and fees of 0 KLAY for ever, fees of up to 1 KLAY each, approval above 5 KLAY"
    )
  })
})
