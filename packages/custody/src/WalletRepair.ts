/**
 * Rows of a wallet that nothing can read, which the wallet passes over, and how its owner ends one.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { AuditLog } from "./AuditLog.js"
import type { StoreFailure } from "./CustodyError.js"
import * as rows from "./internal/rows.js"
import { isNoneOf, isOneOf, numberOf } from "./internal/sends/states.js"
import * as tables from "./internal/tables.js"
import { endedByOwner } from "./SendStore.js"
import * as SqlSendStore from "./SqlSendStore.js"
import * as SqlWalletStore from "./SqlWalletStore.js"
import { pendingBefore, pendingStatuses } from "./WalletRecord.js"

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

/** The statuses that a pending transaction can't leave to be ended. Nobody knows any other one. */
const final = Object.values(pendingStatuses).filter((status) => !pendingBefore[pendingStatuses.ended].includes(status))

const refused = numberOf("refused")

/** Sends that nothing has decided: also those whose state nobody knows. */
const isUndecided = isNoneOf("mined", "replaced", "refused")

/**
 * Ends a row by the owner's word: a send that is under way, can't be read, or was seen in a block that is not there any more, with all that is under way at its nonce (the attempts of
 * the payment and its cancellations), which is free
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
    const name = tables.nameOf(row.table, chain)
    const table = sql(name)
    const here = typeof row.id === "number" ? sql`id = ${row.id}` : sql`hash = ${bytesOf(row.id)}`
    const ofOther = typeof row.id === "number" ? sql`o.id = ${row.id}` : sql`o.hash = ${bytesOf(row.id)}`
    const undecided = sql.literal(isUndecided)
    // The first attempt of a payment may be refused while the next one is under way, or in a block.
    const attemptsOf = (isOne: string) =>
      sql.literal(`(${isOne} OR state = ${refused} AND cancels = 0 AND COALESCE(payment, id) IN (
        SELECT COALESCE(p.payment, p.id) FROM ${name} p WHERE p.account = ${name}.account AND p.nonce = ${name}.nonce
          AND p.cancels = 0 AND p.${isOne}
      ))`)
    const atNonce =
      sql`SELECT 1 FROM ${table} o WHERE ${ofOther} AND o.account = ${table}.account AND o.nonce = ${table}.nonce`
    const endSends = sql`UPDATE ${table} SET state = ${refused}, updated = ${now}, why = ${endedByOwner}`
    const statement = row.table === "sends"
      ? sql`${endSends} WHERE EXISTS (${atNonce} AND o.${undecided}) AND ${attemptsOf(isUndecided)} RETURNING id`
      : sql`UPDATE ${table} SET status = ${pendingStatuses.ended}, updated = ${now} WHERE ${here}
          AND ${sql.literal(`status NOT IN (${final.join()})`)} RETURNING id`
    // A send that the wallet saw in a block which was undone, or which the node made up, keeps all others from its nonce.
    const endMined = sql`${endSends} WHERE EXISTS (${atNonce} AND o.${sql.literal(isOneOf("mined"))}) AND ${
      attemptsOf(isOneOf("open", "mined", "replaced"))
    } RETURNING id`
    yield* audit.append({ event: "owner", what: `repair: end a row of ${row.table}`, subject: `${row.id}` })
    const isEnded = (one: Statement<object>) =>
      Effect.map(rows.select("repair", one, rows.exists), ({ length }) => length > 0)
    const hasEnded = (yield* isEnded(statement)) || row.table === "sends" && (yield* isEnded(endMined))
    if (!hasEnded) return yield* new NothingToEnd({ row })
    if (row.table !== "sends") return
    // What a repair had stored at the same moment: from now on it stores nothing more for these. The nonce may have a new payment by now.
    const later = sql`${endSends} WHERE EXISTS (${atNonce}) AND ${undecided} AND (cancels > 0 OR EXISTS (
      SELECT 1 FROM ${table} p WHERE p.id = ${table}.payment AND p.why = ${endedByOwner})) RETURNING id`
    while ((yield* rows.select("repair", later, rows.exists)).length > 0);
  })
