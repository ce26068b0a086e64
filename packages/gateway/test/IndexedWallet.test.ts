/** An index belongs to one wallet: a wallet that was lost is not made anew. */
import * as PostgresIndex from "@effect-klaytn/indexer/PostgresIndex"
import * as Driver from "@effect-klaytn/store/Driver"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { copyFileSync, renameSync, rmSync } from "node:fs"
import { databases } from "../../store/test/support/databases.js"
import * as world from "./support/world.js"

const key = Redacted.make("5a".repeat(32))

const gatewayOf = (database: string) =>
  Effect.gen(function*() {
    const sandbox = yield* world.sandbox
    const wallet = database.startsWith("postgres") ? { key } : {}
    return Effect.scoped(Effect.map(
      world.start({ node: { url: `${sandbox.url}/rpc/${world.chain}` }, database, chain: world.chain, wallet }),
      ({ wallet }) => wallet?.globalFeePayer
    ))
  })

describe("the wallet beside an index in a file", () => {
  it.scopedLive("is not made anew where it was lost, or copied without its -wal, and is found again when it is back", () =>
    Effect.gen(function*() {
      const database = yield* world.file("index.db")
      const start = yield* gatewayOf(database)
      const own = yield* start
      const file = `${database}.wallet`
      renameSync(file, `${file}.kept`)
      const gone = yield* Effect.flip(start)
      assert.include(gone.message, `the index belongs to the wallet whose own fee payer is ${own}`)
      assert.include(gone.message, "-wal")
      // What a copy of a file has whose rows are all in its -wal: no table.
      const empty = Driver.openLibsql(file)
      empty.prepare("PRAGMA journal_mode = WAL").all()
      empty.close()
      assert.include((yield* Effect.flip(start)).message, "has no wallet")
      // An index of an older version notes no wallet: the last line of the audit log does.
      const fresh = yield* world.file("other.db")
      copyFileSync(`${file}.head`, `${fresh}.wallet.head`)
      assert.include((yield* Effect.flip(yield* gatewayOf(fresh))).message, "names the last line of a wallet")
      renameSync(`${file}.kept`, file)
      assert.strictEqual(yield* start, own)
    }))

  it.scopedLive("is the one that the index has had, and no other", () =>
    Effect.gen(function*() {
      const one = yield* world.file("one.db")
      const two = yield* world.file("two.db")
      const start = yield* gatewayOf(one)
      const first = yield* start
      const second = yield* yield* gatewayOf(two)
      for (const last of ["", ".key", ".head"]) copyFileSync(`${two}.wallet${last}`, `${one}.wallet${last}`)
      const { message, reason } = yield* Effect.flip(start)
      assert.strictEqual(reason, "Wallet")
      assert.include(message, `${first}, and`)
      assert.include(message, `another one, ${second}`)
      rmSync(`${one}`)
      assert.strictEqual(yield* start, second)
    }))
})

describe.each(databases.filter(([name]) => name === "Postgres"))("the wallet beside an index on %s", (_, open) => {
  it.scopedLive("is not made anew where its schema is gone", () =>
    Effect.gen(function*() {
      const { layer, url } = yield* open
      const start = yield* gatewayOf(Redacted.value(url))
      const own = yield* start
      yield* Effect.flatMap(
        SqlClient,
        (sql) => sql`DROP SCHEMA ${sql(`${PostgresIndex.defaultSchema}_wallet`)} CASCADE`
      )
        .pipe(Effect.provide(layer))
      assert.include((yield* Effect.flip(start)).message, `whose own fee payer is ${own}`)
    }))
})
