import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as DevAccount from "../src/DevAccount.js"
import * as Engine from "../src/Engine.js"
import { type Driver, openLibsql, openNodeSqlite } from "../src/internal/store/Driver.js"
import { migrations } from "../src/internal/store/Schema.js"
import { openStore } from "../src/internal/store/Store.js"
import * as Token from "../src/Token.js"

const withFile = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "store-test-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
).pipe(Effect.map((directory) => join(directory, "chain.db")))

const alice = DevAccount.derive("store tests", "alice")
const options = { seed: "store tests", clock: { start: 1_600_000_000, step: 1 } } as const

const drivers: ReadonlyArray<readonly [string, (path: string) => Driver]> = [
  ["libsql", openLibsql],
  ...(Number(process.versions.node.split(".")[0]) >= 24 ? [["node:sqlite", openNodeSqlite] as const] : [])
]

describe("Store", () => {
  it.scoped("gives a reopened chain back as it was: head, state, tokens, code, seed", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const look = (engine: Effect.Effect.Success<ReturnType<typeof Engine.make>>, contract: `0x${string}`) =>
        Effect.all({
          head: engine.chain(1001).head,
          account: engine.chain(1001).account(alice.address),
          code: engine.chain(1001).code(contract),
          holding: engine.chain(1001).holding(contract, alice.address, 5n),
          transfers: engine.chain(1001).transfers({ accounts: [alice.address], limit: 10 }),
          other: engine.chain(8217).head
        })
      const [before, contract] = yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* Engine.make({ ...options, database })
        const chain = engine.chain(1001)
        yield* chain.fund(alice.address, 10n ** 20n)
        const token = yield* Token.deploy(chain, alice, { kind: "mt", uri: "u" })
        yield* Token.mint(chain, alice, token, { kind: "mt", to: alice.address, tokenId: 5n, amount: 7n })
        return [yield* look(engine, token.address), token.address] as const
      }))
      const again = yield* Engine.make({ database })
      assert.strictEqual(again.seed, "store tests")
      assert.deepStrictEqual(yield* look(again, contract), before)
      assert.isTrue(Option.isSome(before.holding))
      yield* Token.mint(again.chain(1001), alice, { address: contract, kind: "mt", minter: "anyone" }, {
        kind: "mt",
        to: alice.address,
        tokenId: 5n,
        amount: 1n
      })
      assert.strictEqual(yield* again.chain(1001).totalBalance(contract, alice.address), 8n)
    }))

  it.scoped("keeps a chain as it was when a block cannot be stored, and goes on when it can", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const chain = (yield* Engine.make({ ...options, database })).chain(1001)
      yield* chain.fund(alice.address, 10n ** 20n)
      const head = yield* chain.head
      const other = openStore(database)
      other.driver.exec("BEGIN IMMEDIATE")
      const failed = yield* Effect.flip(chain.execute({ kind: "transfer", from: alice, to: alice.address, value: 1n }))
      assert.strictEqual(failed._tag, "StoreFailure")
      assert.deepStrictEqual(yield* chain.head, head)
      assert.deepStrictEqual(yield* chain.pending, [])
      assert.strictEqual(Option.getOrThrow(yield* chain.account(alice.address)).nonce, 0n)
      other.driver.exec("ROLLBACK")
      other.close()
      const sent = yield* chain.execute({ kind: "transfer", from: alice, to: alice.address, value: 1n })
      assert.strictEqual(sent.nonce, 0n)
    }))

  it.scoped("refuses to write over the blocks of another process", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const first = (yield* Engine.make({ ...options, database })).chain(1001)
      const second = (yield* Engine.make({ ...options, database })).chain(1001)
      yield* first.fund(alice.address, 1n)
      const failed = yield* Effect.flip(second.fund(alice.address, 2n))
      assert(failed._tag === "StoreFailure")
      assert.match(failed.message, /another sandbox has written/)
    }))

  it.scoped("refuses a file of a newer version and a file that is no database", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const store = openStore(database)
      store.driver.exec(`PRAGMA user_version = ${migrations.length + 1}`)
      store.close()
      const newer = yield* Effect.flip(Engine.make({ database }))
      assert.match(newer.message, /schema version/)
      const missing = yield* Effect.flip(Engine.make({ database: join(database, "nowhere", "chain.db") }))
      assert.strictEqual(missing._tag, "StoreFailure")
    }))

  for (const [name, open] of drivers) {
    it(`has the same five methods on ${name}`, () => {
      const driver = open(":memory:")
      assert.strictEqual(driver.name, name)
      driver.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB, words TEXT)")
      const insert = driver.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")
      insert.run(2 ** 45, new Uint8Array([1, 2, 255]).subarray(1), "ä")
      insert.run(2, null, null)
      const rows = driver.prepare("SELECT id, data, words FROM t ORDER BY id DESC").all()
      assert.deepStrictEqual(rows.map((row) => row.map((cell) => cell instanceof Uint8Array ? [...cell] : cell)), [
        [2 ** 45, [2, 255], "ä"],
        [2, null, null]
      ])
      assert.throws(() => insert.run(2, null, null), /UNIQUE/)
      assert.throws(() => driver.prepare("SELECT nonsense FROM t"))
      driver.close()
    })
  }
})
