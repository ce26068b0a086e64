import * as Driver from "@effect-klaytn/store/Driver"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { databases } from "../../engine/test/support/databases.js"
import { callers } from "../src/internal/command.js"
import { isAddress } from "../src/internal/postgres.js"
import { klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

/** Runs statements as a user of a server. */
const as = (database: string, user?: string) => {
  const url = new URL(database)
  if (user !== undefined) url.username = user
  return Effect.map(
    Effect.provide(PgClient.make({ url: Redacted.make(url.href), maxConnections: 1 }), Reactivity.layer),
    (sql) => (statement: string): Effect.Effect<unknown, unknown> => sql.unsafe(statement)
  )
}

/** Runs statements on the callers beside an index, as who may write the index does. */
const writerOf = (database: string, user?: string) =>
  isAddress(database)
    ? as(database, user)
    : Effect.acquireRelease(
      Effect.sync(() => Driver.open(`${database}.callers`)),
      (driver) => Effect.sync(() => driver.close())
    ).pipe(
      Effect.map((driver) => (statement: string) => Effect.try(() => driver.exec(statement)))
    )

const hashOf = (id: string, secret: string): string => createHash("sha256").update(`${id}:${secret}`).digest("base64")

const headerOf = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
})

describe.each(databases)("callers of a wallet on %s", (name, database) => {
  const place = Effect.flatMap(
    database,
    ({ url }) => name === "SQLite" ? world.file("index.db") : Effect.succeed(Redacted.value(url))
  )
  const table = name === "SQLite" ? "callers" : "klaytn_index.callers"

  /** A gateway with a wallet, an account that has coin, and a caller `shop` that may pay 5 peb at most. */
  const start = Effect.gen(function*() {
    const database = yield* place
    const sandbox = yield* world.sandbox
    const opened = yield* open(database, `${sandbox.url}/rpc/${world.chain}`)
    const { body: { address } } = yield* opened.ask("POST", "/v2/account", {})
    yield* sandbox.chains.chain(world.chain).fund(address, klay)
    const rules = { rights: ["read", "wallet"], limits: { largestValue: 5n } } as const
    const shop = yield* callers.add(database, "shop", rules)
    const pay = (peb: number, headers: Readonly<Record<string, string>>) =>
      Effect.map(
        opened.ask("POST", "/v2/tx/value", { from: address, to: bob, value: `0x${peb}`, submit: true }, headers),
        ({ status }) => status
      )
    const own = headerOf(shop.accessKeyId, shop.secretAccessKey)
    yield* world.until(Effect.map(pay(1, own), (status) => status === 200))
    return { ...opened, database, shop, pay, own }
  })

  it.scopedLive(
    "who may write the index makes none, and changes neither a credential nor a limit",
    () =>
      Effect.gen(function*() {
        const { ask, database, own, pay, shop } = yield* start
        const user = `writer_${Math.floor(performance.now())}`
        if (isAddress(database)) {
          const run = yield* as(database)
          yield* run(`CREATE ROLE ${user} LOGIN`)
          yield* Effect.addFinalizer(() => Effect.ignore(run(`DROP OWNED BY ${user}; DROP ROLE ${user}`)))
          yield* run(
            `GRANT USAGE ON SCHEMA klaytn_index TO ${user};
              GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA klaytn_index TO ${user}`
          )
          const theirs = yield* as(database, user)
          yield* Effect.flip(theirs("SELECT * FROM klaytn_index_wallet.wallet_callers"))
        }
        const run = yield* writerOf(database, user)
        const [id, secret] = ["KASKWRITEROFINDEX000", "s".repeat(43)]
        yield* run(
          `INSERT INTO ${table} (name, access_key_id, hash, created, rights, pools, limits)
          VALUES ('writer', '${id}', '${hashOf(id, secret)}', 0, 'read,wallet', NULL, '{}')`
        )
        const made = headerOf(id, secret)
        // Is let in by now, as a reader.
        yield* world.until(Effect.map(ask("GET", "/status", undefined, made), ({ status }) => status === 200))
        assert.strictEqual(yield* pay(1, made), 400)
        yield* run(
          `UPDATE ${table} SET hash = '${
            hashOf(shop.accessKeyId, secret)
          }', rights = 'read,wallet', limits = '{}' WHERE name = 'shop'`
        )
        yield* Effect.sleep("1500 millis")
        assert.strictEqual(yield* pay(1, headerOf(shop.accessKeyId, secret)), 401)
        assert.deepStrictEqual([yield* pay(5, own), yield* pay(6, own)], [200, 400])
        const shown = yield* ask("GET", "/caller", undefined, own)
        assert.deepStrictEqual(shown.body, { name: "shop", rights: ["read", "wallet"], limits: { largestValue: "5" } })
        assert.strictEqual((yield* ask("GET", "/caller", undefined, made)).body.rights.join(), "read")
        assert.strictEqual((yield* ask("GET", "/caller", undefined, headerOf("KASKNOBODY", secret))).status, 401)
        yield* callers.revoke(database, "shop")
        yield* world.until(Effect.map(pay(1, own), (status) => status === 401))
      }),
    60_000
  )

  it.scopedLive(
    "of an older version are moved once, those that were shown and no others",
    () =>
      Effect.gen(function*() {
        const { database, pay } = yield* start
        const run = yield* writerOf(database)
        const add = (name: string, id: string) =>
          run(
            `INSERT INTO ${table} (name, access_key_id, hash, created, rights, pools, limits)
            VALUES ('${name}', '${id}', '${hashOf(id, name)}', 0, 'read,wallet', 'default', '{"largestValue":"7"}')`
          )
        yield* add("old", "KASKOLD")
        const shown = yield* callers.movable(database)
        assert.deepInclude(shown.callers[0], {
          name: "old",
          rights: ["read", "wallet"],
          pools: ["default"],
          limits: { largestValue: 7n }
        })
        yield* world.until(Effect.map(pay(1, headerOf("KASKOLD", "old")), (status) => status === 400))
        yield* add("late", "KASKLATE")
        const changed = yield* Effect.flip(callers.move(database, shown.fingerprint))
        assert.include(changed.message, "are not those that were shown")
        yield* run(`DELETE FROM ${table} WHERE name = 'late'`)
        assert.deepStrictEqual(yield* callers.move(database, shown.fingerprint), ["old"])
        yield* world.until(Effect.map(pay(1, headerOf("KASKOLD", "old")), (status) => status === 200))
        assert.strictEqual(yield* pay(8, headerOf("KASKOLD", "old")), 400)
        assert.deepInclude((yield* callers.list(database)).find(({ name }) => name === "old"), {
          rights: ["read", "wallet"],
          limits: { largestValue: 7n }
        })
        yield* add("late", "KASKLATE")
        const { fingerprint } = yield* callers.movable(database)
        assert.include(
          (yield* Effect.flip(callers.move(database, fingerprint))).message,
          "were moved into the wallet before"
        )
      }),
    60_000
  )
})

