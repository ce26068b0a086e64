import * as OwnerLock from "@effect-klaytn/custody/OwnerLock"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { copyFileSync, existsSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { onPostgres } from "../../engine/test/support/databases.js"
import { callers, wallet } from "../src/internal/command.js"
import { unkept } from "../src/internal/newKeys.js"
import * as postgres from "../src/internal/postgres.js"
import * as walletFile from "../src/internal/walletFile.js"
import { key, klay } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

const startOn = Effect.fnUntraced(function*(place: Effect.Effect<string, never, Scope.Scope>) {
  const node = yield* world.sandbox
  const chain = node.chains.chain(world.chain)
  const database = yield* place
  /** A gateway on a database, as one caller sees it. */
  const run = (place: string) =>
    Effect.gen(function*() {
      yield* Effect.ignore(callers.revoke(place, "till"))
      const { accessKeyId, secretAccessKey } = yield* callers.add(place, "till", { rights: ["read", "wallet"] })
      const gateway = yield* world.start({
        node: { url: `${node.url}/rpc/${world.chain}` },
        database: place,
        chain: world.chain,
        wallet: { feePayerStyle: "paths", key }
      })
      const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
      const post = (path: string, body: object, name: string) =>
        Effect.map(
          world.send(`${gateway.url}${path}`, {
            method: "POST",
            headers: { authorization, "content-type": "application/json", "idempotency-key": name },
            body: JSON.stringify(body)
          }),
          ({ status, text }) => ({ status, body: JSON.parse(text) })
        )
      const pay = (from: string, name: string) =>
        post("/v2/tx/value", { from, to: bob, value: "0x5", submit: true }, name)
      return { post, pay }
    })
  const received = Effect.map(chain.account(bob), Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance }))
  const account = (post: Effect.Effect.Success<ReturnType<typeof run>>["post"]) =>
    Effect.gen(function*() {
      const { body } = yield* post("/v2/account", {}, "account")
      const address = String(body.address)
      yield* chain.fund(`0x${address.slice(2)}`, 100n * klay)
      return address
    })
  return { database, run, account, received }
})

const start = startOn(world.file("index.db"))

const source = { key: Redacted.value(key) }

describe("a key that the wallet does not know", () => {
  it.scopedLive(
    "is refused after a restore until the owner accepts new keys, and one that is known answers",
    () =>
      Effect.gen(function*() {
        const { account, database, received, run } = yield* start
        const backup = join(dirname(database), "one.backup")
        const from = yield* Effect.scoped(Effect.gen(function*() {
          const { pay, post } = yield* run(database)
          const address = yield* account(post)
          assert.strictEqual((yield* pay(address, "before")).status, 200)
          yield* wallet.backup(database, source, backup)
          assert.strictEqual((yield* pay(address, "after")).status, 200)
          return address
        }))
        assert.strictEqual(yield* received, 10n)
        const restored = yield* world.file("index.db")
        yield* wallet.restore(restored, source, backup)
        const { pay } = yield* run(restored)
        assert.include((yield* wallet.status(restored)).newKeysRefused, "restored")
        for (const key of ["after", "new"]) {
          const { body, status } = yield* pay(from, key)
          assert.deepStrictEqual([status, body.code], [400, 1069409])
        }
        assert.strictEqual((yield* pay(from, "before")).status, 200)
        assert.strictEqual(yield* received, 10n)
        yield* wallet.acceptKeys(restored, source)
        assert.strictEqual((yield* pay(from, "new")).status, 200)
        assert.strictEqual(yield* received, 15n)
        assert.isUndefined((yield* wallet.status(restored)).newKeysRefused)
      }),
    60_000
  )

  it.scopedLive("is accepted at once after a restore that says so", () =>
    Effect.gen(function*() {
      const { account, database, run } = yield* start
      const backup = join(dirname(database), "one.backup")
      const from = yield* Effect.scoped(Effect.gen(function*() {
        const { post } = yield* run(database)
        const address = yield* account(post)
        yield* wallet.backup(database, source, backup)
        return address
      }))
      const restored = yield* world.file("index.db")
      yield* wallet.restore(restored, source, backup, true)
      const { pay } = yield* run(restored)
      assert.strictEqual((yield* pay(from, "new")).status, 200)
    }), 60_000)

  it.scopedLive.each(
    [["put back in its place", true], ["in another folder, without what is beside it", false]] as const
  )(
    "is refused in an older copy of the wallet's file, %s",
    ([, isInPlace]) =>
      Effect.gen(function*() {
        const { account, database, received, run } = yield* start
        const from = yield* Effect.scoped(Effect.flatMap(run(database), ({ post }) => account(post)))
        const folder = dirname(yield* world.file("copy"))
        const copy = (into: string) => {
          for (const end of ["wallet", "wallet-wal", "wallet-shm"]) {
            const [one, other] = into === folder
              ? [`${database}.${end}`, join(folder, end)]
              : [join(folder, end), `${into}.${end}`]
            rmSync(other, { force: true })
            if (existsSync(one)) copyFileSync(one, other)
          }
        }
        copy(folder)
        // The same wallet goes on, is stopped, and is started again: nothing is refused.
        yield* Effect.scoped(Effect.gen(function*() {
          const { pay } = yield* run(database)
          assert.strictEqual((yield* pay(from, "paid")).status, 200)
        }))
        yield* Effect.scoped(Effect.gen(function*() {
          const { pay } = yield* run(database)
          assert.strictEqual((yield* pay(from, "paid again")).status, 400)
          assert.strictEqual((yield* pay(from, "paid-again")).status, 200)
        }))
        const place = isInPlace ? database : yield* world.file("index.db")
        copy(place)
        const { pay } = yield* run(place)
        assert.strictEqual((yield* pay(from, "paid")).body.code, 1069409)
        assert.strictEqual(yield* received, 10n)
        yield* wallet.acceptKeys(place, source)
        assert.strictEqual((yield* pay(from, "new")).status, 200)
      }),
    60_000
  )
})

