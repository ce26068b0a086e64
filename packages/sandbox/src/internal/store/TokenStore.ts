import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { ContractHoldingQuery, ContractQuery, HoldingQuery, TokenQuery } from "../../TokenQuery.js"
import type { ContractHolding, ContractRecord, HoldingRecord, OwnershipRecord, TokenRecord } from "../../TokenRecord.js"
import { amount, amountBlob, blob, hex, integer, optional, text } from "./Cell.js"
import type { Driver, Row, SqlValue } from "./Driver.js"
import { type ChainId, slotsPerBlock, transferClass } from "./Schema.js"
import { Statements } from "./Statements.js"

const optionalHex = optional(hex)
const optionalText = optional(text)
const optionalInteger = optional(integer)
const quantity = (value: bigint): string => `0x${value.toString(16)}`

/** Reads token contracts, tokens and holdings of one chain. */
export class TokenStore {
  readonly #statements: Statements
  readonly #c: ChainId

  constructor(driver: Driver, chainId: ChainId) {
    this.#statements = new Statements(driver)
    this.#c = chainId
  }

  contract(address: Hex): ContractRecord | undefined {
    const row = this.#all(`${this.#contracts()} WHERE c.address = ?1`, [blob(address)])[0]
    return row && readContract(row)
  }

