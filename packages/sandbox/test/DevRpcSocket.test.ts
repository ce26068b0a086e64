import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { request } from "node:http"
import { connect as openSocket } from "node:net"
import { socketLimits } from "../src/internal/rpc/socket.js"
import { mostSubscriptions } from "../src/internal/rpc/subscriptions.js"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"
import { connect, open } from "./support/socket.js"

const sandbox = Sandbox.layer({ seed: "devRpc socket", clock: { start: 1_600_000_000, step: 1 } })

/** Emits a log without topics when it is called. */
const logger = "0x5f5fa0"
const contract = `0x${"10".repeat(20)}`
const large = `0x${"12".repeat(20)}`
const elsewhere = `0x${"11".repeat(20)}`

layer(sandbox, { excludeTestServices: true })("A WebSocket connection", (it) => {
  it.scoped("answers calls and batches as over HTTP, the methods for development too", () =>
    Effect.gen(function*() {
      const connection = yield* open("/rpc/1001")
      assert.deepInclude(yield* connection.call(1, "eth_chainId"), { result: "0x3e9" })
      assert.deepInclude(yield* connection.call(2, "evm_mine"), { result: "0x0" })
      assert.deepInclude((yield* connection.call(3, "eth_teleport")).error, { code: -32601 })
      const other = yield* open("/rpc/8217")
      assert.deepInclude(yield* other.call(1, "eth_chainId"), { result: "0x2019" })
      connection.socket.send(JSON.stringify([{ jsonrpc: "2.0", id: 4, method: "eth_chainId" }]))
      assert.deepStrictEqual(
        yield* connection.next(Array.isArray),
        [{ jsonrpc: "2.0", id: 4, result: "0x3e9" }] as never
      )
    }))

  it.scoped("reports the hash of each transaction that the pool accepts, whether it waits or is in a block at once", () =>
    Effect.gen(function*() {
      const connection = yield* open("/rpc/1001")
      const [from = ""] = yield* DevRpc.texts("eth_accounts")
      const { result: id } = yield* connection.call(1, "eth_subscribe", "newPendingTransactions")
      const send = DevRpc.text("eth_sendTransaction", { from, to: elsewhere, gas: "0xc350" })
      const mined = yield* send
      assert.strictEqual<unknown>(yield* connection.told(id), mined)
      yield* DevRpc.call("evm_setAutomine", false)
      yield* DevRpc.failure("eth_sendTransaction", { from, to: elsewhere, gas: "0x1" })
      const waiting = yield* send
      assert.strictEqual<unknown>(yield* connection.told(id), waiting)
      yield* DevRpc.call("evm_setAutomine", true)
      // A node makes no subscription of whole transactions.
      assert.deepInclude((yield* connection.call(2, "eth_subscribe", "newPendingTransactions", true)).error, {
        message: "subscription not found"
      })
      assert.isUndefined((yield* connection.call(3, "eth_subscribe", "newPendingTransactions", false)).error)
      assert.match(
        (yield* connection.call(4, "eth_subscribe", "newHeads", true)).error?.message ?? "",
        /^too many arguments, want at most 1$/
      )
    }))

  it.scoped("reports one that waits for an earlier one when that is there, by a filter too", () =>
    Effect.gen(function*() {
      const connection = yield* open("/rpc/1001")
      const [, from = ""] = yield* DevRpc.texts("eth_accounts")
      const next = Number(yield* DevRpc.text("eth_getTransactionCount", from, "pending"))
      const { result: id } = yield* connection.call(1, "eth_subscribe", "newPendingTransactions")
      const filter = yield* DevRpc.text("klay_newPendingTransactionFilter")
      const send = (nonce: number) =>
        DevRpc.text("eth_sendTransaction", { from, to: elsewhere, gas: "0xc350", nonce: `0x${nonce.toString(16)}` })
      yield* DevRpc.call("evm_setAutomine", false)
      const later = yield* send(next + 1)
      assert.deepStrictEqual(yield* DevRpc.call("klay_getFilterChanges", filter), [])
      const first = yield* send(next)
      assert.strictEqual<unknown>(yield* connection.told(id), first)
      assert.strictEqual<unknown>(yield* connection.told(id), later)
      assert.deepStrictEqual(yield* DevRpc.call("klay_getFilterChanges", filter), [first, later])
      // One that is replaced has been told, too.
      const price = "0x1bf08eb000"
      const dearer = yield* DevRpc.text("eth_sendTransaction", {
        from,
        to: elsewhere,
        gas: "0xc350",
        nonce: `0x${next.toString(16)}`,
        gasPrice: price
      })
      assert.deepStrictEqual(yield* DevRpc.call("klay_getFilterChanges", filter), [dearer])
      assert.deepStrictEqual(yield* DevRpc.call("klay_getFilterChanges", filter), [])
      yield* DevRpc.call("evm_setAutomine", true)
    }))

  it.scoped("answers nothing to a message that is an answer", () =>
    Effect.gen(function*() {
      const connection = yield* open("/rpc/1001")
      connection.socket.send(JSON.stringify({ jsonrpc: "2.0", id: 7, result: 1 }))
      connection.socket.send(JSON.stringify({ jsonrpc: "2.0", id: 8, error: { code: 1, message: "no" } }))
      assert.deepInclude(yield* connection.call(9, "eth_chainId"), { id: 9, result: "0x3e9" })
      assert.strictEqual((yield* DevRpc.post(JSON.stringify({ jsonrpc: "2.0", id: 7, result: 1 }))).text, "")
    }))

  it.scoped("tells of each new block, and of logs that match, until that is ended", () =>
    Effect.gen(function*() {
      const connection = yield* open("/rpc/1001")
      const [from = ""] = yield* DevRpc.texts("eth_accounts")
      yield* DevRpc.call("hardhat_setCode", contract, logger)
      yield* DevRpc.call("hardhat_setCode", elsewhere, logger)
      const { result: heads } = yield* connection.call(1, "eth_subscribe", "newHeads")
      const { result: logs } = yield* connection.call(2, "eth_subscribe", "logs", { address: contract })
      const { result: all } = yield* connection.call(3, "eth_subscribe", "logs", {})
      const hashes = yield* Effect.forEach([elsewhere, contract], (to) =>
        DevRpc.text("eth_sendTransaction", { from, to, gas: "0xc350" }))
      const height = Number(yield* DevRpc.text("eth_blockNumber"))
      for (const number of [height - 1, height]) {
        const head = yield* connection.told(heads)
        const block = yield* DevRpc.object("eth_getBlockByNumber", `0x${number.toString(16)}`, false)
        assert.deepStrictEqual([head["number"], head["hash"], head["parentHash"]], [
          block["number"],
          block["hash"],
          block["parentHash"]
        ])
      }
      assert.include(yield* connection.told(logs), { address: contract, transactionHash: hashes[1] })
      assert.include(yield* connection.told(all), { address: elsewhere, transactionHash: hashes[0] })
      assert.include(yield* connection.told(all), { address: contract, transactionHash: hashes[1] })
      // Many blocks at once: none is left out.
      yield* DevRpc.call("hardhat_mine", 40)
      for (let index = 1; index <= 40; index++) {
        assert.strictEqual(Number((yield* connection.told(heads))["number"]), height + index)
      }
      assert.deepInclude(yield* connection.call(4, "eth_unsubscribe", heads), { result: true })
      assert.deepInclude((yield* connection.call(5, "eth_unsubscribe", heads)).error, { code: -32000 })
      yield* DevRpc.call("evm_mine")
      const marker = yield* connection.call(6, "eth_subscribe", "newHeads")
      yield* DevRpc.call("evm_mine")
      yield* connection.told(marker.result)
      const silent = yield* Effect.timeoutOption(connection.told(heads), "50 millis")
      assert.strictEqual(silent._tag, "None")
    }))

  it.scoped("goes on after a revert", () =>
    Effect.gen(function*() {
      const connection = yield* open("/rpc/1001")
      const snapshot = yield* DevRpc.text("evm_snapshot")
      const { result: heads } = yield* connection.call(1, "eth_subscribe", "newHeads")
      yield* DevRpc.call("hardhat_mine", 2)
      yield* connection.told(heads)
      const { number } = yield* connection.told(heads)
      yield* DevRpc.call("evm_revert", snapshot)
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(Number((yield* connection.told(heads))["number"]), Number(number) - 1)
    }))

  it.scoped("has a limit on its subscriptions and on the size of its messages, and refuses other kinds", () =>
    Effect.gen(function*() {
      const connection = yield* open("/rpc/1001")
      for (let id = 0; id < mostSubscriptions; id++) {
        assert.isString((yield* connection.call(id, "eth_subscribe", "newHeads")).result)
      }
      assert.deepInclude((yield* connection.call(1, "eth_subscribe", "logs", {})).error, { code: -32005 })
      const other = yield* open("/rpc/1001")
      assert.isString((yield* other.call(2, "eth_subscribe", "syncing")).result)
      for (const kind of ["constructor", ""]) {
        assert.deepStrictEqual((yield* other.call(2, "eth_subscribe", kind)).error, {
          code: -32601,
          message: `no "${kind}" subscription in eth namespace`
        })
      }
      const message = "expected subscription name as first argument"
      assert.deepStrictEqual((yield* other.call(2, "eth_subscribe")).error, { code: -32602, message })
      assert.match((yield* other.call(2, "eth_subscribe", "logs")).error?.message ?? "", /^missing value/)
      assert.deepInclude(
        (yield* other.call(3, "eth_subscribe", "logs", { fromBlock: "pending" })).error,
        { code: -32000, message: "pending logs are not supported" }
      )
      const ended = Effect.async<number>((resume) => {
        other.socket.on("close", (code) => resume(Effect.succeed(code)))
      })
      other.socket.send(" ".repeat(600 * 1024))
      assert.strictEqual(yield* ended, 1009)
    }))

  it.scoped("ends at what is no JSON", () =>
    Effect.gen(function*() {
      const { socket } = yield* open("/rpc/1001")
      const ended = Effect.async<void>((resume) => {
        socket.on("close", () => resume(Effect.void))
      })
      socket.send("{\"jsonrpc\":")
      yield* ended
    }))

  it.scoped("is refused to pages of other sites and under foreign names", () =>
    Effect.gen(function*() {
      yield* open("/rpc/1001", { origin: "http://localhost:5173" })
      const foreign = [
        { origin: "https://evil.example" },
        { origin: "null" },
        { host: "evil.example:8217" },
        { host: "evil.example:8217", origin: "http://evil.example:8217" }
      ]
      for (const headers of foreign) {
        assert.strictEqual(yield* connect("/rpc/1001", headers), 403, JSON.stringify(headers))
      }
      assert.strictEqual(yield* connect("/rpc/5"), 404)
    }))

  it.scoped("is cut when its client asks for much and reads nothing", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("hardhat_setCode", large, `0x${"00".repeat(250_000)}`)
      const { socket } = yield* open("/rpc/1001")
      const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getCode", params: [large, "latest"] })
      const ask = Effect.async<boolean>((resume) => {
        socket.send(call, (error) => resume(Effect.succeed(error === undefined || error === null)))
      })
      socket.pause()
      let asked = 0
      while (yield* ask) asked++
      assert.isAbove(asked, socketLimits.unread / 500_000)
      // The others go on.
      assert.deepInclude(yield* (yield* open("/rpc/1001")).call(1, "eth_chainId"), { result: "0x3e9" })
    }))

  it.scoped("is refused when there are too many", () =>
    Effect.gen(function*() {
      yield* Effect.scoped(Effect.gen(function*() {
        for (let count = 0; count < socketLimits.connections; count++) yield* open("/rpc/1001")
        assert.strictEqual(yield* connect("/rpc/8217"), 503)
      }))
      const again = Effect.repeat(Effect.scoped(connect("/rpc/1001")), {
        until: (opened) => typeof opened !== "number"
      })
      assert.isTrue(typeof (yield* Effect.timeout(Effect.orDie(again), "10 seconds")) !== "number")
    }))
})

