import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { TransferKind, TransferQuery, TransferRecord } from "../../TransferRecord.js"
import { blob, integer, optional, text } from "./Cell.js"
import type { Driver, Row, SqlValue } from "./Driver.js"
import { blockOf, type ChainId, highestBlock, keyOf, positionOf, slotsPerBlock, transferClass } from "./Schema.js"
import { Statements } from "./Statements.js"

/**
 * A transfer as one JSON array, blobs as hex. A page comes out of the database as one text: handing over a thousand rows
 * of twenty cells one by one takes five times as long as the search.
 */
const cells = `json_array(t.id, t.class, lower(hex(t.src)), lower(hex(t.dst)), lower(hex(t.contract)),
  lower(hex(t.operator)), hex(t.amount), t.batch, x.id, lower(hex(x.hash)), x.type, lower(hex(x.sender)),
  hex(x.value), hex(x.fee), iif(x.fee_payer IS NULL, NULL, lower(hex(x.fee_payer))), x.fee_ratio, x.status,
  b.timestamp, c.name, c.symbol, c.decimals)`

/** One index scan of a search: the columns that must be equal, in index order. */
type Scan = ReadonlyArray<readonly [column: "src" | "dst" | "contract" | "class", value: SqlValue]>

const scansPerStatement = 200

/** Reads transfers of one chain. */
export class TransferStore {
  readonly #statements: Statements
  readonly #c: ChainId

  constructor(driver: Driver, chainId: ChainId) {
    this.#statements = new Statements(driver)
    this.#c = chainId
  }

  /** Transfers of one transaction, tokens before the native record. */
  ofTransaction(hash: string): ReadonlyArray<TransferRecord> {
    return this.#read(
      `transactions_${this.#c} x JOIN transfers_${this.#c} t
         ON t.id >= x.first_transfer AND t.id < x.first_transfer + x.transfers`,
      "x.hash = ?1",
      blob(hash)
    )
  }

  /**
   * A page of a search, newest first. Every address, side and class is one scan of a covering index from the cursor
   * downwards that stops after `limit` ids; the scans are merged and only the rows of the page are read. So a page costs
   * the same wherever the cursor stands.
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
      `json_each(?1) j JOIN transfers_${this.#c} t ON t.id = j.value JOIN transactions_${this.#c} x ON x.id = t.tx`,
      "TRUE",
      ids
    )
  }

  /** The newest ids that the scans find, as the text of a JSON list. */
  #ids(
    scans: ReadonlyArray<Scan>,
    bounds: { readonly from: number; readonly to: number },
    limit: number
  ): string {
    let parameter = 3
    const terms = scans.map((scan) => {
      const equal = scan.map(([column]) => `${column} = ?${++parameter}`).join(" AND ")
      return `SELECT id FROM (
        SELECT id FROM transfers_${this.#c} WHERE ${equal} AND id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT ?3)`
    })
    const values = scans.flatMap((scan) => scan.map(([, value]) => value))
    const [row] = this.#statements.prepare(
      `SELECT json_group_array(id) FROM (
         SELECT DISTINCT id FROM (${terms.join(" UNION ALL ")}) ORDER BY id DESC LIMIT ?3)`
    ).all(bounds.from, bounds.to, limit, ...values)
    return row === undefined ? "[]" : text(row, 0)
  }

  #read(from: string, where: string, value: SqlValue): ReadonlyArray<TransferRecord> {
    const [row] = this.#statements.prepare(
      `SELECT '[' || coalesce(group_concat(cells), '') || ']' FROM (
         SELECT ${cells} AS cells FROM ${from} JOIN blocks_${this.#c} b ON b.number = x.id / ${slotsPerBlock}
         LEFT JOIN contracts_${this.#c} c ON c.address = t.contract WHERE ${where} ORDER BY t.id DESC)`
    ).all(value)
    const rows: ReadonlyArray<Row> = row === undefined ? [] : JSON.parse(text(row, 0))
    return rows.map(readTransfer)
  }

  /** First and last id of the search, or nothing when no block lies in its range. */
  #bounds(query: TransferQuery): { readonly from: number; readonly to: number } | undefined {
    let from = query.blocks?.from ?? 0
    let to = query.blocks?.to ?? highestBlock
    if (query.seconds !== undefined) {
      const first = this.#statements.prepare(
        `SELECT number FROM blocks_${this.#c} WHERE timestamp >= ?1 ORDER BY timestamp, number LIMIT 1`
      ).all(query.seconds.from)[0]
      const last = this.#statements.prepare(
        `SELECT number FROM blocks_${this.#c} WHERE timestamp <= ?1 ORDER BY timestamp DESC, number DESC LIMIT 1`
      ).all(query.seconds.to)[0]
      if (first === undefined || last === undefined) return undefined
      from = Math.max(from, integer(first, 0))
      to = Math.min(to, integer(last, 0))
    }
    if (from > to || from > highestBlock) return undefined
    const last = keyOf(Math.min(to, highestBlock), slotsPerBlock - 1)
    return { from: keyOf(from, 0), to: query.before === undefined ? last : Math.min(last, query.before - 1) }
  }
}

