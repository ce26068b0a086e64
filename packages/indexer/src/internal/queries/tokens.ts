/** Queries for token contracts, tokens and holdings. */
import { integer } from "@effect-klaytn/store/Column"
import { expression, optional, type Selected } from "@effect-klaytn/store/Query"
import { bytesOf, type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import { slotsPerBlock } from "../../BlockKey.js"
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
import type {
  ContractHolding,
  ContractHoldingQuery,
  ContractQuery,
  ContractRecord,
  HoldingQuery,
  HoldingRecord,
  OwnershipRecord,
  TokenQuery,
  TokenRecord
} from "../../TokenRecord.js"
import type { Question } from "../IndexedBlock.js"
import { type Dialect, type Statement, statement } from "./Statement.js"

/** Of a contract whose tokens an owner has. */
interface Owning {
  readonly contract: Hex
  readonly tokens: number
  readonly kind: ContractRecord["kind"]
}

/** How many rows of an owner are read and sorted for a page. */
const few = 300

/** Of how many tokens of a contract the IDs are read. */
const maxTokenIds = 100_000

const { timestamp } = blocks.as("b")
const { hash: transactionHash } = transactions.as("x")
const { from, id, to } = transfers.as("t")

const contractRow = (() => {
  const { block, holders: _holders, ...described } = contracts.as("c")
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

const contractHoldingRow = {
  ...contractRow,
  balance: ownings.as("o").balance,
  whenUpdated: blocks.as("changed").timestamp,
  updatedBy: ownings.as("o").updated
}

/** Queries for token contracts, tokens and holdings of one index. */
export class TokenQueries {
  constructor(private readonly dialect: Dialect) {}

  contract(address: Hex): Statement<ContractRecord> {
    return this.#contracts("WHERE c.address = ?1", [bytesOf(address)])
  }

  /** Token contracts, newest first. */
  contracts({ after, kinds = allKinds, labelled, limit, standard, status }: ContractQuery): Statement<ContractRecord> {
    const values: Array<unknown> = [limit]
    const terms = [this.#isOneOf("c.kind", kinds, values)]
    if (after !== undefined) {
      const [block, address] = [values.push(after.blockNumber), values.push(bytesOf(after.address))]
      terms.push(`c.block <= ?${block} AND (c.block < ?${block} OR c.address > ?${address})`)
    }
    if (standard !== undefined) terms.push(`c.standard = ?${values.push(standard)}`)
    if (status !== undefined) {
      const label = `(SELECT l.status FROM ${this.dialect.table("labels")} l WHERE l.address = c.address)`
      terms.push(`coalesce(${label}, 'completed') = ?${values.push(status)}`)
    }
    if (labelled === true) terms.push(this.#isLabelled("c.address"))
    const order = "ORDER BY c.block DESC, c.address"
    return this.#contracts(order, values, this.#page("contracts", "c", terms, `${order} LIMIT ?1`))
  }

  /** Some contracts by their addresses. */
  contractsOf(addresses: ReadonlyArray<Hex>): Statement<ContractRecord> {
    return this.#contracts(`WHERE ${this.dialect.amongBytes("c.address", 1)}`, [this.dialect.bytes(addresses)])
  }

  token(contract: Hex, tokenId: bigint): Statement<TokenRecord> {
    return this.#tokens("WHERE k.contract = ?1 AND k.token = ?2", [bytesOf(contract), quantity(tokenId)])
  }

  tokens({ after, contract, limit, order, owner }: TokenQuery): Statement<TokenRecord> {
    const isNewestFirst = order === "newest"
    const values: Array<unknown> = [bytesOf(contract), limit]
    const terms = ["k.contract = ?1"]
    if (after !== undefined) {
      const token = values.push(quantity(after.tokenId))
      // A database refuses a parameter that no term has.
      const updated = isNewestFirst ? values.push(after.updatedBy) : 0
      terms.push(
        isNewestFirst
          ? `k.updated <= ?${updated} AND (k.updated < ?${updated} OR k.token > ?${token})`
          : `k.token > ?${token}`
      )
    }
    if (owner !== undefined) terms.push(`k.owner = ?${values.push(bytesOf(owner))}`)
    const sorting = `ORDER BY ${isNewestFirst ? "k.updated DESC, k.token" : "k.token"}`
    return this.#tokens(sorting, values, this.#page("tokens", "k", terms, `${sorting} LIMIT ?2`))
  }

  holding(contract: Hex, owner: Hex, tokenId: bigint | undefined): Statement<HoldingRecord> {
    return this.#holdings(
      "WHERE h.contract = ?1 AND h.owner = ?2 AND h.token = ?3",
      [bytesOf(contract), bytesOf(owner), tokenText(tokenId)]
    )
  }

  /** Some of the contracts whose tokens an owner has: how many tokens of which kind. None for a search that needs no such look. */
  ownings({ kinds, owner }: HoldingQuery): Statement<Owning> | undefined {
    if (owner === undefined || kinds === undefined || kinds.length === allKinds.length) return undefined
    const { table } = this.dialect
    const { contract, tokens } = ownings.as("o")
    // A planner that joins may read all contracts.
    const kind = expression(
      `(SELECT c.kind FROM ${table("contracts")} c WHERE c.address = o.contract)`,
      contracts.fields.kind
    )
    return statement(
      { contract, tokens, kind },
      `FROM (SELECT * FROM ${table("ownings")} WHERE owner = ?1 ORDER BY updated DESC LIMIT ${few + 1}) o`,
      [bytesOf(owner)],
      (row) => row
    )
  }

  /** The same search by the contracts of its kinds, where the owner has few tokens of these: the others are not passed over one by one. */
  holdingsAmong(query: HoldingQuery, ownings: ReadonlyArray<Owning>): Statement<HoldingRecord> {
    const ofKinds = ownings.filter(({ kind }) => query.kinds?.includes(kind))
    const tokens = ofKinds.reduce((sum, { tokens }) => sum + tokens, 0)
    if (ownings.length > few || tokens > few) return this.holdings(query)
    const among = ofKinds.map(({ contract }) => contract).filter((one) => query.contracts?.includes(one) !== false)
    return this.holdings({ ...query, contracts: among, kinds: undefined }, true)
  }

  /** `areFew`: all that the search finds is read and sorted, however the planner would find its newest. */
  holdings(query: HoldingQuery, areFew = false): Statement<HoldingRecord> {
    const values: Array<unknown> = [query.limit, query.after?.updatedBy ?? Number.MAX_SAFE_INTEGER]
    // The plus keeps a planner from all that the owner has, newest first, where it can look up each contract.
    const terms = [areFew ? "+h.updated <= ?2" : "h.updated <= ?2"]
    if (query.after !== undefined) {
      const { contract, owner, tokenId } = query.after
      const place = [values.push(bytesOf(owner)), values.push(bytesOf(contract)), values.push(tokenText(tokenId))]
      terms.push(`(h.updated < ?2 OR (h.owner, h.contract, h.token) > (?${place.join(", ?")}))`)
    }
    if (query.labelled === true) terms.push(this.#isLabelled("h.contract"))
    if (query.owner !== undefined) terms.push(`h.owner = ?${values.push(bytesOf(query.owner))}`)
    if (query.contracts?.length === 1 && query.contracts[0] !== undefined) {
      terms.push(`h.contract = ?${values.push(bytesOf(query.contracts[0]))}`)
    } else if (query.contracts !== undefined) {
      terms.push(this.dialect.amongBytes("h.contract", values.push(this.dialect.bytes(query.contracts))))
    }
    if (query.tokenId !== undefined) terms.push(`h.token = ?${values.push(quantity(query.tokenId))}`)
    let kinds: HoldingQuery["kinds"]
    // The owners of a fungible token are then read in the order of an index.
    if (query.kinds?.length === 1 && query.kinds[0] === "ft") terms.push("h.token = ''")
    else if (query.kinds !== undefined && query.kinds.length < allKinds.length) {
      kinds = query.kinds
      terms.push(this.#isOneOf("c.kind", kinds, values))
    }
    const order = "ORDER BY h.updated DESC, h.owner, h.contract, h.token"
    const page = areFew
      // The inner limit keeps the two apart.
      ? `(SELECT * FROM (SELECT h.* FROM ${this.dialect.table("holdings")} h WHERE ${terms.join(" AND ")}
           LIMIT ${Number.MAX_SAFE_INTEGER}) few ${order.replaceAll("h.", "few.")} LIMIT ?1) h`
      : this.#page("holdings", "h", terms, `${order} LIMIT ?1`, kinds)
    return this.#holdings(order, values, page)
  }

  /** The contracts whose tokens an owner holds, last change first. */
  contractHoldings({ after, kinds, limit, owner }: ContractHoldingQuery): Statement<ContractHolding> {
    const values: Array<unknown> = [bytesOf(owner), limit]
    const terms = ["o.owner = ?1", this.#isLabelled("o.contract")]
    const { table } = this.dialect
    const some = kinds !== undefined && kinds.length < allKinds.length ? kinds : undefined
    if (some !== undefined) terms.push(this.#isOneOf("c.kind", some, values))
    if (after !== undefined) {
      const [updated, contract] = [values.push(after.updatedBy), values.push(bytesOf(after.contract))]
      terms.push(`o.updated <= ?${updated} AND (o.updated < ?${updated} OR o.contract > ?${contract})`)
    }
    const order = "ORDER BY o.updated DESC, o.contract"
    return statement(
      contractHoldingRow,
      `FROM ${this.#page("ownings", "o", terms, `${order} LIMIT ?2`, some)}
         JOIN ${table("contracts")} c ON c.address = o.contract
         JOIN ${table("blocks")} b ON b.number = c.block
         LEFT JOIN ${table("labels")} l ON l.address = o.contract
         JOIN ${table("blocks")} changed ON changed.number = o.updated / ${slotsPerBlock} ${order}`,
      values,
      ({ balance, updatedBy, whenUpdated, ...contract }) => ({
        contract: toContract(contract),
        balance,
        supply: contract.supply,
        updatedAt: whenUpdated,
        updatedBy
      })
    )
  }

  /** Transfers of a non-fungible token, newest first. */
  ownership(contract: Hex, tokenId: bigint, before: number | undefined, limit: number): Statement<OwnershipRecord> {
    return statement(
      { id, from, to, timestamp },
      `FROM ${this.dialect.table("transfers")} t JOIN ${this.dialect.table("blocks")} b
         ON b.number = t.id / ${slotsPerBlock}
       WHERE t.class = ${transferClass.nft} AND t.contract = ?1 AND t.amount = ?2 AND t.id < ?3
       ORDER BY t.id DESC LIMIT ?4`,
      [bytesOf(contract), this.dialect.amount(tokenId), before ?? Number.MAX_SAFE_INTEGER, limit],
      (row) => row
    )
  }

  /** Some of what contracts have still to be asked, by contract. */
  questions(limit: number): Statement<Question> {
    return statement(
      questions.as("q"),
      `FROM ${this.dialect.table("questions")} q ORDER BY q.contract, q.owner, q.token LIMIT ?1`,
      [limit],
      (row) => row
    )
  }

  /** A row if a contract logged a transfer of this kind before a transfer. */
  moved(contract: Hex, kind: ContractRecord["kind"], before = Number.MAX_SAFE_INTEGER): Statement<unknown> {
    const where = "contract = ?1 AND class = ?2 AND id < ?3"
    return this.#one("transfers", where, [bytesOf(contract), transferClass[kind], before])
  }

  /** A row if a contract has a token with this ID. */
  hasToken(contract: Hex, tokenId: bigint): Statement<unknown> {
    return this.#one("tokens", "contract = ?1 AND token = ?2", [bytesOf(contract), quantity(tokenId)])
  }

  /** The IDs of the tokens of a contract, in any order. */
  tokenIds(contract: Hex): Statement<bigint> {
    const { token } = tokens.as("k")
    return statement(
      { token },
      `FROM ${this.dialect.table("tokens")} k WHERE contract = ?1 LIMIT ${maxTokenIds}`,
      [bytesOf(contract)],
      (row) => BigInt(row.token)
    )
  }

  /** Whether the label of a contract was not removed: a planner expects few rows of `l.deleted IS NULL` behind a LEFT JOIN. */
  #isLabelled(contract: string): string {
    const labels = this.dialect.table("labels")
    return `NOT EXISTS (SELECT 1 FROM ${labels} gone WHERE gone.address = ${contract} AND gone.deleted IS NOT NULL)`
  }

  /**
   * Rows of a page before anything is joined to them, but the contracts of some kinds: a planner that joins first may read all of a table
   * for some rows of it.
   */
  #page(
    table: string,
    alias: string,
    terms: ReadonlyArray<string>,
    rest: string,
    kinds?: HoldingQuery["kinds"]
  ): string {
    const ofKinds = kinds === undefined
      ? ""
      : `JOIN ${this.dialect.table("contracts")} c ON c.address = ${alias}.contract`
    const from = `${this.dialect.table(table)} ${alias} ${ofKinds}`
    return `(SELECT ${alias}.* FROM ${from} WHERE ${terms.join(" AND ")} ${rest}) ${alias}`
  }

  /** Whether a text is in a list: an index is read in its order for one text alone. */
  #isOneOf(text: string, list: ReadonlyArray<string>, values: Array<unknown>): string {
    return list.length === 1
      ? `${text} = ?${values.push(list[0])}`
      : this.dialect.amongTexts(text, values.push(this.dialect.texts(list)))
  }

  #one(table: string, where: string, values: ReadonlyArray<unknown>): Statement<unknown> {
    const found = { one: expression("1", integer) }
    return statement(found, `FROM ${this.dialect.table(table)} WHERE ${where} LIMIT 1`, values, (row) => row)
  }

  #contracts(
    rest: string,
    values: ReadonlyArray<unknown>,
    from = `${this.dialect.table("contracts")} c`
  ): Statement<ContractRecord> {
    const { table } = this.dialect
    return statement(
      contractRow,
      `FROM ${from} JOIN ${table("blocks")} b ON b.number = c.block
       LEFT JOIN ${table("labels")} l ON l.address = c.address ${rest}`,
      values,
      toContract
    )
  }

  #tokens(
    rest: string,
    values: ReadonlyArray<unknown>,
    from = `${this.dialect.table("tokens")} k`
  ): Statement<TokenRecord> {
    const { table } = this.dialect
    return statement(
      tokenRow,
      `FROM ${from} JOIN ${table("transfers")} t ON t.id = k.updated
       JOIN ${table("transactions")} x ON x.id = t.tx
       JOIN ${table("blocks")} b ON b.number = k.updated / ${slotsPerBlock}
       JOIN ${table("blocks")} made ON made.number = k.created / ${slotsPerBlock} ${rest}`,
      values,
      toToken
    )
  }

  #holdings(
    rest: string,
    values: ReadonlyArray<unknown>,
    from = `${this.dialect.table("holdings")} h`
  ): Statement<HoldingRecord> {
    const { table } = this.dialect
    return statement(
      holdingRow,
      `FROM ${from} JOIN ${table("contracts")} c ON c.address = h.contract
       JOIN ${table("transfers")} t ON t.id = h.updated JOIN ${table("transactions")} x ON x.id = t.tx
       JOIN ${table("blocks")} b ON b.number = h.updated / ${slotsPerBlock}
       LEFT JOIN ${table("tokens")} k ON k.contract = h.contract AND k.token = h.token ${rest}`,
      values,
      toHolding
    )
  }
}

const allKinds: ReadonlyArray<ContractRecord["kind"]> = ["ft", "nft", "mt"]

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
