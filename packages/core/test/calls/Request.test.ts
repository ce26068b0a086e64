import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Operation from "@effect-klaytn/core/Operation"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as Client from "../support/client.js"
import * as Thing from "../support/thing.js"

const authorization = "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA=="

describe("a request", () => {
  it.effect("of a read is a GET with exactly these headers and no body", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Thing.ok)
      const answer = yield* Client.read(wire)
      assert.deepStrictEqual(answer, Thing.thing)
      assert.deepStrictEqual(wire.sent, [{
        method: "GET",
        url: "http://127.0.0.1:8080/prefix/v2/thing/1",
        headers: { accept: "application/json", authorization, "x-chain-id": "1001" },
        body: undefined,
        at: 0
      }])
    }))

  it.effect("of a write is a POST of compact JSON with its content type and length", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Thing.ok)
      yield* Client.put(wire, "once", { chain: 8217 })
      assert.deepStrictEqual(wire.sent, [{
        method: "POST",
        url: "http://127.0.0.1:8080/prefix/v2/thing",
        headers: {
          accept: "application/json",
          authorization,
          "content-length": "13",
          "content-type": "application/json",
          "x-chain-id": "8217"
        },
        body: "{\"value\":\"7\"}",
        at: 0
      }])
    }))

  it.effect("with a payload that can't be written as JSON is refused before anything is sent", () =>
    Effect.gen(function*() {
      const looped: Record<string, unknown> = {}
      looped["again"] = looped
      const wire = Testing.wire(Thing.ok)
      const client = yield* Client.make(wire)
      const putAny = Operation.of("history").post("putAny", "/v2/any", {
        payload: Schema.Struct({ any: Schema.Unknown }),
        success: Thing.Thing
      })
      for (const any of [1n, looped]) {
        const error = yield* client.call(putAny, { payload: { any } }).pipe(Client.failsAs("InvalidInput"))
        assert.deepStrictEqual(error.path, ["payload"])
      }
      assert.deepStrictEqual(wire.sent, [])
    }))

  it.effect("escapes path and query, and leaves out a parameter that is not set", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Thing.ok)
      const client = yield* Client.make(wire)
      yield* client.call(Thing.getThing, {
        path: { id: "a/b?c#d e%2F\u00e9" },
        urlParams: { kind: "ft,nft&x=1 +", size: undefined },
        headers: { "x-krn": "krn:1001:wallet:local:account-pool:default" }
      })
      assert.strictEqual(
        wire.sent[0]?.url,
        "http://127.0.0.1:8080/prefix/v2/thing/a%2Fb%3Fc%23d%20e%252F%C3%A9?kind=ft%2Cnft%26x%3D1%20%2B"
      )
      assert.strictEqual(wire.sent[0]?.headers["x-krn"], "krn:1001:wallet:local:account-pool:default")
    }))

  it.effect.prop(
    "reaches the path it was made for, whatever the text in it, or is refused before anything is sent",
    [FastCheck.oneof(FastCheck.string({ unit: "binary" }), FastCheck.constantFrom("", ".", "..", "\ud800", "%2e%2e"))],
    ([id]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(Thing.ok)
        const client = yield* Client.make(wire)
        const error = yield* client.call(Thing.getThing, { path: { id }, urlParams: {}, headers: {} }).pipe(
          Effect.as(undefined),
          Effect.catchTag("InvalidInput", Effect.succeed)
        )
        if (error === undefined) {
          const [, rest] = wire.sent[0]?.url.split("/prefix/v2/thing/") ?? []
          assert.strictEqual(decodeURIComponent(rest ?? ""), id)
        } else {
          assert.deepStrictEqual(error.path, ["id"])
          assert.strictEqual(wire.sent.length, 0)
        }
      })
  )

  for (const id of ["", ".", ".."]) {
    it.effect(`is refused when "${id}" in its path would make it another path`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(Thing.ok)
        const client = yield* Client.make(wire)
        const error = yield* client.call(Thing.getThing, { path: { id }, urlParams: {}, headers: {} }).pipe(
          Client.failsAs("InvalidInput")
        )
        assert.deepStrictEqual(error.path, ["id"])
        assert.strictEqual(wire.sent.length, 0)
      }))
  }

  it.effect("is refused when a text is no Unicode and can't be sent", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Thing.ok)
      const client = yield* Client.make(wire)
      const error = yield* client.call(Thing.getThing, { ...Thing.theThing, urlParams: { kind: "a\ud800" } }).pipe(
        Client.failsAs("InvalidInput")
      )
      assert.deepStrictEqual(error.path, ["kind"])
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("names the part that its schema does not take, and is not sent", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Thing.ok)
      const client = yield* Client.make(wire)
      const error = yield* client.call(Thing.getThing, { ...Thing.theThing, urlParams: { size: -1 } }).pipe(
        Client.failsAs("InvalidInput")
      )
      assert.deepStrictEqual(error.path, ["size"])
      assert.strictEqual(error.operation, "history.getThing")
      assert.isTrue(error.retrySafe)
      assert.deepStrictEqual(error.attempts, [])
      assert.strictEqual(wire.sent.length, 0)
    }))

  for (const [what, value] of [["CR LF", "a\r\nx-evil: 1"], ["LF", "a\nb"], ["NUL", "a\0b"], ["an umlaut", "\u00fc"]]) {
    it.effect(`is refused when a header value holds ${what}, and the value is not shown`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(Thing.ok)
        const client = yield* Client.make(wire)
        const error = yield* client.call(Thing.getThing, { ...Thing.theThing, headers: { "x-krn": value } }).pipe(
          Client.failsAs("InvalidInput")
        )
        assert.deepStrictEqual(error.path, ["x-krn"])
        assert.notInclude(error.message, "evil")
        assert.include(error.message, "printable ASCII")
        assert.strictEqual(wire.sent.length, 0)
      }))
  }

  it.effect("can't take the place of the credential or the chain with headers of its own", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Thing.ok)
      const client = yield* Client.make(wire)
      const endpoint = Operation.of("history").get("sneaky", "/v2/thing", {
        headers: { Authorization: Schema.String, "X-Chain-Id": Schema.String },
        success: Thing.Thing
      })
      yield* client.call(endpoint, { headers: { Authorization: "Basic eDp5", "X-Chain-Id": "8217" } })
      assert.strictEqual(wire.sent[0]?.headers["authorization"], authorization)
      assert.strictEqual(wire.sent[0]?.headers["x-chain-id"], "1001")
    }))

  it.effect("to a service without a base address can't be made: the client names the setting and its variable", () =>
    Effect.gen(function*() {
      const error = yield* ServiceClient.make("wallet").pipe(
        Effect.provide(ClientConfig.layer(Client.options)),
        Effect.provideService(HttpClient.HttpClient, Testing.wire().client),
        Client.failsAs("InvalidInput")
      )
      assert.deepStrictEqual(error.path, ["endpoints", "wallet"])
      assert.include(error.message, "KLAYTN_WALLET_URL")
    }))
})

