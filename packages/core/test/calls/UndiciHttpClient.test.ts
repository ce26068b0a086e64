import * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import { type HttpClientRequest, make, setBody } from "@effect/platform/HttpClientRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { IncomingMessage, ServerResponse } from "node:http"
import { serve } from "../support/loopback.js"
import * as undici from "../support/undici.js"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** What a server that answers in this way is asked with, and the client's answer. */
const asked = (handler: Handler, change: (request: HttpClientRequest) => HttpClientRequest = (same) => same) =>
  Effect.gen(function*() {
    const server = yield* serve(handler)
    const http = yield* HttpClient.HttpClient
    const answer = yield* http.execute(change(make("POST")(`${server.url}/path?a=1#hash`)))
    return { answer, requests: server.requests }
  })

/** Megabytes of text, in pieces that cut its characters apart. */
const long = "añ€😀 ".repeat(400_000)

const send = (bytes: Buffer): Handler => (_, response) => {
  response.setHeader("transfer-encoding", "chunked")
  for (let at = 0; at < bytes.length; at += 9_973) response.write(bytes.subarray(at, at + 9_973))
  response.end()
}

/** Until something holds, which takes a turn of the event loop or more. */
const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => holds() ? Effect.void : Effect.zipRight(Effect.sleep("5 millis"), until(holds)))

const live = (name: string, test: Effect.Effect<void, unknown, HttpClient.HttpClient | Scope.Scope>) =>
  it.scopedLive(name, () => Effect.provide(test, undici.layer))

describe("a client on undici", () => {
  live(
    "reads a text of any length, whose characters come in two pieces, also twice",
    Effect.gen(function*() {
      const { answer } = yield* asked(send(Buffer.from(long)))
      assert.strictEqual(yield* answer.text, long)
      assert.strictEqual(yield* answer.text, long)
      const both = yield* Effect.flatMap(
        asked(send(Buffer.from(long))),
        ({ answer }) => Effect.all([answer.text, answer.arrayBuffer], { concurrency: 2 })
      )
      assert.strictEqual(both[0], long)
      assert.strictEqual(Buffer.from(both[1]).toString(), long)
    })
  )

  live(
    "reads streams, JSON, forms, cookies and answers without a body",
    Effect.gen(function*() {
      const { answer: streamed } = yield* asked(send(Buffer.from(long)))
      const pieces = yield* Stream.runCollect(streamed.stream)
      assert.strictEqual(Buffer.concat(Chunk.toReadonlyArray(pieces)).toString(), long)
      const { answer: json } = yield* asked((_, response) => {
        response.writeHead(201, { "set-cookie": ["a=1; Path=/", "b=2"], "X-Some": "Text" }).end("{\"a\":[1]}")
      })
      assert.deepStrictEqual([json.status, yield* json.json], [201, { a: [1] }])
      assert.deepStrictEqual(Object.keys(json.cookies.cookies), ["a", "b"])
      assert.deepStrictEqual(Headers.get(json.headers, "x-some")._tag, "Some")
      const { answer: odd } = yield* asked((_, response) => response.writeHead(799).end("{}"))
      assert.deepStrictEqual([odd.status, yield* odd.json], [799, {}])
      const { answer: wrong } = yield* asked((_, response) => response.end("{"))
      assert.deepInclude(yield* Effect.flip(wrong.json), { _tag: "ResponseError", reason: "Decode" })
      const { answer: form } = yield* asked((_, response) => {
        response.setHeader("content-type", "application/x-www-form-urlencoded").end("a=1&b=2")
      })
      assert.strictEqual((yield* form.formData).get("b"), "2")
      const { answer: empty } = yield* asked((_, response) => response.writeHead(204).end())
      assert.deepStrictEqual([empty.status, yield* empty.text, (yield* empty.arrayBuffer).byteLength], [204, "", 0])
    })
  )

  live(
    "sends bodies of every kind, and the path without what comes after #",
    Effect.gen(function*() {
      const form = new FormData()
      form.set("name", "value")
      const bodies = [
        HttpBody.empty,
        HttpBody.text("text"),
        HttpBody.raw("raw"),
        HttpBody.stream(Stream.make(new Uint8Array([97]), new Uint8Array([98]))),
        HttpBody.formData(form)
      ]
      const sent = yield* Effect.forEach(
        bodies,
        (body) =>
          Effect.map(asked((_, response) => response.end(), setBody(body)), ({ requests: [request] }) => request)
      )
      assert.deepStrictEqual(sent.slice(0, 4).map((request) => request?.body), ["", "text", "raw", "ab"])
      assert.include(sent[4]?.body, "name=\"name\"\r\n\r\nvalue")
      assert.deepStrictEqual(new Set(sent.map((request) => request?.path)), new Set(["/path?a=1"]))
    })
  )

  live(
    "leaves what nobody reads with the server, and reads on when somebody does",
    Effect.gen(function*() {
      let written = 0
      const piece = Buffer.alloc(65_536, "a")
      const { answer } = yield* asked((_, response) => {
        const write = (): void => {
          while (written < 1_000) {
            written++
            if (!response.write(piece)) return void response.once("drain", write)
          }
          response.end()
        }
        write()
      })
      let last = -1
      yield* until(() => {
        const isStill = last === written
        last = written
        return isStill && written > 4
      })
      assert.isBelow(written, 900)
      assert.strictEqual((yield* answer.arrayBuffer).byteLength, 1_000 * 65_536)
    })
  )

  live(
    "closes the connection of an answer whose reader is interrupted, or of which the reader wants no more",
    Effect.gen(function*() {
      let closed = 0
      const endless: Handler = (request, response) => {
        request.socket.once("close", () => closed++)
        response.write("a".repeat(1_000))
      }
      const first = yield* asked(endless)
      const reading = yield* Effect.fork(first.answer.text)
      yield* Effect.sleep("20 millis")
      yield* Fiber.interrupt(reading)
      yield* until(() => closed === 1)
      const second = yield* asked(endless)
      yield* Stream.runHead(second.answer.stream)
      yield* until(() => closed === 2)
    })
  )

  live(
    "fails with the cause where no answer comes, or where an answer breaks off",
    Effect.gen(function*() {
      const http = yield* HttpClient.HttpClient
      const refused = yield* Effect.flip(http.get("http://127.0.0.1:1/"))
      assert.deepInclude(refused, { _tag: "RequestError", reason: "Transport" })
      assert.include(refused.cause, { code: "ECONNREFUSED" })
      const { answer } = yield* asked((_, response) => {
        response.writeHead(200, { "content-length": "1000" })
        response.write("a", () => response.destroy())
      })
      assert.deepInclude(yield* Effect.flip(answer.text), { _tag: "ResponseError", reason: "Decode" })
      const bad = yield* Effect.flip(http.get("http://127.0.0.1:1/", { headers: { "bad header": "\n" } }))
      assert.deepInclude(bad, { _tag: "RequestError", reason: "Transport" })
    })
  )
})
