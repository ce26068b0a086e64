import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Operation from "@effect-klaytn/core/Operation"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Client from "../support/client.js"
import * as Thing from "../support/thing.js"

const html = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"

type Tag = ServiceError.ReadError["_tag"]

type Answered = Exclude<ServiceError.Answered["_tag"], "OutcomeUnknown" | "MalformedResponse">

/** The failure of a single attempt at reading. */
const answered = <const T extends Tag>(tag: T, step: Testing.Step) =>
  Client.read(Testing.wire(step), { retry: RetryPolicy.none }).pipe(Client.failsAs(tag))

/** Status, code, and the member of the family that they become. */
const table: ReadonlyArray<readonly [number, number | undefined, Answered]> = [
  [400, 1040010, "Rejected"],
  [400, 1040011, "Rejected"],
  [400, 1040020, "Rejected"],
  [400, 1065001, "Rejected"],
  [400, 1061010, "NotFound"],
  [400, 1071010, "NotFound"],
  [400, 1010008, "Unauthorized"],
  [400, undefined, "Rejected"],
  [401, 1010008, "Unauthorized"],
  [401, 1010009, "Unauthorized"],
  [401, undefined, "Unauthorized"],
  [403, 1010009, "Unauthorized"],
  [403, 9999999, "Unauthorized"],
  [404, 1040400, "NotFound"],
  [404, 1010007, "NotFound"],
  [404, undefined, "NotFound"],
  [405, undefined, "Rejected"],
  [408, undefined, "Unavailable"],
  [409, 1061914, "Rejected"],
  [418, 9999999, "Rejected"],
  [425, undefined, "Unavailable"],
  [429, undefined, "RateLimited"],
  [429, 1011429, "RateLimited"],
  [400, 1041000, "Unavailable"],
  [500, 1041000, "Unavailable"],
  [500, undefined, "Unavailable"],
  [501, undefined, "Unavailable"],
  [502, undefined, "Unavailable"],
  [503, 9999999, "Unavailable"],
  [504, undefined, "Unavailable"],
  [599, undefined, "Unavailable"]
]

