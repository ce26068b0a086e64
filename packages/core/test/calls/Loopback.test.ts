import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Testing from "@effect-klaytn/core/Testing"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type { HttpClient } from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { gzipSync } from "node:zlib"
import * as Client from "../support/client.js"
import { nobody, serve } from "../support/loopback.js"
import * as Thing from "../support/thing.js"
import * as undici from "../support/undici.js"

const make = (
  history: string,
  more: Partial<ClientConfig.Options> = {},
  http: Layer.Layer<HttpClient> = FetchHttpClient.layer
) =>
  ServiceClient.make("history").pipe(
    Effect.provide(http),
    Effect.provide(
      ClientConfig.layer({ ...Client.options, retry: RetryPolicy.none, ...more, endpoints: { history } })
    )
  )

const good = JSON.stringify(Thing.thing)

describe.each([["fetch", FetchHttpClient.layer], ["undici", undici.layer]])("over a real socket by %s", (_, http) => {
  const made = (url: string, more?: Partial<ClientConfig.Options>) => make(url, more, http)

  it.scopedLive("a call sends its request and reads its answer", () =>
    Effect.gen(function*() {
      const server = yield* serve((_, response) => response.end(good))
      const client = yield* made(`${server.url}/prefix`)
      assert.deepStrictEqual(yield* client.call(Thing.getThing, Thing.theThing), Thing.thing)
      assert.deepStrictEqual(yield* client.call(Thing.putThing("once"), Thing.aValue), Thing.thing)
      assert.deepStrictEqual(server.requests, [
        { method: "GET", path: "/prefix/v2/thing/1", body: "" },
        { method: "POST", path: "/prefix/v2/thing", body: "{\"value\":\"7\"}" }
      ])
    }))

  it.scopedLive("a refused connection proves that nothing was sent: even a change made once only is repeated", () =>
    Effect.gen(function*() {
      const url = yield* nobody
      const client = yield* made(url, { retry: RetryPolicy.make({ attempts: 3, baseDelay: 0 }) })
      const error = yield* client.call(Thing.putThing("once"), Thing.aValue).pipe(Client.failsAs("TransportFailed"))
      assert.strictEqual(error.reason, "ECONNREFUSED")
      assert.isFalse(error.sent)
      assert.strictEqual(error.attempts.length, 3)
    }))

  it.scopedLive("a connection that breaks after the request was read leaves a change in doubt, and is not repeated", () =>
    Effect.gen(function*() {
      const server = yield* serve((request) => request.socket.destroy())
      const retry = RetryPolicy.make({ attempts: 3, baseDelay: 0 })
      const client = yield* made(server.url, { retry })
      yield* client.call(Thing.putThing("once"), Thing.aValue).pipe(Client.failsAs("OutcomeUnknown"))
      assert.strictEqual(server.requests.length, 1)
      const read = yield* client.call(Thing.getThing, Thing.theThing).pipe(Client.failsAs("TransportFailed"))
      assert.isTrue(read.sent)
      assert.strictEqual(server.requests.length, 4)
    }))

  it.scopedLive("an answer that breaks off in its body leaves a change in doubt", () =>
    Effect.gen(function*() {
      const server = yield* serve((_, response) => {
        response.writeHead(200, { "content-length": "1000" })
        response.write(good.slice(0, 5), () => response.destroy())
      })
      const client = yield* made(server.url)
      const error = yield* client.call(Thing.putThing("once"), Thing.aValue).pipe(Client.failsAs("OutcomeUnknown"))
      assert.deepStrictEqual(error.attempts.length, 1)
      const read = yield* client.call(Thing.getThing, Thing.theThing).pipe(Client.failsAs("TransportFailed"))
      assert.isTrue(read.sent)
    }))

  for (const status of [301, 302, 303, 307, 308]) {
    it.scopedLive(`a redirect ${status} reaches nobody else`, () =>
      Effect.gen(function*() {
        const other = yield* serve((_, response) => response.end(good))
        const server = yield* serve((_, response) => {
          response.writeHead(status, { location: `${other.url}/v2/thing` }).end()
        })
        const client = yield* made(server.url)
        const error = yield* client.call(Thing.getThing, Thing.theThing).pipe(Client.failsAs("RedirectRefused"))
        assert.strictEqual(error.location, new URL(other.url).host)
        yield* client.call(Thing.putThing("once"), Thing.aValue).pipe(Client.failsAs("OutcomeUnknown"))
        assert.deepStrictEqual(other.requests, [])
        assert.strictEqual(server.requests.length, 2)
      }))
  }

  const sees = (cut: (fiber: Fiber.RuntimeFiber<unknown>) => Effect.Effect<unknown>, attemptTimeout: number) =>
    Effect.gen(function*() {
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const runtime = yield* Effect.runtime<never>()
      const server = yield* serve((request) => {
        Runtime.runSync(runtime)(Deferred.succeed(arrived, undefined))
        request.socket.once("close", () => Runtime.runSync(runtime)(Deferred.succeed(closed, undefined)))
      })
      const client = yield* made(server.url, { attemptTimeout })
      const fiber = yield* Effect.fork(Effect.exit(client.call(Thing.getThing, Thing.theThing)))
      yield* Deferred.await(arrived)
      yield* cut(fiber)
      yield* Deferred.await(closed)
    })

  it.scopedLive("an interrupted call closes its socket", () => sees((fiber) => Fiber.interrupt(fiber), 60_000))

  it.scopedLive("an attempt that took too long closes its socket", () => sees((fiber) => Fiber.join(fiber), 200))
})

