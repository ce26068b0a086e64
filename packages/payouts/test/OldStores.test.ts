import * as Database from "@effect-klaytn/engine/Database"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
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
        const later: ReadonlyArray<PayoutState.Tag> = ["WaitingForSignatures", "MovedOtherwise"]
        const tags = PayoutState.Tag.literals.filter((tag) => !later.includes(tag))
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

  it.scopedLive("have a payment that the pool holds: it is not taken for unsent, needs nobody's word, and is paid once", () =>
    Effect.flatMap(unpacked(version), ({ dir }) =>
      Effect.gen(function*() {
        const { sendValue } = yield* Backend.stranger
        yield* Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          const { content: { request }, state } = yield* payouts.get("sent")
          if (state._tag !== "Sent" || request._tag !== "Value") return assert.fail(state._tag)
          // A sandbox's pool is in memory. The same transaction again has the same hash.
          const { from, to, value } = request
          const held = yield* sendValue({ from, to, value, nonce: state.nonce, payer: FeeDelegation.service })
          assert.deepInclude(held, { transactionHash: state.transactionHash })
          const refused = yield* Effect.flip(payouts.resolve("sent", { _tag: "NotSent" }))
          assert.include(refused.message, `it waits for a block as ${state.transactionHash}: cancel it`)
          yield* Backend.mine
          const ended = yield* payouts.wait("sent")
          assert.deepInclude(ended.state, { _tag: "Executed", transactionHash: state.transactionHash })
          assert.strictEqual((yield* Backend.payments).filter((payment) => payment.from === from).length, 1)
        }).pipe(Effect.provide(Backend.process(stores.options, stores.fileOf(dir))))
      }).pipe((test) => Backend.onSandbox(test, stores.sandbox(dir, "manual")))))

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
