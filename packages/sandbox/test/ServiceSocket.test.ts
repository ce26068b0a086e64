import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { request } from "node:http"
import * as Sandbox from "../src/Sandbox.js"
import { connect, open } from "./support/socket.js"
import { basic } from "./support/wire.js"

const sandbox = Sandbox.layer({ seed: "service socket", clock: { start: 1_600_000_000, step: 1 }, devRpc: false })

const path = "/v1/ws/open?chain-id=1001"

const pair = Effect.map(
  Sandbox.Sandbox,
  ({ accessKeyId, secretAccessKey }) => [accessKeyId, Redacted.value(secretAccessKey)] as const
)

const authorization = Effect.map(pair, ([id, secret]) => ({ authorization: basic(id, secret) }))

/** The answer to a request for a connection that is refused. */
const refusalOf = (url: string, headers: Record<string, string>) =>
  Effect.async<{ readonly status: number | undefined; readonly body: Record<string, unknown> }>((resume) => {
    const upgrade = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
    }
    const sent = request(url, { agent: false, headers: { ...upgrade, ...headers } }, (response) => {
      let text = ""
      response.on("data", (chunk) => {
        text += chunk
      })
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode, body: JSON.parse(text) })))
    })
    sent.end()
  })

layer(sandbox, { excludeTestServices: true })("The service's WebSocket connection", (it) => {
  it.scoped("takes the credential in the URL or as a header, and serves the chain that the query names", () =>
    Effect.gen(function*() {
      const [id, secret] = yield* pair
      const byUrl = yield* open(path, {}, `${id}:${secret}`)
      assert.deepInclude(yield* byUrl.call(1, "klay_chainID"), { result: "0x3e9" })
      const byHeader = yield* open("/v1/ws/open?x=1&chain-id=8217", yield* authorization)
      assert.deepInclude(yield* byHeader.call(1, "kaia_chainId"), { result: "0x2019" })
      // What is for development is not there.
      for (const name of ["evm_mine", "eth_sendTransaction", "klay_newFilter"]) {
        assert.deepInclude((yield* byHeader.call(2, name)).error, { code: -32601 }, name)
      }
    }))

  it.scoped("tells of blocks in the form of the namespace, and of transactions, until that is ended", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const connection = yield* open(path, yield* authorization)
      const { result: klay } = yield* connection.call(1, "klay_subscribe", "newHeads")
      const { result: kaia } = yield* connection.call(2, "kaia_subscribe", "newHeads")
      const { result: eth } = yield* connection.call(3, "eth_subscribe", "newHeads")
      const { result: pool } = yield* connection.call(4, "klay_subscribe", "newPendingTransactions")
      const sent = yield* control.chain(1001).transfer({ from: "alice", to: "bob", amount: 1n })
      const header = yield* connection.told(klay, "klay")
      assert.deepStrictEqual<unknown>(header, (yield* connection.call(5, "klay_getHeaderByNumber", "latest")).result)
      assert.property(header, "reward")
      assert.deepStrictEqual(yield* connection.told(kaia, "kaia"), header)
      assert.deepStrictEqual<unknown>(
        yield* connection.told(eth, "eth"),
        (yield* connection.call(6, "eth_getHeaderByNumber", "latest")).result
      )
      assert.strictEqual<unknown>(yield* connection.told(pool, "klay"), sent.transactionHash)
      assert.deepInclude(yield* connection.call(7, "klay_unsubscribe", klay), { result: true })
      assert.deepInclude((yield* connection.call(8, "kaia_unsubscribe", klay)).error, {
        message: "subscription not found"
      })
      assert.match(
        (yield* connection.call(9, "kaia_subscribe", "wages")).error?.message ?? "",
        /^no "wages" subscription in kaia namespace/
      )
    }))

  it.effect("is refused without a credential or a chain, in the service's own words", () =>
    Effect.gen(function*() {
      const { url } = yield* Sandbox.Sandbox
      const header = yield* authorization
      const refused = (at: string, headers: Record<string, string>) => refusalOf(url + at, headers)
      const missing = yield* refused(path, {})
      assert.deepStrictEqual([missing.status, missing.body["code"]], [401, 1010008])
      const wrong = yield* refused(path, { authorization: basic("KASKOTHER", "other") })
      assert.deepStrictEqual([wrong.status, wrong.body["code"]], [401, 1010009])
      assert.isString(wrong.body["requestId"])
      for (const at of ["/v1/ws/open", "/v1/ws/open?chain-id=5", "/v1/ws/open?chain-id=0x3e9"]) {
        const { body, status } = yield* refused(at, header)
        assert.deepStrictEqual([status, body["code"]], [400, 1040010], at)
      }
      // Without the wish for a connection it is a path like any other.
      const { status } = yield* Effect.promise(() =>
        fetch(url + path, { headers: { ...header, "x-chain-id": "1001" } })
      )
      assert.strictEqual(status, 400)
    }))

  it.scoped("is refused to pages of other sites and under foreign names, with the credential too", () =>
    Effect.gen(function*() {
      const header = yield* authorization
      yield* open(path, { ...header, origin: "http://localhost:5173" })
      for (const foreign of [{ origin: "https://evil.example" }, { origin: "null" }, { host: "evil.example" }]) {
        assert.strictEqual(yield* connect(path, { ...header, ...foreign }), 403, JSON.stringify(foreign))
      }
      assert.strictEqual(yield* connect("/rpc/1001", header), 400)
    }))
})
