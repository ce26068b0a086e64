import { operations as wallet } from "@effect-klaytn/custody/WalletRoutes"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../src/Sandbox.js"
import { ask, basic, refusal, send, uuid } from "./support/wire.js"

const somebody = "0x1111111111111111111111111111111111111111"
const hash = `0x${"12".repeat(32)}`

/** What may stand in a path where a parameter is expected. */
const segments = [
  "0x12",
  "%00",
  "%0a",
  "..",
  "%2e%2e",
  "%f0%9f%94%91",
  "a:b:c",
  "krn%3A1001",
  "x".repeat(4_000),
  somebody,
  hash
]

/** Bodies that nobody should send. */
const bodies: ReadonlyArray<string> = [
  "",
  " ",
  "null",
  "5",
  "\"text\"",
  "[]",
  "[null]",
  "[[]]",
  "[{}]",
  "{}",
  "{",
  "\u0000",
  "{\"__proto__\":{\"from\":1}}",
  "{\"size\":1e999,\"from\":[],\"to\":{},\"value\":-1,\"submit\":\"yes\",\"data\":{}}",
  "{\"size\":null,\"from\":null,\"to\":null,\"value\":null,\"rlp\":null,\"data\":null,\"accountKey\":null}",
  `{"from":"${somebody}","to":"${somebody}","value":"0x${
    "f".repeat(70)
  }","nonce":9007199254740991,"gas":9007199254740991}`,
  `{"from":"${somebody}","rlp":"0x${"c0".repeat(2_000)}","submit":true,"feePayer":"${somebody}"}`,
  `[{"keyId":"${"k".repeat(500)}","address":"${somebody}"},{"keyId":{},"address":[]}]`,
  `{"threshold":-1,"weightedKeys":[{"publicKey":"0x04","weight":-1}],"signatures":[{"V":"0x","R":"0x","S":"0x"}]}`,
  `{"accountKey":{"keyType":9},"from":"${somebody}","input":"0x","transactionHash":"0x1"}`,
  `{"data":"${"[".repeat(500)}\\"${"{".repeat(500)}"}`,
  "{\"withoutAccountUpdate\":\"no\",\"arguments\":5}",
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`
]

const queries = [
  "",
  "?size=-1",
  "?size=abc",
  "?size=1e3",
  "?cursor=%00",
  "?cursor=e30%3D",
  "?cursor=bnVsbA%3D%3D",
  "?from-timestamp=-5",
  "?to-timestamp=x",
  "?status=none",
  "?krn=%00",
  "?size=1&size=2",
  "?%00=1",
  "?size"
]

const krns = ["", ",", "krn", "krn:1001:wallet::account-pool:default", "k".repeat(4_000), ",,,,"]

const types = [
  "application/json",
  "text/plain",
  "multipart/form-data",
  "application/x-www-form-urlencoded",
  "application/octet-stream",
  "x"
]

layer(Sandbox.layer({ seed: "hostile" }), { excludeTestServices: true })(
  "The wallet answers, whatever it is sent",
  (it) => {
    /** A refusal in the service's own form, or the answer of a request that made sense after all. */
    const calm = (
      name: string,
      given: string,
      { status, text }: { readonly status: number; readonly text: string }
    ) => {
      const body = JSON.parse(text)
      const shown = `${name} ${given.slice(0, 80)}: ${status} ${text.slice(0, 200)}`
      assert.isTrue(status === 200 || status === 400, shown)
      if (status === 200) return
      assert.isNumber(body.code, shown)
      assert.isString(body.message, shown)
      assert.deepStrictEqual(
        Object.keys(body).filter((key) => !["code", "message", "requestId"].includes(key)),
        [],
        shown
      )
      if (body.requestId !== undefined) assert.match(body.requestId, uuid, shown)
    }

    const request = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
      Effect.flatMap(Sandbox.Sandbox, ({ accessKeyId, secretAccessKey }) =>
        send(path, {
          method,
          headers: {
            authorization: basic(accessKeyId, Redacted.value(secretAccessKey)),
            "x-chain-id": "1001",
            ...headers
          },
          ...(body !== undefined && { body })
        }))

    const filled = (template: string, segment: string) => template.replace(/:[^/]+/g, segment)

    for (const { method, name, template } of wallet) {
      it.effect(name, () =>
        Effect.gen(function*() {
          if (template.includes(":")) {
            for (const segment of segments) {
              calm(name, segment, yield* request(method, filled(template, segment)))
            }
          }
          const path = filled(template, template.includes("address") ? somebody : hash)
          for (const query of queries) calm(name, query, yield* request(method, `${path}${query}`))
          for (const krn of krns) calm(name, krn, yield* request(method, path, { "x-krn": krn }))
          if (method === "GET") return
          for (const body of bodies) {
            calm(name, body, yield* request(method, path, { "content-type": "application/json" }, body))
          }
          for (const type of types) {
            calm(name, type, yield* request(method, path, { "content-type": type }, "{\"from\":1}"))
          }
        }))
    }

    it.effect("refuses who has no credential, then who names no chain, before it looks at anything else", () =>
      Effect.gen(function*() {
        for (const { method, name, template } of wallet) {
          const path = filled(template, "0x12")
          const denied = yield* send(path, { method })
          assert.deepStrictEqual([denied.status, JSON.parse(denied.text).code], [401, 1010008], name)
          const empty = [400, 1061608, "cannot be empty or zero value; x-chain-id", false]
          assert.deepStrictEqual(refusal(yield* ask(method, path, undefined, { "x-chain-id": undefined })), empty, name)
          for (const chain of ["1", "main", "01001", "1001,8217"]) {
            const range = [400, 1061615, "its value is out of range; x-chain-id", false]
            assert.deepStrictEqual(refusal(yield* ask(method, path, undefined, { "x-chain-id": chain })), range, name)
          }
        }
      }))

    it.effect("names the parameter that it cannot read", () =>
      Effect.gen(function*() {
        const rows: ReadonlyArray<readonly [method: string, path: string, code: number, message: string]> = [
          ["GET", "/v2/account/0x12", 1061609, "it just allow Klaytn address form; address"],
          ["PUT", "/v2/account/alice/disable", 1061609, "it just allow Klaytn address form; address"],
          ["GET", "/v2/tx/12", 1061607, "it has to start with '0x' and allows [0-9a-fA-F]; transaction-hash"],
          ["GET", "/v2/tx/0x12", 1061615, "its value is out of range; transaction-hash"],
          [
            "POST",
            `/v2/multisig/account/${somebody}/tx/abc/sign`,
            1061607,
            "it has to start with '0x' and allows [0-9a-fA-F]; transaction-id"
          ],
          ["GET", "/v2/pubkey/abc/account", 1061607, "it has to start with '0x' and allows [0-9a-fA-F]; public-key"],
          ["GET", `/v2/pubkey/0x04${"00".repeat(64)}/account`, 1061615, "its value is out of range; public-key"],
          ["GET", "/v2/account?size=-1", 1061615, "its value is out of range; size"],
          ["GET", "/v2/account?size=ten", 1061615, "its value is out of range; size"],
          ["GET", "/v2/account?status=lost", 1061615, "its value is out of range; status"],
          ["GET", "/v2/account?cursor=abc", 1061615, "its value is out of range; cursor"],
          ["GET", "/v2/feepayer?from-timestamp=1.5", 1061615, "its value is out of range; from-timestamp"]
        ]
        for (const [method, path, code, message] of rows) {
          assert.deepStrictEqual(refusal(yield* ask(method, path)), [400, code, message, false], path)
        }
      }))

    it.effect("takes one page's cursor on no other list", () =>
      Effect.gen(function*() {
        const pools = ["account", "feepayer"]
        for (const kind of pools) {
          yield* ask("POST", `/v2/${kind}`, kind === "feepayer" ? { withoutAccountUpdate: true } : undefined)
          yield* ask("POST", `/v2/${kind}`, kind === "feepayer" ? { withoutAccountUpdate: true } : undefined)
        }
        const { body } = yield* ask("GET", "/v2/account?size=1")
        const cursor = encodeURIComponent(body.cursor)
        assert.deepStrictEqual((yield* ask("GET", `/v2/account?cursor=${cursor}`)).status, 200)
        const refused = [400, 1061615, "its value is out of range; cursor", false]
        assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/feepayer?cursor=${cursor}`)), refused)
        assert.deepStrictEqual(
          refusal(yield* ask("GET", `/v2/account?cursor=${cursor}`, undefined, { "x-chain-id": "8217" })),
          refused
        )
      }))

    it.effect("refuses a body beyond its limit and goes on", () =>
      Effect.gen(function*() {
        const large = request("POST", "/v2/key", {}, `{"size":1,"x":"${"x".repeat(11 * 1024 * 1024)}"}`)
        assert.strictEqual((yield* large).status, 413)
        assert.deepStrictEqual((yield* ask("POST", "/v2/key", { size: 1 })).status, 200)
      }))
  }
)
