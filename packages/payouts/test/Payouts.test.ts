import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Payout from "../src/Payout.js"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

const { klay, order } = Backend

const tags = ({ history }: Payout.PayoutWithHistory) => history.map(({ state }) => state._tag)

/** The next requests that send a value meet a fault. */
const fault = (
  action: Sandbox.Sandbox["Type"]["control"]["addFault"] extends (fault: infer F) => unknown ? F : never
) => Effect.flatMap(Sandbox.Sandbox, ({ control }) => control.addFault(action))

const pay = (input: Payouts.PayInput) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.pay(input))
const get = (key: string) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.get(key))

describe("a payout", () => {
  it.scopedLive("is made once for a key, however often it is asked for, and everyone is told its end", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const asked = yield* Effect.all([1, 2, 3].map(() => pay(order("order-1", from))), {
          concurrency: "unbounded"
        })
        const [payment, ...more] = yield* Backend.payments
        assert.deepStrictEqual(more, [])
        for (const { state } of [...asked, yield* pay(order("order-1", from))]) {
          assert.deepInclude(state, { _tag: "Executed", attempt: 1, nonce: 1 })
          if (state._tag !== "Executed") continue
          assert.deepStrictEqual([state.transactionHash, state.block], [payment?.hash, payment?.block])
        }
        assert.deepStrictEqual(tags(yield* get("order-1")), ["Reserved", "Sending", "Sent", "Executed"])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("with another content under its key is refused, and the error names what differs", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        yield* pay(order("order-1", from))
        const error = yield* Effect.flip(pay({ ...order("order-1", from, 6n), memo: "more" }))
        assert.deepInclude(error, { _tag: "KeyConflict", key: "order-1" })
        assert.include(error.message, "request.value is 5, not 6")
        assert.include(error.message, "request.memo is none, not more")
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("that can't be right is refused before anything is stored", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        for (const bad of [order("", from), order("a\nb", from), order("a", "0x12"), order("a", from, -1n)]) {
          assert.strictEqual((yield* Effect.flip(pay(bad)))._tag, "InvalidInput")
        }
        const { items } = yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.list())
        assert.deepStrictEqual(items, [])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose answer was lost is looked up, and not sent again", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        yield* fault({ operation: "wallet.sendValue", times: 2, action: { kind: "drop", when: "after" } })
        const { state } = yield* pay(order("order-1", from))
        assert.strictEqual(state._tag, "Executed")
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose requests were lost is looked up, and sent again with the same nonce", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        yield* fault({ operation: "wallet.sendValue", times: 2, action: { kind: "drop", when: "before" } })
        const { state } = yield* pay(order("order-1", from))
        assert.deepInclude(state, { _tag: "Executed", attempt: 1, nonce: 1 })
        assert.deepStrictEqual(tags(yield* get("order-1")), [
          "Reserved",
          "Sending",
          "Unknown",
          "Reserved",
          "Sending",
          "Sent",
          "Executed"
        ])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("that is refused for certain gives its nonce to the next one", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const refused = yield* pay(order("much", from, 10n ** 30n))
        assert.deepInclude(refused.state, { _tag: "Refused", reason: "Rejected" })
        const { state } = yield* pay(order("little", from))
        assert.deepInclude(state, { _tag: "Executed", nonce: 1 })
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose nonce a stranger took is planned anew with another, and shows both attempts", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const stranger = yield* Backend.stranger
      yield* Effect.gen(function*() {
        yield* pay(order("order-1", from))
        yield* stranger.sendValue({ from, to: Backend.aside, value: 3n, payer: FeeDelegation.service })
        const { state } = yield* pay(order("order-2", from))
        assert.deepInclude(state, { _tag: "Executed", attempt: 2, nonce: 3 })
        const superseded = (yield* get("order-2")).history.find(({ state }) => state._tag === "Superseded")
        assert.deepInclude(superseded?.state, { attempt: 1, nonce: 2 })
        assert.strictEqual((yield* Backend.payments).length, 2)
      }).pipe(Effect.provide(Backend.process()))
    })))
})