describe("an exchange outside of a contract", () => {
  const operation = { name: "node.call", method: "POST", route: "/v1/klaytn", safety: "safe" } as const

  it.effect("goes the same way, with the reader that it brings", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Testing.text(503, ""),
        Testing.text(200, "pong", { "content-type": "text/plain; charset=x" })
      )
      const client = yield* Client.make(wire)
      const answer = yield* client.exchange({
        operation,
        path: "/v1/klaytn?x=1",
        body: "ping",
        read: (text, contentType) => Either.right(`${text} ${contentType}`)
      }).pipe(Client.within("1 second"))
      assert.strictEqual(answer, "pong text/plain")
      assert.include(wire.sent[1], { method: "POST", url: "http://127.0.0.1:8080/prefix/v1/klaytn?x=1", body: "ping" })
    }))

  it.effect("tells a mismatch as MalformedResponse, and never repeats it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(200, "pong"))
      const client = yield* Client.make(wire)
      const error = yield* client.exchange({
        operation,
        path: "/",
        read: () => Either.left({ path: ["id"], expected: "1", actual: "a number" })
      }).pipe(Client.failsAs("MalformedResponse"))
      assert.deepStrictEqual(error.path, ["id"])
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect.each(
    [
      ["may have been carried out", Testing.broken(Testing.networkError("ECONNRESET")), "ECONNRESET", true],
      ["was refused", Testing.text(429, "{\"code\":1019999}"), "HTTP 429", false]
    ] as const
  )("tells its reader of an attempt before that %s", ([, first, reason, uncertain]) =>
    Effect.gen(function*() {
      const client = yield* Client.make(Testing.wire(first, Testing.text(200, "pong")))
      const earlier = yield* client.exchange({
        operation: { ...operation, safety: "keyed" },
        path: "/",
        read: (_text, _contentType, _redact, earlier) =>
          Either.right({ uncertain: earlier.uncertain, reasons: earlier.attempts.map((attempt) => attempt.reason) })
      }).pipe(Client.within("10 seconds"))
      assert.deepStrictEqual(earlier, { uncertain, reasons: [reason] })
    }))

  it.effect("is refused when a header value holds a line break", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const client = yield* Client.make(wire)
      const headers = { "x-krn": "a\r\nx-evil: 1" }
      const error = yield* client.exchange({ operation, path: "/", headers, read: Either.right }).pipe(
        Client.failsAs("InvalidInput")
      )
      assert.deepStrictEqual(error.path, ["x-krn"])
      assert.strictEqual(wire.sent.length, 0)
    }))
})
