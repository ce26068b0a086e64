import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Client from "../../../core/test/support/client.js"
import * as KlaytnNode from "../../src/KlaytnNode.js"

type Handler = (body: string, request: IncomingMessage, response: ServerResponse) => void

/** A server on loopback; `closed` counts the connections that the client gave up. */
const serve = (handler: Handler) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly closed: () => number }>((resume) => {
      let closed = 0
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk: Buffer) => body += chunk.toString())
        request.on("end", () => handler(body, request, response))
        response.on("close", () => {
          if (!response.writableEnded) closed++
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, closed: () => closed, server }))
      })
    }),
    (server) =>
      Effect.sync(() =>
        "server" in server &&
        (server.server as { closeAllConnections: () => void; close: () => void }).closeAllConnections()
      )
  )

const layer = (url: string) =>
  KlaytnNode.layer().pipe(
    Layer.provide(ClientConfig.layer({ ...Client.options, endpoints: { node: url } })),
    Layer.provide(FetchHttpClient.layer)
  )

const answer: Handler = (body, request, response) => {
  const requests = [JSON.parse(body) as unknown].flat() as ReadonlyArray<
    { readonly id: number; readonly method: string }
  >
  const answers = requests.map(({ id }) => ({ jsonrpc: "2.0", id, result: `0x${id.toString(16)}` })).reverse()
  response.writeHead(request.url === "/v1/klaytn" ? 200 : 404, { "content-type": "application/json" })
  response.end(JSON.stringify(body.startsWith("[") ? answers : answers[0]))
}

describe("a node on loopback, through fetch", () => {
  it.live("answers a hundred callers out of order over one request", () =>
    Effect.gen(function*() {
      let requests = 0
      const server = yield* serve((...args) => {
        requests++
        answer(...args)
      })
      const accounts = Array.from({ length: 100 }, (_, i) => `0x${i.toString(16).padStart(40, "0")}`)
      const balances = yield* Effect.flatMap(KlaytnNode.KlaytnNode, (node) =>
        Effect.forEach(accounts, (account) => node.klay.getBalance(account), { concurrency: "unbounded" })).pipe(
          Effect.provide(layer(server.url))
        )
      assert.deepStrictEqual(
        balances.map(Number),
        accounts.map((_, i) =>
          i + 1
        )
      )
      assert.strictEqual(requests, 1)
    }).pipe(Effect.scoped))

  it.live("may be configured with the whole path", () =>
    Effect.gen(function*() {
      const server = yield* serve(answer)
      const height = yield* Effect.flatMap(KlaytnNode.KlaytnNode, (node) => node.klay.blockNumber()).pipe(
        Effect.provide(layer(`${server.url}/v1/klaytn/`))
      )
      assert.strictEqual(height, 1n)
    }).pipe(Effect.scoped))

  it.live("sees the connection end when the last caller is interrupted", () =>
    Effect.gen(function*() {
      let arrived = 0
      const server = yield* serve(() => {
        arrived++
      })
      const until = (done: () => boolean): Effect.Effect<void> =>
        Effect.suspend(() => done() ? Effect.void : Effect.zipRight(Effect.sleep("5 millis"), until(done)))
      yield* Effect.gen(function*() {
        const node = yield* KlaytnNode.KlaytnNode
        const fibers = yield* Effect.forEach([node.klay.blockNumber(), node.klay.gasPrice()], Effect.fork)
        yield* until(() => arrived === 1)
        yield* Fiber.interruptAll(fibers)
        yield* until(() => server.closed() === 1)
      }).pipe(Effect.provide(layer(server.url)), Effect.timeout("10 seconds"))
      assert.strictEqual(server.closed(), 1)
    }).pipe(Effect.scoped))
})