describe.each(databases.filter(([name]) => name === "Postgres"))("the grants of the page on %s", (_, database) => {
  it.scopedLive(
    "let others read the index, and neither credentials nor anything of the wallet",
    () =>
      Effect.gen(function*() {
        const url = Redacted.value((yield* database).url)
        const sandbox = yield* world.sandbox
        const { gateway } = yield* open(url, `${sandbox.url}/rpc/${world.chain}`)
        yield* sandbox.control.chain(world.chain).transfer({ from: "alice", to: "bob", amount: 1n })
        yield* world.until(Effect.map(gateway.status, ({ index }) => (index.head?.number ?? 0) > 0))
        const page = readFileSync(new URL("../../../docs/guides/many-machines.md", import.meta.url), "utf8")
        const [, grants = ""] = /```sql\n(CREATE ROLE analyst[^`]*)```/.exec(page) ?? []
        const role = `analyst_${Math.floor(performance.now())}`
        const run = yield* as(url)
        yield* Effect.addFinalizer(() => Effect.ignore(run(`DROP OWNED BY ${role}; DROP ROLE ${role}`)))
        yield* run(grants.replaceAll("analyst", role))
        const theirs = yield* as(url, role)
        yield* theirs("SELECT * FROM klaytn_index.transfers LIMIT 1")
        const refused = [
          "SELECT * FROM klaytn_index.callers",
          "SELECT * FROM klaytn_index.facts",
          "DELETE FROM klaytn_index.transfers",
          "CREATE TABLE klaytn_index.mine (id int)",
          "SELECT * FROM klaytn_index_wallet.wallet_callers",
          "INSERT INTO klaytn_index_wallet.wallet_callers SELECT * FROM klaytn_index_wallet.wallet_callers"
        ]
        for (const statement of refused) {
          const failure = yield* Effect.flip(theirs(statement))
          assert.include(JSON.stringify(failure, ["cause", "message", "code"]), "42501", statement)
        }
      }),
    60_000
  )

  it.scopedLive(
    "are all: a gateway with a wallet does not start while a trigger may run with its rights",
    () =>
      Effect.gen(function*() {
        const url = Redacted.value((yield* database).url)
        const sandbox = yield* world.sandbox
        const start = Effect.scoped(Effect.asVoid(open(url, `${sandbox.url}/rpc/${world.chain}`)))
        yield* start
        const role = `writer_${Math.floor(performance.now())}`
        const run = yield* as(url)
        yield* Effect.addFinalizer(() => Effect.ignore(run(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)))
        yield* run(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA klaytn_index TO ${role}`)
        yield* start
        const refusal = Effect.map(Effect.flip(start), ({ message }) => message)
        yield* run(`GRANT CREATE ON SCHEMA klaytn_index TO ${role}`)
        const [, revoke = ""] = /may make functions in klaytn_index: (REVOKE .*)$/.exec(yield* refusal) ?? []
        yield* run(revoke)
        yield* start
        yield* run(`GRANT ALL ON klaytn_index.facts TO ${role}`)
        assert.include(yield* refusal, `${role} may put triggers on the tables of klaytn_index: REVOKE TRIGGER ON`)
        const theirs = yield* as(url, role)
        yield* theirs(
          `CREATE FUNCTION pg_temp.mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
            CREATE TRIGGER mine BEFORE INSERT ON klaytn_index.facts FOR EACH ROW EXECUTE FUNCTION pg_temp.mine()`
        )
        yield* run(`REVOKE ALL ON klaytn_index.facts FROM ${role}`)
        const [, drop = ""] = /has a trigger of [^:]*: (DROP TRIGGER .*)$/.exec(yield* refusal) ?? []
        yield* run(drop)
        yield* start
        yield* run(`GRANT CREATE ON SCHEMA klaytn_index TO ${role}`)
        yield* theirs("CREATE TABLE klaytn_index.mine (id int)")
        yield* run(`REVOKE CREATE ON SCHEMA klaytn_index FROM ${role}`)
        assert.include(yield* refusal, `${role} owns klaytn_index.mine`)
      }),
    60_000
  )

  it.scopedLive(
    "and a lock on the index's callers keep no caller that the owner revokes",
    () =>
      Effect.gen(function*() {
        const url = Redacted.value((yield* database).url)
        const sandbox = yield* world.sandbox
        const { ask } = yield* open(url, `${sandbox.url}/rpc/${world.chain}`)
        const { body: { address } } = yield* ask("POST", "/v2/account", {})
        yield* sandbox.chains.chain(world.chain).fund(address, klay)
        const { accessKeyId, secretAccessKey } = yield* callers.add(url, "shop", { rights: ["read", "wallet"] })
        const payment = { from: address, to: bob, value: "0x1", submit: true }
        const pay = Effect.map(
          ask("POST", "/v2/tx/value", payment, headerOf(accessKeyId, secretAccessKey)),
          ({ status }) => status
        )
        yield* world.until(Effect.map(pay, (status) => status === 200))
        const run = yield* as(url)
        const lock = "LOCK TABLE klaytn_index.callers IN ACCESS EXCLUSIVE MODE"
        const locked = yield* Effect.fork(run(`BEGIN; ${lock}; SELECT pg_sleep(9); COMMIT`))
        const held = yield* as(url)
        yield* world.until(
          Effect.map(
            held(
              "SELECT 1 FROM pg_locks WHERE relation = 'klaytn_index.callers'::regclass AND mode = 'AccessExclusiveLock'"
            ),
            (rows) => Array.isArray(rows) && rows.length > 0
          )
        )
        const { message, reason } = yield* Effect.flip(callers.revoke(url, "shop"))
        assert.strictEqual(reason, "Caller")
        assert.match(
          message,
          /shop has no rights for the wallet any more, and may read the index still: .*lock timeout/
        )
        yield* world.until(Effect.map(pay, (status) => status !== 200))
        yield* Fiber.join(locked)
        yield* callers.revoke(url, "shop")
        yield* world.until(Effect.map(pay, (status) => status === 401))
      }),
    60_000
  )
})
