import * as Generator from "@effect-klaytn/sandbox/Generator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"
import * as world from "./support/world.js"

/** A chain of some transfers of every kind. */
const chainOf = Effect.gen(function*() {
  const sandbox = yield* world.sandbox
  const chain = sandbox.chains.chain(world.chain)
  const { accounts, tokens } = yield* Generator.generate(chain, { seed: "gateway", transfers: 60, accounts: 4 })
  const { accessKeyId, secretAccessKey } = sandbox
  const pair = Buffer.from(`${accessKeyId}:${Redacted.value(secretAccessKey)}`).toString("base64")
  const headers = { authorization: `Basic ${pair}`, "x-chain-id": `${world.chain}` }
  return {
    sandbox,
    chain,
    url: `${sandbox.url}/rpc/${world.chain}`,
    paths: [
      ...accounts.flatMap(({ address }) => [
        `/v2/transfer/account/${address}?size=1000`,
        `/v2/account/${address}/token?kind=ft,nft,mt`,
        `/v2/contract/mt/${tokens.mt.address}/owner/${address}`
      ]),
      "/v2/contract/ft",
      `/v2/contract/nft/${tokens.nft.address}/token`,
      `/v2/transfer/account/not-an-address`
    ],
    /** What the sandbox itself answers. */
    expected: (path: string) => world.send(`${sandbox.url}${path}`, { headers })
  }
})

/** A body without what is different for each request. */
const shown = (text: string): unknown =>
  JSON.parse(text, (name, value: unknown) => name === "requestId" || name === "cursor" ? typeof value : value)

const messageOf = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.map(
    Effect.flip(effect),
    (error) => error instanceof Error && "reason" in error ? [error.reason, error.message] : error
  )

