/** What a block's preparation has to look up, known before it begins. */
import type { EmittedLog } from "@effect-klaytn/transaction/ExecutedTransaction"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import { topicOf, uintAt } from "../../Abi.js"
import type { FactKeys } from "../../TokenFacts.js"
import { allTokens, type Question, type TokenTransaction } from "../IndexedBlock.js"

const batchTopic = topicOf("BatchMetadataUpdate(uint256,uint256)")

/** The tokens that a contract says have other metadata: from the first to the last ID (`BatchMetadataUpdate` of ERC-4906). */
export const revealedBy = (
  { data, topics: [event] }: Pick<EmittedLog, "data" | "topics">
): { readonly from: bigint; readonly to: bigint } | undefined => {
  if (event !== batchTopic) return undefined
  const [from, to] = [uintAt(data, 0), uintAt(data, 32)]
  return from === undefined || to === undefined ? undefined : { from, to }
}

type Kind = "ft" | "nft" | "mt"

class Keys {
  readonly #contracts = new Map<Hex, Set<Kind>>()
  readonly #tokens = new Map<string, FactKeys["tokens"][number]>()

  readonly #ranges: Array<NonNullable<FactKeys["ranges"]>[number]> = []

  addContract(address: Hex, kind?: Kind): void {
    const kinds = this.#contracts.get(address) ?? new Set()
    this.#contracts.set(address, kinds)
    if (kind !== undefined) kinds.add(kind)
  }

  addToken(contract: Hex, token: string): void {
    this.#tokens.set(contract + token, { contract, token })
  }

  addRange(range: NonNullable<FactKeys["ranges"]>[number]): void {
    this.#ranges.push(range)
  }

  get all(): FactKeys {
    return { contracts: this.#contracts, tokens: [...this.#tokens.values()], ranges: this.#ranges }
  }
}

/** Of a block: the contracts that it may have changed, and the transactions that the index keeps. */
export const factKeysOf = (
  touched: ReadonlyArray<Hex>,
  transactions: ReadonlyArray<TokenTransaction>
): FactKeys => {
  const keys = new Keys()
  for (const address of touched) keys.addContract(address)
  for (const { contractAddress, logs, to, transfers, writes = [] } of transactions) {
    if (contractAddress !== undefined) keys.addContract(contractAddress)
    if (to !== undefined) keys.addContract(to)
    for (const log of logs) {
      keys.addContract(log.address)
      const range = revealedBy(log)
      if (range !== undefined) keys.addRange({ contract: log.address, ...range })
    }
    for (const { contract, keys: words } of writes) {
      keys.addContract(contract)
      for (const word of words.flat()) keys.addToken(contract, quantity(word))
    }
    for (const transfer of transfers) {
      if (transfer.kind === "coin") continue
      keys.addContract(transfer.contract, transfer.kind)
      const ids = transfer.kind === "ft" ? [] : transfer.kind === "nft" ? [transfer.tokenId] : transfer.ids
      for (const id of ids) keys.addToken(transfer.contract, quantity(id))
    }
  }
  return keys.all
}

/** Of questions that earlier blocks left. */
export const factKeysOfQuestions = (questions: ReadonlyArray<Question>): FactKeys => {
  const keys = new Keys()
  for (const { contract, token } of questions) {
    keys.addContract(contract)
    if (token !== "" && token !== allTokens) keys.addToken(contract, token)
  }
  return keys.all
}
