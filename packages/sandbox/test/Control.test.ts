import * as Deviation from "@effect-klaytn/local-chain/Deviation"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { request } from "node:http"
import * as ControlClient from "../src/ControlClient.js"
import * as Sandbox from "../src/Sandbox.js"
import { basic, control, get, send } from "./support/wire.js"

const options = { seed: "control", clock: { start: 1_600_000_000, step: 1 } } as const
const stranger = "0x1111111111111111111111111111111111111111"

/** Everything that the controls could have changed, on both chains. */
const world = Effect.map(
  Effect.all(
    ["/health", "/credentials", "/faults", "/chains/1001/presets", "/chains/1001/accounts", "/chains/8217/accounts"]
      .map((
        path
      ) => control("GET", path))
  ),
  (answers) => answers.map(({ body }) => body)
)

/** Method, path, body, status, and what the message has to name. */
const misuses: ReadonlyArray<
  readonly [method: string, path: string, body: unknown, status: number, tag: string, text: string]
> = [
  ["POST", "/chains/1001/fund", {}, 400, "InvalidControl", "to: is missing"],
  ["POST", "/chains/1001/fund", { to: "alice" }, 400, "InvalidControl", "amount: is missing"],
  ["POST", "/chains/1001/fund", { to: "alice", amount: 5 }, 400, "InvalidControl", "amount: Expected string"],
  ["POST", "/chains/1001/fund", { to: "alice", amount: "-5" }, 400, "InvalidControl", "whole number as decimal text"],
  ["POST", "/chains/1001/fund", { to: "alice", amount: "1.5" }, 400, "InvalidControl", "whole number as decimal text"],
  ["POST", "/chains/1001/fund", { to: "alice", amount: `${2n ** 256n}` }, 400, "InvalidControl", "below 2^256"],
  [
    "POST",
    "/chains/1001/fund",
    { to: "alice", amount: `${2n ** 200n}` },
    422,
    "TransactionFailed",
    "insufficient funds"
  ],
  ["POST", "/chains/1001/fund", { to: "alice", amount: "1", memo: "x" }, 400, "InvalidControl", "memo: is unexpected"],
  ["POST", "/chains/1001/fund", { to: "nobody", amount: "1" }, 404, "NotFound", "no account is named \"nobody\""],
  ["POST", "/chains/1001/fund", { to: "0x12", amount: "1" }, 400, "InvalidControl", "to: expected the name"],
  ["POST", "/chains/1001/fund", "text", 400, "InvalidControl", "Expected"],
  ["POST", "/chains/1/fund", { to: "alice", amount: "1" }, 400, "InvalidControl", "chainId"],
  ["POST", "/chains/1001/accounts", { name: "Al Ice" }, 400, "InvalidControl", "name: expected the name"],
  [
    "POST",
    "/chains/1001/accounts",
    { name: "newcomer", amount: `${2n ** 200n}` },
    422,
    "TransactionFailed",
    "insufficient funds"
  ],
  [
    "POST",
    "/chains/1001/transfer",
    { from: stranger, to: "bob", amount: "1" },
    404,
    "NotFound",
    "does not hold the key"
  ],
  [
    "POST",
    "/chains/1001/transfer",
    { from: "alice", to: "bob", amount: "1", feeRatio: 30 },
    400,
    "InvalidControl",
    "a fee ratio needs a fee payer"
  ],
  [
    "POST",
    "/chains/1001/transfer",
    { from: "alice", to: "bob", amount: "1", feePayer: "carol", feeRatio: 100 },
    400,
    "InvalidControl",
    "feeRatio"
  ],
  ["POST", "/chains/1001/tokens", { kind: "xx", from: "alice" }, 400, "InvalidControl", "kind"],
  [
    "POST",
    "/chains/1001/tokens",
    { kind: "ft", from: "alice", name: "A" },
    400,
    "InvalidControl",
    "symbol: is missing"
  ],
  [
    "POST",
    "/chains/1001/tokens",
    { kind: "ft", from: "alice", name: "A", symbol: "A", decimals: 256 },
    400,
    "InvalidControl",
    "decimals"
  ],
  [
    "POST",
    `/chains/1001/tokens/${stranger}/mint`,
    { kind: "ft", from: "alice", to: "alice", amount: "1" },
    404,
    "NotFound",
    "has no token contract"
  ],
  [
    "POST",
    "/chains/1001/tokens/apples/mint",
    { kind: "ft", from: "alice", to: "alice", amount: "1" },
    400,
    "InvalidControl",
    "contract: expected an address"
  ],
  [
    "POST",
    `/chains/1001/tokens/${stranger}/transfer`,
    { kind: "mt", from: "alice", to: "bob", ids: ["1", "2"], amounts: ["1"] },
    400,
    "InvalidControl",
    "as many amounts as ids"
  ],
  ["POST", "/chains/1001/mine?blocks=0", undefined, 400, "InvalidControl", "mine 1 to 10000 blocks"],
  ["POST", "/chains/1001/mine?blocks=10001", undefined, 400, "InvalidControl", "mine 1 to 10000 blocks"],
  ["POST", "/chains/1001/mine?blocks=many", undefined, 400, "InvalidControl", "blocks"],
  ["POST", "/chains/1001/time", { seconds: -1 }, 400, "InvalidControl", "seconds"],
  ["POST", "/chains/1001/time", { seconds: 1.5 }, 400, "InvalidControl", "seconds"],
  ["POST", "/chains/1001/snapshots/99/revert", undefined, 404, "NotFound", "there is no snapshot 99"],
  ["POST", "/chains/1001/presets", { name: "none" }, 400, "InvalidControl", "at least one account or contract"],
  ["POST", "/chains/1001/presets", { name: "", accounts: ["bob"] }, 400, "InvalidControl", "name"],
  ["POST", "/chains/1001/presets", { name: "x", contracts: ["bob"] }, 400, "InvalidControl", "expected an address"],
  ["DELETE", "/chains/1001/presets/99", undefined, 404, "NotFound", "has no preset 99"],
  ["DELETE", "/credentials/KASK", undefined, 404, "NotFound", "no credential \"KASK\""],
  ["POST", "/faults", { action: { kind: "answer", status: 99 } }, 400, "InvalidControl", "status"],
  ["POST", "/faults", { times: 0, action: { kind: "drop", when: "before" } }, 400, "InvalidControl", "times"],
  ["POST", "/faults", { action: { kind: "drop" } }, 400, "InvalidControl", "when: is missing"],
  [
    "POST",
    "/faults",
    { action: { kind: "answer", status: 503, retryAfter: "1\r\nx: y" } },
    400,
    "InvalidControl",
    "retryAfter"
  ],
  ["DELETE", "/faults/99", undefined, 404, "NotFound", "no fault 99"],
  ["GET", "/nothing", undefined, 404, "NotFound", "has no GET /_sandbox/nothing"],
  ["GET", "", undefined, 404, "NotFound", "has no GET /_sandbox"],
  ["POST", "/health", {}, 404, "NotFound", "has no POST /_sandbox/health"]
]

