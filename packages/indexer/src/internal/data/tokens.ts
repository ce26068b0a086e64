import type { Request } from "@effect-klaytn/core/Operation"
import type * as TokensApi from "@effect-klaytn/tokens/TokensApi"
import { quantity } from "@effect-klaytn/transaction/Hex"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { DataParts } from "../../DataChain.js"
import { DataApi } from "./DataApi.js"
import { body, hexOf, onChain, type Reads } from "./reads.js"
import * as wire from "./wireToken.js"

const nfts = (
  { chain, contractOf, page }: Reads,
  { path, urlParams: paging }: Request<
    typeof TokensApi.getNftsByContractAddress | typeof TokensApi.getNftsByOwnerAddress
  >
) =>
  Effect.gen(function*() {
    const owner = "owner" in path ? hexOf(path.owner) : undefined
    const { address: contract } = yield* contractOf("nft", path.contract)
    return yield* page({
      identity: ["nfts", contract, owner],
      paging,
      read: (after, limit) => chain.tokens({ contract, owner, order: "newest", after, limit }),
      place: ({ tokenId, updatedBy }) => ({ updatedBy, item: tokenId }),
      write: wire.nft
    })
  })

const mts = (
  { chain, contractOf, page }: Reads,
  { path, urlParams: paging }: Request<typeof TokensApi.getMtsByContractAddress>
) =>
  Effect.gen(function*() {
    const { address: contract } = yield* contractOf("mt", path.contract)
    return yield* page({
      identity: ["mts", contract],
      paging,
      read: (after, limit) => chain.tokens({ contract, order: "tokenId", after, limit }),
      place: ({ tokenId }) => ({ item: tokenId }),
      write: wire.mt
    })
  })

/** The tokens of one owner. Those that one batch changed are in the order of their IDs. */
const mtsOfOwner = (
  { chain, contractOf, list, stored }: Reads,
  { path, urlParams: paging }: Request<typeof TokensApi.getMtTokensByContractAddressAndOwnerAddress>
) =>
  Effect.gen(function*() {
    const { address: contract } = yield* contractOf("mt", path.contract)
    const owner = hexOf(path.owner)
    const { cursor, items } = yield* list({
      identity: ["mts of owner", contract, owner],
      paging,
      read: (after, limit) =>
        chain.holdings({ contracts: [contract], owner, after: after && { ...after, contract, owner }, limit }),
      place: ({ tokenId, updatedBy }) => ({ updatedBy, item: tokenId }),
      write: wire.mtToken
    })
    const totalBalance = quantity(yield* stored(chain.totalBalance(contract, owner)))
    return body({ items, totalBalance, cursor })
  })

/** The owners of one token. The two that one transfer changed are in the order of their addresses. */
const owners = (
  { chain, contractOf, page }: Reads,
  { path, urlParams: paging }: Request<typeof TokensApi.getMtTokensByContractAddressAndTokenId>
) =>
  Effect.gen(function*() {
    const { tokenId } = path
    const { address: contract } = yield* contractOf("mt", path.contract)
    return yield* page({
      identity: ["owners", contract, quantity(tokenId)],
      paging,
      read: (after, limit) =>
        chain.holdings({
          contracts: [contract],
          tokenId,
          after: after && { ...after, contract, owner: after.address, tokenId },
          limit
        }),
      place: ({ owner, updatedBy }) => ({ updatedBy, item: owner }),
      write: wire.mtToken
    })
  })

/** The service has one text for a missing contract and a missing token. */
const nft = ({ chain, contractOf, found, refusals }: Reads, { path }: Request<typeof TokensApi.getNftById>) =>
  Effect.gen(function*() {
    const missing = () => refusals.token("nft token")
    const { address } = yield* contractOf("nft", path.contract, missing)
    return body(wire.nft(yield* found(chain.token(address, path.tokenId), missing)))
  })

const mtToken = (
  { chain, contractOf, found, refusals }: Reads,
  { path }: Request<typeof TokensApi.getMtTokensByContractAddressAndOwnerAddressAndTokenId>
) =>
  Effect.gen(function*() {
    const { address } = yield* contractOf("mt", path.contract)
    const holding = chain.holding(address, hexOf(path.owner), path.tokenId)
    return body(wire.mtToken(yield* found(holding, () => refusals.token("mt token"))))
  })

/** The seven operations of token data, as the contract has them. */
export const tokensLayer = (parts: DataParts) => {
  const on = onChain(parts)
  return HttpApiBuilder.group(DataApi, "tokens", (handlers) =>
    handlers
      .handleRaw("getMtTokensByContractAddressAndOwnerAddress", on(mtsOfOwner))
      .handleRaw("getMtTokensByContractAddressAndOwnerAddressAndTokenId", on(mtToken))
      .handleRaw("getMtTokensByContractAddressAndTokenId", on(owners))
      .handleRaw("getMtsByContractAddress", on(mts))
      .handleRaw("getNftById", on(nft))
      .handleRaw("getNftsByContractAddress", on(nfts))
      .handleRaw("getNftsByOwnerAddress", on(nfts)))
}
