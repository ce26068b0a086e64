import * as Database from "@effect-klaytn/engine/Database"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import * as stores from "../scripts/stores.js"
import * as Payouts from "../src/Payouts.js"
import * as PayoutState from "../src/PayoutState.js"
import * as Backend from "./support/backend.js"

const versions = readdirSync(stores.folder)

/** A copy of the stores of a version, gone with the scope. */
const unpacked = (version: string) =>
  Effect.map(Backend.temporaryFile, (file) => {
    const dir = dirname(file)
    return { dir, ends: stores.unpack(version, dir), database: Database.layerSqlite({ file: stores.fileOf(dir) }) }
  })

describe.each(versions)("the stores of version %s", (version) => {
  it.scopedLive("have payouts in every state that the version had", () =>
    Effect.flatMap(unpacked(version), ({ database }) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ readonly tag: string }>`SELECT DISTINCT tag FROM klaytn_payouts`
        const tags = PayoutState.Tag.literals.filter((tag) => tag !== "WaitingForSignatures")
        assert.sameMembers(rows.map(({ tag }) => tag), tags)
      }).pipe(Effect.provide(database))))

  it.scopedLive(
    "are upgraded once, and every payout comes to the end that it has without an upgrade",
    () =>
      Effect.flatMap(unpacked(version), ({ database, dir, ends }) =>
        Effect.gen(function*() {
          const upgrade = Effect.provide(Payouts.upgrade(), database)
          const { from, to } = yield* upgrade
          assert.isBelow(from, to)
          assert.deepStrictEqual(yield* upgrade, { name: "payouts", from: to, to })
          assert.deepStrictEqual(yield* stores.finish(dir), ends)
        })),
    60_000
  )

  it.scopedLive("are found by what the database takes from their texts", () =>
    Effect.flatMap(unpacked(version), ({ database }) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* Payouts.upgrade()
        const rows = yield* sql<{ readonly chain: number; readonly content: string }>`
          SELECT chain, content FROM klaytn_payouts`
        for (const { chain, content } of rows) assert.include(content, `"chain":${chain},`)
        const changes = yield* sql<{ readonly event: string; readonly reserved: number | null }>`
          SELECT event, reserved FROM klaytn_payout_changes`
        assert.isAbove(changes.filter(({ reserved }) => reserved !== null).length, 5)
        for (const { event, reserved } of changes) {
          assert.strictEqual(event.includes(`"_tag":"Reserved","nonce":${reserved},`), reserved !== null)
        }
      }).pipe(Effect.provide(database))))
})