describe("an answer with an error status", () => {
  for (const [status, code, tag] of table) {
    it.effect(`HTTP ${status} with ${code === undefined ? "no code" : `code ${code}`} is ${tag}`, () =>
      Effect.gen(function*() {
        const body = { code, message: "[InvalidQueryParameterValue]; range", requestId: "5ca3-41" }
        const error = yield* answered(tag, Testing.json(status, body))
        assert.strictEqual(error.operation, "history.getThing")
        assert.strictEqual(error.status, status)
        assert.strictEqual(error.code, code)
        assert.strictEqual(error.serviceMessage, "[InvalidQueryParameterValue]; range")
        assert.strictEqual(error.requestId, "5ca3-41")
        assert.isTrue(error.retrySafe)
        assert.deepStrictEqual(error.attempts.map((one) => ({ ...one })), [
          { status, reason: `HTTP ${status}`, waitMillis: 0 }
        ])
      }))
  }

  it.effect("403 that is not JSON is of a firewall, and says nothing about the credential", () =>
    Effect.gen(function*() {
      for (const body of ["<html>blocked</html>", "Forbidden", ""]) {
        const error = yield* answered("Rejected", Testing.text(403, body))
        assert.include(error.message, "a firewall or a proxy answered")
      }
    }))

  it.effect("402, or a message about a quota, has a hint", () =>
    Effect.gen(function*() {
      const paid = yield* answered("Rejected", Testing.text(402, ""))
      const daily = yield* answered(
        "RateLimited",
        Testing.json(429, { error: { code: -32005, message: "daily request count exceeded" } })
      )
      for (const error of [paid, daily]) assert.include(error.message, "a quota is used up")
      assert.strictEqual(daily.serviceMessage, "daily request count exceeded")
    }))

  it.effect("without a request id and with a code as a hexadecimal text, as some wallet errors are, is read", () =>
    Effect.gen(function*() {
      const error = yield* answered("Rejected", Testing.json(400, { code: "0xfe4a1", message: "bad" }))
      assert.strictEqual(error.code, 0xfe4a1)
      assert.strictEqual(error.requestId, undefined)
      assert.notProperty(error, "requestId")
    }))

  it.effect("with a code as a decimal text is read", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* answered("NotFound", Testing.json(400, { code: "1061010" }))).code, 1061010)
    }))

  it.effect.each([
    "-5",
    "1061010x",
    "x1061010",
    "1061010.0",
    "1e6",
    " 1061010",
    "0xg",
    "9".repeat(20),
    [1061010],
    null
  ])(
    "with %j as its code, which is no number of the service, has none",
    (code) =>
      Effect.gen(function*() {
        assert.notProperty(yield* answered("Rejected", Testing.json(400, { code, message: "bad" })), "code")
      })
  )

  it.effect.each(
    [
      ["7", 7000],
      ["1.25", 1250],
      ["0.0001", 1],
      [new Date(3_609_000).toUTCString(), 9000],
      [new Date(3_591_000).toUTCString(), 0],
      ["-5", undefined],
      ["5 seconds", undefined],
      ["in 5", undefined],
      ["1.", undefined],
      [".5", undefined],
      ["Monday", undefined],
      ["1 Jan 2100 00:00:00 GMT", undefined],
      ["on Wed, 01 Jan 2100 00:00:00 GMT", undefined]
    ] as const
  )("and %j as its Retry-After asks for a wait of %s ms", ([value, millis]) =>
    Effect.gen(function*() {
      yield* TestClock.adjust("1 hour")
      const error = yield* answered("Unavailable", Testing.text(503, "", { "retry-after": value }))
      assert.strictEqual(error.retryAfterMillis, millis)
    }))

  const odd: ReadonlyArray<readonly [string, Testing.Step]> = [
    ["HTML", Testing.text(503, html, { "content-type": "text/html" })],
    ["nothing", Testing.text(503, "")],
    ["a list", Testing.json(503, [])],
    ["a number", Testing.json(503, 7)],
    ["fields of other types", Testing.json(503, { code: 1.5, message: { text: "no" }, requestId: 7 })],
    ["a body that breaks off", Testing.cutOff(503)]
  ]
  for (const [what, step] of odd) {
    it.effect(`and ${what} as its body is classified by its status alone`, () =>
      Effect.gen(function*() {
        const error = yield* answered("Unavailable", step)
        assert.strictEqual(error.status, 503)
        assert.notProperty(error, "retryAfterMillis")
        assert.notProperty(error, "code")
        assert.notProperty(error, "serviceMessage")
        assert.notProperty(error, "requestId")
      }))
  }

  it.effect("has its message cleaned of control characters and cut at 500", () =>
    Effect.gen(function*() {
      const message = `\u001b[31mred\r\nX-Evil: 1\u0000\u0085\u2028end ${"x".repeat(1000)}`
      const error = yield* answered("Rejected", Testing.json(400, { code: 1, message, requestId: "a\nb" }))
      assert.strictEqual(error.serviceMessage?.length, 500)
      assert.isTrue(error.serviceMessage?.startsWith(" [31mred X-Evil: 1 end xxx"))
      assert.strictEqual(error.requestId, "a b")
    }))

  it.effect("has a message of more than 10,000 characters measured and not shown", () =>
    Effect.gen(function*() {
      const error = yield* answered("Rejected", Testing.json(400, { code: 1, message: "x".repeat(10_001) }))
      assert.strictEqual(error.serviceMessage, "a string of 10001 characters")
    }))

  it.effect("and an unknown code can be caught by its number", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(400, { code: 1065999, message: "new" }))
      const caught = yield* Client.read(wire).pipe(
        ServiceError.catchCode(1065999, (error) => Effect.succeed({ name: error.serviceMessage ?? "", count: 0 }))
      )
      assert.strictEqual(caught.name, "new")
      yield* Client.read(wire).pipe(
        ServiceError.catchCode(1065998, () => Effect.succeed(Thing.thing)),
        Client.failsAs("Rejected")
      )
    }))

  it.effect("can be caught by its category", () =>
    Effect.gen(function*() {
      const client = yield* Client.make(Testing.wire(Testing.json(404, { code: 1040400 })))
      const read = client.call(Thing.getThing, Thing.theThing)
      assert.strictEqual(
        yield* ServiceError.catchCategory(read, "refused", (error) => Effect.succeed(error._tag)),
        "NotFound"
      )
      yield* read.pipe(
        ServiceError.catchCategory("credential", () => Effect.succeed(Thing.thing)),
        Client.failsAs("NotFound")
      )
    }))

  it("of another library is left alone, even if it looks alike", () => {
    const foreign = Effect.fail({ _tag: "Foreign", category: "network", code: 7 } as const)
    const caught = foreign.pipe(
      ServiceError.catchCategory("network", () => Effect.succeed(1)),
      ServiceError.catchCode(7, () => Effect.succeed(2)),
      Effect.flip,
      Effect.runSync
    )
    assert.strictEqual(caught._tag, "Foreign")
  })

  it.effect("401 shows the fingerprint of the credential and never the credential", () =>
    Effect.gen(function*() {
      const error = yield* answered("Unauthorized", Testing.json(401, { code: 1010009, message: "no" }))
      assert.strictEqual(error.fingerprint, Client.credentials.fingerprint)
      assert.include(error.message, Client.credentials.fingerprint)
    }))
})

