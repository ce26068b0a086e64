import type { Hex } from "@effect-klaytn/transaction/Hex"
import { slotsPerBlock } from "../../BlockKey.js"
import { amount, blob, integer, quantity } from "../../Column.js"
import type { Driver, SqlValue } from "../../Driver.js"
import type { TokenFacts } from "../../IndexStore.js"
import {
  blocks,
  contracts,
  holdings,
  labels,
  ownings,
  questions,
  tokens,
  transactions,
  transferClass,
  transfers
} from "../../IndexTables.js"
import { expression, optional, select, type Selected } from "../../Query.js"
import type {
  ContractHolding,
  ContractHoldingQuery,
  ContractLabel,
  ContractQuery,
  ContractRecord,
  HoldingQuery,
  HoldingRecord,
  OwnershipRecord,
  TokenQuery,
  TokenRecord
} from "../../TokenRecord.js"
import type { Question } from "../IndexedBlock.js"

const { timestamp } = blocks.as("b")
const { hash: transactionHash } = transactions.as("x")
const { from, id, to } = transfers.as("t")

const contractRow = (() => {
  const { block, holders: _holders, supply: _supply, ...described } = contracts.as("c")
  const { createdAt, deletedAt, status, updatedAt } = labels.as("l")
  return {
    ...described,
    blockNumber: block,
    createdAt: timestamp,
    status: optional(status),
    labelledAt: optional(createdAt),
    relabelledAt: optional(updatedAt),
    deletedAt
  }
})()

const tokenRow = { ...tokens.as("k"), transactionHash, createdAt: blocks.as("made").timestamp, updatedAt: timestamp }

const holdingRow = {
  ...holdings.as("h"),
  kind: contracts.as("c").kind,
  supply: optional(tokens.as("k").supply),
  uri: optional(tokens.as("k").uri),
  transactionHash,
  transferFrom: from,
  transferTo: to,
  updatedAt: timestamp
}

/** How many addresses are remembered. */
const maxKinds = 50_000

/** Reads token contracts, tokens and holdings of one chain, and writes labels. */
export class TokenStore implements TokenFacts {
  readonly #putLabel
  readonly #contract
  readonly #owning
  readonly #kinds = new Map<Hex, ContractRecord["kind"] | undefined>()

  constructor(private readonly driver: Driver, private readonly c: number) {
    this.#putLabel = labels.of(c).put(driver)
    this.#contract = contracts.of(c).find(driver)
    this.#owning = ownings.of(c).find(driver)
  }

