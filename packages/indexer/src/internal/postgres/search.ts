import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Arr from "effect/Array"
import { highestBlock, keyOf, slotsPerBlock } from "../../BlockKey.js"
import type { TransferQuery, TransferRecord } from "../../TransferRecord.js"
import { type Dialect, type Statement, statement } from "../queries/Statement.js"
import { type Scan, scansOf, toTransfer, transfer } from "../queries/transfers.js"

const joined = ({ table }: Dialect, from: string): string =>
  `FROM ${from} JOIN ${table("blocks")} b ON b.number = x.id / ${slotsPerBlock}
   LEFT JOIN ${table("contracts")} c ON c.address = t.contract ORDER BY t.id DESC`

/** Transfers of one transaction, tokens before coin. */
export const ofTransaction = (dialect: Dialect, hash: string): Statement<TransferRecord> => {
  const { table } = dialect
  const from = `(SELECT * FROM ${table("transactions")} WHERE hash = ?1) x JOIN ${table("transfers")} t
    ON t.id >= x.first_transfer AND t.id < x.first_transfer + x.transfers`
  return statement(transfer, joined(dialect, from), [bytesOf(hash)], toTransfer)
}

/** The last transfers of some transactions: tokens have higher IDs than the coin. */
export const lastOf = (dialect: Dialect, hashes: ReadonlyArray<Hex>): Statement<TransferRecord> => {
  const { table } = dialect
  const from = `(SELECT * FROM ${table("transactions")} WHERE ${dialect.amongBytes("hash", 1)} AND transfers > 0) x
    JOIN ${table("transfers")} t ON t.id = x.first_transfer`
  return statement(transfer, joined(dialect, from), [dialect.bytes(hashes)], toTransfer)
}

/** Scans of the same columns, with their values in lists. */
const groupsOf = (scans: ReadonlyArray<Scan>): ReadonlyArray<ReadonlyArray<Scan>> =>
  Object.values(Arr.groupBy(scans, (scan) => scan.map(([column]) => column).join()))

/** A list of numbers or bytes as a parameter. */
const listOf = (cells: ReadonlyArray<number | Uint8Array>): string =>
  `{${cells.map((cell) => typeof cell === "number" ? cell : `"\\\\x${Buffer.from(cell).toString("hex")}"`).join()}}`

/** The first and the last ID between two seconds, each a query. NULL, so that nothing is found, if there is no block. */
const inSeconds = ({ table }: Dialect): string => {
  const block = (where: string) => `(SELECT number FROM ${table("blocks")} WHERE ${where} LIMIT 1)`
  return `AND id >= ${block("timestamp >= ?4 ORDER BY timestamp, number")} * ${slotsPerBlock}
    AND id < (${block("timestamp <= ?5 ORDER BY timestamp DESC, number DESC")} + 1) * ${slotsPerBlock}`
}

/**
 * A page of a search, newest first, in one statement, so that all of the page is of one state. For each address, side and
 * class, an index is scanned from the cursor down to at most `limit` IDs; the results are merged, and only the rows of the
 * page are read. The addresses are a list: a statement is as long for one as for thousands. Undefined if no block is in the range.
 */
export const search = (dialect: Dialect, query: TransferQuery): Statement<TransferRecord> | undefined => {
  const [from, to] = [query.blocks?.from ?? 0, Math.min(query.blocks?.to ?? highestBlock, highestBlock)]
  const scans = scansOf(query)
  if (from > to || from > highestBlock || query.limit < 1 || scans.length === 0) return undefined
  const last = keyOf(to, slotsPerBlock - 1)
  const values: Array<unknown> = [
    keyOf(from, 0),
    query.before === undefined ? last : Math.min(last, query.before - 1),
    query.limit,
    ...(query.seconds === undefined ? [] : [query.seconds.from, query.seconds.to])
  ]
  const bounds = `id BETWEEN ?1 AND ?2 ${query.seconds === undefined ? "" : inSeconds(dialect)}`
  const transfers = dialect.table("transfers")
  const legs = groupsOf(scans).map((group) => {
    const columns = (group[0] ?? []).map(([column], place) => ({
      column,
      list: `?${values.push(listOf(group.map((scan) => scan[place]?.[1] ?? 0)))}::${
        column === "class" ? "smallint" : "bytea"
      }[]`
    }))
    const equal = columns.map(({ column }) => `t.${column} = k.${column} AND `).join("")
    const found = `(SELECT id FROM ${transfers} t WHERE ${equal}${bounds} ORDER BY id DESC LIMIT ?3)`
    return columns.length === 0 ? found : `(SELECT s.id FROM unnest(${columns.map(({ list }) => list).join(", ")})
      AS k (${columns.map(({ column }) => column).join(", ")}), LATERAL ${found} s)`
  })
  const ids = `(SELECT DISTINCT id FROM (${legs.join(" UNION ALL ")}) found ORDER BY id DESC LIMIT ?3)`
  const rows = `${ids} j JOIN ${transfers} t ON t.id = j.id JOIN ${dialect.table("transactions")} x ON x.id = t.tx`
  return statement(transfer, joined(dialect, rows), values, toTransfer)
}
