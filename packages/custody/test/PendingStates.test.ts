import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import { type Pending, pendingStatuses } from "@effect-klaytn/custody/WalletRecord"
import * as WalletRepair from "@effect-klaytn/custody/WalletRepair"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { databases } from "../../engine/test/support/databases.js"
import { chain, makeTables } from "./support/guardedWallet.js"

const account = `0x${"ab".repeat(20)}` as const
const hash = `0x${"cd".repeat(32)}` as const
const transactionId = `0x${"01".repeat(32)}` as const

/** Bytes of a transaction, others for each number. */
const bytes = (value: bigint) => {
  const fields = { nonce: 0n, gas: 21_000n, gasPrice: 25n, from: account, to: account, value, signatures: [] }
  const raw = Transaction.encode({ type: "ValueTransfer", ...fields })
  assert(raw.ok)
  return raw.value
}

const statuses = Object.values(pendingStatuses)

/** From which statuses one can be reached: 2 waits, 3 was sent, 4 is outpriced, 5 was ended. */
const before: Readonly<Record<number, ReadonlyArray<number>>> = { 2: [2], 3: [2], 4: [2], 5: [2, 4] }

describe.each(databases)("the states of a multisig transaction on %s", (_, open) => {
  it.scopedLive("are left for those alone that may follow, whatever was read before", () =>
    Effect.gen(function*() {
      const { layer } = yield* open
      const connect = Effect.map(Layer.build(layer), Context.get(SqlClient.SqlClient))
      const sql = yield* connect
      yield* makeTables(sql)
      const [store, other] = [SqlWalletStore.make(sql, chain), SqlWalletStore.make(yield* connect, chain)]
      const multiSig = { threshold: 2, keys: [] }
      const pending = { transactionId, account, nonce: 0n, raw: bytes(1n), multiSig, caller: undefined } as const
      yield* store.addPending({ ...pending, payer: "sender", status: 2 }, 1)
      const first = yield* store.pending(transactionId)
      assert(first !== undefined)
      const set = ({ id }: Pending, status: number) =>
        sql`UPDATE ${sql(`wallet_pending_${chain}`)} SET status = ${status} WHERE id = ${id}`
      for (const from of statuses) {
        for (const to of statuses) {
          yield* set(first, from)
          const change = { raw: first.raw, status: to, hash: to === pendingStatuses.sent ? hash : undefined }
          // What was read before says nothing: it was waiting then.
          const moved = yield* other.updatePending(first, change, 2)
          assert.strictEqual(moved !== undefined, before[to]?.includes(from), `${from} to ${to}`)
          assert.strictEqual((yield* store.pending(transactionId))?.status, moved === undefined ? from : to)
          yield* sql`UPDATE ${sql(`wallet_pending_${chain}`)} SET hash = NULL`
        }
      }
      // Signatures that somebody has added meanwhile are not lost.
      yield* set(first, pendingStatuses.waiting)
      const signed = yield* store.updatePending(first, { raw: bytes(2n), status: 2, hash: undefined }, 2)
      assert(signed !== undefined)
      assert.strictEqual(signed.raw, bytes(2n))
      assert.isUndefined(yield* other.updatePending(first, { raw: bytes(3n), status: 2, hash: undefined }, 2))
      assert.strictEqual((yield* store.pending(transactionId))?.raw, bytes(2n))
      // Its owner ends it; whoever has read it before changes nothing.
      const audit = { append: () => Effect.void }
      yield* WalletRepair.end(sql, chain, audit, { table: "pending", id: first.id })
      assert.isUndefined(yield* other.updatePending(signed, { raw: bytes(3n), status: 3, hash }, 3))
      assert.deepInclude(yield* store.pending(transactionId), { status: pendingStatuses.ended, hash: undefined })
      const again = yield* Effect.flip(WalletRepair.end(sql, chain, audit, { table: "pending", id: first.id }))
      assert.strictEqual(again._tag, "NothingToEnd")
    }))
})