  /** Token contracts, the newest first. */
  contracts({ after, kinds, labelled, limit, standard, status }: ContractQuery): ReadonlyArray<ContractRecord> {
    const values: Array<SqlValue> = [JSON.stringify(kinds ?? ["ft", "nft", "mt"]), limit]
    const terms = ["c.kind IN (SELECT value FROM json_each(?1))"]
    let last = ""
    if (after !== undefined) {
      last = `JOIN contracts_${this.#c} last ON last.address = ?${values.push(blob(after))}`
      terms.push("(c.block < last.block OR (c.block = last.block AND c.address > last.address))")
    }
    if (standard !== undefined) terms.push(`c.standard = ?${values.push(standard)}`)
    if (status !== undefined) terms.push(`coalesce(l.status, 'completed') = ?${values.push(status)}`)
    if (labelled === true) terms.push("l.deleted IS NULL")
    return this.#all(
      `${this.#contracts()} ${last} WHERE ${terms.join(" AND ")} ORDER BY c.block DESC, c.address LIMIT ?2`,
      values
    ).map(readContract)
  }

  token(contract: Hex, tokenId: bigint): TokenRecord | undefined {
    const row = this.#all(`${this.#tokens()} WHERE k.contract = ?1 AND k.token = ?2`, [
      blob(contract),
      quantity(tokenId)
    ])[0]
    return row && readToken(row)
  }

  tokens(query: TokenQuery): ReadonlyArray<TokenRecord> {
    const { after, contract, limit, order, owner } = query
    const newest = order === "newest"
    const values: Array<SqlValue> = [blob(contract), limit]
    const terms = ["k.contract = ?1"]
    if (after !== undefined) {
      const [updated, token] = [values.push(after.updatedBy), values.push(quantity(after.tokenId))]
      terms.push(
        newest ? `k.updated <= ?${updated} AND (k.updated < ?${updated} OR k.token > ?${token})` : `k.token > ?${token}`
      )
    }
    if (owner !== undefined) terms.push(`k.owner = ?${values.push(blob(owner))}`)
    return this.#all(
      `${this.#tokens()} WHERE ${terms.join(" AND ")}
       ORDER BY ${newest ? "k.updated DESC, k.token" : "k.token"} LIMIT ?2`,
      values
    ).map(readToken)
  }

  holding(contract: Hex, owner: Hex, tokenId: bigint | undefined): HoldingRecord | undefined {
    const row = this.#all(`${this.#holdings()} WHERE h.contract = ?1 AND h.owner = ?2 AND h.token = ?3`, [
      blob(contract),
      blob(owner),
      tokenId === undefined ? "" : quantity(tokenId)
    ])[0]
    return row && readHolding(row)
  }

  holdings(query: HoldingQuery): ReadonlyArray<HoldingRecord> {
    const values: Array<SqlValue> = [query.limit, query.after?.updatedBy ?? Number.MAX_SAFE_INTEGER]
    const terms = ["h.updated <= ?2"]
    if (query.after !== undefined) {
      const { contract, owner, tokenId } = query.after
      const place = [
        values.push(blob(owner)),
        values.push(blob(contract)),
        values.push(tokenId === undefined ? "" : quantity(tokenId))
      ]
      terms.push(`(h.updated < ?2 OR (h.owner, h.contract, h.token) > (?${place.join(", ?")}))`)
    }
    if (query.labelled === true) terms.push("l.deleted IS NULL")
    if (query.owner !== undefined) terms.push(`h.owner = ?${values.push(blob(query.owner))}`)
    if (query.contracts?.length === 1 && query.contracts[0] !== undefined) {
      terms.push(`h.contract = ?${values.push(blob(query.contracts[0]))}`)
    } else if (query.contracts !== undefined) {
      const list = values.push(JSON.stringify(query.contracts))
      terms.push(`h.contract IN (SELECT unhex(substr(value, 3)) FROM json_each(?${list}))`)
    }
    if (query.tokenId !== undefined) terms.push(`h.token = ?${values.push(quantity(query.tokenId))}`)
    if (query.kinds !== undefined) {
      terms.push(`c.kind IN (SELECT value FROM json_each(?${values.push(JSON.stringify(query.kinds))}))`)
    }
    return this.#all(
      `${this.#holdings()} WHERE ${terms.join(" AND ")}
       ORDER BY h.updated DESC, h.owner, h.contract, h.token LIMIT ?1`,
      values
    ).map(readHolding)
  }

  /** Sum of all balances of an owner in a contract. */
  totalBalance(contract: Hex, owner: Hex): bigint {
    const row = this.#all(`SELECT balance FROM ownings_${this.#c} WHERE contract = ?1 AND owner = ?2`, [
      blob(contract),
      blob(owner)
    ])[0]
    return row === undefined ? 0n : amount(row, 0)
  }

  /** Of which contracts an owner holds tokens, last change first. */
  contractHoldings({ after, kinds, limit, owner }: ContractHoldingQuery): ReadonlyArray<ContractHolding> {
    const values: Array<SqlValue> = [blob(owner), JSON.stringify(kinds ?? ["ft", "nft", "mt"]), limit]
    let place = ""
    if (after !== undefined) {
      const updated = `?${values.push(after.updatedBy)}`
      place = `AND (o.updated < ${updated} OR (o.updated = ${updated} AND o.contract > ?${
        values.push(blob(after.contract))
      }))`
    }
    const rows = this.#all(
      `SELECT o.contract, o.balance, c.supply, b.timestamp, o.updated FROM ownings_${this.#c} o
         JOIN contracts_${this.#c} c ON c.address = o.contract LEFT JOIN labels_${this.#c} l ON l.address = o.contract
         JOIN blocks_${this.#c} b ON b.number = o.updated / ${slotsPerBlock}
       WHERE o.owner = ?1 AND c.kind IN (SELECT value FROM json_each(?2)) AND l.deleted IS NULL ${place}
       ORDER BY o.updated DESC, o.contract LIMIT ?3`,
      values
    )
    return rows.flatMap((row) => {
      const contract = this.contract(hex(row, 0))
      return contract === undefined ? [] : [{
        contract,
        balance: amount(row, 1),
        supply: amount(row, 2),
        updatedAt: integer(row, 3),
        updatedBy: integer(row, 4)
      }]
    })
  }

  /** What there is of a contract's tokens: what the contract says, or else what all owners hold together. */
  contractSupply(contract: Hex): bigint {
    const row = this.#all(`SELECT supply FROM contracts_${this.#c} WHERE address = ?1`, [blob(contract)])[0]
    return row === undefined ? 0n : amount(row, 0)
  }

  /** Changes of hands of a non-fungible token, the newest first. */
  ownership(contract: Hex, tokenId: bigint, before: number | undefined, limit: number): ReadonlyArray<OwnershipRecord> {
    return this.#all(
      `SELECT t.id, t.src, t.dst, b.timestamp FROM transfers_${this.#c} t
         JOIN blocks_${this.#c} b ON b.number = t.id / ${slotsPerBlock}
       WHERE t.class = ${transferClass.nft} AND t.contract = ?1 AND t.amount = ?2 AND t.id < ?3
       ORDER BY t.id DESC LIMIT ?4`,
      [blob(contract), amountBlob(tokenId), before ?? Number.MAX_SAFE_INTEGER, limit]
    ).map((row) => ({ id: integer(row, 0), from: hex(row, 1), to: hex(row, 2), timestamp: integer(row, 3) }))
  }

  /** How many different owners a contract has. */
  holderCount(contract: Hex): number {
    const row = this.#all(`SELECT holders FROM contracts_${this.#c} WHERE address = ?1`, [blob(contract)])[0]
    return row === undefined ? 0 : integer(row, 0)
  }

  /** Whether a transfer of this kind was ever logged by a contract. */
  hasMoved(contract: Hex, kind: ContractRecord["kind"]): boolean {
    return this.#all(`SELECT 1 FROM transfers_${this.#c} WHERE contract = ?1 AND class = ?2 LIMIT 1`, [
      blob(contract),
      transferClass[kind]
    ]).length > 0
  }

  /** Whether a contract has a token of this ID. */
  hasToken(contract: Hex, tokenId: bigint): boolean {
    return this.#all(`SELECT 1 FROM tokens_${this.#c} WHERE contract = ?1 AND token = ?2`, [
      blob(contract),
      quantity(tokenId)
    ]).length > 0
  }

  #all(sql: string, values: ReadonlyArray<SqlValue>): ReadonlyArray<Row> {
    return this.#statements.prepare(sql).all(...values)
  }

  #contracts(): string {
    return `SELECT c.address, c.kind, c.standard, c.name, c.symbol, c.decimals, c.block, b.timestamp,
        l.status, l.created, l.updated, l.deleted
      FROM contracts_${this.#c} c JOIN blocks_${this.#c} b ON b.number = c.block
      LEFT JOIN labels_${this.#c} l ON l.address = c.address`
  }

  #tokens(): string {
    return `SELECT k.contract, k.token, k.owner, k.previous_owner, k.supply, k.updated, x.hash,
        made.timestamp AS created, b.timestamp, k.uri
      FROM tokens_${this.#c} k JOIN transfers_${this.#c} t ON t.id = k.updated
      JOIN transactions_${this.#c} x ON x.id = t.tx JOIN blocks_${this.#c} b ON b.number = k.updated / ${slotsPerBlock}
      JOIN blocks_${this.#c} made ON made.number = k.created / ${slotsPerBlock}`
  }

  #holdings(): string {
    return `SELECT h.contract, c.kind, h.owner, h.token, h.balance, k.supply, x.hash, t.src, t.dst, b.timestamp, h.updated,
        k.uri
      FROM holdings_${this.#c} h JOIN contracts_${this.#c} c ON c.address = h.contract
      JOIN transfers_${this.#c} t ON t.id = h.updated JOIN transactions_${this.#c} x ON x.id = t.tx
      JOIN blocks_${this.#c} b ON b.number = h.updated / ${slotsPerBlock}
      LEFT JOIN tokens_${this.#c} k ON k.contract = h.contract AND k.token = h.token
      LEFT JOIN labels_${this.#c} l ON l.address = h.contract`
  }
}

