import * as KeyWrapper from "@effect-klaytn/custody/KeyWrapper"
import * as WalletBackup from "@effect-klaytn/custody/WalletBackup"
import * as Database from "@effect-klaytn/store/Database"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { databases } from "../../store/test/support/databases.js"
import * as wallets from "../scripts/wallets.js"
import * as command from "../src/internal/command.js"
import * as world from "./support/world.js"

const { chain } = world

/** A backup of the wallet of an older version, with the key file: its tables are as that version has left them. */
const backupOf = (version: string) =>
  Effect.gen(function*() {
    const { database } = wallets.unpack("files", version, dirname(yield* world.file("index.db")))
    const key = Buffer.from(readFileSync(`${database}.wallet.key`, "utf8").trim(), "hex")
    const made = Effect.flatMap(SqlClient, (sql) => WalletBackup.make(sql, chain, KeyWrapper.ofKey(key), noble))
    const { bytes, keys } = yield* Effect.provide(made, Database.layerSqlite({ file: `${database}.wallet` }))
    const file = `${database}.backup`
    writeFileSync(file, bytes)
    return { file, keys, bytes, source: { key: key.toString("hex") } }
  })

describe.each(databases)("a backup of tables of an earlier version on %s", (name, open) => {
  it.scopedLive.each(wallets.versions("files"))(
    "%s is restored, and has every key",
    (version) =>
      Effect.gen(function*() {
        const { file, keys, source } = yield* backupOf(version)
        const { url } = yield* open
        const place = name === "SQLite" ? yield* world.file("restored.db") : Redacted.value(url)
        assert.isAbove(keys, 0)
        assert.deepStrictEqual(yield* command.wallet.restore(place, source, file), { keys })
        assert.strictEqual((yield* command.wallet.status(place)).keys, keys)
        yield* command.wallet.verifyAudit(place, source)
      }),
    60_000
  )
})

describe("a backup that is refused", () => {
  it.scopedLive("leaves no file of a wallet", () =>
    Effect.gen(function*() {
      const { bytes, file, source } = yield* backupOf("953ea670")
      const place = yield* world.file("refused.db")
      writeFileSync(file, bytes.subarray(0, -1))
      assert.strictEqual((yield* Effect.flip(command.wallet.restore(place, source, file))).reason, "Wallet")
      assert.isFalse(existsSync(`${place}.wallet`))
    }))
})
