import * as Testing from "@effect-klaytn/core/Testing"
import * as NodeReport from "@effect-klaytn/node/NodeReport"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { maxRequests } from "../../src/internal/doctor/doctor.js"
import { klaytn } from "../support/terminal.js"

const key = "key-of-the-path"

/** A node of a chain, all of whose other methods are missing. */
const stepOf = (chainId: string, more: Readonly<Record<string, unknown>> = {}): Testing.Step => (sent) => {
  const calls: ReadonlyArray<{ readonly id: number; readonly method: string }> = [JSON.parse(sent.body ?? "")].flat()
  if (calls.length > 1) return Testing.json(413, {})(sent)
  const [{ id, method } = { id: 0, method: "" }] = calls
  const results: Readonly<Record<string, unknown>> = {
    eth_blockNumber: "0x10",
    eth_chainId: chainId,
    eth_getBlockByNumber: { timestamp: "0x0" },
    eth_getLogs: [],
    eth_syncing: false,
    debug_traceBlockByNumber: [],
    ...more
  }
  const result = results[method]
  const answer = result === undefined ? { error: { code: -32601, message: "no such method" } } : { result }
  return Testing.json(200, { jsonrpc: "2.0", id, ...answer })(sent)
}

const nodeOf = (chainId: string, more: Readonly<Record<string, unknown>> = {}) => Testing.wire(stepOf(chainId, more))

/** The address of a server that closed: the WebSockets go to the real network, and are refused there. */
const closedPort = Effect.async<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

const run = (chainId: string, ...more: Array<string>) =>
  Effect.flatMap(closedPort, (port) =>
    klaytn(["doctor", "--own-node", ...more], {
      wire: nodeOf(chainId),
      environment: { KLAYTN_OWN_NODE_URL: `http://127.0.0.1:${port}/${key}` }
    }))