  /** The kind of a token contract; undefined for any other address. It is remembered until {@link forgetKinds}. */
  kindOf(address: Hex): ContractRecord["kind"] | undefined {
    if (this.#kinds.has(address)) return this.#kinds.get(address)
    if (this.#kinds.size >= maxKinds) this.#kinds.clear()
    const kind = this.#contract({ address })?.kind
    this.#kinds.set(address, kind)
    return kind
  }

  /** Forgets the kinds of contracts. Call it before a kind may change. */
  forgetKinds(): void {
    this.#kinds.clear()
  }

  contract(address: Hex): ContractRecord | undefined {
    return this.#contracts("WHERE c.address = ?1", blob(address))[0]
  }

  /** Token contracts, newest first. */
  contracts({ after, kinds, labelled, limit, standard, status }: ContractQuery): ReadonlyArray<ContractRecord> {
    const values: Array<SqlValue> = [JSON.stringify(kinds ?? ["ft", "nft", "mt"]), limit]
    const terms = ["c.kind IN (SELECT value FROM json_each(?1))"]
    let last = ""
    if (after !== undefined) {
      last = `JOIN contracts_${this.c} last ON last.address = ?${values.push(blob(after))}`
      terms.push("(c.block < last.block OR (c.block = last.block AND c.address > last.address))")
    }
    if (standard !== undefined) terms.push(`c.standard = ?${values.push(standard)}`)
    if (status !== undefined) terms.push(`coalesce(l.status, 'completed') = ?${values.push(status)}`)
    if (labelled === true) terms.push("l.deleted IS NULL")
    return this.#contracts(`${last} WHERE ${terms.join(" AND ")} ORDER BY c.block DESC, c.address LIMIT ?2`, ...values)
  }

  /** Labels are not part of the chain: a revert does not change them. */
  setLabel(address: Hex, label: ContractLabel): void {
    this.#putLabel({ address, ...label })
  }

  token(contract: Hex, tokenId: bigint): TokenRecord | undefined {
    return this.#tokens("WHERE k.contract = ?1 AND k.token = ?2", blob(contract), quantity(tokenId))[0]
  }

  tokens({ after, contract, limit, order, owner }: TokenQuery): ReadonlyArray<TokenRecord> {
    const isNewestFirst = order === "newest"
    const values: Array<SqlValue> = [blob(contract), limit]
    const terms = ["k.contract = ?1"]
    if (after !== undefined) {
      const [updated, token] = [values.push(after.updatedBy), values.push(quantity(after.tokenId))]
      terms.push(
        isNewestFirst
          ? `k.updated <= ?${updated} AND (k.updated < ?${updated} OR k.token > ?${token})`
          : `k.token > ?${token}`
      )
    }
    if (owner !== undefined) terms.push(`k.owner = ?${values.push(blob(owner))}`)
    const sorting = isNewestFirst ? "k.updated DESC, k.token" : "k.token"
    return this.#tokens(`WHERE ${terms.join(" AND ")} ORDER BY ${sorting} LIMIT ?2`, ...values)
  }

  holding(contract: Hex, owner: Hex, tokenId: bigint | undefined): HoldingRecord | undefined {
    return this.#holdings(
      "WHERE h.contract = ?1 AND h.owner = ?2 AND h.token = ?3",
      blob(contract),
      blob(owner),
      tokenText(tokenId)
    )[0]
  }

  holdings(query: HoldingQuery): ReadonlyArray<HoldingRecord> {
    const values: Array<SqlValue> = [query.limit, query.after?.updatedBy ?? Number.MAX_SAFE_INTEGER]
    const terms = ["h.updated <= ?2"]
    if (query.after !== undefined) {
      const { contract, owner, tokenId } = query.after
      const place = [values.push(blob(owner)), values.push(blob(contract)), values.push(tokenText(tokenId))]
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
    // The owners of a fungible token are then read in the order of an index.
    if (query.kinds?.length === 1 && query.kinds[0] === "ft") terms.push("h.token = ''")
    if (query.kinds !== undefined) {
      terms.push(`c.kind IN (SELECT value FROM json_each(?${values.push(JSON.stringify(query.kinds))}))`)
    }
    return this.#holdings(
      `WHERE ${terms.join(" AND ")} ORDER BY h.updated DESC, h.owner, h.contract, h.token LIMIT ?1`,
      ...values
    )
  }

  /** Sum of all balances of an owner in a contract. */
  totalBalance(contract: Hex, owner: Hex): bigint {
    return this.#owning({ contract, owner })?.balance ?? 0n
  }

  /** The contracts whose tokens an owner holds, last change first. */
  contractHoldings({ after, kinds, limit, owner }: ContractHoldingQuery): ReadonlyArray<ContractHolding> {
    const values: Array<SqlValue> = [blob(owner), JSON.stringify(kinds ?? ["ft", "nft", "mt"]), limit]
    let place = ""
    if (after !== undefined) {
      const [updated, contract] = [values.push(after.updatedBy), values.push(blob(after.contract))]
      place = `AND (o.updated < ?${updated} OR (o.updated = ?${updated} AND o.contract > ?${contract}))`
    }
    const { contract: address, owner: _owner, tokens: _tokens, updated: updatedBy, ...owning } = ownings.as("o")
    return select(
      this.driver,
      { ...owning, address, supply: contracts.as("c").supply, updatedAt: timestamp, updatedBy },
      `FROM ownings_${this.c} o
         JOIN contracts_${this.c} c ON c.address = o.contract LEFT JOIN labels_${this.c} l ON l.address = o.contract
         JOIN blocks_${this.c} b ON b.number = o.updated / ${slotsPerBlock}
       WHERE o.owner = ?1 AND c.kind IN (SELECT value FROM json_each(?2)) AND l.deleted IS NULL ${place}
       ORDER BY o.updated DESC, o.contract LIMIT ?3`
    ).all(...values).flatMap(({ address, ...row }) => {
      const contract = this.contract(address)
      return contract === undefined ? [] : [{ contract, ...row }]
    })
  }

  /** Total supply of a contract: what the contract reports, or else the sum of all holdings. */
  contractSupply(address: Hex): bigint {
    return this.#contract({ address })?.supply ?? 0n
  }

  /** How many different owners a contract has. */
  holderCount(address: Hex): number {
    return this.#contract({ address })?.holders ?? 0
  }

  /** Transfers of a non-fungible token, newest first. */
  ownership(contract: Hex, tokenId: bigint, before: number | undefined, limit: number): ReadonlyArray<OwnershipRecord> {
    return select(
      this.driver,
      { id, from, to, timestamp },
      `FROM transfers_${this.c} t JOIN blocks_${this.c} b ON b.number = t.id / ${slotsPerBlock}
       WHERE t.class = ${transferClass.nft} AND t.contract = ?1 AND t.amount = ?2 AND t.id < ?3
       ORDER BY t.id DESC LIMIT ?4`
    ).all(blob(contract), amount.encode(tokenId), before ?? Number.MAX_SAFE_INTEGER, limit)
  }

  /** Some of what contracts have still to be asked, by contract. */
  questions(limit: number): ReadonlyArray<Question> {
    return select(
      this.driver,
      questions.as("q"),
      `FROM questions_${this.c} q ORDER BY q.contract, q.owner, q.token LIMIT ?1`
    ).all(limit)
  }

  /** Whether a contract ever logged a transfer of this kind. */
  hasMoved(contract: Hex, kind: ContractRecord["kind"]): boolean {
    return this.#exists("transfers", "contract = ?1 AND class = ?2", blob(contract), transferClass[kind])
  }

  /** Whether a contract has a token with this ID. */
  hasToken(contract: Hex, tokenId: bigint): boolean {
    return this.#exists("tokens", "contract = ?1 AND token = ?2", blob(contract), quantity(tokenId))
  }

  /** The owner of a non-fungible token; undefined if there is none. */
  ownerOf(contract: Hex, tokenId: bigint): Hex | undefined {
    return this.token(contract, tokenId)?.owner
  }

  #exists(table: string, where: string, ...values: ReadonlyArray<SqlValue>): boolean {
    const found = { one: expression("1", integer) }
    return select(this.driver, found, `FROM ${table}_${this.c} WHERE ${where} LIMIT 1`).first(...values) !== undefined
  }

