import { StoreFailure } from "@effect-klaytn/custody/CustodyError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { copyFileSync, readFileSync, statSync } from "node:fs"
import { databases } from "../../engine/test/support/databases.js"
import * as CallerFile from "../src/CallerFile.js"
import type * as Gateway from "../src/Gateway.js"
import { callers, presets } from "../src/internal/command.js"
import * as commands from "../src/internal/walletCommands.js"
import { whyClosed } from "../src/internal/walletRoute.js"
import { status } from "../src/internal/walletStatus.js"
import { key, klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

/** A place for an index and a wallet, on each database. */
const places = databases.map(([name, open]) =>
  [
    name,
    name === "SQLite" ? world.file("index.db") : Effect.map(open, ({ url }) => Redacted.value(url))
  ] as const
)

/** A funded account of a gateway's wallet, and what the chain behind it has. */
const startOn = Effect.fnUntraced(function*(place: typeof places[number][1], options?: Partial<Gateway.Options>) {
  const sandbox = yield* world.sandbox
  const chain = sandbox.chains.chain(world.chain)
  const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
  const database = yield* place
  const opened = yield* open(database, proxy.url, options)
  const { body: { address } } = yield* opened.ask("POST", "/v2/account", {})
  const from: `0x${string}` = address
  yield* chain.fund(from, 100n * klay)
  const balance = (of: `0x${string}`) =>
    Effect.map(chain.account(of), Option.match({ onNone: () => 0n, onSome: (account) => account.balance }))
  return { ...opened, chain, proxy, database, from, balance }
})

const payment = (from: string) => ({ from, to: bob, value: "0x5", submit: true })

describe.each(places)("a gateway's wallet on %s", (_, place) => {
  const start = startOn(place)

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

  it.scopedLive("names both chains to a client of another one, and what to set", () =>
    Effect.gen(function*() {
      const { ask } = yield* start
      for (const [method, path, body] of [["GET", "/v2/account"], ["POST", "/v2/account", {}]] as const) {
        const answer = yield* ask(method, path, body, { "x-chain-id": "8217" })
        assert.deepStrictEqual([answer.status, answer.body.code], [400, 1061615])
        assert.include(
          answer.body.message,
          "this is chain 1001, and the request names \"8217\"; set KLAYTN_CHAIN_ID=1001"
        )
      }
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

  it.scopedLive("gives the answer of a key to nobody who has the caller's name without a right for the wallet", () =>
    Effect.gen(function*() {
      const { ask, database, from, name } = yield* start
      const key = { "idempotency-key": "invoice-2" }
      assert.strictEqual((yield* ask("POST", "/v2/tx/value", payment(from), key)).status, 200)
      yield* callers.revoke(database, name)
      const reader = yield* callers.add(database, name, { rights: ["read"] })
      const pair = Buffer.from(`${reader.accessKeyId}:${reader.secretAccessKey}`).toString("base64")
      const again = { ...key, authorization: `Basic ${pair}` }
      const asked = ask("POST", "/v2/tx/value", payment(from), again)
      // A process reads the callers of a server once a second.
      yield* world.until(Effect.map(asked, ({ status }) => status !== 401))
      const other = yield* asked
      assert.deepStrictEqual([other.body.code, other.body.transactionHash], [1019403, undefined])
    }))

  it.scopedLive("sends the same bytes again after a lost answer, and answers with their hash", () =>
    Effect.gen(function*() {
      const { ask, balance, chain, from, proxy } = yield* start
      let lost = 0
      proxy.answer = ({ body }, response) =>
        proxy.passOn(body, response, () => body.includes("sendRawTransaction") && lost++ === 0)
      const { body, status } = yield* ask("POST", "/v2/tx/value", payment(from))
      assert.deepStrictEqual([status, body.status], [200, "Submitted"])
      assert.isAtLeast(lost, 1)
      assert.strictEqual(yield* balance(bob), 5n)
      assert.strictEqual(Option.getOrThrow(yield* chain.account(from)).nonce, 1n)
    }))

  it.scopedLive("passes nothing on to the node that the wallet has signed, while the wallet is frozen", () =>
    Effect.gen(function*() {
      const { ask, balance, database, from } = yield* startOn(place)
      const source = { key: Redacted.value(key) }
      const { body: { rlp } } = yield* ask("POST", "/v2/tx/value", { ...payment(from), submit: false })
      const calls = [
        { jsonrpc: "2.0", id: 1, method: "klay_sendRawTransaction", params: [rlp] },
        { jsonrpc: "2.0", id: 2, method: "klay_chainID", params: [] }
      ]
      yield* commands.freeze(database, source)
      const { body: [refused, read] } = yield* ask("POST", "/v1/klaytn", calls)
      assert.deepStrictEqual([refused.id, refused.error.code, read.result], [1, -32003, "0x3e9"])
      assert.match(refused.error.message, /frozen/)
      assert.strictEqual(yield* balance(bob), 0n)
      yield* commands.unfreeze(database, source)
      const { body: [taken] } = yield* ask("POST", "/v1/klaytn", calls)
      assert.match(taken.result, /^0x[0-9a-f]{64}$/)
      assert.strictEqual(yield* balance(bob), 5n)
    }))

  it.effect("passes nothing on either while it is not known whether the wallet is frozen", () =>
    Effect.gen(function*() {
      const frozen = Effect.fail(new StoreFailure({ operation: "frozen", cause: new Error("no answer") }))
      assert.match((yield* whyClosed({ frozen })) ?? "", /^it is not known/)
    }))

  it.scopedLive("has the pools of its options, whose callers see no other account on any page", () =>
    Effect.gen(function*() {
      const wallet = { feePayerStyle: "paths", key, pools: ["shop"] } as const
      const { accessKeyId: _id, ask, database, from, gateway } = yield* startOn(place, { wallet })
      const added = yield* callers.add(database, "shop", { rights: ["read", "wallet"], pools: ["shop"] })
      const authorization = `Basic ${Buffer.from(`${added.accessKeyId}:${added.secretAccessKey}`).toString("base64")}`
      const krn = `krn:1001:wallet:${gateway.wallet?.accountId}:account-pool:shop`
      const made = ask("POST", "/v2/account", {}, { authorization, "x-krn": krn })
      yield* world.until(Effect.map(made, ({ status }) => status === 200))
      // A send that waits for the nonce before it.
      const waiting = yield* ask("POST", "/v2/tx/value", { ...payment(from), nonce: 4 })
      assert.strictEqual(waiting.status, 200, waiting.text)
      const own = yield* ask("GET", "/status")
      assert.deepStrictEqual(own.body.wallet.oldestSends.map(({ account }: { account: string }) => account), [
        from.toLowerCase()
      ])
      const part = yield* ask("GET", "/status", undefined, { authorization })
      assert.deepStrictEqual([part.body.wallet.sendsUnderWay, part.body.wallet.oldestSends], [1, []])
      const metrics = yield* ask("GET", "/metrics", undefined, { authorization })
      assert.deepStrictEqual([metrics.status, metrics.text.includes(from.slice(2).toLowerCase())], [403, false])
      const refused = yield* Effect.flip(startOn(place, { wallet: { ...wallet, pools: ["a b"] } }))
      assert.match(String(refused), /"a b" can't name a pool/)
    }))
})

describe.each(places.slice(1))("the wallet of many gateways on %s", (_, place) => {
  const many = Effect.gen(function*() {
    // On a busy machine fifteen sends of one account take longer than a request has by default.
    const options = { wallet: { feePayerStyle: "paths", key, patience: "1 minute" } } as const
    const first = yield* startOn(place, options)
    const others = yield* Effect.forEach([1, 2], () => open(first.database, first.proxy.url, options))
    return { ...first, asks: [first, ...others].map(({ ask }) => ask), others }
  })

  it.scopedLive("sends from one account in every process, each nonce once", () =>
    Effect.gen(function*() {
      const { asks, balance, chain, from } = yield* many
      const sent = yield* Effect.forEach(
        Array.from({ length: 15 }, (_, number) => asks[number % 3] ?? assert.fail("no process")),
        (ask) => ask("POST", "/v2/tx/value", payment(from)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(sent.flatMap(({ status, text }) => status === 200 ? [] : [text]), [])
      assert.strictEqual(new Set(sent.map(({ body }) => body.transactionHash)).size, 15)
      assert.strictEqual(yield* balance(bob), 75n)
      assert.strictEqual(Option.getOrThrow(yield* chain.account(from)).nonce, 15n)
    }))

  it.scopedLive("pays once for a key that all processes get at the same time", () =>
    Effect.gen(function*() {
      const { accessKeyId: _id, ask, balance, database, from, proxy } = yield* startOn(place)
      const second = yield* world.start({
        node: { url: proxy.url },
        database,
        chain: world.chain,
        wallet: { feePayerStyle: "paths", key }
      })
      const headers = { "idempotency-key": "invoice-9" }
      const twice = yield* Effect.all([
        ask("POST", "/v2/tx/value", payment(from), headers),
        ask("POST", "/v2/tx/value", payment(from), headers, second.url),
        ask("POST", "/v2/tx/value", payment(from), headers, second.url)
      ], { concurrency: "unbounded" })
      assert.deepStrictEqual(twice.map(({ status }) => status), [200, 200, 200])
      assert.strictEqual(new Set(twice.map(({ text }) => text)).size, 1)
      assert.strictEqual(yield* balance(bob), 5n)
    }))

  it.scopedLive(
    "is frozen, checked and described by the commands, with the presets and the rights of callers",
    () =>
      Effect.gen(function*() {
        const { ask, database, from, gateway } = yield* startOn(place)
        const source = { key: Redacted.value(key) }
        yield* commands.freeze(database, source)
        assert.strictEqual((yield* ask("POST", "/v2/tx/value", payment(from))).status, 400)
        assert.isDefined((yield* status(database)).frozen)
        yield* commands.unfreeze(database, source)
        assert.strictEqual((yield* ask("POST", "/v2/tx/value", payment(from))).status, 200)
        assert.isAbove((yield* commands.verifyAudit(database, source))?.number ?? 0, 2)
        const preset = yield* presets.add(database, { name: "shops", accounts: [from] })
        assert.deepStrictEqual((yield* gateway.presets.list).map(({ id, name }) => [id, name]), [[preset.id, "shops"]])
        yield* presets.remove(database, preset.id)
        assert.deepStrictEqual(yield* presets.list(database), [])
        const { accessKeyId, secretAccessKey } = yield* callers.add(database, "reader")
        const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
        yield* world.until(
          Effect.map(
            ask("GET", `/v2/account/${from}`, undefined, { authorization }),
            ({ body, status }) => status === 400 && /no right/.test(String(body.message))
          )
        )
        const refused = yield* Effect.flip(commands.verifyAudit(database, { key: "0b".repeat(32) }))
        assert.strictEqual(refused.reason, "Wallet")
        assert.notInclude(refused.message, "postgres://")
        assert.match(
          refused.message,
          /another master key: KLAYTN_WALLET_KEY, or the key of the options, has not the key/
        )
      }),
    60_000
  )
})

describe("the file of a gateway's wallet", () => {
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
      const { database } = yield* startOn(world.file("index.db"))
      const files = ["wallet", "wallet-wal", "wallet.key", "callers"].map((end) => `${database}.${end}`)
      assert.deepStrictEqual(files.map((file) => statSync(file).mode & 0o777), [0o600, 0o600, 0o600, 0o600])
    }))
})
