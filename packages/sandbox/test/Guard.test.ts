import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isControl, route } from "../src/internal/http/dispatch.js"
import * as guard from "../src/internal/http/guard.js"

const here = { host: "127.0.0.1:8217" }

const request = (path: string, headers: Record<string, string>, method = "GET") =>
  HttpServerRequest.fromWeb(new Request(`http://127.0.0.1:8217${path}`, { method, headers }))

const visit = (headers: Record<string, string>) =>
  guard.make(undefined).page(HttpServerResponse.html("<!doctype html><title>a page</title>")).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request("/", { ...here, ...headers })),
    Effect.scoped
  )

const statusOf = (headers: Record<string, string>) => Effect.map(visit(headers), ({ status }) => status)

describe("A page of the sandbox", () => {
  it.effect("is there for who types its address, and for itself", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* statusOf({}), 200)
      assert.strictEqual(yield* statusOf({ "sec-fetch-site": "none" }), 200)
      assert.strictEqual(yield* statusOf({ "sec-fetch-site": "same-origin", origin: "http://127.0.0.1:8217" }), 200)
      for (const host of ["localhost:8217", "[::1]:8217", "127.0.0.2"]) {
        assert.strictEqual(yield* statusOf({ host }), 200, host)
      }
    }))

  it.effect("is not there under a name that somebody else resolves to this machine", () =>
    Effect.gen(function*() {
      for (
        const host of ["evil.example", "127.0.0.1.evil.example:8217", "localhost.evil.example", "", "0.0.0.0:8217"]
      ) {
        assert.strictEqual(yield* statusOf({ host }), 403, host)
      }
    }))

  it.effect("is not there for pages of other origins", () =>
    Effect.gen(function*() {
      for (const origin of ["https://evil.example", "null", "http://localhost@evil.example", "file://"]) {
        assert.strictEqual(yield* statusOf({ origin }), 403, origin)
      }
    }))

  it.effect("is not there for what other sites embed or link to, also if no Origin is sent", () =>
    Effect.gen(function*() {
      for (const site of ["cross-site", "same-site"]) {
        for (const mode of ["navigate", "no-cors", "cors"]) {
          assert.strictEqual(yield* statusOf({ "sec-fetch-site": site, "sec-fetch-mode": mode }), 403, site)
        }
      }
    }))

  it.effect("tells who follows a link of another site how to open the page", () =>
    Effect.gen(function*() {
      const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
      const answer = HttpServerResponse.toWeb(yield* visit(headers))
      assert.strictEqual(answer.status, 403)
      const text = yield* Effect.promise(() => answer.text())
      assert.include(text, "<a href=\"\">open the page</a>")
    }))

  it.effect("tells browsers to load nothing from outside, to put it in no frame and to give it to no other origin", () =>
    Effect.gen(function*() {
      for (const headers of [{}, { origin: "https://evil.example" }]) {
        const answer = yield* visit(headers)
        const policy = answer.headers["content-security-policy"]?.split("; ") ?? []
        assert.includeMembers(policy, ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        assert.notMatch(policy.join(), /unsafe|https?:|data:|\*/)
        assert.deepInclude(answer.headers, {
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-resource-policy": "same-origin",
          "x-content-type-options": "nosniff",
          "x-frame-options": "DENY"
        })
        assert.deepStrictEqual(Object.keys(answer.headers).filter((name) => name.startsWith("access-control")), [])
      }
    }))
})

describe("A request", () => {
  const owner = (path: string, method?: string) =>
    route(
      [{ owns: isControl, app: HttpServerResponse.text("control") }],
      HttpServerResponse.text("service")
    ).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request(path, here, method)),
      Effect.scoped,
      Effect.map(({ body }) => body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : body._tag)
    )

  it.effect("goes to the app that owns its path, whatever its query, or else to the service", () =>
    Effect.gen(function*() {
      for (const path of ["/_sandbox", "/_sandbox/", "/_sandbox/health?a=/", "/_sandbox?"]) {
        assert.strictEqual(yield* owner(path), "control", path)
      }
      for (const path of ["/", "/_sandboxes", "/v2/account?x=/_sandbox", "/v1/_sandbox/"]) {
        assert.strictEqual(yield* owner(path), "service", path)
      }
    }))
})
