import * as Idempotency from "@effect-klaytn/custody/Idempotency"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import { RequestIds } from "@effect-klaytn/service/RequestIds"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as localWallet from "./support/localWallet.js"

const requestOf = (body: string | ReadableStream) =>
  new Request("http://wallet/v2/tx/value", {
    method: "POST",
    headers: { "idempotency-key": "invoice", "content-type": "application/json" },
    body,
    ...(typeof body === "string" ? {} : { duplex: "half" })
  })

it.scoped("a key is not taken by a request whose body did not arrive", () =>
  Effect.gen(function*() {
    const { sql } = yield* localWallet.make
    let done = 0
    const app = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const text = yield* Effect.either(request.text)
      if (text._tag === "Left") return HttpServerResponse.text("no body", { status: 400 })
      done++
      return HttpServerResponse.text(`{"done":${done}}`)
    })
    const handle = HttpApp.toWebHandler(
      Idempotency.make(SqlSendStore.requests(sql, 1001), new RequestIds(), app, () => "shop")
    )
    const ask = (body: string | ReadableStream) =>
      Effect.promise(async () => {
        const answer = await handle(requestOf(body))
        return [answer.status, await answer.text()]
      })
    const cut = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode("{\"va"))
        controller.error(new Error("the connection broke"))
      }
    })
    assert.deepStrictEqual(yield* ask(cut), [400, "no body"])
    assert.deepStrictEqual(yield* ask("{\"value\":1}"), [200, "{\"done\":1}"])
    assert.deepStrictEqual(yield* ask("{\"value\":1}"), [200, "{\"done\":1}"])
    const [status] = yield* ask("{\"value\":2}")
    assert.deepStrictEqual([status, done], [400, 1])
  }))