layer(Sandbox.layer(options), { excludeTestServices: true })("The control interface", (it) => {
  for (const [method, path, body, status, tag, text] of misuses) {
    it.effect(`refuses ${method} ${path} ${JSON.stringify(body)?.slice(0, 60)} with ${status} and changes nothing`, () =>
      Effect.gen(function*() {
        const before = yield* world
        const answer = yield* control(method, path, body)
        assert.strictEqual(answer.status, status)
        assert.strictEqual(answer.body._tag, tag)
        assert.include(answer.body.message, text)
        assert.deepStrictEqual(yield* world, before)
      }))
  }

  it.effect("refuses a body that is not JSON", () =>
    Effect.gen(function*() {
      const { status, text } = yield* send("/_sandbox/chains/1001/fund", { method: "POST", body: "{\"to\":" })
      assert.deepStrictEqual([status, JSON.parse(text)], [
        400,
        { _tag: "InvalidControl", message: "the body cannot be read as JSON" }
      ])
    }))

  it.effect("reads a body as JSON whatever its type is called", () =>
    Effect.gen(function*() {
      const { status } = yield* send("/_sandbox/chains/1001/fund", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: JSON.stringify({ to: "alice", amount: "1" })
      })
      assert.strictEqual(status, 200)
    }))

  it.effect("does not answer web pages, nor names that others gave this machine", () =>
    Effect.gen(function*() {
      const { url } = yield* Sandbox.Sandbox
      const before = yield* world
      const mine = "/_sandbox/chains/1001/mine"
      const page = yield* send(mine, { method: "POST", headers: { origin: "http://evil.example" } })
      const own = yield* send(mine, { method: "POST", headers: { origin: url } })
      const status = (host: string) =>
        Effect.async<number | undefined>((resume) => {
          request(`${url}${mine}`, { method: "POST", headers: { host } }, (response) => {
            response.resume()
            resume(Effect.succeed(response.statusCode))
          }).end()
        })
      assert.deepStrictEqual([page.status, own.status], [403, 403])
      assert.include(page.text, "\"_tag\":\"NotLocal\"")
      for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1"]) {
        assert.strictEqual(yield* status(host), 403, host)
      }
      assert.deepStrictEqual(yield* world, before)
      for (const host of ["localhost", "127.0.0.1:80", "[::1]:80", "127.1.2.3"]) {
        assert.strictEqual(yield* status(host), 200, host)
      }
    }))

  it.effect("makes accounts that can sign, the same ones for the same name", () =>
    Effect.gen(function*() {
      const made = yield* control("POST", "/chains/1001/accounts", { name: "zoe", amount: "1000000000000000000" })
      assert.deepInclude(made.body, { name: "zoe", balance: "1000000000000000000", nonce: "0" })
      const again = yield* control("POST", "/chains/8217/accounts", { name: "zoe" })
      assert.deepInclude(again.body, { address: made.body.address, balance: "0" })
      const sent = yield* control("POST", "/chains/1001/transfer", {
        from: made.body.address,
        to: stranger,
        amount: "7"
      })
      assert.deepInclude(sent.body, { from: made.body.address, to: stranger, value: "7", fee: "577500000000000" })
    }))

  it.effect("goes through the life of a token of each kind, preset contracts included", () =>
    Effect.gen(function*() {
      const post = (path: string, body: unknown) =>
        Effect.map(control("POST", `/chains/1001${path}`, body), (answer) => {
          assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
          return answer.body
        })
      for (const minter of ["anyone", "deployer"]) {
        const base = { from: "alice", minter }
        const ft = (yield* post("/tokens", { kind: "ft", ...base, name: "A", symbol: "A" })).address
        const nft = (yield* post("/tokens", { kind: "nft", ...base, name: "B", symbol: "B", baseUri: "u/" })).address
        const mt = (yield* post("/tokens", { kind: "mt", ...base, uri: "u" })).address
        yield* post(`/tokens/${ft}/mint`, { kind: "ft", ...base, to: "alice", amount: "5" })
        yield* post(`/tokens/${nft}/mint`, { kind: "nft", ...base, to: "alice", tokenId: "0" })
        const create = minter === "deployer" ? { create: "u/1" } : {}
        yield* post(`/tokens/${mt}/mint`, { kind: "mt", ...base, to: "alice", tokenId: "1", amount: "5", ...create })
        const move = { from: "alice", to: "bob", feePayer: "carol", feeRatio: 50 }
        yield* post(`/tokens/${ft}/transfer`, { kind: "ft", ...move, amount: "2" })
        yield* post(`/tokens/${nft}/transfer`, { kind: "nft", ...move, tokenId: "0" })
        const last = yield* post(`/tokens/${mt}/transfer`, { kind: "mt", ...move, ids: ["1"], amounts: ["2"] })
        assert.deepInclude(last, { feeRatio: 50 })
        const failed = yield* control("POST", `/chains/1001/tokens/${ft}/transfer`, {
          kind: "ft",
          from: "bob",
          to: "alice",
          amount: "3"
        })
        assert.deepInclude(failed.body, { _tag: "TransactionFailed", reason: "ExecutionFailed" })
        const wrong = yield* control("POST", `/chains/1001/tokens/${ft}/mint`, {
          kind: "nft",
          from: "alice",
          to: "bob",
          tokenId: "1"
        })
        assert.deepStrictEqual([wrong.status, wrong.body.message], [400, "the contract holds ft tokens, not nft"])
      }
    }))

  it.effect("mines, moves time, and takes a chain back to a snapshot or its beginning, presets kept", () =>
    Effect.gen(function*() {
      const state = Effect.map(control("GET", "/chains/8217/"), ({ body }) => body)
      const genesis = yield* state
      const mined = yield* control("POST", "/chains/8217/mine?blocks=3")
      assert.deepStrictEqual(mined.body.map(({ number }: { number: number }) => number), [1, 2, 3])
      const preset = (yield* control("POST", "/chains/8217/presets", { name: "p", accounts: ["bob"] })).body
      const { snapshot } = (yield* control("POST", "/chains/8217/snapshots")).body
      const kept = yield* state
      const later = yield* control("POST", "/chains/8217/time", { seconds: 86_400 })
      assert.strictEqual(later.body.now, kept.now + 86_400)
      yield* control("POST", "/chains/8217/transfer", { from: "alice", to: "bob", amount: "1" })
      const page = () =>
        Effect.map(
          get(`/v2/transfer?presets=${preset.id}`, { "x-chain-id": "8217" }),
          ({ text }) => JSON.parse(text).items.length
        )
      assert.strictEqual(yield* page(), 1)
      const reverted = yield* control("POST", `/chains/8217/snapshots/${snapshot}/revert`)
      assert.deepStrictEqual(reverted.body, kept)
      assert.strictEqual(yield* page(), 0)
      assert.strictEqual((yield* control("POST", `/chains/8217/snapshots/${snapshot}/revert`)).status, 404)
      yield* control("POST", "/chains/8217/transfer", { from: "alice", to: "bob", amount: "1" })
      const { body: began } = yield* control("POST", "/chains/8217/reset")
      assert.deepStrictEqual({ ...began, blockHash: genesis.blockHash }, genesis)
      assert.notStrictEqual(began.blockHash, genesis.blockHash)
      assert.deepStrictEqual((yield* control("GET", "/chains/8217/presets")).body, [preset])
      assert.strictEqual((yield* control("DELETE", `/chains/8217/presets/${preset.id}`)).status, 204)
      assert.deepStrictEqual((yield* control("GET", "/chains/8217/presets")).body, [])
    }))

  it.effect("says where it differs from a node, in words to show", () =>
    Effect.gen(function*() {
      const { body, status } = yield* control("GET", "/deviations")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, Deviation.all.map(({ here, node, why }) => ({ here, node, why })))
    }))

  it.effect("makes and takes away credentials, two at most", () =>
    Effect.gen(function*() {
      const made = yield* control("POST", "/credentials")
      assert.strictEqual(made.status, 200)
      const { accessKeyId, secretAccessKey } = made.body
      const authorization = basic(accessKeyId, secretAccessKey)
      const eoa = `/v2/transfer/account/${stranger}`
      assert.strictEqual((yield* get(eoa, { authorization })).status, 200)
      assert.strictEqual((yield* get(eoa)).status, 200)
      const third = yield* control("POST", "/credentials")
      assert.deepStrictEqual([third.status, third.body._tag], [409, "TooManyCredentials"])
      const listed = yield* control("GET", "/credentials")
      assert.strictEqual(listed.body.length, 2)
      assert.notInclude(JSON.stringify(listed.body), secretAccessKey)
      assert.strictEqual((yield* control("DELETE", `/credentials/${accessKeyId}`)).status, 204)
      assert.strictEqual((yield* get(eoa, { authorization })).status, 401)
      assert.strictEqual((yield* get(eoa)).status, 200)
    }))
})