describe("accept-keys and undelete", () => {
  it.scopedLive(
    "are refused beside another command of the owner, and write lines of the audit log",
    () =>
      Effect.gen(function*() {
        const { account, database, run } = yield* start
        const address = yield* Effect.scoped(Effect.gen(function*() {
          const { post } = yield* run(database)
          yield* account(post)
          return String((yield* post("/v2/account", {}, "other")).body.address)
        }))
        const commands = [wallet.acceptKeys(database, source), wallet.undelete(database, source, address)]
        const sql = yield* walletFile.openDatabase(`${database}.wallet`)
        yield* sql`UPDATE wallet_accounts_1001 SET deleted = 1 WHERE address = ${Buffer.from(address.slice(2), "hex")}`
        const failures = yield* Effect.forEach(commands, Effect.flip).pipe(OwnerLock.take(sql, world.chain, "backup"))
        for (const { message } of failures) assert.include(message, "another command of the owner, backup")
        assert.deepStrictEqual(yield* wallet.undelete(database, source, address), { pool: "default" })
        yield* wallet.acceptKeys(database, source)
        const lines = (yield* wallet.auditLines(database, source, 0)).map(({ line }) => JSON.parse(line))
        const owner = lines.flatMap(({ event, subject, what }) => event === "owner" ? [[what, subject]] : [])
        assert.deepStrictEqual(owner, [["undelete", address.toLowerCase()], ["accept keys", undefined]])
      }),
    60_000
  )
})

const known = "keys are known at"

