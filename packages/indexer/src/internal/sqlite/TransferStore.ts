import { text } from "@effect-klaytn/store/Column"
import type { Driver, SqlValue } from "@effect-klaytn/store/Driver"
import { expression, select, selectPage } from "@effect-klaytn/store/Query"
import { bytesOf } from "@effect-klaytn/transaction/Hex"
import { highestBlock, keyOf, slotsPerBlock } from "../../BlockKey.js"
import { blocks } from "../../IndexTables.js"
import type { TransferQuery, TransferRecord } from "../../TransferRecord.js"
import { type Scan, scansOf, toTransfer, transfer } from "../queries/transfers.js"

const scansPerStatement = 200

/** Reads transfers of one chain. */
export class TransferStore {
  constructor(private readonly driver: Driver, private readonly c: number) {}

  /** Transfers of one transaction, tokens before coin. */
  ofTransaction(hash: string): ReadonlyArray<TransferRecord> {
    return this.#read(
      `transactions_${this.c} x JOIN transfers_${this.c} t
         ON t.id >= x.first_transfer AND t.id < x.first_transfer + x.transfers`,
      "x.hash = ?1",
      bytesOf(hash)
    )
  }

  /** The last transfers of some transactions: tokens have higher IDs than the coin. */
  lastOf(hashes: ReadonlyArray<string>): ReadonlyArray<TransferRecord> {
    return this.#read(
      `transactions_${this.c} x JOIN transfers_${this.c} t ON t.id = x.first_transfer`,
      "x.transfers > 0 AND x.hash IN (SELECT unhex(substr(value, 3)) FROM json_each(?1))",
      JSON.stringify(hashes)
    )
  }

  /**
   * A page of a search, newest first. For each address, side and class, a covering index is scanned from the cursor down
   * to at most `limit` IDs; the results are merged, and only the rows of the page are read. So a page takes the same time
   * wherever the cursor is.
   */
  search(query: TransferQuery): ReadonlyArray<TransferRecord> {
    const bounds = this.#bounds(query)
    if (bounds === undefined || query.limit < 1) return []
    const scans = scansOf(query)
    const found: Array<string> = []
    for (let start = 0; start < scans.length; start += scansPerStatement) {
      found.push(this.#ids(scans.slice(start, start + scansPerStatement), bounds, query.limit))
    }
    const [only = "[]", ...more] = found
    const ids = more.length === 0 ? only : JSON.stringify(merge(found, query.limit))
    return this.#read(
      `json_each(?1) j JOIN transfers_${this.c} t ON t.id = j.value JOIN transactions_${this.c} x ON x.id = t.tx`,
      "TRUE",
      ids
    )
  }

  /** The newest IDs that the scans find, as a JSON list. */
  #ids(
    scans: ReadonlyArray<Scan>,
    bounds: { readonly from: number; readonly to: number },
    limit: number
  ): string {
    let parameter = 3
    const terms = scans.map((scan) => {
      const equal = scan.map(([column]) => `${column} = ?${++parameter} AND `).join("")
      return `SELECT id FROM (
        SELECT id FROM transfers_${this.c} WHERE ${equal}id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT ?3)`
    })
    const values = scans.flatMap((scan) => scan.map(([, value]) => value))
    const found = select(
      this.driver,
      { ids: expression("json_group_array(id)", text) },
      `FROM (SELECT DISTINCT id FROM (${terms.join(" UNION ALL ")}) ORDER BY id DESC LIMIT ?3)`
    ).first(bounds.from, bounds.to, limit, ...values)
    return found?.ids ?? "[]"
  }

  #read(from: string, where: string, value: SqlValue): ReadonlyArray<TransferRecord> {
    return selectPage(
      this.driver,
      transfer,
      `FROM ${from} JOIN blocks_${this.c} b ON b.number = x.id / ${slotsPerBlock}
       LEFT JOIN contracts_${this.c} c ON c.address = t.contract WHERE ${where} ORDER BY t.id DESC`
    )(value).map(toTransfer)
  }

  /** First and last ID of the search, or undefined if no block is in its range. */
  #bounds(query: TransferQuery): { readonly from: number; readonly to: number } | undefined {
    let from = query.blocks?.from ?? 0
    let to = query.blocks?.to ?? highestBlock
    if (query.seconds !== undefined) {
      const block = { number: blocks.as("b").number }
      const find = (where: string, second: number) =>
        select(this.driver, block, `FROM blocks_${this.c} b WHERE ${where} LIMIT 1`).first(second)
      const first = find("b.timestamp >= ?1 ORDER BY b.timestamp, b.number", query.seconds.from)
      const last = find("b.timestamp <= ?1 ORDER BY b.timestamp DESC, b.number DESC", query.seconds.to)
      if (first === undefined || last === undefined) return undefined
      from = Math.max(from, first.number)
      to = Math.min(to, last.number)
    }
    if (from > to || from > highestBlock) return undefined
    const last = keyOf(Math.min(to, highestBlock), slotsPerBlock - 1)
    return { from: keyOf(from, 0), to: query.before === undefined ? last : Math.min(last, query.before - 1) }
  }
}

const merge = (lists: ReadonlyArray<string>, limit: number): ReadonlyArray<number> => {
  const all = lists.flatMap((list): ReadonlyArray<number> => JSON.parse(list))
  return [...new Set(all)].sort((a, b) => b - a).slice(0, limit)
}
