import type { BadRequest, InternalError, NotFound } from "@effect-klaytn/core/ErrorBody"
import { RequestChain } from "@effect-klaytn/core/OperationApi"
import type {
  PageableMts,
  PageableMtTokens,
  PageableMtTokensWithBalance,
  PageableNfts
} from "@effect-klaytn/tokens/TokensApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { quantity } from "../../Column.js"
import type { DataChain } from "../../DataChain.js"
import type { DataParts } from "../../DataService.js"
import type { StoreFailure } from "../../IndexError.js"
import type { ContractRecord } from "../../TokenRecord.js"
import { coverage } from "./coverage.js"
import { DataApi } from "./DataApi.js"
import * as paging from "./paging.js"
import * as wire from "./wireToken.js"

/** Finds contracts for the handlers of both groups. */
export const lookup = ({ cursors, refusals }: DataParts) => {
  const { page, stored } = paging.make({ cursors, refusals })
  const covered = coverage({ refusals, stored })

  const find = <A>(
    read: Effect.Effect<Option.Option<A>, StoreFailure>,
    missing: () => NotFound
  ): Effect.Effect<A, NotFound | InternalError> =>
    Effect.flatMap(
      stored(read),
      Option.match({ onNone: () => Effect.fail(missing()), onSome: Effect.succeed })
    )

  /** A labelled contract of a kind; any other is not found. The index must have all of its history. */
  const contractOf = (
    chain: DataChain,
    kind: ContractRecord["kind"],
    address: string,
    missing: () => NotFound = () => refusals.token(kind)
  ): Effect.Effect<ContractRecord, BadRequest | NotFound | InternalError> =>
    Effect.zipRight(
      covered.contractFromCreation(chain, hexOf(address)),
      find(
        Effect.map(
          chain.contract(hexOf(address)),
          Option.filter((contract) => contract.kind === kind && contract.label.deletedAt === undefined)
        ),
        missing
      )
    )

  return { contractOf, covered, found: find, page, refusals, stored }
}

/** What the handlers of both groups share. */
export type Lookup = ReturnType<typeof lookup>

/** A decoded address as the chain's type. */
export const hexOf = (address: string): `0x${string}` => `0x${address.slice(2)}`

const nfts = (
  { contractOf, page }: Lookup,
  chain: DataChain,
  address: string,
  owner: string | undefined,
  query: paging.Paging
) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(chain, "nft", address)
    const result: typeof PageableNfts.Encoded = yield* page({
      chain,
      identity: ["nfts", contract.address, owner],
      paging: query,
      read: (after, limit) =>
        chain.tokens({
          contract: contract.address,
          ...(owner !== undefined && { owner: hexOf(owner) }),
          order: "newest",
          ...(after !== undefined &&
            { after: { updatedBy: after.before, tokenId: paging.pendingTriggerNumber(after) } }),
          limit
        }),
      place: ({ tokenId, updatedBy }) => ({ before: updatedBy, pendingTrigger: paging.toPendingTrigger(tokenId) }),
      write: wire.nft
    })
    return paging.body(result)
  })

const mts = ({ contractOf, page }: Lookup, chain: DataChain, address: string, query: paging.Paging) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(chain, "mt", address)
    const result: typeof PageableMts.Encoded = yield* page({
      chain,
      identity: ["mts", contract.address],
      paging: query,
      read: (after, limit) =>
        chain.tokens({
          contract: contract.address,
          order: "tokenId",
          ...(after !== undefined && { after: { updatedBy: 0, tokenId: paging.pendingTriggerNumber(after) } }),
          limit
        }),
      place: ({ tokenId }) => ({ before: 0, pendingTrigger: paging.toPendingTrigger(tokenId) }),
      write: wire.mt
    })
    return paging.body(result)
  })

