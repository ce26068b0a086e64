import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { buildLater } from "../src/internal/http/dispatch.js"

const request = HttpServerRequest.fromWeb(new Request("http://127.0.0.1/"))

const ask = (app: Effect.Effect.Success<ReturnType<typeof buildLater>>) =>
  app.pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.scoped,
    Effect.map(({ status }) => status)
  )

describe("an app that is built by its first request", () => {
  it.scoped("is built once, and answers those that ask after the first one left while it was built", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      let built = 0
      const app = yield* buildLater(Effect.gen(function*() {
        built++
        yield* Deferred.succeed(started, undefined)
        yield* Deferred.await(go)
        return HttpServerResponse.empty({ status: 204 })
      }))
      assert.strictEqual(built, 0)
      const first = yield* Effect.fork(ask(app))
      const second = yield* Effect.fork(ask(app))
      yield* Deferred.await(started)
      yield* Fiber.interruptFork(first)
      yield* Deferred.succeed(go, undefined)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(first)))
      assert.strictEqual(yield* Fiber.join(second), 204)
      assert.strictEqual(yield* ask(app), 204)
      assert.strictEqual(built, 1)
    }))

  it.effect("is released with the scope, not with the request that built it", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const events: Array<string> = []
      const app = yield* buildLater(
        Effect.acquireRelease(
          Effect.sync(() => {
            events.push("built")
            return HttpServerResponse.empty({ status: 204 })
          }),
          () => Effect.sync(() => events.push("released"))
        )
      ).pipe(Scope.extend(scope))
      assert.strictEqual(yield* ask(app), 204)
      assert.deepStrictEqual(events, ["built"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(events, ["built", "released"])
    }))
})
