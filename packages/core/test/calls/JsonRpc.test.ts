import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Client from "../support/client.js"

const client = (wire: Testing.Wire, node = "http://127.0.0.1:8080") =>
  ServiceClient.make("node").pipe(
    Effect.provide(ClientConfig.layer({ ...Client.options, endpoints: { node } })),
    Effect.provideService(HttpClient.HttpClient, wire.client)
  )

const height = { method: "klay_blockNumber", params: [], result: BigIntFromQuantity } as const

const ask = (step: Testing.Step) => Effect.flatMap(client(Testing.wire(step)), (made) => JsonRpc.call(made, height))

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`

describe("one call of a node", () => {
  it.effect("goes to the same path, whether the base address has it or not", () =>
    Effect.gen(function*() {
      for (const node of ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/klaytn"]) {
        const wire = Testing.wire(Testing.json(200, { jsonrpc: "2.0", id: 1, result: "0x1c2" }))
        assert.strictEqual(yield* JsonRpc.call(yield* client(wire, node), height), 450n)
        assert.deepStrictEqual(wire.sent.map(({ url }) => url), ["http://127.0.0.1:8080/v1/klaytn"])
      }
      assert.strictEqual(JsonRpc.path(Endpoints.knownHosts.node), "/v1/klaytn")
    }))

  it.effect("is answered by the item with its ID, as a number or as text, alone or in a list", () =>
    Effect.gen(function*() {
      const item = { jsonrpc: "2.0", id: 1, result: "0x1c2" }
      for (const body of [item, [item], { ...item, id: "1" }, [{ ...item, id: 2, result: "0x1" }, item]]) {
        assert.strictEqual(yield* ask(Testing.json(200, body)), 450n)
      }
    }))

  it.effect("that the node refuses fails with its code and its message, on one line and without the credential", () =>
    Effect.gen(function*() {
      const message = "no\r\n\u001b[31mBasic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA for KASK0EXAMPLE:not-a-secret"
      const exit = yield* Effect.exit(
        ask(Testing.json(200, { id: 1, error: { code: -32000, message, data: message } }))
      )
      const error = yield* Effect.flip(exit)
      assert.instanceOf(error, JsonRpc.NodeRefused)
      assert.notProperty(error, "data")
      assert.include(error.message, "node.klay_blockNumber: the node refused the call [code -32000, \"no [31m")
      const told = [
        error.message,
        String(error),
        JSON.stringify(error),
        Exit.isFailure(exit) && Cause.pretty(exit.cause)
      ]
      for (const secret of ["not-a-secret", "S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA", "\u001b"]) {
        assert.notInclude(told.join(), secret)
      }
    }))

  it.effect("is unanswered in a request of several only where no answer has its ID", () =>
    Effect.gen(function*() {
      const body = [{ id: 1, result: "0x1" }, { id: 2, error: { code: -32000, message: "no" } }, { id: 4 }]
      const made = yield* client(Testing.wire(Testing.json(200, body)))
      const requests = Array.from({ length: 4 }, () => ({ method: "klay_blockNumber", params: "[]" }))
      const read = (answers: ReadonlyArray<JsonRpc.Answer>) =>
        Either.right(answers.map((answer) => Either.isLeft(answer) && JsonRpc.isUnanswered(answer.left)))
      const found = yield* JsonRpc.exchange(made, { name: "node.exchange", safety: "safe", requests, read })
      assert.deepStrictEqual(found, [false, false, true, false])
    }))

  it.effect("is unanswered beside several errors without an ID: none of them is known to be meant for it", () =>
    Effect.gen(function*() {
      const error = (message: string) => ({ id: null, error: { code: -32000, message } })
      const requests = Array.from({ length: 2 }, () => ({ method: "klay_blockNumber", params: "[]" }))
      const read = (answers: ReadonlyArray<JsonRpc.Answer>) =>
        Either.right(answers.map((answer) => Either.isLeft(answer) && JsonRpc.isUnanswered(answer.left)))
      const unanswered = (body: ReadonlyArray<object>) =>
        Effect.flatMap(
          client(Testing.wire(Testing.json(200, body))),
          (made) => JsonRpc.exchange(made, { name: "node.exchange", safety: "safe", requests, read })
        )
      assert.deepStrictEqual(yield* unanswered([error("one")]), [false, false])
      assert.deepStrictEqual(yield* unanswered([error("one"), error("another")]), [true, true])
    }))

  it.effect("ends in a typed failure, whatever the node answers", () =>
    Effect.gen(function*() {
      const bodies: ReadonlyArray<readonly [body: string, tag: string]> = [
        ["", "MalformedResponse"],
        ["<html>", "MalformedResponse"],
        ["null", "MalformedResponse"],
        ["{\"id\":1}", "MalformedResponse"],
        ["{\"id\":2,\"result\":\"0x1\"}", "MalformedResponse"],
        ["{\"id\":null,\"result\":\"0x1\"}", "MalformedResponse"],
        ["[{\"id\":1,\"result\":\"0x1\"},{\"id\":1,\"result\":\"0x2\"}]", "MalformedResponse"],
        ["{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}", "NodeRefused"],
        ["{\"id\":1,\"result\":null}", "MalformedResponse"],
        ["{\"id\":1,\"error\":[{\"toString\":1}]}", "NodeRefused"],
        ["{\"id\":1,\"error\":{\"toString\":1,\"code\":{},\"message\":[]}}", "NodeRefused"],
        ["{\"id\":1,\"error\":\"gone\"}", "NodeRefused"],
        [`{"id":1,"error":${nested(250_000)}}`, "NodeRefused"],
        [`{"id":1,"error":{"code":1,"message":"m","data":${nested(250_000)}}}`, "NodeRefused"],
        [`{"id":1,"result":${nested(250_000)}}`, "MalformedResponse"],
        [`{"id":1,"result":{"number":${"9".repeat(1_000_000)}}}`, "MalformedResponse"],
        ["{\"code\":1010009,\"message\":\"no\",\"requestId\":\"r\"}", "NodeRefused"]
      ]
      for (const [body, tag] of bodies) {
        const error = yield* Effect.flip(ask(Testing.text(200, body, { "content-type": "application/json" })))
        assert.strictEqual(error._tag, tag, body.slice(0, 60))
        assert.isAtMost(JSON.stringify(error).length, 1000)
      }
    }))

  it.effect("whose parameters can't be written is refused before anything is sent", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, {}))
      const made = yield* client(wire)
      const error = yield* Effect.flip(JsonRpc.call(made, { ...height, params: [1n], result: Schema.Unknown }))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.lengthOf(wire.sent, 0)
    }))
})

describe("an error object", () => {
  it("is read whatever it is, and its data is a bounded copy", () => {
    const read = JsonRpc.errorObject((text) => text.replaceAll("hidden", "-"))
    assert.deepStrictEqual(read({ code: "-32000", message: "is hidden", data: { "a": ["hidden"] } }), {
      code: -32000,
      message: "is -",
      data: { a: ["-"] }
    })
    assert.deepStrictEqual(read(7), { code: 0, message: "a number" })
    assert.isAtMost(JSON.stringify(read({ data: JSON.parse(nested(100_000)) })).length, 200)
  })

  it("leaves numbers of any size whole, up to what can be read at once", () => {
    assert.deepStrictEqual(JsonRpc.parse("[9007199254740993]"), Either.right([9007199254740993n]))
    assert.isTrue(Either.isLeft(JsonRpc.parse("9".repeat(10_000_000))))
  })
})