/** The tokens of one owner. Those that one batch changed are in the order of their IDs. */
const mtsOfOwner = (
  { contractOf, page, stored }: Lookup,
  chain: DataChain,
  address: string,
  ownerText: string,
  query: paging.Paging
) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(chain, "mt", address)
    const owner = hexOf(ownerText)
    const { cursor, items } = yield* page({
      chain,
      identity: ["mts of owner", contract.address, owner],
      paging: query,
      read: (after, limit) =>
        chain.holdings({
          contracts: [contract.address],
          owner,
          ...(after !== undefined &&
            {
              after: {
                updatedBy: after.before,
                contract: contract.address,
                owner,
                tokenId: paging.pendingTriggerNumber(after)
              }
            }),
          limit
        }),
      place: ({ tokenId = 0n, updatedBy }) => ({
        before: updatedBy,
        pendingTrigger: paging.toPendingTrigger(tokenId)
      }),
      write: wire.mtToken
    })
    const totalBalance = quantity(yield* stored(chain.totalBalance(contract.address, owner)))
    const result: typeof PageableMtTokensWithBalance.Encoded = { items, totalBalance, cursor }
    return paging.body(result)
  })

/** The owners of one token. The two that one transfer changed are in the order of their addresses. */
const owners = (
  { contractOf, page }: Lookup,
  chain: DataChain,
  address: string,
  tokenId: bigint,
  query: paging.Paging
) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(chain, "mt", address)
    const result: typeof PageableMtTokens.Encoded = yield* page({
      chain,
      identity: ["owners", contract.address, quantity(tokenId)],
      paging: query,
      read: (after, limit) =>
        chain.holdings({
          contracts: [contract.address],
          tokenId,
          ...(after !== undefined && {
            after: {
              updatedBy: after.before,
              contract: contract.address,
              owner: paging.owedAddress(after),
              tokenId
            }
          }),
          limit
        }),
      place: ({ owner, updatedBy }) => ({ before: updatedBy, pendingTrigger: paging.toPendingTrigger(owner) }),
      write: wire.mtToken
    })
    return paging.body(result)
  })

/** The service has one text for a missing contract and a missing token. */
const nft = ({ contractOf, found, refusals }: Lookup, chain: DataChain, address: string, tokenId: bigint) =>
  Effect.gen(function*() {
    const missing = () => refusals.token("nft token")
    const contract = yield* contractOf(chain, "nft", address, missing)
    return paging.body(wire.nft(yield* found(chain.token(contract.address, tokenId), missing)))
  })

const mtToken = (
  { contractOf, found, refusals }: Lookup,
  chain: DataChain,
  address: string,
  owner: string,
  tokenId: bigint
) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(chain, "mt", address)
    const holding = chain.holding(contract.address, hexOf(owner), tokenId)
    return paging.body(wire.mtToken(yield* found(holding, () => refusals.token("mt token"))))
  })

/** The seven operations of the document, as the contract has them. */
export const tokensLayer = (parts: DataParts) => {
  const shared = lookup(parts)
  const chain = Effect.map(RequestChain, parts.chain)
  return HttpApiBuilder.group(DataApi, "tokens", (handlers) =>
    handlers
      .handleRaw("getMtTokensByContractAddressAndOwnerAddress", ({ path, urlParams }) =>
        Effect.flatMap(chain, (on) =>
          mtsOfOwner(shared, on, path.contract, path.owner, urlParams)))
      .handleRaw("getMtTokensByContractAddressAndOwnerAddressAndTokenId", ({ path }) =>
        Effect.flatMap(chain, (on) =>
          mtToken(shared, on, path.contract, path.owner, path.tokenId)))
      .handleRaw("getMtTokensByContractAddressAndTokenId", ({ path, urlParams }) =>
        Effect.flatMap(chain, (on) =>
          owners(shared, on, path.contract, path.tokenId, urlParams)))
      .handleRaw("getMtsByContractAddress", ({ path, urlParams }) =>
        Effect.flatMap(chain, (on) =>
          mts(shared, on, path.contract, urlParams)))
      .handleRaw("getNftById", ({ path }) =>
        Effect.flatMap(chain, (on) =>
          nft(shared, on, path.contract, path.tokenId)))
      .handleRaw("getNftsByContractAddress", ({ path, urlParams }) =>
        Effect.flatMap(chain, (on) =>
          nfts(shared, on, path.contract, undefined, urlParams)))
      .handleRaw("getNftsByOwnerAddress", ({ path, urlParams }) =>
        Effect.flatMap(chain, (on) =>
          nfts(shared, on, path.contract, path.owner, urlParams))))
}