layer(sandbox, { excludeTestServices: true })("A request that also wishes for another protocol", (it) => {
  it.effect("is answered as the request that it is, and so are those after it", () =>
    Effect.gen(function*() {
      const { url } = yield* Sandbox.Sandbox
      const post = (body: string, headers: Record<string, string>) =>
        Effect.async<readonly [number | undefined, string]>((resume) => {
          const sent = request(`${url}/rpc/1001`, { method: "POST", agent: false, headers }, (response) => {
            let text = ""
            response.on("data", (chunk) => {
              text += chunk
            })
            response.on("end", () => resume(Effect.succeed([response.statusCode, text])))
          })
          sent.end(body)
        })
      const padding = " ".repeat(100_000)
      const body = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" })}${padding}`
      const json = { "content-type": "application/json", "content-length": `${body.length}` }
      for (const connection of ["Upgrade, HTTP2-Settings", "upgrade", "keep-alive, Upgrade"]) {
        const headers = { ...json, connection, upgrade: "h2c", "http2-settings": "AAMAAABkAARAAAAAAAIAAAAA" }
        assert.deepStrictEqual(yield* post(body, headers), [
          200,
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"0x3e9\"}\n"
        ])
      }
      const withoutBody = { connection: "Upgrade", upgrade: "h2c" }
      assert.strictEqual((yield* post("", { ...withoutBody, "content-type": "text/plain" }))[0], 415)
    }))

  it.effect("is not made by requests to upgrade to HTTP/2 that come one behind the other: all are answered in order", () =>
    Effect.gen(function*() {
      const { url } = yield* Sandbox.Sandbox
      const { port } = new URL(url)
      const piled: Array<string> = []
      const note = ({ name }: Error): void => void piled.push(name)
      process.on("warning", note)
      const asked = Array.from({ length: 60 }, (_, id) => id)
      const text = asked.map((id) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id, method: "eth_chainId" })
        const upgrade = id % 3 === 0
          ? ""
          : "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n"
        return `POST /rpc/1001 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${upgrade}Content-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`
      }).join("")
      const answered = yield* Effect.async<ReadonlyArray<number>>((resume) => {
        let received = ""
        const socket = openSocket(Number(port), "127.0.0.1", () => socket.write(text))
        socket.on("data", (part) => {
          received += part.toString()
          const ids = [...received.matchAll(/"id":(\d+),"result":"0x3e9"\}/g)].map(([, id]) => Number(id))
          if (ids.length === asked.length) {
            socket.destroy()
            resume(Effect.succeed(ids))
          }
        })
      })
      process.off("warning", note)
      assert.deepStrictEqual(answered, asked)
      assert.deepStrictEqual(piled, [])
    }))
})