describe("an answer with status 200", () => {
  const malformed: ReadonlyArray<
    readonly [string, Testing.Step, ReadonlyArray<string | number>, string, string]
  > = [
    [
      "HTML",
      Testing.text(200, html, { "content-type": "text/html; charset=utf-8" }),
      [],
      "JSON",
      "74 characters of text/html"
    ],
    ["nothing", Testing.text(200, ""), [], "JSON", "0 characters of no content type"],
    ["half of a JSON", Testing.text(200, "{\"name\":"), [], "JSON", "8 characters of text/plain"],
    ["a list", Testing.json(200, []), [], "an object with name, count", "an array of 0"],
    ["null", Testing.json(200, null), [], "an object with name, count", "null"],
    ["a wrong field", Testing.json(200, { name: 12345, count: 1 }), ["name"], "string", "a number"],
    ["a field that is missing", Testing.json(200, { name: "x" }), ["count"], "Int", "nothing"],
    ["a field that breaks a rule", Testing.json(200, { name: "x", count: 1.5 }), ["count"], "Int", "a number"]
  ]
  for (const [what, step, path, expected, actual] of malformed) {
    it.effect(`and ${what} as its body is MalformedResponse, which tells place and kind but no content`, () =>
      Effect.gen(function*() {
        const error = yield* answered("MalformedResponse", step)
        assert.deepStrictEqual(error.path, path)
        assert.strictEqual(error.expected, expected)
        assert.strictEqual(error.actual, actual)
        assert.strictEqual(error.status, 200)
        for (const content of ["12345", "nginx", "1.5"]) assert.notInclude(JSON.stringify(error), content)
      }))
  }

  it.effect.each(
    [
      ["text/html; charset=utf-8", "text/html"],
      ["application/problem+json", "application/problem+json"],
      [";charset=utf-8", "no content type"],
      ["text", "an odd content type"],
      ["/html", "an odd content type"],
      ["a text/html", "an odd content type"],
      ["text/html and more", "an odd content type"],
      [`${"x".repeat(41)}/html`, "an odd content type"],
      [`text/${"x".repeat(41)}`, "an odd content type"],
      ["not-a-secret/html", "an odd content type"]
    ] as const
  )("that is no JSON and says it is %j tells of %s", ([contentType, told]) =>
    Effect.gen(function*() {
      const error = yield* answered("MalformedResponse", Testing.text(200, "oops", { "content-type": contentType }))
      assert.strictEqual(error.actual, `4 characters of ${told}`)
    }))

  it.effect("is not asked for again when it is malformed", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, []))
      yield* Client.read(wire).pipe(Client.failsAs("MalformedResponse"))
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("points deep into lists and unions, at the member that came furthest", () =>
    Effect.gen(function*() {
      const client = yield* Client.make(Testing.wire(
        Testing.json(200, { items: [{ kind: "a", value: "ok" }, { kind: "b", inner: { value: 1 } }] })
      ))
      const endpoint = Operation.of("history").get("list", "/list", {
        success: Schema.Struct({
          items: Schema.Array(Schema.Union(
            Schema.Struct({ kind: Schema.Literal("a"), value: Schema.String }),
            Schema.Struct({ kind: Schema.Literal("b"), inner: Schema.Struct({ value: Schema.String }) })
          ))
        })
      })
      const error = yield* client.call(endpoint, {}).pipe(Client.failsAs("MalformedResponse"))
      assert.deepStrictEqual(error.path, ["items", 1, "inner", "value"])
      assert.include(error.message, "items[1].inner.value")
    }))

  it.effect("shows no name that the service chose for a field", () =>
    Effect.gen(function*() {
      const client = yield* Client.make(
        Testing.wire(Testing.json(200, { names: { "hunter2 hunter2": { id: "one" } } }))
      )
      const operation = Operation.of("history").get("names", "/names", {
        success: Schema.Struct({
          names: Schema.Record({ key: Schema.String, value: Schema.Struct({ id: Schema.Int }) })
        })
      })
      const error = yield* client.call(operation, {}).pipe(Client.failsAs("MalformedResponse"))
      assert.deepStrictEqual(error.path, ["names", "*", "id"])
      assert.notInclude(error.message, "hunter2")
    }))

  it.effect("tells where a list goes on only if one of its items can't be read", () =>
    Effect.gen(function*() {
      const client = yield* Client.make(Testing.wire(Testing.json(200, { items: ["a"], cursor: "c1", total: "1" })))
      const endpoint = Operation.of("history").get("counted", "/counted", {
        success: Schema.Struct({
          items: Schema.Array(Schema.String),
          cursor: Schema.String,
          total: Schema.Int
        })
      })
      const error = yield* client.call(endpoint, {}).pipe(Client.failsAs("MalformedResponse"))
      assert.deepStrictEqual(error.path, ["total"])
      assert.notProperty(error, "nextCursor")
    }))

  it.effect("may have fields that are not known", () =>
    Effect.gen(function*() {
      const answer = yield* Client.read(Testing.wire(Testing.json(200, { ...Thing.thing, extra: { more: [1] } })))
      assert.deepStrictEqual(answer, Thing.thing)
    }))

  it.effect("names a large schema in few words", () =>
    Effect.gen(function*() {
      const fields = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field${i}`, Schema.String]))
      const client = yield* Client.make(Testing.wire(Testing.json(200, [])))
      const endpoint = Operation.of("history").get("large", "/large", {
        success: Schema.Struct(fields)
      })
      const error = yield* client.call(endpoint, {}).pipe(Client.failsAs("MalformedResponse"))
      assert.isBelow(error.message.length, 300)
    }))

  it.effect("that breaks off in its body is TransportFailed, and something was sent", () =>
    Effect.gen(function*() {
      const error = yield* answered("TransportFailed", Testing.cutOff(200))
      assert.strictEqual(error.reason, "UND_ERR_SOCKET")
      assert.isTrue(error.sent)
    }))
})

describe("an answer with a status that is not final", () => {
  it.effect("is MalformedResponse, whatever its body", () =>
    Effect.gen(function*() {
      const early: Testing.Step = (sent) =>
        Effect.map(Thing.ok(sent), (response) => Object.defineProperty(response, "status", { value: 103 }))
      const error = yield* answered("MalformedResponse", early)
      assert.deepInclude(error, {
        status: 103,
        path: [],
        expected: "an answer with a final status",
        actual: "28 characters of application/json"
      })
    }))
})

describe("a redirect", () => {
  it.effect("that a browser keeps to itself, with status 0, is refused", () =>
    Effect.gen(function*() {
      const hidden = Testing.wire(() => Effect.sync(() => Response.error()))
      const error = yield* Client.read(hidden).pipe(Client.failsAs("RedirectRefused"))
      assert.strictEqual(error.status, 0)
      assert.strictEqual(hidden.sent.length, 1)
    }))

  it.effect.each([300, 308])("%d whose body breaks off is refused like any other", (status) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* answered("RedirectRefused", Testing.cutOff(status))).status, status)
    }))

  for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    it.effect(`${status} is refused and names the other host only`, () =>
      Effect.gen(function*() {
        const location = "https://evil.example:8443/steal?token=abc#x"
        const wire = Testing.wire(Testing.text(status, "", { location }))
        const error = yield* Client.read(wire).pipe(Client.failsAs("RedirectRefused"))
        assert.strictEqual(error.status, status)
        assert.strictEqual(error.location, "evil.example:8443")
        assert.notInclude(JSON.stringify(error), "steal")
        assert.strictEqual(wire.sent.length, 1)
      }))
  }

  const unnamed = [
    undefined,
    "/elsewhere",
    "not a url",
    "https://not-a-secret.example/",
    "https://odd`host&name/",
    "https://{a}=b/",
    "https://not-\u00aa-secret.example/",
    "https://exampl\u00e9.example/",
    "mailto:someone@evil.example"
  ]
  for (const location of unnamed) {
    it.effect(`to ${location ?? "nowhere"} is refused without naming a host`, () =>
      Effect.gen(function*() {
        const error = yield* answered(
          "RedirectRefused",
          Testing.text(302, "", location === undefined ? {} : { location })
        )
        assert.notProperty(error, "location")
      }))
  }

  for (
    const location of ["https://evil.example", "http://127.0.0.1:8080/x", "https://[2001:db8::1]:8443/", "http://h_1/"]
  ) {
    it.effect(`to ${location} names its host`, () =>
      Effect.gen(function*() {
        const error = yield* answered("RedirectRefused", Testing.text(302, "", { location }))
        assert.strictEqual(error.location, new URL(location).host)
      }))
  }

  it.effect("to a host that is the secret without its blanks is refused without naming it", () =>
    Effect.gen(function*() {
      const blanks = Credentials.fromPair({
        accessKeyId: "KASK0EXAMPLE",
        secretAccessKey: Redacted.make(" not-a-secret ")
      })
      for (const location of ["https://not-a-secret/", "https://{not-a-secret}/"]) {
        const error = yield* Client.read(Testing.wire(Testing.text(307, "", { location })), {
          credentials: Effect.suspend(() => blanks),
          retry: RetryPolicy.none
        }).pipe(Client.failsAs("RedirectRefused"))
        assert.notInclude(error.message, "not-a-secret")
      }
    }))
})

/** A cause behind so many others. */
const causedBy = (depth: number, cause: object): object =>
  depth === 0 ? cause : new Error("odd", { cause: causedBy(depth - 1, cause) })

describe("a connection that breaks", () => {
  const causes: ReadonlyArray<readonly [string, unknown, string, boolean]> = [
    ["refused", Testing.networkError("ECONNREFUSED", { syscall: "connect" }), "ECONNREFUSED", false],
    [
      "refused on each address",
      Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(
          new AggregateError([
            Object.assign(new Error("one"), { code: "ECONNREFUSED", syscall: "connect" }),
            Object.assign(new Error("two"), { code: "ETIMEDOUT", syscall: "connect" })
          ]),
          { code: "ECONNREFUSED" }
        )
      }),
      "ECONNREFUSED",
      false
    ],
    ["to an unknown host", Testing.networkError("ENOTFOUND", { syscall: "getaddrinfo" }), "ENOTFOUND", false],
    ["with a bad certificate", Testing.networkError("CERT_HAS_EXPIRED"), "CERT_HAS_EXPIRED", false],
    [
      "refused on one address of two",
      new AggregateError([
        Object.assign(new Error("one"), { code: "ECONNREFUSED", syscall: "connect" }),
        Object.assign(new Error("two"), { code: "ECONNRESET", syscall: "read" })
      ]),
      "network failure",
      true
    ],
    ["on no address at all", new AggregateError([]), "network failure", true],
    ["with errors that are no list", Object.assign(new Error("odd"), { errors: "connect" }), "network failure", true],
    ["in a call named connect", Testing.networkError("ODD", { syscall: "connect" }), "ODD", false],
    [
      "for a reason behind another one",
      Object.assign(new Error("odd"), { code: "ERR_ODD", cause: { code: "ENOTFOUND" } }),
      "ERR_ODD",
      false
    ],
    ["five causes deep", causedBy(4, { code: "ENOTFOUND" }), "ENOTFOUND", false],
    ["six causes deep, where nobody looks", causedBy(5, { code: "ENOTFOUND" }), "network failure", true],
    ["with a code in a list", Object.assign(new Error("odd"), { code: ["ECONNRESET"] }), "network failure", true],
    ["with more than a code", Testing.networkError("ECONNRESET at h"), "network failure", true],
    ["with a code that is a number", Object.assign(new Error("odd"), { code: 111 }), "network failure", true],
    ["with a code of two letters", Testing.networkError("EX"), "network failure", true],
    ["with a code of lower case", Testing.networkError("econnreset"), "network failure", true],
    ["with a code behind a blank", Testing.networkError(" ECONNRESET"), "network failure", true],
    ["by a reset", Testing.networkError("ECONNRESET", { syscall: "read" }), "ECONNRESET", true],
    ["by a broken pipe", Testing.networkError("EPIPE", { syscall: "write" }), "EPIPE", true],
    ["for a reason without a code", new TypeError("https://u:p@h/?token=abc"), "network failure", true],
    ["for a reason that is no error", "https://u:p@h/?token=abc", "network failure", true],
    ["with a code that is no code", Testing.networkError("https://u:p@h/?token=abc"), "network failure", true]
  ]
  for (const [what, cause, reason, sent] of causes) {
    it.effect(`${what} is TransportFailed, and ${sent ? "may have" : "has not"} sent something`, () =>
      Effect.gen(function*() {
        const error = yield* answered("TransportFailed", Testing.broken(cause))
        assert.include(error, { reason, sent, retrySafe: true })
        assert.notInclude(JSON.stringify(error), "token")
      }))
  }
})
