import * as Keyring from "@effect-klaytn/custody/Keyring"
import * as MasterKey from "@effect-klaytn/custody/MasterKey"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import * as command from "../src/internal/command.js"
import * as newKeys from "../src/internal/newKeys.js"
import * as walletFile from "../src/internal/walletFile.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}`
const { wallet } = command

/** A wallet without a gateway. */
const start = Effect.gen(function*() {
  const database = yield* world.file("index.db")
  const file = walletFile.beside(database)
  yield* Effect.scoped(walletFile.open(file, 1001, {}))
  return { database, file }
})

/** The lock of an owner's command that is under way. */
const locked = (file: string) =>
  Effect.scoped(Effect.flatMap(
    walletFile.openDatabase(file),
    (sql) =>
      Effect.zipRight(
        walletFile.makeTables(sql, 1001),
        sql`INSERT INTO wallet_locks_1001 (name, holder, until) VALUES ('owner', 'rekey 1', 9999999999)`
      )
  ))

describe("a command of the owner", () => {
  it.scopedLive("does nothing while another one is under way", () =>
    Effect.gen(function*() {
      const { database, file } = yield* start
      const target = `${database}.backup`
      yield* wallet.backup(database, {}, target)
      const keyFile = `${database}.next`
      yield* MasterKey.make(keyFile)
      yield* locked(file)
      const other = yield* world.file("other.db")
      copyFileSync(`${file}.key`, `${walletFile.beside(other)}.key`)
      chmodSync(`${walletFile.beside(other)}.key`, 0o600)
      yield* locked(walletFile.beside(other))
      const pool = { type: "account-pool", name: "default" } as const
      const commands = {
        repair: wallet.endRow(database, {}, { table: "sends", id: 1 }),
        rekey: wallet.rekey(database, {}, { keyFile }, 0),
        backup: wallet.backup(database, {}, `${target}.2`),
        restore: wallet.restore(other, {}, target),
        "accept-keys": wallet.acceptKeys(database, {}),
        import: wallet.importAccount(database, {}, pool, { raw: "11".repeat(32) }),
        undelete: wallet.undelete(database, {}, bob)
      }
      for (const [name, run] of Object.entries(commands)) {
        const { message } = yield* Effect.flip(run)
        assert.include(message, `${name} is not done: another command of the owner, rekey, is under way`)
      }
      assert.isFalse(existsSync(`${target}.2`))
      assert.isTrue(
        yield* Effect.scoped(Effect.flatMap(
          walletFile.openDatabase(file),
          (sql) => Effect.flatMap(MasterKey.fromFile(`${file}.key`), (key) => Keyring.check(sql, 1001, key))
        ))
      )
    }))

  it.scopedLive("leaves a line in the log, also if there is nothing to do", () =>
    Effect.gen(function*() {
      const { database } = yield* start
      yield* wallet.acceptKeys(database, {})
      yield* Effect.flip(wallet.undelete(database, {}, bob))
      const lines = yield* wallet.auditLines(database, {}, 0)
      assert.deepStrictEqual(lines.map(({ line }): unknown => JSON.parse(line).what), ["accept keys", "undelete"])
    }))

  it.scopedLive("makes files that nobody else can read, and none in place of another", () =>
    Effect.gen(function*() {
      const { database, file } = yield* start
      const target = `${database}.backup`
      const mask = process.umask(0)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.umask(mask)))
      // What another one that was stopped has left: containers give each process the same number.
      writeFileSync(`${target}.${process.pid}.part`, "a part")
      yield* wallet.backup(database, {}, target)
      yield* wallet.freeze(database)
      yield* wallet.acceptKeys(database, {})
      const modes = [target, `${file}.frozen`, `${file}.head`, `${file}.key`].map((one) => statSync(one).mode & 0o777)
      assert.deepStrictEqual(modes, [0o600, 0o600, 0o600, 0o600])
      writeFileSync(target, "mine")
      assert.include((yield* Effect.flip(wallet.backup(database, {}, target))).message, "there is a file")
      assert.strictEqual(statSync(target).size, 4)
    }))
})

describe("a wallet whose last line is another one than the one that was kept", () => {
  it.scopedLive("takes no new keys: it is a copy from before", () =>
    Effect.gen(function*() {
      const { file } = yield* start
      const opened = yield* walletFile.open(file, 1001, {})
      const refusal = Effect.zipRight(
        Effect.scoped(newKeys.watch({ ...opened, chain: 1001, file })),
        SqlSendStore.requests(opened.sql, 1001).refusal
      )
      yield* opened.audit.append({ event: "owner", what: "test" })
      assert.isUndefined(yield* refusal)
      writeFileSync(`${file}.head`, readFileSync(`${file}.head`, "utf8").replace(/0x.{4}/, "0x0000"))
      assert.include(yield* refusal, "the wallet is an older copy: it lacks line 1")
    }))
})