describe("a fresh account", () => {
  it.scopedLive("pays its first alone and with a mark, and the others after it", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      yield* Effect.gen(function*() {
        const all = yield* Effect.forEach(["a", "b", "c"], (key) => pay(order(key, from)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(all.map(({ state }) => state._tag), ["Executed", "Executed", "Executed"])
        assert.deepStrictEqual((yield* Backend.payments).map(({ nonce }) => nonce), [0, 1, 2])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose first answer was lost waits until its mark is found, and is never sent twice", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      yield* Effect.gen(function*() {
        yield* fault({ operation: "wallet.sendValue", action: { kind: "drop", when: "after" } })
        const all = yield* Effect.forEach(["a", "b"], (key) => pay(order(key, from)), { concurrency: "unbounded" })
        assert.deepStrictEqual(all.map(({ state }) => state._tag), ["Executed", "Executed"])
        assert.strictEqual((yield* Backend.payments).length, 2)
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose first request was lost stays unknown, sends nothing else, and can't be given up", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* fault({ operation: "wallet.sendValue", action: { kind: "drop", when: "before" } })
        yield* payouts.submit(order("a", from))
        yield* Backend.until(get("a"), ({ state }) => state._tag === "Unknown")
        yield* payouts.submit(order("b", from))
        yield* payouts.reconcile("a")
        yield* Effect.sleep("300 millis")
        assert.strictEqual((yield* get("a")).state._tag, "Unknown")
        assert.strictEqual((yield* get("b")).state._tag, "Planned")
        assert.strictEqual((yield* Effect.flip(payouts.giveUp("a")))._tag, "NotPossible")
        assert.deepStrictEqual(yield* Backend.payments, [])
        assert.strictEqual((yield* payouts.health).unknown, 1)
      }).pipe(Effect.provide(Backend.process()))
    })))
})

describe("a process that was closed", () => {
  it.scopedLive("leaves its payouts to the next one, which asks the chain before it sends", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      yield* Effect.gen(function*() {
        // It arrives, and the answer takes longer than the process lives.
        yield* fault({ operation: "wallet.sendValue", times: 10, action: { kind: "drop", when: "after" } })
        yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("order-1", from)))
        yield* Backend.until(get("order-1"), ({ state }) => state._tag !== "Planned" && state._tag !== "Reserved")
      }).pipe(Effect.provide(Backend.process({}, file)))
      yield* Effect.gen(function*() {
        const { state } = yield* pay(order("order-1", from))
        assert.strictEqual(state._tag, "Executed")
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process({}, file)))
    })))

  it.scopedLive("leaves approvals and the spend window as they were", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      const options: Payouts.Options = {
        approveAbove: 5n * klay,
        policy: { window: { max: 10n * klay, duration: "1 day" } }
      }
      yield* Effect.gen(function*() {
        yield* pay(order("first", from, 4n * klay))
        yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("large", from, 6n * klay)))
        yield* Backend.until(get("large"), ({ state }) => state._tag === "WaitingForApproval")
      }).pipe(Effect.provide(Backend.process(options, file)))
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        assert.strictEqual((yield* payouts.health).waitingForApproval, 1)
        const waiting = yield* Effect.fork(payouts.wait("large"))
        yield* payouts.approve("large")
        assert.strictEqual((yield* Fiber.join(waiting)).state._tag, "Executed")
        const refused = yield* payouts.pay(order("too much", from, 1n))
        assert.deepInclude(refused.state, { _tag: "Refused", reason: "SpendRefused" })
        assert.deepStrictEqual(Option.map((yield* payouts.health).spent, ({ value }) => value), Option.some(10n * klay))
        assert.strictEqual((yield* Effect.flip(payouts.approve("large")))._tag, "NotPossible")
      }).pipe(Effect.provide(Backend.process(options, file)))
    })))
})

describe("giving up", () => {
  it.scopedLive("ends a payout that waits for approval at once", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* payouts.submit(order("a", from, 2n))
        yield* Backend.until(get("a"), ({ state }) => state._tag === "WaitingForApproval")
        assert.strictEqual((yield* payouts.giveUp("a")).state._tag, "GivenUp")
        assert.strictEqual((yield* payouts.pay(order("a", from, 2n))).state._tag, "GivenUp")
        assert.deepStrictEqual(yield* Backend.payments, [])
      }).pipe(Effect.provide(Backend.process({ approveAbove: 1n })))
    })))
})

/** Leaves a payout of an account waiting for its block, behind the account's first one, whose nonce can't be named. */
const waiting = (key: string, from: Parameters<typeof order>[1], value: bigint) =>
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    yield* payouts.submit(order("first", from))
    yield* Backend.until(get("first"), ({ state }) => state._tag === "Sent")
    yield* Backend.mine
    yield* payouts.wait("first")
    yield* payouts.submit(order(key, from, value))
    yield* Backend.until(get(key), ({ state }) => state._tag === "Sent")
  })