  #contracts(rest: string, ...values: ReadonlyArray<SqlValue>): ReadonlyArray<ContractRecord> {
    return select(
      this.driver,
      contractRow,
      `FROM contracts_${this.c} c JOIN blocks_${this.c} b ON b.number = c.block
       LEFT JOIN labels_${this.c} l ON l.address = c.address ${rest}`
    ).all(...values).map(toContract)
  }

  #tokens(rest: string, ...values: ReadonlyArray<SqlValue>): ReadonlyArray<TokenRecord> {
    return select(
      this.driver,
      tokenRow,
      `FROM tokens_${this.c} k JOIN transfers_${this.c} t ON t.id = k.updated
       JOIN transactions_${this.c} x ON x.id = t.tx JOIN blocks_${this.c} b ON b.number = k.updated / ${slotsPerBlock}
       JOIN blocks_${this.c} made ON made.number = k.created / ${slotsPerBlock} ${rest}`
    ).all(...values).map(toToken)
  }

  #holdings(rest: string, ...values: ReadonlyArray<SqlValue>): ReadonlyArray<HoldingRecord> {
    return select(
      this.driver,
      holdingRow,
      `FROM holdings_${this.c} h JOIN contracts_${this.c} c ON c.address = h.contract
       JOIN transfers_${this.c} t ON t.id = h.updated JOIN transactions_${this.c} x ON x.id = t.tx
       JOIN blocks_${this.c} b ON b.number = h.updated / ${slotsPerBlock}
       LEFT JOIN tokens_${this.c} k ON k.contract = h.contract AND k.token = h.token
       LEFT JOIN labels_${this.c} l ON l.address = h.contract ${rest}`
    ).all(...values).map(toHolding)
  }
}

/** The `token` of a holding. */
const tokenText = (tokenId: bigint | undefined): string => tokenId === undefined ? "" : quantity(tokenId)

const toContract = (
  { deletedAt, labelledAt, relabelledAt, status = "completed", ...row }: Selected<typeof contractRow>
): ContractRecord => ({
  ...row,
  label: { status, createdAt: labelledAt ?? row.createdAt, updatedAt: relabelledAt ?? row.createdAt, deletedAt }
})

const toToken = ({ created: _, token, updated, ...row }: Selected<typeof tokenRow>): TokenRecord => ({
  ...row,
  tokenId: BigInt(token),
  updatedBy: updated
})

const toHolding = ({ token, updated, uri = "", ...row }: Selected<typeof holdingRow>): HoldingRecord => ({
  ...row,
  tokenId: token === "" ? undefined : BigInt(token),
  uri: token === "" ? undefined : uri,
  updatedBy: updated
})
