import * as Database from "@effect-klaytn/store/Database"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { connect, createServer, type Socket } from "node:net"
import { onPostgres } from "./support/databases.js"

/** A way to a server that delivers nothing any more as soon as it is told so, and leaves its connections open. */
const silenced = (target: URL) =>
  Effect.acquireRelease(
    Effect.async<
      { readonly url: URL; readonly silence: () => void; readonly heal: () => void; readonly close: () => void }
    >(
      (resume) => {
        const open = new Set<Socket>()
        const losses = new Set<() => void>()
        let isSilent = false
        const server = createServer((client) => {
          const upstream = connect(Number(target.port), target.hostname)
          let isLost = isSilent
          open.add(client).add(upstream)
          losses.add(() => void (isLost = true))
          client.on("data", (bytes) => void (isLost || upstream.write(bytes)))
          upstream.on("data", (bytes) => void (isLost || client.write(bytes)))
          for (const socket of [client, upstream]) socket.on("error", () => {})
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resume(Effect.succeed({
            url: Object.assign(new URL(target), { host: `127.0.0.1:${port}` }),
            silence: () => {
              isSilent = true
              for (const lose of losses) lose()
            },
            heal: () => void (isSilent = false),
            close: () => {
              server.close()
              for (const socket of open) socket.destroy()
            }
          }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

describe.each(onPostgres)("a session on %s", (_, open) => {
  const pool = (url: URL) =>
    Database.makePostgres({ url: Redacted.make(url.href), maxConnections: 2, statementTimeout: "1 second" })

  it.scopedLive("that is silent is ended, and the next statement has a new one", () =>
    Effect.gen(function*() {
      const { heal, silence, url } = yield* silenced(new URL(Redacted.value((yield* open).url)))
      const sql = yield* pool(url)
      yield* sql`CREATE TABLE notes (text TEXT)`
      silence()
      const [time, error] = yield* Effect.timed(Effect.flip(sql.withTransaction(sql`INSERT INTO notes VALUES ('a')`)))
      assert.strictEqual(DatabaseFault.of(error).kind, "Passing")
      assert.isBelow(Duration.toSeconds(time), 8)
      heal()
      yield* Effect.retry(sql`INSERT INTO notes VALUES ('b')`, { while: DatabaseFault.isPassing, times: 3 })
      assert.deepStrictEqual([...yield* sql`SELECT text FROM notes`], [{ text: "b" }])
    }))

  it.scopedLive("that is silent ends those beside it that wait for a statement", () =>
    Effect.gen(function*() {
      const { heal, silence, url } = yield* silenced(new URL(Redacted.value((yield* open).url)))
      const sql = yield* pool(url)
      const sleep = sql`SELECT pg_sleep(0.1)`
      yield* Effect.all([sleep, sleep], { concurrency: 2 })
      silence()
      assert.strictEqual(DatabaseFault.of(yield* Effect.flip(sql`SELECT 1`)).kind, "Passing")
      heal()
      assert.deepStrictEqual([...yield* sql`SELECT 1 AS one`], [{ one: 1 }])
    }))

  it.scopedLive("whose server became a standby is not used again, nor are those beside it", () =>
    Effect.gen(function*() {
      const sql = yield* pool(new URL(Redacted.value((yield* open).url)))
      yield* sql`CREATE TABLE notes (text TEXT)`
      const readOnly = sql`SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY`
      yield* Effect.scoped(Effect.gen(function*() {
        for (const held of [yield* sql.reserve, yield* sql.reserve]) yield* held.executeRaw(readOnly.compile()[0], [])
      }))
      const error = yield* Effect.flip(sql`INSERT INTO notes VALUES ('a')`)
      assert.deepInclude(DatabaseFault.of(error), { kind: "Session", code: "25006" })
      yield* sql`INSERT INTO notes VALUES ('b')`
      assert.deepStrictEqual([...yield* sql`SELECT text FROM notes`], [{ text: "b" }])
    }))

  it.scopedLive("whose statement was interrupted does not hand its end to the next user", () =>
    Effect.gen(function*() {
      const sql = yield* pool(new URL(Redacted.value((yield* open).url)))
      for (let round = 0; round < 10; round++) {
        const slow = yield* Effect.fork(sql`SELECT pg_sleep(0.5)`)
        yield* Effect.sleep("20 millis")
        yield* Fiber.interrupt(slow)
        assert.deepStrictEqual([...yield* sql`SELECT 1 AS one`], [{ one: 1 }])
      }
    }))

  it.scopedLive("takes as long as a migration needs", () =>
    Effect.gen(function*() {
      const sql = yield* pool(new URL(Redacted.value((yield* open).url)))
      const slow = sql`SELECT pg_sleep(2.5)`
      assert.strictEqual(DatabaseFault.of(yield* Effect.flip(slow)).code, "57014")
      yield* sql.withTransaction(Database.unbounded(sql)(slow))
      assert.strictEqual(DatabaseFault.of(yield* Effect.flip(slow)).code, "57014")
    }))
})
