import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Database from "@effect-klaytn/store/Database"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as HttpClient from "@effect/platform/HttpClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as TestServices from "effect/TestServices"
import { connect, createServer, type Server, type Socket } from "node:net"
import { onPostgres } from "../../engine/test/support/databases.js"
import { FakeNode } from "../../indexer/test/support/fakeNode.js"
import * as Gateway from "../src/Gateway.js"
import * as CallerTable from "../src/internal/CallerTable.js"
import { callers, wallet } from "../src/internal/command.js"
import * as world from "./support/world.js"

/** A chain with some transfers of every kind, and paths of pages about it. */
const chainOf = Effect.gen(function*() {
  const sandbox = yield* world.sandbox
  const chain = sandbox.chains.chain(world.chain)
  const { accounts, tokens } = yield* Generator.generate(chain, { seed: "postgres", transfers: 60, accounts: 4 })
  return {
    chain,
    sandbox,
    url: `${sandbox.url}/rpc/${world.chain}`,
    paths: [
      ...accounts.flatMap(({ address }) => [
        `/v2/transfer/account/${address}?size=1000`,
        `/v2/account/${address}/token?kind=ft,nft,mt`,
        `/v2/contract/mt/${tokens.mt.address}/owner/${address}`
      ]),
      "/v2/contract/ft",
      `/v2/contract/nft/${tokens.nft.address}/token`
    ]
  }
})

/** Runs statements on the database of an index. */
const client = ({ database }: { readonly database: string }) =>
  Effect.map(
    Effect.provide(PgClient.make({ url: Redacted.make(database), maxConnections: 1 }), Reactivity.layer),
    (sql) => (statement: string) => sql.unsafe(statement).values
  )

/** A way to a Postgres that can be shut, as a server that restarts is not there, and opened again. */
const wireTo = (database: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly server: Server; readonly open: Set<Socket> }>((resume) => {
        const target = new URL(database)
        const open = new Set<Socket>()
        const server = createServer((socket) => {
          const behind = connect(Number(target.port), target.hostname)
          for (const one of [socket, behind]) {
            open.add(one)
            one.once("close", () => open.delete(one)).on("error", () => one.destroy())
          }
          socket.pipe(behind)
          behind.pipe(socket)
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, open })))
      }),
      ({ open, server }) =>
        Effect.sync(() => {
          for (const socket of open) socket.destroy()
          server.close()
        })
    ),
    ({ open, server }) => {
      const at = server.address()
      const port = at === null || typeof at === "string" ? 0 : at.port
      return {
        address: Object.assign(new URL(database), { port: String(port) }).href,
        shut: (isShut: boolean) =>
          Effect.async<void>((resume) => {
            if (!isShut) return void server.listen(port, "127.0.0.1", () => resume(Effect.void))
            server.close(() => resume(Effect.void))
            for (const socket of open) socket.destroy()
          })
      }
    }
  )

const shown = (text: string): unknown =>
  JSON.parse(text, (name, value: unknown) => name === "requestId" || name === "cursor" ? typeof value : value)

