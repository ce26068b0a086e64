import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { getThing, theThing, thing } from "../support/thing.js"

const called = Effect.flatMap(ServiceClient.make("history"), (client) => client.call(getThing, theThing))

describe("a wire", () => {
  it.effect("answers with its steps in turn, and with the last one from then on", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(404, ""), Testing.json(200, thing))
      const run = Effect.exit(Effect.provide(called, Testing.layer(wire)))
      const outcomes = [yield* run, yield* run, yield* run]
      assert.deepStrictEqual(outcomes.map(Exit.isSuccess), [false, true, true])
      assert.deepStrictEqual(
        wire.sent.map(({ method, url }) => `${method} ${url}`),
        Array.from({ length: 3 }, () => `GET ${Testing.baseUrl}/v2/thing/1`)
      )
    }))

  it.effect("without steps is a defect when it is used", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(Effect.provide(called, Testing.layer(Testing.wire())))
      assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
    }))

  it.effect("has every service behind it, on the testnet, unless it is told otherwise", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const { chain, endpoints } = yield* Effect.provide(ClientConfig.ClientConfig, Testing.layer(wire))
      assert.strictEqual(chain, 1001)
      assert.deepStrictEqual(Object.keys(endpoints).sort(), ["history", "node", "resource", "tokens", "wallet"])
      const other = yield* Effect.provide(ClientConfig.ClientConfig, Testing.layer(wire, { chain: 8217 }))
      assert.strictEqual(other.chain, 8217)
    }))
})

describe("a tracer", () => {
  it.effect("keeps each span with what was said of it, and how it ended", () =>
    Effect.gen(function*() {
      const tracer = Testing.tracer()
      const inner = Effect.fail("no").pipe(Effect.withSpan("inner", { attributes: { size: 7 } }), Effect.ignore)
      yield* tracer.use(Effect.withSpan(inner, "outer"))
      const [outer, failed] = tracer.spans
      assert.deepInclude(outer, { id: "outer #0", parent: undefined })
      assert.deepInclude(failed, { id: "inner #1", parent: "outer #0" })
      assert.strictEqual(failed?.attributes["size"], 7)
      assert.deepStrictEqual(tracer.spans.map(({ exit }) => exit !== undefined && Exit.isSuccess(exit)), [true, false])
    }))
})
