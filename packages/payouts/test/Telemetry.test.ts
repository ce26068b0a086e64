import * as Testing from "@effect-klaytn/core/Testing"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

const { klay, order } = Backend

const get = (key: string) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.get(key))

/** The metrics of payouts now, by name and labels. */
const metrics = Effect.map(Metric.snapshot, (pairs) => {
  const values = new Map<string, number>()
  for (const { metricKey: { name, tags }, metricState } of pairs) {
    if (!name.startsWith("klaytn.payouts.")) continue
    const labels = tags.map(({ key, value }) => `${key}=${value}`).join(",")
    const value = MetricState.isGaugeState(metricState)
      ? metricState.value
      : MetricState.isCounterState(metricState)
      ? metricState.count
      : 0
    values.set(labels === "" ? name : `${name}{${labels}}`, Number(value))
  }
  return (name: string) => values.get(`klaytn.payouts.${name}`) ?? 0
})

describe("the spans of a payout", () => {
  it.scopedLive("lead from whoever asked through each step to the requests, over all of its attempts", () => {
    const { spans, use } = Testing.tracer()
    return Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const { control } = yield* Sandbox.Sandbox
      yield* control.addFault({ operation: "wallet.sendValue", times: 2, action: { kind: "drop", when: "before" } })
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* payouts.pay(order("order-1", from)).pipe(Effect.withSpan("checkout"))
      }).pipe(Effect.provide(Backend.process()), use)
      const submit = spans.find(({ name }) => name === "payouts.submit")
      assert.match(submit?.parent ?? "", /^checkout/)
      const steps = spans.filter(({ name }) => name.startsWith("payouts.") && name !== "payouts.submit")
      assert.deepStrictEqual(steps.map(({ name }) => name), [
        "payouts.reserve",
        "payouts.send",
        "payouts.settle",
        "payouts.send",
        "payouts.settle"
      ])
      for (const { attributes, links } of steps) {
        assert.deepStrictEqual(links, [submit?.id ?? "none"])
        assert.deepInclude(attributes, {
          "payout.key": "order-1",
          "payout.from": from,
          "payout.attempt": 1,
          "payout.nonce": 1
        })
      }
      assert.deepStrictEqual(steps.map(({ attributes }) => attributes["payout.state"]), [
        "Reserved",
        "Unknown",
        "Reserved",
        "Sent",
        "Executed"
      ])
      const sends = spans.filter(({ name }) => name === "wallet.sendValue")
      const sendSteps = steps.filter(({ name }) => name === "payouts.send")
      assert.deepStrictEqual(sends.map(({ parent }) => parent), sendSteps.map(({ id }) => id))
    }))
  })
})

describe("the metrics of payouts", () => {
  it.scopedLive("say what is open and in doubt, for how long, and what was spent", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* Backend.account(0)
        const { control } = yield* Sandbox.Sandbox
        const before = yield* metrics
        const policy = { maxPerTransaction: 5n * klay, window: { max: 10n * klay, duration: "1 day" } } as const
        yield* Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          yield* payouts.submit(order("a", from, 2n * klay))
          // The account is opened first.
          yield* Backend.until(Effect.zipRight(Backend.mine, get("a")), ({ state }) => state._tag === "Executed")
          yield* payouts.submit(order("large", from, 4n * klay))
          yield* Backend.until(get("large"), ({ state }) => state._tag === "WaitingForApproval")
          yield* payouts.pay(order("refused", from, 6n * klay))
          // No send arrives any more.
          yield* control.addFault({
            operation: "wallet.sendValue",
            times: 100_000,
            action: { kind: "drop", when: "before" }
          })
          yield* payouts.submit(order("b", from, 3n * klay))
          yield* Backend.until(get("b"), ({ state }) => state._tag === "Unknown")
          yield* Effect.sleep("1100 millis")
          const health = yield* payouts.health
          assert.deepStrictEqual([health.unknown, health.waitingForApproval], [1, 1])
          // However often it is looked up and sent again, its age is that of the attempt.
          assert.isAbove(Duration.toSeconds(Option.getOrThrow(health.oldestUnknown)), 1)
          const now = yield* metrics
          assert.deepStrictEqual(
            [now("unknown"), now("open{state=WaitingForApproval}"), now("open{state=Executed}")],
            [1, 1, 0]
          )
          assert.isAbove(now("oldest"), 1)
          assert.strictEqual(now("spent{kind=value}"), 5)
          assert.isAbove(now("spent{kind=fee}"), 0)
          const rise = (name: string) => now(name) - before(name)
          assert.deepStrictEqual(
            [rise("ended{state=Executed}"), rise("ended{state=Refused}"), rise("changes{event=ApprovalNeeded}")],
            [1, 1, 1]
          )
        }).pipe(Effect.provide(Backend.process({ policy, approveAbove: 3n * klay })))
      }),
      { mining: "manual" }
    ))
})

describe("what needs attention", () => {
  /** The lines that a payout leads to, once there are some, and a while later. */
  const linesOf = (
    faults: ReadonlyArray<Parameters<Sandbox.Sandbox["Type"]["control"]["addFault"]>[0]>,
    options: Payouts.Options,
    mining: "auto" | "manual" = "auto"
  ) =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* Backend.account(0)
        const { control } = yield* Sandbox.Sandbox
        const { lines, use } = Backend.errorLines()
        yield* Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          yield* payouts.submit(order("first", from, 1n))
          const mine = mining === "manual" ? Backend.mine : Effect.void
          yield* Backend.until(Effect.zipRight(mine, get("first")), ({ state }) => state._tag === "Executed")
          yield* Effect.forEach(faults, control.addFault)
          yield* payouts.submit(order("order-1", from, 5n))
          yield* Backend.until(Effect.sync(() => lines), (all) => all.some((line) => line.includes("order-1")))
          yield* Effect.sleep("700 millis")
        }).pipe(Effect.provide(Backend.process(options)), use)
        return lines.filter((line) => line.includes("order-1"))
      }),
      { mining }
    )

  it.scopedLive("is told in one line: it waits for approval", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* linesOf([], { approveAbove: 4n }), [
        "payout order-1 needs attention: it waits for approval: 0.000000000000000005 KLAY is more than " +
        "0.000000000000000004 KLAY"
      ])
    }))

  it.scopedLive("is told in one line: it is stuck, also while it is sent again", () =>
    Effect.gen(function*() {
      const [line, ...more] = yield* linesOf([], { stuckAfter: "200 millis" }, "manual")
      assert.match(line ?? "", /^payout order-1 needs attention: it (was accepted|may have been sent).* no block/)
      assert.deepStrictEqual(more, [])
    }))

  it.scopedLive("is told in one line: nobody knows what became of it, however often it is tried", () =>
    Effect.gen(function*() {
      const nothing = { operation: "wallet.sendValue", times: 1000, action: { kind: "drop", when: "before" } } as const
      const [line, ...more] = yield* linesOf([nothing], { stuckAfter: "200 millis" })
      assert.match(line ?? "", /^payout order-1 needs attention: it may have been sent with nonce 2, and /)
      assert.deepStrictEqual(more, [])
    }))

  it.scopedLive("is told in one line: the service refuses it each time", () =>
    Effect.gen(function*() {
      const no = { operation: "wallet.sendValue", times: 1000, action: { kind: "answer", status: 401 } } as const
      const [line, ...more] = yield* linesOf([no], { stuckAfter: "200 millis" })
      assert.match(line ?? "", /^payout order-1 needs attention: (the service does not take it|it may have been sent)/)
      assert.deepStrictEqual(more, [])
    }))
})
