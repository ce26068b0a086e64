import * as Endpoints from "@effect-klaytn/core/Endpoints"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { inspect } from "node:util"

const problem = (text: string): string =>
  Either.match(Endpoints.endpoint(text), { onLeft: (error) => error.problem, onRight: (url) => `accepted as ${url}` })

describe("an endpoint", () => {
  it("is https, without a slash at its end, with its path prefix kept", () => {
    for (
      const [text, url] of [
        ["https://th-api.klaytnapi.com", "https://th-api.klaytnapi.com"],
        ["https://th-api.klaytnapi.com/", "https://th-api.klaytnapi.com"],
        ["https://TH-API.klaytnapi.com//", "https://th-api.klaytnapi.com"],
        ["HTTPS://gateway.example/klaytn", "https://gateway.example/klaytn"],
        ["https://gateway.example/klaytn/v/", "https://gateway.example/klaytn/v"],
        ["https://gateway.example/a/../b", "https://gateway.example/b"],
        ["https://gateway.example/@scope", "https://gateway.example/@scope"],
        ["https://gateway.example:443", "https://gateway.example"],
        ["https://gateway.example:8443/x", "https://gateway.example:8443/x"],
        ["https://127.0.0.1:8080", "https://127.0.0.1:8080"]
      ] as const
    ) {
      assert.strictEqual(Endpoints.url(Either.getOrThrow(Endpoints.endpoint(text))), url)
    }
  })

  it("may be http on a loopback host", () => {
    for (
      const host of ["localhost", "localhost:8080", "127.0.0.1", "127.0.0.1:3000", "127.9.8.7", "[::1]", "[::1]:8080"]
    ) {
      assert.strictEqual(Endpoints.url(Either.getOrThrow(Endpoints.endpoint(`http://${host}`))), `http://${host}`)
    }
  })

  it("is read by the host that would be called, not by how the host is written", () => {
    assert.strictEqual(problem("http://127.1"), "accepted as http://127.0.0.1")
    assert.strictEqual(problem("http://[0:0:0:0:0:0:0:1]"), "accepted as http://[::1]")
    for (
      const host of [
        "gateway.example",
        "localhost.example",
        "localhost.",
        "127.0.0.1.example",
        "0.0.0.0",
        "128.0.0.1",
        "10.0.0.1",
        "192.168.0.1",
        "[::]",
        "[::2]",
        "[::ffff:8.8.8.8]"
      ]
    ) {
      assert.include(problem(`http://${host}`), "it is not https", host)
    }
  })

  it("is refused with a reason", () => {
    for (
      const [text, reason] of [
        ["", "it is empty"],
        [" https://gateway.example", "it contains whitespace"],
        ["https://gateway.example\n", "control character"],
        ["https://gate\tway.example", "it contains whitespace"],
        ["https://gateway.example\u0000", "control character"],
        ["https:\\\\gateway.example", "a backslash"],
        ["https://gateway.example\\@evil.example", "a backslash"],
        ["gateway.example", "it does not begin with http"],
        ["//gateway.example", "it does not begin with http"],
        ["https:gateway.example", "it does not begin with http"],
        ["ftp://gateway.example", "it does not begin with http"],
        ["ws://localhost", "it does not begin with http"],
        ["javascript:alert(1)", "it does not begin with http"],
        ["file:///etc/passwd", "it does not begin with http"],
        ["https://", "it is not a URL"],
        ["https://gateway.example:99999", "it is not a URL"],
        ["https://user:hunter2@gateway.example", "it contains a user name or a password"],
        ["https://user@gateway.example", "it contains a user name or a password"],
        ["https://:hunter2@gateway.example", "it contains a user name or a password"],
        ["http://localhost@gateway.example", "it contains a user name or a password"],
        ["https://gateway.example?key=hunter2", "it contains a query"],
        ["https://gateway.example/?", "it contains a query"],
        ["https://gateway.example#hunter2", "it contains a fragment"],
        ["https://gateway.example/#", "it contains a fragment"]
      ] as const
    ) {
      assert.include(problem(text), reason, JSON.stringify(text))
    }
  })

  it("shows only its host and port in telemetry", () => {
    const host = (text: string) => Endpoints.host(Either.getOrThrow(Endpoints.endpoint(text)))
    assert.strictEqual(host("https://gateway.example/secret-path"), "gateway.example")
    assert.strictEqual(host("http://127.0.0.1:8080/x"), "127.0.0.1:8080")
    assert.strictEqual(host("http://[::1]:8080"), "[::1]:8080")
  })
})

describe("Endpoints", () => {
  it("holds the services that were named and no other", () => {
    const endpoints = Either.getOrThrow(Endpoints.make({ history: "https://a.example/", wallet: undefined }))
    assert.deepStrictEqual(Object.entries(endpoints), [["history", "https://a.example"]])
  })

  it("has no default", () => {
    assert.deepStrictEqual(Either.getOrThrow(Endpoints.make({})), {})
  })

  it("names the service whose address is refused", () => {
    const result = Endpoints.make({ history: "https://a.example", wallet: "http://a.example" })
    if (Either.isRight(result)) return assert.fail("the address was accepted")
    assert.strictEqual(result.left.service, "wallet")
    assert.include(result.left.message, "the base address of the service \"wallet\" is refused: it is not https")
  })

  it("accepts the public hosts as they are", () => {
    assert.deepStrictEqual(Endpoints.make(Endpoints.knownHosts), Either.right(Endpoints.knownHosts))
    assert.deepStrictEqual({ ...Endpoints.knownHosts }, {
      history: "https://th-api.klaytnapi.com",
      tokens: "https://th-api.klaytnapi.com",
      wallet: "https://wallet-api.klaytnapi.com",
      node: "https://node-api.klaytnapi.com",
      resource: "https://resource-api.klaytnapi.com"
    })
  })

  it("prints nothing of a refused address", () => {
    for (
      const address of [
        "https://user:hunter2@gateway.example",
        "https://hunter2@gateway.example",
        "https://gateway.example?key=hunter2",
        "https://gateway.example#hunter2",
        "http://hunter2.example",
        "https:// hunter2",
        "hunter2"
      ]
    ) {
      const result = Endpoints.make({ node: address })
      if (Either.isRight(result)) return assert.fail("the address was accepted")
      const { left: error } = result
      const printed = [
        String(error),
        error.message,
        error.stack ?? "",
        JSON.stringify(error),
        inspect(error, { showHidden: true, depth: null }),
        inspect(error, { showHidden: true, depth: null, customInspect: false })
      ]
      for (const text of printed) assert.notInclude(text, "hunter2")
    }
  })
})
