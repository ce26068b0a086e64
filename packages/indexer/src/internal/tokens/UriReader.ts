import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { topicOf, uintAt } from "../../Abi.js"
import { type IndexedBlock, type InspectedBlock, keepsTokensOf, type TokenAnswers } from "../IndexedBlock.js"
import type { TokenStore } from "../sqlite/TokenStore.js"
import type { ContractCalls } from "./ContractCalls.js"

const maxUriLength = 8192

const uriTopic = topicOf("URI(string,uint256)")
const metadataTopic = topicOf("MetadataUpdate(uint256)")

/** Tokens to ask for, by contract. */
export type WantedUris = ReadonlyMap<Hex, {
  readonly kind: "ft" | "nft" | "mt"
  readonly tokens: ReadonlySet<bigint>
}>

/**
 * The tokens of a block whose URI has to be asked: those that were minted or are seen for the first time, and those that
 * their contract says have another one (`URI` of KIP-37, `MetadataUpdate` of ERC-4906).
 */
export const wantedUris = (tokens: TokenStore, block: InspectedBlock): WantedUris => {
  const { contracts, transactions } = block
  const wanted = new Wanted(tokens, contracts)
  for (const { logs, transfers } of transactions) {
    for (const transfer of transfers) {
      if ((transfer.kind !== "nft" && transfer.kind !== "mt") || transfer.to === zeroAddress) continue
      if (!keepsTokensOf(block, transfer.contract)) continue
      for (const id of transfer.kind === "nft" ? [transfer.tokenId] : transfer.ids) {
        const isNew = transfer.from === zeroAddress || !tokens.hasToken(transfer.contract, id)
        if (isNew) wanted.add(transfer.contract, id, transfer.kind)
      }
    }
    for (const { address, data, topics: [event, first] } of logs) {
      const id = event === uriTopic && first !== undefined
        ? BigInt(first)
        : event === metadataTopic && data.length === 32
        ? uintAt(data, 0)
        : undefined
      if (id !== undefined && keepsTokensOf(block, address)) wanted.add(address, id)
    }
  }
  return wanted.all
}

/**
 * Asks for URIs: of the wanted tokens, and of those that contracts say exist and that are not stored yet. Where a
 * contract gives none, the URI is empty.
 */
export const readUris = <E>(
  tokens: TokenStore,
  uris: WantedUris,
  { answers, contracts: fresh }: { readonly answers: TokenAnswers; readonly contracts: IndexedBlock["contracts"] },
  contractCalls: ContractCalls<E>
): Effect.Effect<IndexedBlock["uris"], E> =>
  Effect.suspend(() => {
    const wanted = new Wanted(tokens, fresh, uris)
    const held = [
      ...answers.owners.filter(({ owner }) => owner !== undefined),
      ...answers.balances.filter(({ balance }) => balance > 0n),
      ...answers.tokenSupplies.filter(({ supply }) => supply > 0n)
    ]
    for (const { contract, tokenId } of held) {
      if (tokenId !== undefined && !tokens.hasToken(contract, tokenId)) wanted.add(contract, tokenId)
    }
    const calls = [...wanted.all].flatMap(([address, { kind, tokens: ids }]) => {
      const signature = kind === "nft" ? "tokenURI(uint256)" : "uri(uint256)"
      return [...ids].map((tokenId) => ({ address, signature, tokenId }))
    })
    return Effect.forEach(
      calls,
      ({ address, signature, tokenId }) =>
        Effect.map(
          contractCalls.text(address, signature, maxUriLength, [tokenId]),
          (uri = "") => ({ contract: address, tokenId, uri })
        ),
      contractCalls.together
    )
  })

/** Collects tokens of the contracts that have any. */
class Wanted {
  readonly all = new Map<Hex, { readonly kind: "nft" | "mt"; readonly tokens: Set<bigint> }>()

  constructor(
    private readonly tokens: TokenStore,
    private readonly fresh: IndexedBlock["contracts"],
    wanted: WantedUris = new Map()
  ) {
    for (const [contract, { tokens }] of wanted) for (const id of tokens) this.add(contract, id)
  }

  /** Adds a token, of contracts of one kind only if it is given. */
  add(contract: Hex, tokenId: bigint, only?: "nft" | "mt"): void {
    const kind = this.#kindOf(contract)
    if (kind === undefined || kind === "ft" || (only !== undefined && kind !== only)) return
    const known = this.all.get(contract) ?? { kind, tokens: new Set() }
    known.tokens.add(tokenId)
    this.all.set(contract, known)
  }

  #kindOf(contract: Hex): "ft" | "nft" | "mt" | undefined {
    return this.fresh.find(({ address }) => address === contract)?.kind ?? this.tokens.kindOf(contract)
  }
}