const tokenClasses: ReadonlyArray<number> = [transferClass.ft, transferClass.nft, transferClass.mt]

const classesOf = (query: TransferQuery): ReadonlyArray<number> => {
  const kinds: ReadonlyArray<TransferKind> = query.kinds ?? ["coin", "ft", "nft", "mt"]
  const classes: Array<number> = [...new Set(kinds)].map((kind) => transferClass[kind])
  return kinds.includes("coin") && query.excludeZeroCoin !== true ? [...classes, transferClass.zeroCoin] : classes
}

const scansOf = (query: TransferQuery): ReadonlyArray<Scan> => {
  const classes = classesOf(query)
  const tokens = classes.filter((c) => tokenClasses.includes(c))
  const sides = query.side === "from"
    ? ["src"] as const
    : query.side === "to"
    ? ["dst"] as const
    : ["src", "dst"] as const
  const filter = query.contractFilter
  const ofAccounts = [...new Set(query.accounts ?? [])].flatMap((account) =>
    sides.flatMap((side): ReadonlyArray<Scan> =>
      filter === undefined
        ? classes.map((c) => [[side, blob(account)], ["class", c]])
        : tokens.map((c) => [[side, blob(account)], ["contract", blob(filter)], ["class", c]])
    )
  )
  const ofContracts = [...new Set(query.contracts ?? [])].flatMap((contract) =>
    tokens.map((c): Scan => [["contract", blob(contract)], ["class", c]])
  )
  return [...ofAccounts, ...ofContracts]
}

const merge = (lists: ReadonlyArray<string>, limit: number): ReadonlyArray<number> => {
  const all = lists.flatMap((list): ReadonlyArray<number> => JSON.parse(list))
  return [...new Set(all)].sort((a, b) => b - a).slice(0, limit)
}

/** Hex digits as 0x text. */
const hex = (row: Row, index: number): Hex => `0x${text(row, index)}`

/** Hex digits as a number; none are zero. */
const amount = (row: Row, index: number): bigint => BigInt(`0x0${text(row, index)}`)

const optionalText = optional(text)
const optionalHex = optional(hex)
const optionalInteger = optional(integer)

const readBatch = (row: Row, index: number): { readonly ids: Array<bigint>; readonly values: Array<bigint> } => {
  const [ids = "", values = ""] = text(row, index).split("/")
  const list = (joined: string) => joined === "" ? [] : joined.split(",").map((item) => BigInt(item))
  return { ids: list(ids), values: list(values) }
}

/** The stored form of a multi token transfer's lists. */
export const writeBatch = (ids: ReadonlyArray<bigint>, values: ReadonlyArray<bigint>): string =>
  `${ids.map((id) => `0x${id.toString(16)}`).join(",")}/${values.map((value) => `0x${value.toString(16)}`).join(",")}`

const readTransfer = (row: Row): TransferRecord => {
  const tx = integer(row, 8)
  const base = {
    id: integer(row, 0),
    from: hex(row, 2),
    to: hex(row, 3),
    transaction: {
      transactionHash: hex(row, 9),
      transactionIndex: positionOf(tx),
      blockNumber: blockOf(tx),
      timestamp: integer(row, 17),
      typeInt: integer(row, 10),
      from: hex(row, 11),
      value: amount(row, 12),
      fee: amount(row, 13),
      feePayer: optionalHex(row, 14),
      feeRatio: optionalInteger(row, 15),
      status: integer(row, 16) === 1 ? 1 as const : 0 as const
    }
  }
  const kind = integer(row, 1)
  if (kind === transferClass.coin || kind === transferClass.zeroCoin) {
    return { kind: "coin", ...base, value: amount(row, 6) }
  }
  const contract = {
    address: hex(row, 4),
    name: optionalText(row, 18),
    symbol: optionalText(row, 19),
    decimals: optionalInteger(row, 20)
  }
  if (kind === transferClass.ft) return { kind: "ft", ...base, value: amount(row, 6), contract }
  if (kind === transferClass.nft) return { kind: "nft", ...base, tokenId: amount(row, 6), contract }
  return { kind: "mt", ...base, operator: hex(row, 5), ...readBatch(row, 7), contract }
}
