import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../src/Sandbox.js"
import { basic, get, send, uuid } from "./support/wire.js"

const address = "0x1111111111111111111111111111111111111111"
const eoa = `/v2/transfer/account/${address}`
const hash = `0x${"ab".repeat(32)}`
const query = "[InvalidQueryParameterValue]"

/** Path, status, code, message: the service's answers to a request with a good credential, literally. */
const refused: ReadonlyArray<readonly [path: string, status: number, code: number, message: string]> = [
  ["/v2/transfer", 400, 1040010, `${query}required presets`],
  ["/v2/transfer?presets=", 400, 1040010, `${query}required presets`],
  ["/v2/transfer?size=5", 400, 1040010, `${query}required presets`],
  ["/v2/transfer?presets=a", 400, 1040010, `${query}invalid presets query`],
  ["/v2/transfer?presets=1,,2", 400, 1040010, `${query}invalid presets query`],
  ["/v2/transfer?presets=1.5", 400, 1040010, `${query}invalid presets query`],
  ["/v2/transfer?presets=-1", 400, 1040010, `${query}invalid presets query`],
  ["/v2/transfer?presets=1&presets=2", 400, 1040010, `${query}invalid presets query`],
  ["/v2/transfer?presets=1", 404, 1040400, "[ResourceNotFound]preset not found"],
  ["/v2/transfer?presets=1&kind=nothing", 400, 1040010, `${query}invalid query value`],
  [`${eoa}?kind=`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?kind=ft,other`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?kind=FT`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?size=-1`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?size=ten`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?size=`, 400, 1040010, `${query}invalid query value`],
  ...["1e2", "00", "0100", "+5", "0x10", "1_0", "%205"].map((size) =>
    [`${eoa}?size=${size}`, 400, 1040010, `${query}invalid query value`] as const
  ),
  ...[101, 1500, 5000].map((count) =>
    [
      `/v2/account/${address}/token?ca-filters=${Array.from({ length: count }, () => address).join(",")}`,
      400,
      1040010,
      `${query}too many ca-filters query value`
    ] as const
  ),
  [`${eoa}?size=1.5`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?size=1&size=2`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?cursor=abc`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?cursor=${"A".repeat(128)}`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?cursor=${"z".repeat(128)}`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?cursor=${"%2B".repeat(128)}`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?exclude-zero-klay=yes`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?from-only=1`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?ca-filter=0x12`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?from-only=true&to-only=true`, 400, 1040010, `${query}both from-only and to-only could not be true`],
  [`${eoa}?range=yesterday`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?range=`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?range=,`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?range=-5,10`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?range=1600000000,0x10`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?range=0x1,1600000000`, 400, 1040010, `${query}invalid query value`],
  [`${eoa}?range=1600000001,1600000000`, 400, 1040011, "[OutOfRangeQueryParameterValue]invalid timestamp range"],
  [`${eoa}?range=0x2,0x1`, 400, 1040011, "[OutOfRangeQueryParameterValue]invalid timestamp range"],
  [`${eoa}?range=1,15897602`, 400, 1040011, "[OutOfRangeQueryParameterValue]invalid timestamp range"],
  [`${eoa}?range=0x1,0xf29402`, 400, 1040011, "[OutOfRangeQueryParameterValue]invalid timestamp range"],
  [`${eoa}?range=1000`, 400, 1040011, "[OutOfRangeQueryParameterValue]invalid timestamp range"],
  [`${eoa}?range=1700000000,`, 400, 1040011, "[OutOfRangeQueryParameterValue]invalid timestamp range"],
  ["/v2/transfer/account/0x12", 400, 1040020, "[InvalidUriValue]invalid account address"],
  ["/v2/transfer/account/alice", 400, 1040020, "[InvalidUriValue]invalid account address"],
  [`/v2/transfer/account/${"f".repeat(2000)}`, 400, 1040020, "[InvalidUriValue]invalid account address"],
  ["/v2/transfer/account/0x12?size=-1", 400, 1040020, "[InvalidUriValue]invalid account address"],
  ["/v2/transfer/tx/0x12", 400, 1040020, "[InvalidUriValue]invalid tx hash"],
  [`/v2/transfer/tx/${hash}00`, 400, 1040020, "[InvalidUriValue]invalid tx hash"],
  ["/v2", 400, 1010007, "invalid path or method"],
  ["/v2/transfers", 400, 1010007, "invalid path or method"],
  ["/v2/transfer/", 400, 1010007, "invalid path or method"],
  ["/v2/transfer/account/", 400, 1010007, "invalid path or method"],
  ["/V2/Transfer?presets=1", 400, 1010007, "invalid path or method"],
  [`${eoa}/`, 400, 1010007, "invalid path or method"],
  ["/v2/transfer/tx/%ff", 400, 1010007, "invalid path or method"],
  ["/v2/transfer/tx/%zz", 400, 1010007, "invalid path or method"],
  ["/_sandboxes", 400, 1010007, "invalid path or method"]
]

const body = (text: string) => {
  const { requestId, ...rest }: { readonly requestId: string } = JSON.parse(text)
  assert.match(requestId, uuid)
  return rest
}

layer(Sandbox.layer({ seed: "refusals", clock: { start: 1_600_000_000, step: 1 } }), { excludeTestServices: true })(
  "The service refuses",
  (it) => {
    for (const [path, status, code, message] of refused) {
      it.effect(`${path.slice(0, 80)} with ${status} ${code}`, () =>
        Effect.gen(function*() {
          const answer = yield* get(path)
          assert.deepStrictEqual([answer.status, body(answer.text)], [status, { code, message }])
          assert.match(answer.headers.get("content-type") ?? "", /^application\/json/)
        }))
    }

    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      it.effect(`${method} where only GET is served, as a wrong path or method`, () =>
        Effect.gen(function*() {
          const { accessKeyId, secretAccessKey } = yield* Sandbox.Sandbox
          const authorization = basic(accessKeyId, Redacted.value(secretAccessKey))
          const answer = yield* send(eoa, {
            method,
            headers: { authorization, "x-chain-id": "1001" },
            body: "{not json"
          })
          assert.deepStrictEqual([answer.status, body(answer.text)], [
            400,
            { code: 1010007, message: "invalid path or method" }
          ])
        }))
    }

    for (const chain of [undefined, "", "1", "01001", "0x2019", "8217,1001", "testnet"]) {
      it.effect(`the chain ${JSON.stringify(chain)}`, () =>
        Effect.gen(function*() {
          const answer = yield* get(eoa, { "x-chain-id": chain })
          assert.deepStrictEqual([answer.status, body(answer.text)], [
            400,
            { code: 1040010, message: "[InvalidQueryParameterValue]invalid query value; x-chain-id" }
          ])
        }))
    }
  }
)

const malformed = { code: 1010008, message: "The authorization header you provided is invalid." }
const wrong = { code: 1010009, message: "The credential you provided is not valid." }
const pair = { accessKeyId: "KASKEXAMPLE", secretAccessKey: Redacted.make("a:secret/with+signs") }
const right = basic("KASKEXAMPLE", "a:secret/with+signs")

const authorizations: ReadonlyArray<readonly [header: string | undefined, expected: typeof malformed]> = [
  [undefined, malformed],
  ["", malformed],
  ["Basic", malformed],
  ["Basic !!!", malformed],
  [`Bearer ${right.slice(6)}`, malformed],
  [right.slice(6), malformed],
  [`Basic ${Buffer.from("no colon").toString("base64")}`, malformed],
  [`${right}x`, malformed],
  [basic("KASKEXAMPLE", "a:secret/with+sign"), wrong],
  [basic("KASKEXAMPLE", ""), wrong],
  [basic("", "a:secret/with+signs"), wrong],
  [basic("KASKEXAMPLF", "a:secret/with+signs"), wrong],
  [basic("kaskexample", "a:secret/with+signs"), wrong]
]

layer(Sandbox.layer({ credentials: pair }), { excludeTestServices: true })("The credential", (it) => {
  describe("is checked before chain, path and parameters", () => {
    for (const [authorization, expected] of authorizations) {
      it.effect(`${authorization} is refused with ${expected.code}`, () =>
        Effect.forEach([eoa, "/nowhere", "/v2/transfer?size=-1"], (path) =>
          Effect.gen(function*() {
            const answer = yield* send(path, { headers: { authorization } })
            assert.deepStrictEqual([answer.status, body(answer.text)], [401, expected])
          })))
    }
  })

  it.effect("opens the service, whatever the case of the scheme", () =>
    Effect.gen(function*() {
      for (const authorization of [right, right.replace("Basic", "basic"), right.replace("Basic ", "BASIC  ")]) {
        const answer = yield* send(eoa, { headers: { authorization, "x-chain-id": "8217" } })
        assert.deepStrictEqual([answer.status, answer.text], [200, "{\"items\":[],\"cursor\":\"\"}"])
      }
    }))
})
