import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { topicOf, uintAt } from "../../Abi.js"
import type { TokenFacts } from "../../TokenFacts.js"
import type { IndexedBlock, InspectedBlock, TokenAnswers } from "../IndexedBlock.js"
import type { ContractCalls } from "./ContractCalls.js"
import type { Touched } from "./Reconciler.js"

const maxUriLength = 8192

const uriTopic = topicOf("URI(string,uint256)")
const metadataTopic = topicOf("MetadataUpdate(uint256)")

/**
 * Notes the tokens of a block whose URI has to be asked: those that were minted or are seen for the first time, and those
 * that their contract says have another one (`URI` of KIP-37, `MetadataUpdate` of ERC-4906).
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
    for (const { address, data, topics: [event, first] } of logs) {
      const id = event === uriTopic && first !== undefined
        ? BigInt(first)
        : event === metadataTopic && data.length === 32
        ? uintAt(data, 0)
        : undefined
      const touched = all.get(address)
      if (id !== undefined && touched !== undefined && touched.kind !== "ft") touched.uris.add(id)
    }
  }
}

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
    const wanted = [...all].flatMap(([contract, { kind, uris }]) =>
      Array.from(uris, (tokenId) => ({ contract, kind, tokenId }))
    )
    return contractCalls.each(wanted, ({ contract, kind, tokenId }) =>
      Effect.map(
        contractCalls.text(contract, kind === "nft" ? "tokenURI(uint256)" : "uri(uint256)", maxUriLength, [tokenId]),
        (uri = "") => ({ contract, tokenId, uri })
      ))
  })