describe.each(onPostgres)("a gateway on %s", (_, database) => {
  const open = Effect.map(database, ({ url }) => ({ database: Redacted.value(url), schema: "test_index" }))

  it.scopedLive(
    "serves the pages of one on SQLite from every process, and one process follows",
    () =>
      Effect.gen(function*() {
        const { chain, paths, sandbox, url } = yield* chainOf
        const place = yield* open
        const [first, second, other] = [
          yield* world.open(url, place),
          yield* world.open(url, { ...place, role: "serve" }),
          yield* world.open(url)
        ]
        const compare = Effect.gen(function*() {
          const { number } = yield* chain.head
          for (const one of [first, second, other]) yield* world.reached(one, number)
          for (const one of [first, second, other]) yield* world.ready(one)
          for (const path of paths) {
            const [expected, ...found] = yield* Effect.forEach(
              [other, first, second],
              (one) => Effect.map(world.send(`${one.url}${path}`), ({ status, text }) => [path, status, shown(text)])
            )
            for (const one of found) assert.deepStrictEqual(one, expected)
          }
        })
        yield* compare
        const control = sandbox.control.chain(world.chain)
        const snapshot = yield* control.snapshot
        yield* control.transfer({ from: "alice", to: "bob", amount: 1n })
        yield* world.reached(second, (yield* chain.head).number)
        yield* control.revert(snapshot)
        yield* control.transfer({ from: "alice", to: "carol", amount: 2n })
        yield* control.transfer({ from: "alice", to: "dave", amount: 3n })
        yield* compare
        assert.deepStrictEqual(
          [(yield* first.status).isLeader, (yield* second.status).isLeader],
          [true, false]
        )
      }),
    60_000
  )

  it.scopedLive("follows in another process when the one that did has ended", () =>
    Effect.gen(function*() {
      const { chain, sandbox, url } = yield* chainOf
      const place = yield* open
      const second = yield* Effect.scoped(Effect.gen(function*() {
        const first = yield* world.open(url, place)
        yield* world.ready(first)
        return first
      })).pipe(Effect.zipRight(world.open(url, place)))
      yield* sandbox.control.chain(world.chain).transfer({ from: "alice", to: "bob", amount: 1n })
      yield* world.reached(second, (yield* chain.head).number)
      assert.isTrue((yield* second.status).isLeader)
    }), 60_000)

  it.scopedLive.each([
    { of: "the chain", scope: {} },
    // An index of a part of the chain keeps few blocks without a transfer.
    { of: "a part of the chain", scope: { accounts: [`0x${"a1".repeat(20)}`] } }
  ])(
    "serves no page of $of from a process that does not follow while its node has another branch",
    ({ scope }) =>
      Effect.gen(function*() {
        const place = yield* open
        const behind = (node: FakeNode, options: Partial<Gateway.Options>) =>
          Effect.provideService(
            Gateway.make({
              ...place,
              node: { url: "http://127.0.0.1:8545" },
              access: "anyone",
              chain: 1001,
              ...options
            }),
            HttpClient.HttpClient,
            node.client
          )
        const other = new FakeNode(140)
        yield* world.ready(yield* behind(new FakeNode(140), { role: "follow", ...scope }))
        const reader = yield* behind(other, { role: "serve", ...scope })
        yield* world.ready(reader)
        const page = Effect.map(
          world.send(`${reader.url}/v2/transfer/account/0x${"a1".repeat(20)}`),
          ({ status, text }) => [status, JSON.parse(text).message]
        )
        assert.deepStrictEqual(yield* page, [200, undefined])
        other.fork = (height) => height > 10 ? "b" : "a"
        yield* world.until(Effect.map(reader.status, ({ isReady }) => !isReady))
        assert.strictEqual((yield* reader.status).notReady, "the node has another block 12 than the index")
        assert.deepStrictEqual(yield* page, [
          503,
          "the index may have blocks that are not of the chain: the node has another block 12 than the index, see /status"
        ])
        other.fork = () => "a"
        yield* world.ready(reader)
        assert.deepStrictEqual(yield* page, [200, undefined])
      }),
    60_000
  )

  it.scopedLive(
    "says in the log once, and in /status, why a process can't ask to follow, and once that it can",
    () => {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      return Effect.gen(function*() {
        const { url } = yield* chainOf
        const place = yield* database
        const options = { database: Redacted.value(place.url), schema: "test_index" }
        yield* Effect.scoped(Effect.flatMap(world.open(url, options), world.ready))
        const role = `reader_${Math.floor(performance.now() * 1000)}`
        const run = yield* client(options)
        yield* Effect.acquireRelease(
          run(
            `CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA test_index TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA test_index TO ${role}`
          ),
          () => Effect.orDie(run(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
        )
        const reader = Object.assign(new URL(options.database), { username: role }).href
        const gateway = yield* world.open(url, { ...options, database: reader, role: "follow" })
        const failure = Effect.map(gateway.status, ({ node }) => node.failure)
        yield* world.until(Effect.map(failure, (found) => found !== undefined))
        const why = "the lease can't be asked for; trying again: 42501, permission denied for table lease"
        assert.strictEqual(yield* failure, why)
        assert.strictEqual(
          (yield* gateway.status).notReady,
          "this process can't ask to write the index: the status says why"
        )
        yield* Effect.sleep("2500 millis")
        assert.strictEqual(lines.filter((line) => line === why).length, 1)
        yield* run(`GRANT ALL ON ALL TABLES IN SCHEMA test_index TO ${role}`)
        yield* world.until(Effect.map(gateway.status, ({ isLeader, isReady }) => isLeader && isReady))
        assert.isUndefined(yield* failure)
        assert.strictEqual(lines.filter((line) => line === "the lease can be asked for again").length, 1)
      }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    },
    60_000
  )

  it.scopedLive("is not ready to load blocks while its node is on another branch", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      const place = yield* open
      const loader = yield* world.open(url, { ...place, role: "backfill" })
      yield* world.ready(loader)
      const run = yield* client(place)
      // As the process that folds the pieces leaves it.
      yield* run(`INSERT INTO test_index.facts VALUES ('branch', '3 0x${"0f".repeat(32)}')`)
      yield* run("INSERT INTO test_index.pieces VALUES (0, 4, 0, 0, '', '-infinity', false)")
      yield* world.until(Effect.map(loader.status, ({ isReady }) => !isReady))
      const answer = yield* world.send(`${loader.url}/ready`)
      assert.strictEqual(answer.status, 503)
      assert.match(
        JSON.parse(answer.text).notReady,
        /^the node's blocks don't fit those of the index: block 3 of the source: .* look which of the two nodes is on the chain$/
      )
      assert.include((yield* loader.status).node.failure, "block 3 of the source")
      yield* run("DELETE FROM test_index.facts WHERE name = 'branch'")
      yield* world.ready(loader)
      assert.isUndefined((yield* loader.status).node.failure)
    }), 60_000)

  it.scopedLive("answers /ready by role", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      const place = yield* open
      const proxy = yield* world.proxyOf(url)
      const roles = ["follow", "serve", "backfill"] as const
      const [follower, reader, loader] = yield* Effect.forEach(roles, (role) =>
        world.open(proxy.url, { ...place, role, maxLag: 20_000 }))
      if (follower === undefined || reader === undefined || loader === undefined) {
        return assert.fail("three gateways")
      }
      for (const one of [follower, reader, loader]) {
        yield* world.ready(one)
      }
      const states = Effect.forEach([follower, reader, loader], ({ url }) =>
        Effect.map(world.send(`${url}/ready`), ({ status }) =>
          status))
      proxy.answer = (_, response) =>
        response.writeHead(502).end()
      yield* world.until(Effect.map(states, (all) =>
        all[0] === 503 && all[2] === 503))
      assert.deepStrictEqual(yield* states, [503, 200, 503])
    }), 60_000)

  it.scopedLive(
    "answers 503 with Retry-After for a while without Postgres, and pages as soon as there is one again",
    () =>
      Effect.gen(function*() {
        const { paths, url } = yield* chainOf
        const place = yield* open
        const { address, shut } = yield* wireTo(place.database)
        const gateway = yield* world.open(url, { ...place, database: address })
        yield* world.ready(gateway)
        // It has answered nothing yet.
        const other = yield* world.open(url, { ...place, database: address, role: "serve" })
        yield* world.ready(other)
        const ask = world.send(`${gateway.url}${paths[0]}`)
        const before = yield* ask
        assert.strictEqual(before.status, 200)
        yield* shut(true)
        const waiting = yield* Effect.fork(ask)
        const late = yield* Effect.fork(Effect.timed(world.send(`${other.url}${paths[0]}`)))
        const failed = yield* ask
        assert.deepStrictEqual([failed.status, failed.headers.get("retry-after")], [503, "2"])
        assert.strictEqual((yield* waiting.await.pipe(Effect.flatten)).status, 503)
        const [time, first] = yield* late.await.pipe(Effect.flatten)
        assert.deepStrictEqual([first.status, first.headers.get("retry-after")], [503, "2"])
        assert.isBelow(Duration.toSeconds(time), 12)
        const { lag, notReady } = yield* gateway.status
        assert.deepStrictEqual([notReady, lag], ["the database of the index does not answer", undefined])
        const next = yield* Effect.fork(ask)
        yield* Effect.sleep("1 second")
        yield* shut(false)
        const found = yield* next.await.pipe(Effect.flatten)
        assert.deepStrictEqual([found.status, shown(found.text)], [200, shown(before.text)])
      }),
    60_000
  )

  it.scopedLive(
    "lets in the callers of the database in every process, also where the schema is a reserved word",
    () =>
      Effect.gen(function*() {
        const { url } = yield* chainOf
        const place = { ...yield* open, schema: "order" }
        const gateways = [
          yield* world.open(url, { ...place, access: "callers" }),
          yield* world.open(url, { ...place, access: "callers", role: "serve" })
        ]
        const statusOf = (headers: Record<string, string> = {}) =>
          Effect.forEach(
            gateways,
            (one) => Effect.map(world.send(`${one.url}/status`, { headers }), ({ status }) => status)
          )
        assert.deepStrictEqual(yield* statusOf(), [401, 401])
        const { accessKeyId, secretAccessKey } = yield* callers.add(place.database, "accounting", {}, place.schema)
        const headers = {
          authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
        }
        yield* world.until(Effect.map(statusOf(headers), (all) => all.every((status) => status === 200)))
        const listed = yield* callers.list(place.database, place.schema)
        assert.deepStrictEqual(listed.map(({ name }) => name), ["accounting"])
        yield* callers.revoke(place.database, "accounting", place.schema)
        yield* world.until(Effect.map(statusOf(headers), (all) => all.every((status) => status === 401)))
      }),
    60_000
  )

  it.scoped(
    "lets nobody in who was known a minute ago, if the callers can't be read since",
    () =>
      Effect.gen(function*() {
        const { database, schema } = yield* open
        yield* callers.add(database, "shop", {}, schema)
        const sql = yield* Database.makePostgres({ url: Redacted.make(database), maxConnections: 2 })
        const { areFresh } = yield* Effect.provideService(CallerTable.known(schema, "no_wallet"), SqlClient, sql)
        const areKnown = (of: "wallet" | "all") => areFresh?.(of)
        yield* sql`ALTER TABLE ${sql(`${schema}.callers`)} RENAME TO others`
        const later = (time: Duration.DurationInput) =>
          Effect.zipRight(TestClock.adjust(time), TestServices.provideLive(Effect.sleep("500 millis")))
        yield* later("2 seconds")
        yield* later("50 seconds")
        assert.deepStrictEqual([areKnown("all"), areKnown("wallet")], [true, true])
        yield* later("10 seconds")
        assert.deepStrictEqual([areKnown("all"), areKnown("wallet")], [false, true])
        yield* sql`ALTER TABLE ${sql(`${schema}.others`)} RENAME TO callers`
        yield* Effect.repeat(later("1 second"), { until: () => areKnown("all") === true })
      }),
    60_000
  )

  it.scopedLive(
    "takes callers before its first start, also for a wallet, and lets them in",
    () =>
      Effect.gen(function*() {
        const { url } = yield* chainOf
        const { database } = yield* open
        const added = yield* callers.add(database, "shop", { rights: ["read", "wallet"], limits: { largestValue: 5n } })
        assert.deepStrictEqual((yield* callers.list(database)).map(({ name, rights }) => [name, rights]), [
          ["shop", ["read", "wallet"]]
        ])
        const gateway = yield* world.start({
          node: { url },
          database,
          chain: world.chain,
          wallet: { key: Redacted.make("0a".repeat(32)) }
        })
        const pair = Buffer.from(`${added.accessKeyId}:${added.secretAccessKey}`).toString("base64")
        const made = yield* world.send(`${gateway.url}/v2/account`, {
          method: "POST",
          headers: { authorization: `Basic ${pair}`, "x-chain-id": "1001", "content-type": "application/json" },
          body: "{}"
        })
        assert.strictEqual(made.status, 200, made.text)
      }),
    60_000
  )

  it.scopedLive(
    "freezes a wallet at once, whatever locks others hold who may only connect",
    () =>
      Effect.gen(function*() {
        const { url } = yield* chainOf
        const { database } = yield* open
        const key = "0a".repeat(32)
        yield* world.start({ node: { url }, database, chain: world.chain, wallet: { key: Redacted.make(key) } })
        const sql = yield* client({ database })
        // What processes that set up tables take.
        for (const lock of [7_164_491_124, 7_164_491_125, 7_164_491_126]) yield* sql(`SELECT pg_advisory_lock(${lock})`)
        const frozen = Effect.map(wallet.status(database), (status) => status.frozen)
        assert.isUndefined(yield* frozen)
        yield* wallet.freeze(database, { key })
        assert.isDefined(yield* frozen)
        yield* wallet.unfreeze(database, { key })
        assert.isUndefined(yield* frozen)
        // The other commands of a wallet that is there wait for nobody either.
        yield* callers.add(database, "shop", { rights: ["wallet"] })
        yield* callers.revoke(database, "shop")
      }),
    60_000
  )

  it.scopedLive("refuses a schema that is none, and tables of a newer program", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      const place = yield* open
      const reason = (options: Parameters<typeof world.open>[1]) =>
        Effect.map(Effect.flip(Effect.scoped(world.open(url, options))), ({ reason }) => reason)
      assert.strictEqual(yield* reason({ ...place, schema: "No-Schema" }), "Start")
      yield* Effect.scoped(world.open(url, place))
      const sql = yield* client(place)
      const before = yield* sql("SELECT * FROM test_index.facts ORDER BY name")
      yield* sql("INSERT INTO test_index.migrations (migration_id, name) VALUES (99, 'newer')")
      const error = yield* Effect.flip(Effect.scoped(world.open(url, place)))
      assert.strictEqual(error.reason, "Database")
      assert.include(error.message, "have version 99")
      assert.deepStrictEqual(yield* sql("SELECT * FROM test_index.facts ORDER BY name"), before)
      assert.strictEqual(yield* reason({ database: ":memory:", role: "serve" }), "Start")
      assert.strictEqual(yield* reason({ database: ":memory:", schema: "one" }), "Start")
    }), 60_000)
})
