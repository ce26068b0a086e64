import { type Hex, quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import type { PreparedTokens } from "../IndexWriter.js"
import type { OwnershipKeys } from "../Ownership.js"
import { movesTokens } from "./IndexedBlock.js"

/** The rows that a block names: in its transfers, and in what contracts answered. */
export const keysOf = (block: PreparedTokens): OwnershipKeys => {
  const { answers, asked, contracts: described, questions, transactions, uris } = block
  const contracts = new Set(described.map(({ address }) => address))
  const tokens = new Map<string, OwnershipKeys["tokens"][number]>()
  const holdings = new Map<string, OwnershipKeys["holdings"][number]>()
  const addToken = (contract: Hex, token: string): void => {
    contracts.add(contract)
    tokens.set(contract + token, { contract, token })
  }
  const addHolding = (contract: Hex, owner: Hex, token: string): void => {
    contracts.add(contract)
    holdings.set(contract + owner + token, { contract, owner, token })
  }
  for (const transfer of transactions.flatMap(({ transfers }) => transfers)) {
    if (transfer.kind === "coin" || !movesTokens(block, transfer)) continue
    const { contract, from, kind, to } = transfer
    contracts.add(contract)
    const ids = kind === "ft" ? [""] : (kind === "nft" ? [transfer.tokenId] : transfer.ids).map(quantity)
    for (const token of ids) {
      if (kind !== "ft") addToken(contract, token)
      for (const owner of [from, to]) if (owner !== zeroAddress) addHolding(contract, owner, token)
    }
  }
  for (const { contract, owner, tokenId } of answers.balances) {
    addHolding(contract, owner, tokenId === undefined ? "" : quantity(tokenId))
    if (tokenId !== undefined) addToken(contract, quantity(tokenId))
  }
  for (const { contract, owner, tokenId } of answers.owners) {
    addToken(contract, quantity(tokenId))
    if (owner !== undefined) addHolding(contract, owner, quantity(tokenId))
  }
  for (const { contract } of answers.supplies) contracts.add(contract)
  for (const { contract, tokenId } of [...answers.tokenSupplies, ...uris]) addToken(contract, quantity(tokenId))
  return {
    contracts: Array.from(contracts, (address) => ({ address })),
    tokens: [...tokens.values()],
    holdings: [...holdings.values()],
    questions: [...questions, ...asked],
    described
  }
}