describe("a gateway", () => {
  it.scopedLive("serves what the service serves, and follows the node, also after blocks were reverted", () =>
    Effect.gen(function*() {
      const { chain, expected, paths, sandbox, url } = yield* chainOf
      const gateway = yield* world.open(url)
      yield* world.ready(gateway)
      const compare = Effect.forEach(paths, (path) =>
        Effect.gen(function*() {
          const [one, two] = [yield* expected(path), yield* world.send(`${gateway.url}${path}`)]
          assert.deepStrictEqual([path, two.status, shown(two.text)], [path, one.status, shown(one.text)])
        }))
      yield* world.reached(gateway, (yield* chain.head).number)
      yield* compare
      const control = sandbox.control.chain(world.chain)
      const snapshot = yield* control.snapshot
      yield* control.transfer({ from: "alice", to: "bob", amount: 1n })
      yield* world.reached(gateway, (yield* chain.head).number)
      yield* control.revert(snapshot)
      yield* control.transfer({ from: "alice", to: "carol", amount: 2n })
      yield* control.transfer({ from: "alice", to: "dave", amount: 3n })
      yield* world.reached(gateway, (yield* chain.head).number)
      yield* compare
      assert.strictEqual((yield* gateway.status).index.blocksReverted, 1)
    }))

  it.scopedLive("is for one chain: a request may name it or leave it out", () =>
    Effect.gen(function*() {
      const { paths, url } = yield* chainOf
      const gateway = yield* world.open(url)
      yield* world.ready(gateway)
      const statusOf = (headers: Record<string, string>) =>
        Effect.map(world.send(`${gateway.url}${paths[0]}`, { headers }), ({ status }) => status)
      assert.strictEqual(yield* statusOf({}), 200)
      assert.strictEqual(yield* statusOf({ "x-chain-id": "1001" }), 200)
      assert.strictEqual(yield* statusOf({ "x-chain-id": "8217" }), 400)
      assert.strictEqual(yield* statusOf({ "x-chain-id": "01001" }), 400)
      const { text } = yield* world.send(`${gateway.url}${paths[0]}`, { headers: { "x-chain-id": "8217" } })
      assert.include(
        JSON.parse(text).message,
        "x-chain-id: this is chain 1001, and the request names \"8217\"; set KLAYTN_CHAIN_ID=1001"
      )
    }))

  it.scopedLive("refuses what it does not serve in the service's form, the wallet included", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      const gateway = yield* world.open(url)
      for (const [method, path] of [["GET", "/"], ["POST", "/v2/account"], ["GET", "/v2/tx/0x"], ["POST", "/health"]]) {
        const { status, text } = yield* world.send(`${gateway.url}${path}`, { method: method ?? "" })
        assert.strictEqual(status, 400, path)
        const { code, message } = JSON.parse(text)
        assert.strictEqual(code, 1_010_007)
        assert.match(message, /no wallet/)
      }
    }))

  it.scopedLive("keeps its index, its beginning and its cursors in the file, and goes on there", () =>
    Effect.gen(function*() {
      const { chain, paths, url } = yield* chainOf
      const database = yield* world.file("index.db")
      const { number } = yield* chain.head
      const list = `${paths[0]?.replace("1000", "1")}&range=0x1,`
      const { cursor, id } = yield* Effect.scoped(Effect.gen(function*() {
        const gateway = yield* world.open(url, { database, since: { block: 1 } })
        yield* world.ready(gateway)
        assert.strictEqual((yield* gateway.status).index.blocksIndexed, number)
        const again = yield* messageOf(Effect.scoped(world.open(url, { database })))
        assert.deepStrictEqual(again, [
          "Locked",
          `${database}: another gateway or program has it open; stop that one or choose another file`
        ])
        const { headers, text } = yield* world.send(`${gateway.url}${list}`)
        return { cursor: String(JSON.parse(text).cursor), id: headers.get("x-index-id") }
      }))
      const gateway = yield* world.open(url, { database })
      yield* world.ready(gateway)
      const { index } = yield* gateway.status
      assert.deepInclude(index, { from: 1, blocksIndexed: 0 })
      const next = yield* world.send(`${gateway.url}${list}&cursor=${cursor}`)
      assert.strictEqual(next.status, 200)
      // The same index at another address, and another index of the chain.
      assert.match(id ?? "", /^[0-9a-f]{32}-[0-9a-f]{32}$/)
      assert.strictEqual(next.headers.get("x-index-id"), id)
      const other = yield* world.open(url, { since: { block: 1 } })
      yield* world.ready(other)
      const otherId = (yield* world.send(`${other.url}${list}`)).headers.get("x-index-id")
      assert.deepStrictEqual([otherId?.slice(0, 32), otherId === id], [id?.slice(0, 32), false])
    }))

  it.scopedLive("does not start with another beginning or another chain than those of the file", () =>
    Effect.gen(function*() {
      const { chain, sandbox, url } = yield* chainOf
      const database = yield* world.file("index.db")
      const second = (yield* chain.head).timestamp
      yield* Effect.scoped(world.open(url, { database, since: { block: 3 } }))
      const refused = (options: Parameters<typeof world.open>[1], node = url) =>
        messageOf(Effect.scoped(world.open(node, { database, ...options })))
      assert.deepStrictEqual(yield* refused({ since: { block: 2 } }), [
        "Start",
        "the index has another scope: it begins at block 3, not 2. Start with the scope that the index was created with, " +
        "or with another database file"
      ])
      assert.deepStrictEqual(yield* refused({ chain: 8217 }), [
        "Chain",
        "the index has chain 1001, and the options say 8217"
      ])
      assert.deepStrictEqual(yield* refused({}, `${sandbox.url}/rpc/8217`), [
        "Chain",
        "the node is on chain 8217, and the index has chain 1001"
      ])
      assert.deepStrictEqual(yield* refused({ database: ":memory:", since: { second: second + 1 } }), [
        "Start",
        "the chain has no block at that date yet"
      ])
    }))

  it.scopedLive("begins at a date", () =>
    Effect.gen(function*() {
      const { chain, url } = yield* chainOf
      const { timestamp, number } = yield* chain.head
      const gateway = yield* world.open(url, { since: { second: timestamp - 1 } })
      yield* world.ready(gateway)
      const { index } = yield* gateway.status
      assert.deepInclude(index, { from: number - 1, blocksIndexed: 2 })
      assert.include(index.notIndexed, `blocks before ${number - 1}`)
    }))

  it.scopedLive("keeps what concerns some accounts, and refuses the rest", () =>
    Effect.gen(function*() {
      const { chain, sandbox, url } = yield* chainOf
      const [alice, bob] = [sandbox.chains.account("alice").address, sandbox.chains.account("bob").address]
      yield* chain.fund(alice, 5n)
      const gateway = yield* world.open(url, { accounts: [alice] })
      yield* world.ready(gateway)
      const search = (address: string) => world.send(`${gateway.url}/v2/transfer/account/${address}?kind=klay`)
      const { status, text } = yield* search(alice)
      assert.deepStrictEqual([status, JSON.parse(text).items[0].value], [200, "0x5"])
      const refused = yield* search(bob)
      assert.deepStrictEqual([refused.status, JSON.parse(refused.text).code], [400, 1_049_400])
      assert.includeMembers([...(yield* gateway.status).index.notIndexed], ["accounts but 1", "contracts but 0"])
      assert.deepStrictEqual(yield* messageOf(Effect.scoped(world.open(url, { accounts: ["0x1"] }))), [
        "Start",
        "accounts.0: expected an address as 0x and 40 hexadecimal digits"
      ])
    }))

  it.scopedLive("asks the node to trace if that is wanted", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      const proxy = yield* world.proxyOf(url)
      const gateway = yield* world.open(proxy.url, { trace: true })
      yield* world.ready(gateway)
      assert.deepStrictEqual((yield* gateway.status).index.notIndexed, ["the wallet"])
      const bodies = proxy.seen.map(({ body }) => body).join()
      assert.include(bodies, "\"method\":\"debug_traceBlockByHash\"")
    }))

  it.scopedLive("says so if the node can't trace", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      const proxy = yield* world.proxyOf(url)
      const missing = { code: -32601, message: "the method debug_traceTransaction does not exist/is not available" }
      proxy.answer = ({ body }, response) => {
        const asked = JSON.parse(body) as { readonly id: number } | ReadonlyArray<{ readonly id: number }>
        const refused = [asked].flat().map(({ id }) => ({ jsonrpc: "2.0", id, error: missing }))
        const answered = body.includes("debug_")
          ? Promise.resolve(JSON.stringify(Array.isArray(asked) ? refused : refused[0]))
          : fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } }).then((one) =>
            one.text()
          )
        answered.then((text) => response.writeHead(200, { "content-type": "application/json" }).end(text), () => {
          response.destroy()
        })
      }
      const gateway = yield* world.open(proxy.url, { trace: true })
      yield* world.until(Effect.map(gateway.status, ({ node }) => node.failure !== undefined))
      const { index, node } = yield* gateway.status
      assert.match(node.failure ?? "", /^debug_traceTransaction of the node: .*does not exist/)
      assert.isUndefined(index.head)
      assert.deepStrictEqual(index.notIndexed, ["the wallet"])
      const bodies = proxy.seen.map(({ body }) => body).join()
      assert.include(bodies, "\"method\":\"debug_traceBlockByHash\"")
    }))

  it.scopedLive("keeps in the file whether the node is asked to trace: no part of an index lacks what another has", () =>
    Effect.gen(function*() {
      const { url } = yield* world.sandbox
      const node = `${url}/rpc/${world.chain}`
      const database = yield* world.file("index.db")
      yield* Effect.scoped(Effect.flatMap(world.open(node, { database, trace: true }), world.ready))
      assert.deepStrictEqual(yield* messageOf(Effect.scoped(world.open(node, { database, trace: false }))), [
        "Start",
        "the index has the coin that contracts move. Start with the options that the index was created with, or with " +
        "another database file"
      ])
      const { status } = yield* world.open(node, { database })
      assert.deepStrictEqual((yield* status).index.notIndexed, ["the wallet"])
    }))

  it.scopedLive("without a credential is reached from this machine alone, and by no page of another site", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      assert.match(
        `${yield* messageOf(Effect.scoped(world.open(url, { host: "0.0.0.0" })))}`,
        /^Host,.* this machine only/
      )
      assert.match(
        `${yield* messageOf(Effect.scoped(world.open(url, { host: "node.example" })))}`,
        /^Host,.* no IP address/
      )
      const gateway = yield* world.open(url, { host: "localhost" })
      const foreign = [
        { host: "evil.example" },
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" }
      ]
      for (const headers of foreign) {
        for (const path of ["/health", "/status", "/v1/klaytn"]) {
          const status = yield* world.statusOf(`${gateway.url}${path}`, headers)
          assert.strictEqual(status, 403, path)
        }
      }
      assert.strictEqual(yield* world.statusOf(`${gateway.url}/health`, { origin: "http://localhost:5173" }), 200)
    }))

  it.scopedLive("gives the URL of an IPv6 address with brackets", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      const gateway = yield* world.open(url, { host: "::1" })
      assert.match(gateway.url, /^http:\/\/\[::1\]:\d+$/)
      assert.strictEqual((yield* world.send(`${gateway.url}/health`)).status, 200)
    }))

  it.scopedLive("says what else listens on its port", () =>
    Effect.gen(function*() {
      const { sandbox, url } = yield* chainOf
      const port = Number(new URL(sandbox.url).port)
      assert.deepStrictEqual(yield* messageOf(Effect.scoped(world.open(url, { port }))), [
        "Listen",
        `cannot listen on port ${port} of 127.0.0.1: something else listens there already; 0 takes a free port`
      ])
    }))

  it.scopedLive("never fetches the URI of a token", () =>
    Effect.gen(function*() {
      const visits: Array<string> = []
      const listener = yield* Effect.acquireRelease(
        Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
          const server = createServer((request, response) => {
            visits.push(request.url ?? "")
            response.end("{}")
          })
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            const port = address === null || typeof address === "string" ? 0 : address.port
            resume(Effect.succeed({ port, close: () => server.close() }))
          })
        }),
        ({ close }) => Effect.sync(close)
      )
      const sandbox = yield* world.sandbox
      const control = sandbox.control.chain(world.chain)
      const uri = `http://127.0.0.1:${listener.port}/token`
      const token = yield* control.deploy({ kind: "nft", from: "alice", name: "Note", symbol: "NT" })
      yield* control.mint(token.address, { kind: "nft", from: "alice", to: "alice", tokenId: 1n, uri })
      const gateway = yield* world.open(`${sandbox.url}/rpc/${world.chain}`)
      yield* world.ready(gateway)
      yield* world.reached(gateway, (yield* sandbox.chains.chain(world.chain).head).number)
      const { text } = yield* world.send(`${gateway.url}/v2/contract/nft/${token.address}/token/0x1`)
      assert.include(text, uri)
      assert.deepStrictEqual(visits, [])
    }))
})