layer(Layer.merge(Sandbox.layer(options), FetchHttpClient.layer), { excludeTestServices: true })(
  "The controls",
  (it) => {
    it.effect("do over HTTP what they do as a service", () =>
      Effect.gen(function*() {
        const { control: inside, url } = yield* Sandbox.Sandbox
        const outside = yield* ControlClient.make(url)
        const path = { chainId: 1001 } as const
        yield* outside.chain.fund({ path, payload: { to: "alice", amount: 5n } })
        assert.deepStrictEqual(yield* outside.chain.state({ path }), yield* inside.chain(1001).state)
        assert.deepStrictEqual(yield* outside.chain.accounts({ path }), yield* inside.chain(1001).accounts)
        const overHttp = yield* Effect.flip(outside.chain.fund({ path, payload: { to: "nobody", amount: 5n } }))
        const within = yield* Effect.flip(inside.chain(1001).fund({ to: "nobody", amount: 5n }))
        assert.deepStrictEqual([overHttp._tag, overHttp.message], [within._tag, within.message])
        const credential = yield* outside.createCredential()
        assert.notInclude(JSON.stringify(credential), Redacted.value(credential.secretAccessKey))
      }))

    it.effect("check their input inside the program too", () =>
      Effect.gen(function*() {
        const { control: inside } = yield* Sandbox.Sandbox
        const chain = inside.chain(1001)
        const before = yield* chain.state
        const failures = yield* Effect.all([
          Effect.flip(chain.fund({ to: "0x12", amount: 1n })),
          Effect.flip(chain.fund({ to: "alice", amount: -1n })),
          Effect.flip(chain.createAccount({ name: "Not A Name" })),
          Effect.flip(chain.mint("0x12", { kind: "ft", from: "alice", to: "alice", amount: 1n })),
          Effect.flip(chain.advanceTime({ seconds: Number.NaN })),
          Effect.flip(inside.addFault({ action: { kind: "answer", status: 1000 } }))
        ])
        assert.deepStrictEqual(new Set(failures.map(({ _tag }) => _tag)), new Set(["InvalidControl"]))
        assert.deepStrictEqual(yield* chain.state, before)
      }))
  }
)