describe("over fetch", () => {
  it.scopedLive("what the caller set for fetch, where the client was made, is kept", () =>
    Effect.gen(function*() {
      const seen: Array<RequestInit | undefined> = []
      const recording: typeof globalThis.fetch = (_, init) => {
        seen.push(init)
        return Promise.resolve(new Response(good))
      }
      const settings = Layer.mergeAll(
        Layer.succeed(FetchHttpClient.Fetch, recording),
        Layer.succeed(FetchHttpClient.RequestInit, { keepalive: true, redirect: "follow" })
      )
      const client = yield* make("http://127.0.0.1:9", {}, FetchHttpClient.layer.pipe(Layer.provide(settings)))
      yield* client.call(Thing.getThing, Thing.theThing)
      yield* client.call(Thing.getThing, Thing.theThing).pipe(
        Effect.provideService(FetchHttpClient.RequestInit, { credentials: "omit" })
      )
      assert.include(seen[0], { keepalive: true, redirect: "manual" })
      assert.include(seen[1], { credentials: "omit", redirect: "manual" })
    }))

  it.scopedLive("the refusal of redirects does not reach the caller's own requests", () =>
    Effect.gen(function*() {
      const server = yield* serve((_, response) => response.end(good))
      const client = yield* make(server.url)
      yield* client.call(Thing.getThing, Thing.theThing)
      assert.strictEqual((yield* Effect.serviceOption(FetchHttpClient.RequestInit))._tag, "None")
    }))
})

/** 20 KB on the wire, 20 MB when it is read. */
const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, " "))

describe("an endless answer", () => {
  it.scopedLive("when it is decompressed is given up at the limit", () =>
    Effect.gen(function*() {
      const headers = { "content-encoding": "gzip", "content-type": "application/json" }
      const server = yield* serve((_, response) => response.writeHead(200, headers).end(bomb))
      const client = yield* make(server.url, { maxResponseBytes: 100_000, retry: RetryPolicy.make() })
      const error = yield* client.call(Thing.getThing, Thing.theThing).pipe(Client.failsAs("MalformedResponse"))
      assert.deepStrictEqual(
        [error.status, error.path, error.expected, error.actual],
        [200, [], "an answer of at most 100000 bytes", "a longer one"]
      )
      yield* client.call(Thing.putThing("once"), Thing.aValue).pipe(Client.failsAs("OutcomeUnknown"))
      assert.strictEqual(server.requests.length, 2, "nothing is asked for again")
    }))

  it.effect("is read up to the limit, and its connection is closed", () =>
    Effect.gen(function*() {
      let chunks = 0
      let isCancelled = false
      const endless = () =>
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            chunks++
            controller.enqueue(new Uint8Array(10_000).fill(32))
          },
          cancel: () => {
            isCancelled = true
          }
        })
      const read = (status: number) =>
        Client.read(Testing.wire(() => Effect.sync(() => new Response(endless(), { status }))), {
          maxResponseBytes: 100_000,
          retry: RetryPolicy.none
        })
      yield* read(200).pipe(Client.failsAs("MalformedResponse"))
      assert.isBelow(chunks, 15)
      assert.isTrue(isCancelled)
      yield* read(500).pipe(Client.failsAs("Unavailable"))
      assert.isBelow(chunks, 30)
    }))

  it.scopedLive("is taken up to the limit", () =>
    Effect.gen(function*() {
      const server = yield* serve((_, response) => response.end(good))
      const size = Buffer.byteLength(good)
      const call = (maxResponseBytes: number) =>
        Effect.flatMap(make(server.url, { maxResponseBytes }), (client) => client.call(Thing.getThing, Thing.theThing))
      assert.deepStrictEqual(yield* call(size), Thing.thing)
      yield* call(size - 1).pipe(Client.failsAs("MalformedResponse"))
      yield* call(Number.NaN).pipe(Client.failsAs("InvalidInput"))
    }))
})