describe("klaytn doctor --node", () => {
  it.effect("states how much it asks, shows what the node can do and the options that fit it, and no key", () =>
    Effect.gen(function*() {
      assert.strictEqual(maxRequests, NodeReport.maxRequests)
      const { code, error, out } = yield* run("0x2019")
      assert.strictEqual(code, 0)
      assert.strictEqual(error, `Asks the node at most ${maxRequests} requests, and only reads.\n`)
      assert.match(out, /^node +127\.0\.0\.1:\d+$/m)
      assert.match(out, /^chain +mainnet \(8217\)$/m)
      assert.match(out, /^prefixes +eth$/m)
      assert.match(out, /^log search +the whole chain$/m)
      assert.match(out, /^receipts by block +no$/m)
      // Node has WebSockets since version 22.
      assert.match(out, "WebSocket" in globalThis ? /^WebSocket +no$/m : /^WebSocket +not tried: needs Node 22$/m)
      assert.match(out, /Options that fit:\n {2}clients +Batching\.off\n {2}gateway +--trace\n$/)
      assert.notInclude(out, key)
      for (const line of out.split("\n")) assert.isAtMost(line.length, 80)
    }))

  it.effect("writes the same as JSON, with exit code 3 for a node of another chain", () =>
    Effect.gen(function*() {
      const { code, error, out } = yield* run("0x7a69", "--json")
      assert.deepStrictEqual([code, error], [3, ""])
      const { isUsable, options, report } = JSON.parse(out)
      assert.strictEqual(isUsable, false)
      assert.strictEqual(report.chainId, "31337")
      assert.deepStrictEqual(options, { batching: "off", trace: true, since: null })
      assert.notInclude(out, key)
      assert.strictEqual((yield* run("0x2019", "--chain", "1001")).code, 3)
    }))

  it.effect("tells a node that is still syncing, and a chain that is ahead of this machine's clock", () =>
    Effect.gen(function*() {
      const problemsWith = (more: Readonly<Record<string, unknown>>) =>
        Effect.map(
          klaytn(["doctor", "--node", "http://127.0.0.1:9"], { wire: nodeOf("0x2019", more) }),
          ({ code, out }) => ({ code, out, problems: out.replace(/\n {2}/g, " ").match(/^Wrong: .*$/gm) })
        )
      const usual = yield* problemsWith({})
      assert.deepStrictEqual([usual.code, usual.problems], [0, null])
      assert.match(usual.out, /^syncing +no$/m)
      assert.match(usual.out, /^reverts +no unknown words$/m)
      const syncing = yield* problemsWith({
        eth_syncing: { startingBlock: "0x0", currentBlock: "0x10", highestBlock: "0x4d2" }
      })
      assert.strictEqual(syncing.code, 3)
      assert.deepStrictEqual(syncing.problems, ["Wrong: the node is still syncing: at block 16 of 1,234."])
      assert.match(syncing.out, /^syncing +at block 16 of 1,234$/m)
      const ahead = yield* problemsWith({ eth_getBlockByNumber: { timestamp: "0x64" } })
      assert.strictEqual(ahead.code, 3)
      assert.match(ahead.out, /^newest block +100 seconds ahead of this clock$/m)
      assert.match(
        ahead.out.replace(/\s+/g, " "),
        /more than 60 seconds ahead of the clock of this machine: set the clock/
      )
    }))

  it.effect("says of something else than a node that it is none, and names the nodes of a sandbox", () =>
    Effect.gen(function*() {
      const page = Testing.text(200, "<html>", { "content-type": "text/html" })
      for (const answer of [page, Testing.json(404, { error: "no such page" }), Testing.json(501, {})]) {
        const { code, error } = yield* klaytn(["doctor", "--node", "http://127.0.0.1:9"], {
          wire: Testing.wire(answer)
        })
        assert.strictEqual(code, 2, error)
        assert.include(error, "127.0.0.1:9 answers, but this is no JSON-RPC node")
      }
      const sandbox = Testing.wire((sent) =>
        (sent.url.endsWith("/_sandbox/health")
          ? Testing.json(200, { status: "up", chains: [{}, {}] })
          : Testing.json(401, { code: 1010008, message: "invalid" }))(sent)
      )
      const { code, error } = yield* klaytn(["doctor", "--node", "http://127.0.0.1:9"], { wire: sandbox })
      assert.strictEqual(code, 2, error)
      assert.include(error, "127.0.0.1:9 is a sandbox")
      assert.include(error, "http://127.0.0.1:9/rpc/1001")
    }))

  it.effect("shows of a sandbox in what it differs from a node, and of a node nothing of it", () =>
    Effect.gen(function*() {
      const table = Testing.json(200, [{ here: "fees are burnt", node: "paid", why: "a reason" }])
      const ask = (client: string) => {
        const step = stepOf("0x2019", { web3_clientVersion: client })
        const wire = Testing.wire((sent) =>
          (sent.url === "http://127.0.0.1:9/_sandbox/deviations" ? table : step)(sent)
        )
        return klaytn(["doctor", "--node", "http://127.0.0.1:9/rpc/8217"], { wire })
      }
      const sandbox = yield* ask("anvil/effect-klaytn-sandbox/linux-x64/nodev24.0.0")
      assert.strictEqual(sandbox.code, 0, sandbox.error)
      assert.include(sandbox.out, "- fees are burnt; on a node: paid (a reason)\n")
      const node = yield* ask("Kaia/v2.2.1/linux-amd64/go1.24")
      assert.strictEqual(node.code, 0, node.error)
      assert.notInclude(node.out, "sandbox")
    }))

  it.scoped("names the credential of a node of one's own, and never advises itself", () =>
    Effect.gen(function*() {
      const ask = (status: number, body: unknown, url = "http://127.0.0.1:9", ...words: ReadonlyArray<string>) =>
        klaytn([...(words.length > 0 ? words : ["doctor"]), "--node", url], {
          wire: Testing.wire(Testing.json(status, body))
        })
      const none = yield* ask(401, {})
      assert.strictEqual(none.code, 4, none.error)
      assert.include(none.error, "no Authorization header was sent; set KLAYTN_OWN_NODE_AUTHORIZATION")
      const wrong = yield* ask(401, {}, "http://me:a-password@127.0.0.1:9")
      assert.strictEqual(wrong.code, 4, wrong.error)
      assert.match(wrong.error, /did not accept the credential \([0-9a-f]{12}\); check\s+KLAYTN_OWN_NODE_AUTHORIZATION/)
      const called = yield* ask(401, {}, "http://127.0.0.1:9", "call", "klay_blockNumber")
      assert.strictEqual(called.code, 4, called.error)
      const gateway = yield* ask(401, { code: 1010008, message: "The authorization header you provided is invalid." })
      assert.strictEqual(gateway.code, 2, gateway.error)
      assert.include(gateway.error, "127.0.0.1:9 is a gateway or the hosted service")
      assert.include(gateway.error, "set KLAYTN_NODE_URL=http://127.0.0.1:9 and its access key")
      const port = yield* closedPort
      const client = yield* HttpClient.HttpClient
      const silent = yield* klaytn(["doctor", "--node", `http://127.0.0.1:${port}`], { client, environment: {} })
      assert.strictEqual(silent.code, 5, silent.error)
      assert.include(silent.error, "look whether the node is running")
      const plain = yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((_, response) => void response.end())
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => void server.close())
      )
      const address = plain.address()
      const plainPort = typeof address === "object" ? address?.port : 0
      const https = yield* klaytn(["doctor", "--node", `https://127.0.0.1:${plainPort}`], { client, environment: {} })
      assert.include(https.error, "does not speak https")
      for (const { error } of [none, wrong, called, gateway, silent, https]) {
        assert.notInclude(error, "access key;")
        assert.notMatch(error, /-> klaytn doctor shows/)
        assert.notInclude(error, "a-password")
      }
    }).pipe(Effect.provide(FetchHttpClient.layer)))

  it.effect("asks for what is missing or contradicts itself before any request", () =>
    Effect.gen(function*() {
      for (const words of [["--own-node"], ["--node", "x"], ["--node", "http://127.0.0.1:1", "--sandbox"]]) {
        const wire = nodeOf("0x2019")
        const { code, out } = yield* klaytn(["doctor", ...words], { wire, environment: {} })
        assert.deepStrictEqual([code, out, wire.sent.length], [2, "", 0])
      }
    }))
})
