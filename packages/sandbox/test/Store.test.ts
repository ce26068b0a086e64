import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import { type Driver, openLibsql, openNodeSqlite } from "@effect-klaytn/store/Driver"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Chains from "../src/Chains.js"
import * as openedEngine from "../src/internal/openedChains.js"
import { schemaVersion } from "../src/internal/store/Schema.js"
import { sqlClient } from "../src/internal/store/sqlClient.js"
import { openStore } from "../src/internal/store/Store.js"
import * as TokenContract from "../src/TokenContract.js"

const withFile = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "store-test-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
).pipe(Effect.map((directory) => join(directory, "chain.db")))

const alice = DevAccount.derive("store tests", "alice")
const to = `0x${"78".repeat(20)}` as const
const options = { seed: "store tests", clock: { start: 1_600_000_000, step: 1 } } as const

const drivers: ReadonlyArray<readonly [string, (path: string) => Driver]> = [
  ["libsql", openLibsql],
  ...(Number(process.versions.node.split(".")[0]) >= 24 ? [["node:sqlite", openNodeSqlite] as const] : [])
]

describe("Store", () => {
  it.scoped("raises its version with every change of a table, without which existing files would not open", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      yield* Effect.scoped(Chains.make({ ...options, database }))
      const file = openLibsql(database)
      const names = file.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'effect_klaytn_wal' ORDER BY name"
      ).all()
      file.close()
      const digest = createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, 16)
      // Where this fails because a table changed: raise the version beside the table, and put the new pair here.
      assert.deepStrictEqual([schemaVersion, digest], [14, "5c3dd49709b7993e"])
    }))

  it.scoped("gives a reopened chain back what waited: in its order, behind gaps, below the base fee, and unsigned", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const fixed = { ...options, database, baseFee: "fixed" } as const
      const manual = { ...fixed, mining: "manual" } as const
      const gpeb = 10n ** 9n
      const transfer = (nonce: bigint, gasPrice: bigint) =>
        Transaction.make({ type: "LegacyTransaction", nonce, gasPrice, gas: 30_000n, to, value: 1n, input: "0x" })
      const signed = (nonce: bigint, gasPrice: bigint) => {
        const made = transfer(nonce, gasPrice)
        const both = made.ok
          ? Transaction.signAsSender(made.value, { chainId: 1001, privateKey: Redacted.value(alice.privateKey) })
          : made
        return both.ok ? both.value : assert.fail(both.error.message)
      }
      const before = yield* Effect.scoped(Effect.gen(function*() {
        const chains = yield* Chains.make(manual)
        const chain = chains.chain(1001)
        yield* chain.fund(alice.address, 10n ** 20n)
        yield* chain.edit(to, { balance: 10n ** 18n })
        yield* chain.mine()
        yield* chain.submit(signed(0n, 40n * gpeb))
        yield* chain.submit(signed(1n, 26n * gpeb))
        yield* chain.submit(signed(5n, 40n * gpeb))
        const made = transfer(0n, 40n * gpeb)
        yield* chain.submitAs(made.ok ? { ...made.value, signatures: signed(0n, 1n).signatures } : assert.fail(), to)
        yield* chains.chain(8217).submit(signed(0n, 40n * gpeb)).pipe(Effect.ignore)
        return yield* chain.pending
      }))
      assert.strictEqual(before.length, 4)
      const [, underpriced = "0x", gapped = "0x"] = before
      yield* Effect.scoped(Effect.gen(function*() {
        // At a higher base fee one of them waits, and is not lost.
        const chain = (yield* Chains.make({ ...manual, unitPrice: 30n * gpeb })).chain(1001)
        assert.deepStrictEqual(yield* chain.pending, before)
        yield* chain.mine()
        assert.deepStrictEqual(yield* chain.pending, [underpriced, gapped])
      }))
      const last = yield* Effect.scoped(Effect.gen(function*() {
        // What can run is mined at once where every transaction is.
        const chain = (yield* Chains.make(fixed)).chain(1001)
        assert.isTrue(Option.isSome(yield* chain.transaction(underpriced)))
        assert.deepStrictEqual(yield* chain.pending, [gapped])
        yield* chain.emptyPool
        return yield* chain.pending
      }))
      assert.deepStrictEqual(last, [])
      yield* Effect.scoped(Effect.gen(function*() {
        assert.deepStrictEqual(yield* (yield* Chains.make(manual)).chain(1001).pending, [])
      }))
    }))

  it.scoped("gives a reopened chain back as it was: head, state, tokens, code, seed", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const look = (chains: Effect.Effect.Success<ReturnType<typeof Chains.make>>, contract: `0x${string}`) =>
        Effect.all({
          head: chains.chain(1001).head,
          account: chains.chain(1001).account(alice.address),
          code: chains.chain(1001).code(contract),
          holding: chains.chain(1001).holding(contract, alice.address, 5n),
          transfers: chains.chain(1001).transfers({ accounts: [alice.address], limit: 10 }),
          other: chains.chain(8217).head
        })
      const [before, contract] = yield* Effect.scoped(Effect.gen(function*() {
        const chains = yield* Chains.make({ ...options, database })
        const chain = chains.chain(1001)
        yield* chain.fund(alice.address, 10n ** 20n)
        const token = yield* TokenContract.deploy(chain, alice, { kind: "mt", uri: "u" })
        yield* TokenContract.mint(chain, alice, token, { kind: "mt", to: alice.address, tokenId: 5n, amount: 7n })
        return [yield* look(chains, token.address), token.address] as const
      }))
      const again = yield* Chains.make({ database })
      assert.strictEqual(again.seed, "store tests")
      assert.deepStrictEqual(yield* look(again, contract), before)
      assert.isTrue(Option.isSome(before.holding))
      yield* TokenContract.mint(again.chain(1001), alice, { address: contract, kind: "mt", minter: "anyone" }, {
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
      const { service, store } = yield* openedEngine.open({ ...options, database })
      const chain = service.chain(1001)
      yield* chain.fund(alice.address, 10n ** 20n)
      const head = yield* chain.head
      store.driver.prepare("PRAGMA query_only = 1").all()
      const failed = yield* Effect.flip(chain.execute({ kind: "transfer", from: alice, to: alice.address, value: 1n }))
      assert(failed._tag === "StoreFailure")
      assert.include(failed.message, database)
      assert.include(failed.message, "can't be written")
      assert.deepStrictEqual(yield* chain.head, head)
      assert.deepStrictEqual(yield* chain.pending, [])
      assert.strictEqual(Option.getOrThrow(yield* chain.account(alice.address)).nonce, 0n)
      store.driver.prepare("PRAGMA query_only = 0").all()
      const sent = yield* chain.execute({ kind: "transfer", from: alice, to: alice.address, value: 1n })
      assert.strictEqual(sent.nonce, 0n)
    }))

  it.scoped("opens a file for one engine alone, and for the next one when that is closed", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const [head, second] = yield* Effect.scoped(Effect.gen(function*() {
        const chain = (yield* Chains.make({ ...options, database })).chain(1001)
        yield* chain.fund(alice.address, 1n)
        const refused = yield* Effect.flip(Effect.scoped(Chains.make({ ...options, database })))
        yield* chain.fund(alice.address, 2n)
        return [yield* chain.head, refused] as const
      }))
      assert.strictEqual(
        second.message,
        `the database failed at open: ${database}: another sandbox or program has it open; ` +
          "stop that one or choose another file"
      )
      assert.deepStrictEqual(yield* (yield* Chains.make({ database })).chain(1001).head, head)
    }))

  it.scoped("refuses a file of another program, and leaves it as it is", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      for (
        const sql of [
          "CREATE TABLE meta (name TEXT); INSERT INTO meta VALUES ('theirs')",
          "PRAGMA application_id = 252006674; PRAGMA user_version = 3",
          "PRAGMA journal_mode = WAL; CREATE TABLE meta (name TEXT); INSERT INTO meta VALUES ('theirs')"
        ]
      ) {
        rmSync(database, { force: true })
        const theirs = openLibsql(database)
        theirs.exec(sql)
        theirs.close()
        const before = readFileSync(database)
        const refused = yield* Effect.flip(Chains.make({ database }))
        assert.include(refused.message, `${database}: it belongs to another program`)
        assert.isTrue(readFileSync(database).equals(before))
        // Who reads a file with a write-ahead log makes these beside it.
        const made = readdirSync(dirname(database)).filter((name) => !/-(?:shm|wal)$/.test(name))
        assert.deepStrictEqual(made, ["chain.db"])
      }
    }))

  it.scoped("takes a file that was written before files had a mark", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const head = yield* Effect.scoped(
        Effect.flatMap(Chains.make({ ...options, database }), (chains) => chains.chain(1001).head)
      )
      const unmarked = openLibsql(database)
      unmarked.exec("PRAGMA application_id = 0")
      unmarked.close()
      assert.deepStrictEqual(yield* (yield* Chains.make({ database })).chain(1001).head, head)
    }))

  it.scoped("gives a file of the first version the tables, columns and indexes of a new one", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const definition = () => {
        const store = openStore(database)
        const tables = store.driver.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
        const columns = "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info(?1) ORDER BY name"
        const names = store.driver.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
          .all()
        const defined = [tables.map(([name]) => [name, store.driver.prepare(columns).all(`${name}`)]), names]
        store.close()
        return defined
      }
      const fresh = definition()
      const old = openLibsql(database)
      for (const c of [8217, 1001]) {
        old.exec(`DROP TABLE ownings_${c}; DROP TABLE labels_${c}; DROP TABLE wallet_pools_${c};
          DROP TABLE wallet_keys_${c}; DROP TABLE wallet_accounts_${c}; DROP TABLE wallet_pending_${c};
          DROP INDEX transfers_token_${c}; DROP INDEX transactions_fee_payer_${c};
          ALTER TABLE tokens_${c} DROP COLUMN uri;
          DROP INDEX ownership_undo_block_${c}; ALTER TABLE ownership_undo_${c} RENAME TO ledger_undo_${c};
          CREATE INDEX ledger_undo_block_${c} ON ledger_undo_${c} (block);
          ALTER TABLE contracts_${c} DROP COLUMN supply; ALTER TABLE contracts_${c} DROP COLUMN holders;
          CREATE INDEX holdings_contract_${c} ON holdings_${c} (contract, owner, updated)`)
      }
      old.exec("PRAGMA user_version = 1")
      old.close()
      assert.deepStrictEqual(definition(), fresh)
      const store = openStore(database)
      const { pools } = SqlWalletStore.make(yield* sqlClient(store.driver), 1001)
      assert.deepStrictEqual((yield* pools).map(({ name, type }) => [type, name]), [
        ["key-pool", "default"],
        ["feepayer-pool", "default"],
        ["account-pool", "default"]
      ])
      store.close()
    }))

  it.scoped("names the file and what to do when it can't be opened, and needs a file name", () =>
    Effect.gen(function*() {
      const database = yield* withFile
      const store = openStore(database)
      store.driver.exec(`PRAGMA user_version = ${schemaVersion + 1}`)
      store.close()
      const newer = yield* Effect.flip(Chains.make({ database }))
      assert.match(newer.message, /schema version \d+ .* use a newer sandbox/)
      assert.include(newer.message, database)
      const missing = join(database, "nowhere", "chain.db")
      assert.include(
        (yield* Effect.flip(Chains.make({ database: missing }))).message,
        `${missing}: it can't be opened; check that its folder exists`
      )
      writeFileSync(database, "not a database, but long enough to be taken for one ".repeat(20))
      assert.include(
        (yield* Effect.flip(Chains.make({ database }))).message,
        `${database}: it is not an SQLite database`
      )
      assert.include((yield* Effect.flip(Chains.make({ database: "" }))).message, "needs a file name")
    }))

  for (const [name, open] of drivers) {
    it(`has the same methods on ${name}`, () => {
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
      const one = driver.prepare("SELECT words, id FROM t WHERE id > ?1 ORDER BY id DESC")
      assert.deepStrictEqual(one.first(0), ["ä", 2 ** 45])
      assert.strictEqual(one.first(2 ** 45), undefined)
      assert.throws(() => insert.run(2, null, null), /UNIQUE/)
      assert.throws(() => driver.prepare("SELECT nonsense FROM t"))
      driver.close()
    })
  }
})
