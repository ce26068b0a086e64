import * as Database from "@effect-klaytn/store/Database"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { connect, createServer, type Server, type Socket } from "node:net"
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

/** The first message of a session, without what it asks for besides user and database: so does pgbouncer with `ignore_startup_parameters`. */
const withoutOptions = (message: Buffer): Buffer => {
  const [protocol, ...words] = [message.subarray(4, 8), ...message.subarray(8).toString().split("\0")]
  const kept = words.flatMap((word, at) =>
    at % 2 === 0 && word !== "" && word !== "options" ? [word, words[at + 1]] : []
  )
  const body = Buffer.concat([protocol, Buffer.from(`${kept.join("\0")}\0\0`)])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([length, body])
}

/** A pooler that gives the first bytes of a session to `begin`, and passes the rest on. */
const pooler = (target: URL, begin: (first: Buffer, client: Socket, server: Socket) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<Server>((resume) => {
        const server = createServer((client) => {
          const upstream = connect(Number(target.port), target.hostname)
          for (const socket of [client, upstream]) socket.on("error", () => {})
          client.once("close", () => upstream.destroy())
          client.once("data", (first) => {
            begin(first, client, upstream)
            client.pipe(upstream)
            upstream.pipe(client)
          })
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    ),
    (server) => {
      const address = server.address()
      return Object.assign(new URL(target), {
        host: `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
      })
    }
  )

describe.each(onPostgres)("a pooler between this process and a database on %s", (_, open) => {
  const reasonAt = (url: URL) =>
    Effect.map(Effect.flip(Database.makePostgres({ url: Redacted.make(url.href) })), ({ message, reason }) => [
      reason,
      message.slice(message.indexOf(url.pathname) + url.pathname.length)
    ])

  it.scopedLive("is refused if it drops the settings of sessions, also where the server has the same", () =>
    Effect.gen(function*() {
      const { layer, url } = yield* open
      const target = new URL(Redacted.value(url))
      yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.forEach(
            ["timezone = 'UTC'", "idle_in_transaction_session_timeout = 60000", "statement_timeout = 20000"],
            (setting) => sql.unsafe(`ALTER DATABASE ${target.pathname.slice(1)} SET ${setting}`)
          )),
        layer
      )
      const between = yield* pooler(target, (first, _, server) => server.write(withoutOptions(first)))
      assert.deepStrictEqual(yield* reasonAt(between), [
        "Configuration",
        " drops the settings of sessions, as pgbouncer does: limits and locks would not hold. Connect to Postgres itself."
      ])
    }))

  it.scopedLive("is refused in its words if it refuses the settings of sessions", () =>
    Effect.gen(function*() {
      const target = new URL(Redacted.value((yield* open).url))
      const fields = ["SFATAL", "C08P01", "Munsupported startup parameter: options", ""].map((one) => `${one}\0`).join(
        ""
      )
      const length = Buffer.alloc(4)
      length.writeUInt32BE(fields.length + 4)
      const between = yield* pooler(
        target,
        (_, client) => client.end(Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)]))
      )
      assert.deepStrictEqual(yield* reasonAt(between), [
        "Unusable",
        " can't be used (08P01, unsupported startup parameter: options). Connect to Postgres itself: a pooler between does not " +
        "keep the settings of sessions."
      ])
    }))
})

describe.each(onPostgres)("a database on %s", (_, open) => {
  it.scopedLive("is refused if its encoding lacks characters, and sessions read what is committed whatever its owner has set", () =>
    Effect.gen(function*() {
      const url = new URL(Redacted.value((yield* open).url))
      const at = (name: string) => {
        const other = new URL(url)
        other.pathname = `/${name}`
        return Database.makePostgres({ url: Redacted.make(other.href), maxConnections: 1 })
      }
      const name = url.pathname.slice(1)
      const latin = `${name}_latin`
      const sql = yield* at(name)
      yield* sql.unsafe(`CREATE DATABASE ${latin} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
      yield* Effect.addFinalizer(() => Effect.orDie(sql.unsafe(`DROP DATABASE ${latin}`)))
      const { message, reason } = yield* Effect.flip(at(latin))
      assert.deepStrictEqual([reason, message.slice(message.indexOf(latin) + latin.length)], [
        "Configuration",
        " has the encoding LATIN1, which lacks characters that names of tokens have. Use a database that was made with ENCODING 'UTF8'."
      ])
      yield* sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`)
      const isolation = yield* (yield* at(name))`SHOW transaction_isolation`
      assert.deepStrictEqual([...isolation], [{ transaction_isolation: "read committed" }])
    }))
})

describe.each(onPostgres)("a session on %s", (_, open) => {
  const pool = (url: URL, statementTimeout: Duration.DurationInput = "1 second") =>
    Database.makePostgres({ url: Redacted.make(url.href), maxConnections: 2, statementTimeout })

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
      const sql = yield* pool(url, "4 seconds")
      const sleep = sql`SELECT pg_sleep(0.1)`
      yield* Effect.all([sleep, sleep], { concurrency: 2 })
      silence()
      assert.strictEqual(DatabaseFault.of(yield* Effect.flip(sql`SELECT 1`)).kind, "Passing")
      heal()
      assert.deepStrictEqual([...yield* sql`SELECT 1 AS one`], [{ one: 1 }])
    }), 30_000)

  it.scopedLive(
    "that is silent ends those of other pools that wait for an answer, whose limits are longer",
    () =>
      Effect.gen(function*() {
        const { heal, silence, url } = yield* silenced(new URL(Redacted.value((yield* open).url)))
        const watching = yield* pool(url)
        const writing = yield* pool(url, "1 minute")
        const write = yield* Effect.fork(Effect.flip(writing`SELECT pg_sleep(50)`))
        yield* Effect.repeat(
          Effect.delay(watching`SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(50)%'`, "20 millis"),
          { until: (rows) => rows.length > 0 }
        )
        silence()
        assert.strictEqual(DatabaseFault.of(yield* Effect.flip(watching`SELECT 1`)).kind, "Passing")
        heal()
        const [time, error] = yield* Effect.timed(Fiber.join(write))
        assert.strictEqual(DatabaseFault.of(error).kind, "Passing")
        assert.isBelow(Duration.toSeconds(time), 20)
        assert.deepStrictEqual([...yield* writing`SELECT 1 AS one`], [{ one: 1 }])
      }),
    30_000
  )

  it.scopedLive("whose server became a standby is not used again, nor are those beside it, and in other pools", () =>
    Effect.gen(function*() {
      const url = new URL(Redacted.value((yield* open).url))
      const sql = yield* pool(url)
      const other = yield* pool(url)
      yield* sql`CREATE TABLE notes (text TEXT)`
      const readOnly = sql`SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY`
      yield* Effect.scoped(Effect.gen(function*() {
        const reserved = [yield* sql.reserve, yield* sql.reserve, yield* other.reserve]
        for (const held of reserved) yield* held.executeRaw(readOnly.compile()[0], [])
      }))
      const error = yield* Effect.flip(sql`INSERT INTO notes VALUES ('a')`)
      assert.deepInclude(DatabaseFault.of(error), { kind: "Session", code: "25006" })
      yield* sql`INSERT INTO notes VALUES ('b')`
      yield* other`INSERT INTO notes VALUES ('c')`
      assert.deepStrictEqual([...yield* sql`SELECT text FROM notes`], [{ text: "b" }, { text: "c" }])
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
