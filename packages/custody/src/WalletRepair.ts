/**
 * Rows of a wallet that nothing can read, which the wallet passes over, and how its owner ends one.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { AuditLog } from "./AuditLog.js"
import type { StoreFailure } from "./CustodyError.js"
import * as rows from "./internal/rows.js"
import * as tables from "./internal/tables.js"
import { ended } from "./internal/wallet/Multisig.js"
import { endedByOwner } from "./SendStore.js"
import * as SqlSendStore from "./SqlSendStore.js"
import * as SqlWalletStore from "./SqlWalletStore.js"

/**
 * A row that can't be read, and why.
 *
 * @category models
 */
export interface UnreadableRow {
  /** `sends`, `pending`, `accounts`, `keys` or `pools`. */
  readonly table: string
  readonly id: number
  readonly why: string
}

/**
 * A row that can be ended: a send by its number or by the hash of its transaction, or a transaction that waits for signatures by its number.
 *
 * @category models
 */
export type Ended =
  | { readonly table: "sends"; readonly id: number | Hex }
  | { readonly table: "pending"; readonly id: number }

/**
 * There is no such row that can be ended. Nothing was changed.
 *
 * @category errors
 */
export class NothingToEnd extends Data.TaggedError("NothingToEnd")<{ readonly row: Ended }> {
  override get message(): string {
    const { id, table } = this.row
    return `there is no row ${id} of ${table} that can be ended: it is decided already, or is not there`
  }
}

/**
 * All rows of a wallet that can't be read. Needs no key.
 *
 * @category reading
 */
export const find = (
  sql: SqlClient.SqlClient,
  chain: Chain
): Effect.Effect<ReadonlyArray<UnreadableRow>, StoreFailure> =>
  Effect.map(
    Effect.all([SqlSendStore.unreadable(sql, chain), SqlWalletStore.unreadable(sql, chain)]),
    ([sends, others]) => [...sends.map((row) => ({ table: "sends", ...row })), ...others]
  )

/** The number in the column `state` of a send that was refused. */
const refused = 3

/**
 * Ends a row by the owner's word: a send that is under way or can't be read, with all attempts of its payment, whose nonce is free
 * afterwards, or a pending transaction that was not sent. The bytes of a send that the node has may run all the same; the wallet gives them
 * to the node no more, and signs the payment under no other nonce, whoever repeats its request. Keys and accounts are never ended: restore those from a backup.
 *
 * @category changes
 */
export const end = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  audit: Pick<AuditLog, "append">,
  row: Ended
): Effect.Effect<void, StoreFailure | NothingToEnd> =>
  Effect.gen(function*() {
    const now = yield* UnixTime.now
    const table = sql(tables.nameOf(row.table, chain))
    const here = typeof row.id === "number" ? sql`id = ${row.id}` : sql`hash = ${bytesOf(row.id)}`
    const ofOther = typeof row.id === "number" ? sql`o.id = ${row.id}` : sql`o.hash = ${bytesOf(row.id)}`
    const statement = row.table === "sends"
      ? sql`UPDATE ${table} SET state = ${refused}, updated = ${now}, why = ${endedByOwner}
          WHERE ${here} AND state NOT IN (1, 2, ${refused}) OR state NOT IN (1, 2) AND cancels = 0 AND EXISTS (
            SELECT 1 FROM ${table} o WHERE ${ofOther} AND o.account = ${table}.account AND o.nonce = ${table}.nonce
              AND o.state NOT IN (1, 2, ${refused}) AND o.cancels = 0
              AND COALESCE(o.payment, o.id) = COALESCE(${table}.payment, ${table}.id)
          ) RETURNING id`
      : sql`UPDATE ${table} SET status = ${ended}, updated = ${now} WHERE ${here} AND hash IS NULL
          AND status <> ${ended} RETURNING id`
    yield* audit.append({ event: "owner", what: `repair: end a row of ${row.table}`, subject: `${row.id}` })
    const changed = yield* rows.select("repair", statement, () => true)
    if (changed.length === 0) yield* new NothingToEnd({ row })
  })