describe.each(onPostgres)("a key that the wallet does not know, on %s", (_, open) => {
  const place = Effect.map(open, ({ url }) => Redacted.value(url))
  const statement = (database: string, text: string) =>
    Effect.scoped(
      Effect.flatMap(postgres.client(database, postgres.answering(1), "klaytn_index_wallet"), (sql) => sql.unsafe(text))
    )

  it.scopedLive(
    "is refused on another server, or on one that has taken over, until the owner accepts new keys",
    () =>
      Effect.gen(function*() {
        const { account, database, received, run } = yield* startOn(place)
        const { pay, post } = yield* run(database)
        const from = yield* account(post)
        assert.strictEqual((yield* pay(from, "paid")).status, 200)
        const [fact] = yield* statement(database, `SELECT value FROM wallet_facts_1001 WHERE name = '${known}'`)
        assert.match(JSON.stringify(fact), /"\d+\/[0-9A-F]{8}\/\d+\/\d+"/)
        // A server that takes over goes on in another timeline, and the gateway with its new connections.
        yield* statement(
          database,
          `UPDATE wallet_facts_1001 SET value = split_part(value, '/', 1) || '/000000FE' WHERE name = '${known}'`
        )
        yield* world.until(
          Effect.map(wallet.status(database), ({ newKeysRefused = "" }) => /taken/.test(newKeysRefused))
        )
        assert.strictEqual((yield* pay(from, "new")).body.code, 1069409)
        assert.strictEqual((yield* pay(from, "paid")).status, 200)
        yield* wallet.acceptKeys(database, source)
        assert.strictEqual((yield* pay(from, "new")).status, 200)
        assert.strictEqual(yield* received, 10n)
        // A copy on another server, from its start on.
        yield* statement(database, `UPDATE wallet_facts_1001 SET value = '1/00000001' WHERE name = '${known}'`)
        const other = yield* run(database)
        assert.strictEqual((yield* other.pay(from, "third")).body.code, 1069409)
      }),
    60_000
  )

  it.scopedLive("is refused where a dump was played back into the same server", () =>
    Effect.gen(function*() {
      const { account, database, received, run } = yield* startOn(place)
      const from = yield* Effect.scoped(Effect.gen(function*() {
        const { pay, post } = yield* run(database)
        const address = yield* account(post)
        assert.strictEqual((yield* pay(address, "before")).status, 200)
        return address
      }))
      // What an earlier version has written is the same place, and is completed.
      const facts = `SELECT value FROM wallet_facts_1001 WHERE name = '${known}'`
      const complete = yield* statement(database, facts)
      yield* statement(
        database,
        `UPDATE wallet_facts_1001 SET value = split_part(value, '/', 1) || '/' || split_part(value, '/', 2) WHERE name = '${known}'`
      )
      yield* statement(database, "CREATE TABLE dump AS TABLE wallet_requests_1001")
      yield* Effect.scoped(Effect.gen(function*() {
        const { pay } = yield* run(database)
        assert.deepStrictEqual(yield* statement(database, facts), complete)
        assert.strictEqual((yield* pay(from, "after")).status, 200)
      }))
      // As `pg_dump --clean` writes it: the table is dropped, and made and filled anew.
      yield* statement(
        database,
        `CREATE TABLE anew (LIKE wallet_requests_1001 INCLUDING ALL); INSERT INTO anew TABLE dump;
          DROP TABLE wallet_requests_1001, dump; ALTER TABLE anew RENAME TO wallet_requests_1001`
      )
      const { pay } = yield* run(database)
      assert.strictEqual((yield* pay(from, "after")).body.code, 1069409)
      assert.strictEqual((yield* pay(from, "before")).status, 200)
      assert.strictEqual(yield* received, 10n)
      yield* wallet.acceptKeys(database, source)
      assert.strictEqual((yield* pay(from, "new")).status, 200)
    }), 60_000)

  it.scopedLive("is accepted where the role may not ask which server it is, which is told once at the start", () => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => {
      if (String(message).includes("can't be told")) warnings.push(String(message))
    })
    return Effect.gen(function*() {
      const server = yield* place
      const role = `keeper_${Math.floor(performance.now())}`
      yield* statement(
        server,
        `CREATE ROLE ${role} LOGIN; GRANT CREATE ON DATABASE ${new URL(server).pathname.slice(1)} TO ${role};
          GRANT CREATE ON SCHEMA public TO ${role}; REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC`
      )
      yield* Effect.addFinalizer(() => Effect.ignore(statement(server, `DROP OWNED BY ${role}; DROP ROLE ${role}`)))
      const address = Object.assign(new URL(server), { username: role }).href
      const { account, database, run } = yield* startOn(Effect.succeed(address))
      const { pay, post } = yield* run(database)
      const from = yield* account(post)
      assert.strictEqual((yield* pay(from, "one")).status, 200)
      yield* Effect.sleep("2500 millis")
      assert.strictEqual((yield* pay(from, "two")).status, 200)
      assert.strictEqual(warnings.length, 1)
      const facts = yield* statement(database, `SELECT value FROM wallet_facts_1001 WHERE name = '${known}'`)
      assert.deepStrictEqual(facts, [])
      // What an earlier version has written is no server.
      yield* statement(database, `INSERT INTO wallet_facts_1001 (name, value) VALUES ('${known}', '')`)
      const again = yield* run(database)
      assert.strictEqual((yield* again.pay(from, "three")).status, 200)
    }).pipe(Effect.provide(Logger.add(logger)))
  }, 60_000)
})

it("names in its log a file beside a file, and none of a wallet in Postgres", () => {
  const why = "the database failed at keys: Connection terminated"
  const ofFile = unkept("/shop/index.db.wallet", why)
  assert.include(ofFile, "is not kept in /shop/index.db.wallet.head: an older copy of the wallet would not be noticed")
  const ofPostgres = unkept("postgres://klaytn@db.example/klaytn", why)
  assert.strictEqual(ofPostgres, `it is not known whether the wallet is an older copy: ${why}`)
})
