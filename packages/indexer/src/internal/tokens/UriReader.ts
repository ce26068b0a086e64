import { type Hex, quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { topicOf, uintAt } from "../../Abi.js"
import type { TokenFacts } from "../../TokenFacts.js"
import { type IndexedBlock, type InspectedBlock, noOwner, type Question, type TokenAnswers } from "../IndexedBlock.js"
import type { ContractCalls } from "./ContractCalls.js"
import { revealedBy } from "./factKeys.js"
import type { Touched } from "./Reconciler.js"

const maxUriLength = 8192

const uriTopic = topicOf("URI(string,uint256)")
const metadataTopic = topicOf("MetadataUpdate(uint256)")

/**
 * Notes the tokens of a block whose URI has to be asked: those that were minted or are seen for the first time, and those
 * that their contract says have another one (`URI` of KIP-37 and ERC-1155, `MetadataUpdate` and `BatchMetadataUpdate` of ERC-4906).
 */
export const touchUris = (
  tokens: TokenFacts,
  { transactions }: InspectedBlock,
  all: ReadonlyMap<Hex, Touched>
): void => {
  for (const { logs, transfers } of transactions) {
    for (const transfer of transfers) {
      if ((transfer.kind !== "nft" && transfer.kind !== "mt") || transfer.to === zeroAddress) continue
      const touched = all.get(transfer.contract)
      if (touched?.kind !== transfer.kind) continue
      for (const id of transfer.kind === "nft" ? [transfer.tokenId] : transfer.ids) {
        if (transfer.from === zeroAddress || !tokens.hasToken(transfer.contract, id)) touched.uris.add(id)
      }
    }
    for (const log of logs) {
      const { address, data, topics: [event, first] } = log
      const id = event === uriTopic && first !== undefined
        ? BigInt(first)
        : event === metadataTopic && data.length === 32
        ? uintAt(data, 0)
        : undefined
      const touched = all.get(address)
      if (touched === undefined || touched.kind === "ft") continue
      if (id !== undefined) touched.uris.add(id)
      const range = revealedBy(log)
      if (range !== undefined) { for (const id of tokens.tokensIn(address, range.from, range.to)) touched.uris.add(id) }
    }
  }
}

/** Of how many tokens of a contract the URIs are asked together with a block. */
const urisAtOnce = 200

/** Takes the URIs of a collection that was revealed out of a block, but the first: they are left as questions, which are asked in parts. */
export const deferUris = (all: ReadonlyMap<Hex, Touched>, transfer: number): ReadonlyArray<Question> =>
  [...all].flatMap(([contract, { uris }]) =>
    [...uris].slice(urisAtOnce).map((tokenId) => {
      uris.delete(tokenId)
      return { contract, owner: noOwner, token: quantity(tokenId), transfer, hasNewUri: true }
    })
  )

/**
 * Asks for URIs: of the tokens that were noted, and of those that contracts say exist and that are not stored yet. Where a
 * contract gives none, the URI is empty.
 */
export const readUris = <E>(
  tokens: TokenFacts,
  all: ReadonlyMap<Hex, Touched>,
  { balances, owners, tokenSupplies }: TokenAnswers,
  contractCalls: ContractCalls<E>
): Effect.Effect<IndexedBlock["uris"], E> =>
  Effect.suspend(() => {
    const held = [
      ...owners.filter(({ owner }) => owner !== undefined),
      ...balances.filter(({ balance }) => balance > 0n),
      ...tokenSupplies.filter(({ supply }) => supply > 0n)
    ]
    for (const { contract, tokenId } of held) {
      if (tokenId !== undefined && !tokens.hasToken(contract, tokenId)) all.get(contract)?.uris.add(tokenId)
    }
    const asked = contractCalls.each(all, ([contract, { kind, uris }]) => {
      const tokenIds = [...uris]
      const signature = kind === "nft" ? "tokenURI(uint256)" : "uri(uint256)"
      return Effect.map(
        contractCalls.textEach(contract, signature, maxUriLength, tokenIds.map((tokenId) => [tokenId])),
        (found) => tokenIds.map((tokenId, at) => ({ contract, tokenId, uri: found[at] ?? "" }))
      )
    })
    return Effect.map(asked, (found) => found.flat())
  })
