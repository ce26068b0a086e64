import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as shares from "../src/internal/shares.js"

const from = (name: string, path = "/") =>
  Effect.provideService(
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(new Request(`http://127.0.0.1${path}`, { headers: { authorization: name } }))
  )

describe("the places of callers", () => {
  it.effect("are bounded for each: those of another caller are free", () =>
    Effect.gen(function*() {
      const share = shares.make((header) => header === undefined ? undefined : { name: header }, 2)
      let running = 0
      const endless = share(Effect.zipRight(Effect.sync(() => running++), Effect.never))
      for (let request = 0; request < 5; request++) yield* Effect.fork(from("busy")(endless))
      yield* Effect.yieldNow()
      assert.strictEqual(running, 2)
      assert.strictEqual(yield* from("other")(share(Effect.succeed("served"))), "served")
    }))

  it.effect("of pages leave some for small ones, and where the process is busy, large ones are read one at a time", () =>
    Effect.gen(function*() {
      let isBusy = false
      const share = shares.ofPages((header) => header === undefined ? undefined : { name: header }, 6, () => isBusy)
      let running = 0
      const endless = share(Effect.zipRight(Effect.sync(() => running++), Effect.never))
      const page = from("one", "/v2/contract/ft?kind=a&size=1000")
      for (let request = 0; request < 5; request++) yield* Effect.fork(page(endless))
      yield* Effect.yieldNow()
      assert.strictEqual(running, 3)
      const small = share(Effect.succeed("served"))
      for (const path of ["/v2/contract/ft", "/v2/contract/ft?size=100"]) {
        assert.strictEqual(yield* from("one", path)(small), "served")
      }
      isBusy = true
      const search = from("other", "/v2/transfer?presets=1")
      for (let request = 0; request < 5; request++) yield* Effect.fork(search(endless))
      yield* Effect.yieldNow()
      assert.strictEqual(running, 4)
    }))

  it.effect("at the node are a quarter where the process is busy", () =>
    Effect.gen(function*() {
      const running = (isBusy: boolean) =>
        Effect.gen(function*() {
          const share = shares.ofNode(() => undefined, 8, () => isBusy)
          let running = 0
          const endless = from("one")(share(Effect.zipRight(Effect.sync(() => running++), Effect.never)))
          for (let request = 0; request < 20; request++) yield* Effect.fork(endless)
          yield* Effect.yieldNow()
          return running
        })
      assert.deepStrictEqual([yield* running(false), yield* running(true)], [8, 2])
    }))

  it.live("are few where a process computes most of the time, and until some seconds later", () =>
    Effect.gen(function*() {
      const isBusy = shares.busyness()
      const compute = Effect.sync(() => {
        for (const end = performance.now() + 300; performance.now() < end;);
      })
      yield* compute
      assert.isTrue(isBusy())
      yield* Effect.sleep("250 millis")
      assert.isTrue(isBusy())
    }))
})
