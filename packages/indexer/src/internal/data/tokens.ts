import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { quantity } from "../../Column.js"
import type { DataParts } from "../../DataService.js"
import { DataApi } from "./DataApi.js"
import { body, hexOf, onChain, type Paging, type Reads } from "./reads.js"
import * as wire from "./wireToken.js"

/** What a path names. */
interface Path {
  readonly contract: string
}

interface OwnerPath extends Path {
  readonly owner: string
}

interface TokenPath extends Path {
  readonly tokenId: bigint
}

const nfts = (
  { chain, contractOf, page }: Reads,
  { contract: address, owner }: Path & Partial<OwnerPath>,
  paging: Paging
) =>
  Effect.gen(function*() {
    const { address: contract } = yield* contractOf("nft", address)
    return yield* page({
      identity: ["nfts", contract, owner],
      paging,
      read: (after, limit) =>
        chain.tokens({
          contract,
          owner: owner === undefined ? undefined : hexOf(owner),
          order: "newest",
          after,
          limit
        }),
      place: ({ tokenId, updatedBy }) => ({ updatedBy, item: tokenId }),
      write: wire.nft
    })
  })

const mts = ({ chain, contractOf, page }: Reads, { contract: address }: Path, paging: Paging) =>
  Effect.gen(function*() {
    const { address: contract } = yield* contractOf("mt", address)
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
  { contract: address, owner: ownerText }: OwnerPath,
  paging: Paging
) =>
  Effect.gen(function*() {
    const { address: contract } = yield* contractOf("mt", address)
    const owner = hexOf(ownerText)
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
const owners = ({ chain, contractOf, page }: Reads, { contract: address, tokenId }: TokenPath, paging: Paging) =>
  Effect.gen(function*() {
    const { address: contract } = yield* contractOf("mt", address)
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
const nft = ({ chain, contractOf, found, refusals }: Reads, { contract, tokenId }: TokenPath) =>
  Effect.gen(function*() {
    const missing = () => refusals.token("nft token")
    const { address } = yield* contractOf("nft", contract, missing)
    return body(wire.nft(yield* found(chain.token(address, tokenId), missing)))
  })

const mtToken = ({ chain, contractOf, found, refusals }: Reads, { contract, owner, tokenId }: OwnerPath & TokenPath) =>
  Effect.gen(function*() {
    const { address } = yield* contractOf("mt", contract)
    const holding = chain.holding(address, hexOf(owner), tokenId)
    return body(wire.mtToken(yield* found(holding, () => refusals.token("mt token"))))
  })

/** The seven operations of the document, as the contract has them. */
export const tokensLayer = (parts: DataParts) => {
  const on = onChain(parts)
  return HttpApiBuilder.group(DataApi, "tokens", (handlers) =>
    handlers
      .handleRaw(
        "getMtTokensByContractAddressAndOwnerAddress",
        ({ path, urlParams }) => on((reads) => mtsOfOwner(reads, path, urlParams))
      )
      .handleRaw(
        "getMtTokensByContractAddressAndOwnerAddressAndTokenId",
        ({ path }) => on((reads) => mtToken(reads, path))
      )
      .handleRaw(
        "getMtTokensByContractAddressAndTokenId",
        ({ path, urlParams }) => on((reads) => owners(reads, path, urlParams))
      )
      .handleRaw("getMtsByContractAddress", ({ path, urlParams }) => on((reads) => mts(reads, path, urlParams)))
      .handleRaw("getNftById", ({ path }) => on((reads) => nft(reads, path)))
      .handleRaw("getNftsByContractAddress", ({ path, urlParams }) => on((reads) => nfts(reads, path, urlParams)))
      .handleRaw("getNftsByOwnerAddress", ({ path, urlParams }) => on((reads) => nfts(reads, path, urlParams))))
}
