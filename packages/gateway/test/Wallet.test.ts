import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { copyFileSync, readFileSync, statSync } from "node:fs"
import * as CallerFile from "../src/CallerFile.js"
import { klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

/** A funded account of a gateway's wallet, and what the chain behind it has. */
const start = Effect.gen(function*() {
  const sandbox = yield* world.sandbox
  const chain = sandbox.chains.chain(world.chain)
  const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
  const database = yield* world.file("index.db")
  const opened = yield* open(database, proxy.url)
  const { body: { address } } = yield* opened.ask("POST", "/v2/account", {})
  const from: `0x${string}` = address
  yield* chain.fund(from, 100n * klay)
  const balance = (of: `0x${string}`) =>
    Effect.map(chain.account(of), Option.match({ onNone: () => 0n, onSome: (account) => account.balance }))
  return { ...opened, chain, proxy, database, from, balance }
})

const payment = (from: string) => ({ from, to: bob, value: "0x5", submit: true })

describe("a gateway's wallet", () => {
  it.scopedLive("creates accounts and sends from them on the node", () =>
    Effect.gen(function*() {
      const { ask, balance, from } = yield* start
      const { body, status } = yield* ask("POST", "/v2/tx/value", payment(from))
      assert.strictEqual(status, 200)
      assert.strictEqual(body.status, "Submitted")
      assert.strictEqual(yield* balance(bob), 5n)
      const receipt = yield* ask("GET", `/v2/tx/${body.transactionHash}`)
      assert.deepInclude(receipt.body, { status: "Committed", from: from.toLowerCase(), typeInt: 8 })
    }))

  it.scopedLive("answers a repeated key with the first answer, and refuses the key for other content", () =>
    Effect.gen(function*() {
      const { ask, balance, from } = yield* start
      const key = { "idempotency-key": "invoice-1" }
      const first = yield* ask("POST", "/v2/tx/value", payment(from), key)
      const second = yield* ask("POST", "/v2/tx/value", payment(from), key)
      assert.deepStrictEqual([second.status, second.text], [200, first.text])
      assert.strictEqual(yield* balance(bob), 5n)
      const other = yield* ask("POST", "/v2/tx/value", { ...payment(from), value: "0x6" }, key)
      assert.deepStrictEqual([other.status, other.body.code], [400, 1069400])
    }))

  it.scopedLive("gives the answer of a key to nobody but its caller", () =>
    Effect.gen(function*() {
      const { accessKeyId, ask, balance, from } = yield* start
      const key = { "idempotency-key": "invoice-2" }
      const { status, text } = yield* ask("POST", "/v2/tx/value", payment(from), key)
      assert.strictEqual(status, 200)
      const wrong = `Basic ${Buffer.from(`${accessKeyId}:${"x".repeat(43)}`).toString("base64")}`
      const other = yield* ask("POST", "/v2/tx/value", payment(from), { ...key, authorization: wrong })
      assert.deepStrictEqual([other.status, other.body.code], [401, 1010009])
      assert.notStrictEqual(other.text, text)
      // A stranger can't take a key of the caller either.
      yield* ask("POST", "/v2/tx/value", payment(bob), { "idempotency-key": "invoice-3", authorization: wrong })
      const next = yield* ask("POST", "/v2/tx/value", payment(from), { "idempotency-key": "invoice-3" })
      assert.strictEqual(next.status, 200)
      assert.strictEqual(yield* balance(bob), 10n)
    }))

  it.scopedLive("sends the same bytes again after a lost answer, and answers with their hash", () =>
    Effect.gen(function*() {
      const { ask, balance, chain, from, proxy } = yield* start
      let lost = 0
      proxy.answer = (seen, response) => {
        const passOn = fetch(proxy.target, {
          method: "POST",
          body: seen.body,
          headers: { "content-type": "application/json" }
        })
        passOn.then(async (answer) => {
          const text = await answer.text()
          if (seen.body.includes("sendRawTransaction") && lost++ === 0) return void response.destroy()
          response.writeHead(answer.status, { "content-type": "application/json" }).end(text)
        }).catch(() => response.destroy())
      }
      const { body, status } = yield* ask("POST", "/v2/tx/value", payment(from))
      assert.deepStrictEqual([status, body.status], [200, "Submitted"])
      assert.isAtLeast(lost, 1)
      assert.strictEqual(yield* balance(bob), 5n)
      assert.strictEqual(Option.getOrThrow(yield* chain.account(from)).nonce, 1n)
    }))

  it.scopedLive("refuses a database of another program, and leaves its file as it is", () =>
    Effect.gen(function*() {
      const { url } = yield* world.sandbox
      const database = yield* world.file("index.db")
      const other = yield* world.file("other.db")
      yield* Effect.scoped(CallerFile.open(other))
      copyFileSync(other, `${database}.wallet`)
      const before = readFileSync(other)
      const refused = yield* Effect.flip(open(database, `${url}/rpc/${world.chain}`))
      assert(refused._tag === "GatewayError")
      assert.deepStrictEqual([refused.reason, /another program/.test(refused.message)], ["Wallet", true])
      assert.isTrue(readFileSync(`${database}.wallet`).equals(before))
    }))

  it.scopedLive("keeps its files from other users", () =>
    Effect.gen(function*() {
      const { database } = yield* start
      const files = ["wallet", "wallet-wal", "wallet.key", "callers"].map((end) => `${database}.${end}`)
      assert.deepStrictEqual(files.map((file) => statSync(file).mode & 0o777), [0o600, 0o600, 0o600, 0o600])
    }))
})
