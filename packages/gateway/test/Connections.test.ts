import { Bodies } from "@effect-klaytn/service/Bodies"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { connect, type Socket } from "node:net"
import { listen, maxConnections } from "../src/internal/listen.js"
import * as world from "./support/world.js"

/** A server whose requests have to arrive within a moment, and the port that it has. */
const server = (
  metrics = { connected: (_: number) => {} },
  app: HttpApp.Default = Effect.succeed(HttpServerResponse.text("served"))
) =>
  Effect.map(
    listen(app, { host: "127.0.0.1", port: 0 }, metrics, {
      requestTimeout: 1000,
      headersTimeout: 500,
      connectionsCheckingInterval: 100
    }),
    ({ drained, url }) => ({ drained, url, port: Number(new URL(url).port) })
  )

/** An open connection, cut with the scope. */
const connection = (port: number) =>
  Effect.acquireRelease(
    Effect.async<Socket>((resume) => {
      const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      // A server that ends a connection may reset the connection.
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** What a connection got until its end. */
const received = (socket: Socket) =>
  Effect.async<string>((resume) => {
    let text = ""
    socket.on("data", (part) => {
      text += part.toString()
    })
    socket.once("close", () => resume(Effect.succeed(text)))
  })

describe("connections of a gateway", () => {
  it.scopedLive("stay open longer than proxies keep theirs", () =>
    Effect.gen(function*() {
      const { port } = yield* server()
      const socket = yield* connection(port)
      socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n")
      const head = yield* Effect.async<string>((resume) => {
        socket.once("data", (part) => resume(Effect.succeed(part.toString())))
      })
      assert.isAbove(Number(/keep-alive: timeout=(\d+)/i.exec(head)?.[1]), 90)
    }))

  it.scopedLive("end with 408 if a body or its headers don't arrive in time, and others are served beside them", () =>
    Effect.gen(function*() {
      const bodies = new Bodies()
      const { port, url } = yield* server(
        undefined,
        Effect.flatMap(
          HttpServerRequest.HttpServerRequest,
          (request) => bodies.with(request, 1000, () => Effect.succeed(HttpServerResponse.text("served")))
        )
      )
      const slow = yield* Effect.forEach(
        Array.from({ length: 50 }),
        (_, number) =>
          Effect.tap(connection(port), (socket) =>
            Effect.sync(() =>
              socket.write(
                number % 2 === 0
                  ? "POST /v1/klaytn HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
                  : "POST /v1/klaytn HTTP/1.1\r\nHost: x\r\n"
              )
            ))
      )
      const ends = yield* Effect.fork(Effect.forEach(slow, received, { concurrency: "unbounded" }))
      assert.strictEqual((yield* world.send(url)).text, "served")
      const texts = yield* Effect.timeout(ends.await, "10 seconds").pipe(Effect.flatten)
      assert.lengthOf(texts, 50)
      for (const text of texts) assert.match(text, /^HTTP\/1.1 408 /)
      assert.strictEqual((yield* world.send(url)).text, "served")
    }))

  it.scopedLive("are waited for when the gateway stops, until what is under way has ended", () =>
    Effect.gen(function*() {
      const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { drained, url } = yield* server(
        undefined,
        Deferred.succeed(begun, undefined).pipe(
          Effect.zipRight(Deferred.await(mayEnd)),
          Effect.as(HttpServerResponse.text("whole"))
        )
      )
      const answer = yield* Effect.fork(world.send(url))
      yield* Deferred.await(begun)
      const waiting = yield* Effect.fork(drained)
      yield* Effect.sleep("200 millis")
      assert.isNull(waiting.unsafePoll())
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(waiting)
      assert.strictEqual((yield* Fiber.join(answer)).text, "whole")
    }))

  it.scopedLive("are bounded for each address", () =>
    Effect.gen(function*() {
      let open = 0
      const { port } = yield* server({ connected: (count) => void (open = count) })
      const sockets = yield* Effect.forEach(Array.from({ length: maxConnections }), () => connection(port))
      yield* world.until(Effect.sync(() => open === maxConnections))
      const refused = yield* connection(port)
      assert.strictEqual(yield* Effect.timeout(received(refused), "5 seconds"), "")
      assert.strictEqual(open, maxConnections)
      sockets[0]?.destroy()
      yield* world.until(Effect.sync(() => open === maxConnections - 1))
      const next = yield* connection(port)
      const answer = yield* Effect.fork(received(next))
      next.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      assert.include(yield* answer.await.pipe(Effect.timeout("5 seconds"), Effect.flatten), "served")
    }))
})