describe("giving up what was sent", () => {
  it.scopedLive("cancels it while it waits for its block, and ends as given up; the fee of the cancellation counts", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const { control } = yield* Sandbox.Sandbox
        const from = yield* Backend.account(0)
        yield* Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          yield* waiting("a", from, 7n)
          const before = Option.getOrThrow((yield* payouts.health).spent)
          assert.deepInclude((yield* payouts.giveUp("a")).state, { _tag: "Sent", stopped: true })
          const cancels = Effect.map(
            control.requests(),
            (all) => all.filter(({ method }) => method === "DELETE")
          )
          yield* Backend.until(cancels, (all) => all.length > 0)
          yield* Backend.mine
          const { state } = yield* payouts.wait("a")
          assert.strictEqual(state._tag, "GivenUp")
          assert.deepStrictEqual((yield* Backend.payments).map(({ value }) => value), [5n])
          const after = Option.getOrThrow((yield* payouts.health).spent)
          assert.deepStrictEqual([before.value - after.value, after.fee], [7n, before.fee])
        }).pipe(Effect.provide(Backend.process({ policy: { window: { max: 100n, duration: "1 day" } } })))
      }),
      { mining: "manual" }
    ))

  it.scopedLive("ends as executed if the payment comes first", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* Backend.account(0)
        yield* Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          yield* waiting("a", from, 7n)
          // No cancellation arrives before the block.
          yield* fault({ times: 1000, operation: "wallet.cancel", action: { kind: "drop", when: "before" } })
          yield* payouts.giveUp("a")
          yield* Backend.mine
          assert.strictEqual((yield* payouts.wait("a")).state._tag, "Executed")
          assert.deepStrictEqual((yield* Backend.payments).map(({ value }) => value), [5n, 7n])
        }).pipe(Effect.provide(Backend.process()))
      }),
      { mining: "manual" }
    ))
})

describe("a process of another chain", () => {
  it.scopedLive("does not touch a payout, and tells a person", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      const options: Payouts.Options = { approveAbove: 1n, policy: { maxPerTransaction: 10n } }
      yield* Effect.gen(function*() {
        yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("a", from)))
        yield* Backend.until(get("a"), ({ state }) => state._tag === "WaitingForApproval")
      }).pipe(Effect.provide(Backend.process(options, file)))
      yield* control.clearRequests
      const { lines, use } = Backend.errorLines()
      yield* Effect.gen(function*() {
        yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.approve("a"))
        yield* Backend.until(Effect.sync(() => lines), (all) => all.length > 0)
        assert.include(lines[0], "payout a needs a person: it belongs to chain 1001, and this process to 8217")
        assert.strictEqual((yield* get("a")).state._tag, "Planned")
      }).pipe(Effect.provide(Backend.process(options, file, 8217)), use)
      assert.deepStrictEqual((yield* control.requests()).map(({ operation }) => operation), [])
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* pay(order("a", from))).state._tag, "Executed")
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process(options, file)))
    })))
})

describe("telling", () => {
  it.scopedLive("lists by state in pages, and streams changes of one and of all", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const all = yield* Effect.fork(
          payouts.changes().pipe(
            Stream.filter(({ state }) => state._tag === "Executed"),
            Stream.take(3),
            Stream.runCollect
          )
        )
        yield* Effect.sleep("50 millis")
        yield* Effect.forEach(["a", "b", "c"], (key) => pay(order(key, from)))
        assert.deepStrictEqual(Chunk.toReadonlyArray(Chunk.map(yield* Fiber.join(all), ({ key }) => key)), [
          "a",
          "b",
          "c"
        ])
        const one = yield* payouts.changes("b").pipe(Stream.runCollect)
        assert.deepStrictEqual(Chunk.toReadonlyArray(Chunk.map(one, ({ event }) => event._tag)), [
          "Reserved",
          "SendBegun",
          "Accepted",
          "Found"
        ])
        const page = yield* payouts.list({ states: ["Executed"], size: 2 })
        const rest = yield* payouts.list({ states: ["Executed"], size: 2, cursor: Option.getOrThrow(page.cursor) })
        assert.deepStrictEqual([...page.items, ...rest.items].map(({ key }) => key).sort(), ["a", "b", "c"])
        assert.isTrue(Option.isNone(rest.cursor))
        assert.deepStrictEqual((yield* payouts.list({ states: ["Unknown"] })).items, [])
        assert.strictEqual((yield* Effect.flip(payouts.get("none")))._tag, "NoSuchPayout")
      }).pipe(Effect.provide(Backend.process()))
    })))
})
