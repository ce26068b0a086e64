import type { Driver } from "@effect-klaytn/store/Driver"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { contracts, labels, ownings } from "../../IndexTables.js"
import type { TokenFacts } from "../../TokenFacts.js"
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
import { TokenQueries } from "../queries/tokens.js"
import { all, dialectOf, first } from "./dialect.js"

/** How many addresses are remembered. */
const maxKinds = 50_000

/** Reads token contracts, tokens and holdings of one chain, and writes labels. */
export class TokenStore implements TokenFacts {
  readonly #queries
  readonly #putLabel
  readonly #contract
  readonly #owning
  readonly #kinds = new Map<Hex, ContractRecord["kind"] | undefined>()

  constructor(private readonly driver: Driver, c: number) {
    this.#queries = new TokenQueries(dialectOf(c))
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
    return first(this.driver, this.#queries.contract(address))
  }

  contractsOf(addresses: ReadonlyArray<Hex>): ReadonlyArray<ContractRecord> {
    return all(this.driver, this.#queries.contractsOf(addresses))
  }

  contracts(query: ContractQuery): ReadonlyArray<ContractRecord> {
    return all(this.driver, this.#queries.contracts(query))
  }

  /** Labels are not part of the chain: a revert does not change them. */
  setLabel(address: Hex, label: ContractLabel): void {
    this.#putLabel({ address, ...label })
  }

  token(contract: Hex, tokenId: bigint): TokenRecord | undefined {
    return first(this.driver, this.#queries.token(contract, tokenId))
  }

  tokens(query: TokenQuery): ReadonlyArray<TokenRecord> {
    return all(this.driver, this.#queries.tokens(query))
  }

  holding(contract: Hex, owner: Hex, tokenId: bigint | undefined): HoldingRecord | undefined {
    return first(this.driver, this.#queries.holding(contract, owner, tokenId))
  }

  holdings(query: HoldingQuery): ReadonlyArray<HoldingRecord> {
    const ownings = this.#queries.ownings(query)
    return all(
      this.driver,
      ownings === undefined
        ? this.#queries.holdings(query)
        : this.#queries.holdingsAmong(query, all(this.driver, ownings))
    )
  }

  /** Sum of all balances of an owner in a contract. */
  totalBalance(contract: Hex, owner: Hex): bigint {
    return this.#owning({ contract, owner })?.balance ?? 0n
  }

  contractHoldings(query: ContractHoldingQuery): ReadonlyArray<ContractHolding> {
    return all(this.driver, this.#queries.contractHoldings(query))
  }

  /** Total supply of a contract: what the contract reports, or else the sum of all holdings. */
  contractSupply(address: Hex): bigint {
    return this.#contract({ address })?.supply ?? 0n
  }

  /** How many different owners a contract has. */
  holderCount(address: Hex): number {
    return this.#contract({ address })?.holders ?? 0
  }

  ownership(contract: Hex, tokenId: bigint, before: number | undefined, limit: number): ReadonlyArray<OwnershipRecord> {
    return all(this.driver, this.#queries.ownership(contract, tokenId, before, limit))
  }

  questions(limit: number): ReadonlyArray<Question> {
    return all(this.driver, this.#queries.questions(limit))
  }

  hasMoved(contract: Hex, kind: ContractRecord["kind"]): boolean {
    return first(this.driver, this.#queries.moved(contract, kind)) !== undefined
  }

  hasToken(contract: Hex, tokenId: bigint): boolean {
    return first(this.driver, this.#queries.hasToken(contract, tokenId)) !== undefined
  }

  tokensIn(contract: Hex, from: bigint, to: bigint): ReadonlyArray<bigint> {
    return all(this.driver, this.#queries.tokenIds(contract)).filter((id) => from <= id && id <= to)
  }

  ownerOf(contract: Hex, tokenId: bigint): Hex | undefined {
    return this.token(contract, tokenId)?.owner
  }
}