const kindOf = (value: string): "ft" | "nft" | "mt" => value === "ft" || value === "nft" ? value : "mt"

const labelStatuses = ["completed", "processing", "failed", "cancelled"] as const

const standards = ["KIP-7", "ERC-20", "KIP-17", "ERC-721", "KIP-37", "ERC-1155"] as const

const readContract = (row: Row): ContractRecord => ({
  address: hex(row, 0),
  kind: kindOf(text(row, 1)),
  standard: standards.find((standard) => standard === text(row, 2)) ?? "ERC-20",
  name: optionalText(row, 3),
  symbol: optionalText(row, 4),
  decimals: optionalInteger(row, 5),
  blockNumber: integer(row, 6),
  createdAt: integer(row, 7),
  label: {
    status: labelStatuses.find((status) => status === row[8]) ?? "completed",
    createdAt: optionalInteger(row, 9) ?? integer(row, 7),
    updatedAt: optionalInteger(row, 10) ?? integer(row, 7),
    deletedAt: optionalInteger(row, 11)
  }
})

const readToken = (row: Row): TokenRecord => ({
  contract: hex(row, 0),
  tokenId: BigInt(text(row, 1)),
  owner: optionalHex(row, 2),
  previousOwner: optionalHex(row, 3),
  supply: amount(row, 4),
  updatedBy: integer(row, 5),
  transactionHash: hex(row, 6),
  createdAt: integer(row, 7),
  updatedAt: integer(row, 8),
  uri: text(row, 9)
})

const readHolding = (row: Row): HoldingRecord => {
  const token = text(row, 3)
  return {
    contract: hex(row, 0),
    kind: kindOf(text(row, 1)),
    owner: hex(row, 2),
    tokenId: token === "" ? undefined : BigInt(token),
    balance: amount(row, 4),
    supply: optional(amount)(row, 5),
    transactionHash: hex(row, 6),
    transferFrom: hex(row, 7),
    transferTo: hex(row, 8),
    updatedAt: integer(row, 9),
    updatedBy: integer(row, 10),
    uri: token === "" ? undefined : optionalText(row, 11) ?? ""
  }
}
