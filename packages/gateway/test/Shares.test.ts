import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as shares from "../src/internal/shares.js"

const from = (name: string) =>
  Effect.provideService(
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(new Request("http://127.0.0.1", { headers: { authorization: name } }))
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
})
