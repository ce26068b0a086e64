import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { operations } from "../src/internal/http/routes.js"
import { print, services } from "../src/internal/openapi/document.js"
import * as Sandbox from "../src/Sandbox.js"
import { ask, send } from "./support/wire.js"

type Json = Readonly<Record<string, unknown>>

const json = (value: unknown): Json => Predicate.isRecord(value) ? value : {}

const all = json(JSON.parse(print()))
const components = json(all["components"])

/** Every operation with its method and path. */
const described = Object.entries(json(all["paths"])).flatMap(([path, item]) =>
  Object.entries(json(item)).map(([method, operation]) => ({ method, path, operation: json(operation) }))
)

const resolved = (value: unknown): Json => {
  const at = json(value)["$ref"]
  return typeof at !== "string"
    ? json(value)
    : { ...json(at.slice(2).split("/").reduce((found: unknown, name) => json(found)[name], all)), ...json(value) }
}

/** Every field of every record inside a value, with the way to it. */
const fieldsIn = (value: unknown, at = ""): ReadonlyArray<readonly [string, Json]> =>
  Predicate.isRecord(value) || Array.isArray(value)
    ? [
      ...Object.entries(json(json(value)["properties"])).map(([name, field]) =>
        [`${at}/${name}`, json(field)] as const
      ),
      ...Object.entries(value).flatMap(([name, part]) => name === "example" ? [] : fieldsIn(part, `${at}/${name}`))
    ]
    : []

const here = Effect.provide(Sandbox.layer({ seed: "openapi" }))

describe("The OpenAPI document", () => {
  it.effect("has every operation that is served, and the node", () =>
    Effect.gen(function*() {
      const served = (yield* operations).map(({ method, template }) =>
        `${method} ${template.replace(/:(\w+)/g, "{$1}")}`
      )
      assert.sameMembers(
        described.map(({ method, path }) => `${method.toUpperCase()} ${path}`),
        [...served, "POST /v1/klaytn"]
      )
    }))

  it("describes every operation, parameter, header, record and field, and shows an example of every call", () => {
    const bare = described.flatMap(({ operation }) => {
      const id = operation["operationId"]
      const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"].map(resolved) : []
      const answer = json(json(json(json(json(operation["responses"])["200"])["content"])["application/json"]))
      const missing = parameters.filter((one) => typeof one["description"] !== "string").map((one) => one["name"])
      const hasChain = parameters.some(({ name }) => name === "x-chain-id")
      return [
        ...missing.map((name) => `${id}.${name}`),
        ...(hasChain ? [] : [`${id} without a chain`]),
        ...(typeof operation["description"] === "string" && typeof operation["summary"] === "string" ? [] : [`${id}`]),
        ...(answer["example"] === undefined && answer["examples"] === undefined ? [`${id} without an example`] : [])
      ]
    })
    const fields = fieldsIn(components).concat(fieldsIn(all["paths"]))
      .filter(([, field]) => typeof field["description"] !== "string" || field["description"] === "")
    const records = Object.entries(json(components["schemas"])).filter(([, one]) =>
      typeof json(one)["description"] !== "string"
    )
    assert.deepStrictEqual([bare, fields.map(([at]) => at), records.map(([name]) => name)], [[], [], []])
  })

  it("says how every list goes on", () => {
    for (const { operation } of described) {
      const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"].map(resolved) : []
      const next = json(json(json(json(operation["responses"])["200"])["links"])["next"])
      assert.deepStrictEqual(
        parameters.some(({ name }) => name === "cursor"),
        next["operationId"] === operation["operationId"],
        String(operation["operationId"])
      )
    }
  })

  it("has the address that it is given, whatever characters are in it", () => {
    for (const address of ["http://sandbox.test:1", "http://$&.test", "http://$'$`$$.test/\"quoted\""]) {
      const [server] = [json(JSON.parse(print({ address })))["servers"]].flat()
      assert.strictEqual(json(json(json(server)["variables"])["address"])["default"], address)
    }
  })

  it("of one service has its operations, and the schemas that they mention, and no others", () => {
    const paths: Array<string> = []
    for (const service of ["history", "tokens", "wallet", "node"] as const) {
      const text = print({ service })
      const one = json(JSON.parse(text))
      const schemas = Object.keys(json(json(one["components"])["schemas"]))
      const mentioned = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name)
      assert.sameMembers([...new Set(mentioned)], schemas, service)
      for (const item of Object.values(json(one["paths"]))) {
        for (const operation of Object.values(json(item))) {
          assert.includeMembers([...services[service]], [json(operation)["tags"]].flat(), service)
        }
      }
      paths.push(...Object.keys(json(one["paths"])))
    }
    assert.sameMembers([...new Set(paths)], Object.keys(json(all["paths"])))
  })
})

describe("The sandbox", () => {
  it.effect("serves the document with its own address", () =>
    Effect.gen(function*() {
      const { url } = yield* Sandbox.Sandbox
      const { headers, status, text } = yield* send("/openapi.json")
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "application/json"])
      assert.strictEqual(text, print({ address: url }))
      assert.include(text, `"default": "${url}"`)
    }).pipe(here))

  it.effect("serves a page that loads nothing from elsewhere, and files that it names and no others", () =>
    Effect.gen(function*() {
      const page = yield* send("/api")
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
      assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'self';/)
      const links = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = ""]) => link)
      assert.includeMembers(links, ["/api/api.js", "/api/api.css", "/openapi.json"])
      for (const link of links) {
        assert.strictEqual((yield* send(link)).status, 200, link)
        assert.isTrue(link.startsWith("/"), link)
      }
      assert.strictEqual((yield* send("/api/package.json")).status, 404)
    }).pipe(here))

  it.effect("offers its credential to the page, and to no page of another site", () =>
    Effect.gen(function*() {
      const { accessKeyId, secretAccessKey } = yield* Sandbox.Sandbox
      const offered = yield* send("/api/credential", { headers: { "sec-fetch-site": "same-origin" } })
      assert.deepStrictEqual(JSON.parse(offered.text), {
        accessKeyId,
        secretAccessKey: Redacted.value(secretAccessKey)
      })
      for (
        const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }, {
          "sec-fetch-site": "same-site"
        }]
      ) {
        for (const path of ["/api/credential", "/api", "/openapi.json"]) {
          const refused = yield* send(path, { headers })
          assert.deepStrictEqual([refused.status, refused.text.includes(accessKeyId)], [403, false], path)
        }
      }
      assert.strictEqual((yield* ask("POST", "/api/credential")).status, 400)
    }).pipe(here))
})
