import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { quantity } from "../Column.js"
import type { PreparedBlock } from "../IndexWriter.js"
import type { OwnershipKeys } from "../Ownership.js"
import { type DraftTransfer, movesTokens } from "./IndexedBlock.js"

type Token = OwnershipKeys["tokens"][number]
type Holding = OwnershipKeys["holdings"][number]

/** The rows that a block names: in its transfers, and in what contracts answered. */
export class KeySet implements OwnershipKeys {
  readonly #contracts = new Set<Hex>()
  readonly #tokens = new Map<string, Token>()
  readonly #holdings = new Map<string, Holding>()
  readonly described: OwnershipKeys["described"]
  readonly questions: OwnershipKeys["questions"]

  constructor(block: PreparedBlock) {
    const { answers, asked, contracts, questions, transactions, uris } = block
    this.described = contracts
    this.questions = [...questions, ...asked]
    for (const { address } of contracts) this.#contracts.add(address)
    for (const transfer of transactions.flatMap(({ transfers }) => transfers)) {
      if (movesTokens(block, transfer)) this.#transfer(transfer)
    }
    for (const { contract, owner, tokenId } of answers.balances) {
      this.#holding(contract, owner, tokenId === undefined ? "" : quantity(tokenId))
      if (tokenId !== undefined) this.#token(contract, quantity(tokenId))
    }
    for (const { contract, owner, tokenId } of answers.owners) {
      this.#token(contract, quantity(tokenId))
      if (owner !== undefined) this.#holding(contract, owner, quantity(tokenId))
    }
    for (const { contract } of answers.supplies) this.#contracts.add(contract)
    for (const { contract, tokenId } of [...answers.tokenSupplies, ...uris]) this.#token(contract, quantity(tokenId))
  }

  get contracts(): OwnershipKeys["contracts"] {
    return Array.from(this.#contracts, (address) => ({ address }))
  }

  get tokens(): OwnershipKeys["tokens"] {
    return [...this.#tokens.values()]
  }

  get holdings(): OwnershipKeys["holdings"] {
    return [...this.#holdings.values()]
  }

  #transfer(transfer: DraftTransfer): void {
    if (transfer.kind === "coin") return
    const { contract, from, to } = transfer
    this.#contracts.add(contract)
    const ids = transfer.kind === "ft" ? [] : transfer.kind === "nft" ? [transfer.tokenId] : transfer.ids
    for (const id of ids) this.#token(contract, quantity(id))
    for (const token of transfer.kind === "ft" ? [""] : ids.map(quantity)) {
      for (const owner of [from, to]) if (owner !== zeroAddress) this.#holding(contract, owner, token)
    }
  }

  #token(contract: Hex, token: string): void {
    this.#contracts.add(contract)
    this.#tokens.set(contract + token, { contract, token })
  }

  #holding(contract: Hex, owner: Hex, token: string): void {
    this.#contracts.add(contract)
    this.#holdings.set(contract + owner + token, { contract, owner, token })
  }
}
