import type { Request } from "@effect-klaytn/core/Operation"
import type { OwnershipChange, TokenHolder } from "@effect-klaytn/tokens/Ownership"
import type { TokenKind } from "@effect-klaytn/tokens/Token"
import type * as Api from "@effect-klaytn/tokens/TokenDirectoryApi"
import { quantity } from "@effect-klaytn/transaction/Hex"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { DataParts } from "../../DataChain.js"
import type { ContractRecord } from "../../TokenRecord.js"
import { DataApi } from "./DataApi.js"
import { body, hexOf, onChain, type Reads } from "./reads.js"
import * as wire from "./wireToken.js"

/** The service's limit is unknown; this one is the sandbox's. */
const maxFilters = 100

/** The missing part of an index if an owner may hold tokens of any contract. */
const allTokens = "the tokens of all contracts"

type ContractList = Request<
  typeof Api.getFtContracts | typeof Api.getNftContracts | typeof Api.getMtContracts
>

type WriteContract<Item> = (contract: ContractRecord) => Item

const contracts = <Item>(kind: ContractRecord["kind"], write: WriteContract<Item>) =>
(
  { chain, covered, page }: Reads,
  { urlParams: { status, type: standard, ...paging } }: ContractList
) =>
  Effect.zipRight(
    covered.wholeChain("all contracts of the chain"),
    page({
      identity: ["contracts by block", kind, status, standard],
      paging,
      read: (last, limit) => {
        const after = last && { address: last.address, blockNumber: last.updatedBy }
        return chain.contracts({ kinds: [kind], status, standard, labelled: true, after, limit })
      },
      place: ({ address, blockNumber }) => ({ item: address, updatedBy: blockNumber }),
      write
    })
  )

const detail =
  <Item>(kind: ContractRecord["kind"], write: WriteContract<Item>) =>
  ({ contractOf }: Reads, { path }: Request<typeof Api.getFtContractDetail>) =>
    Effect.map(contractOf(kind, path.contract), (contract) => body(write(contract)))

const tokens = (
  { chain, covered, page, refusals }: Reads,
  { path, urlParams }: Request<typeof Api.getTokensByOwnerAddress>
) =>
  Effect.gen(function*() {
    const { "ca-filters": filters, kind, ...paging } = urlParams
    if (filters !== undefined && filters.length > maxFilters) return yield* Effect.fail(refusals.query("filters"))
    const owner = hexOf(path.owner)
    const kinds = kindsOf(kind)
    const only = filters === undefined ? undefined : [...new Set(filters.map(hexOf))].toSorted()
    if (only === undefined) yield* covered.wholeChain(allTokens)
    else yield* Effect.forEach(only, covered.contractFromCreation, { discard: true })
    return yield* page({
      identity: ["tokens", owner, kinds, only],
      paging,
      read: (last, limit) =>
        chain.inOneState(Effect.gen(function*() {
          const after = last && { ...last, owner }
          const found = yield* chain.holdings({ owner, kinds, contracts: only, labelled: true, after, limit })
          const addresses = [...new Set(found.map(({ contract }) => contract))]
          const contracts = new Map((yield* chain.contractsOf(addresses)).map((one) => [one.address, one]))
          return found.flatMap((holding) => {
            const contract = contracts.get(holding.contract)
            return contract === undefined ? [] : [{ holding, contract }]
          })
        })),
      place: ({ holding: { contract, tokenId, updatedBy } }) => ({ updatedBy, item: tokenId, contract }),
      write: wire.tokenSummary
    })
  })

const holders = (kind: "nft" | "mt") =>
(
  { chain, contractOf, stored }: Reads,
  { path, request }: Request<typeof Api.getNftTokenHolder> & { readonly request: { readonly url: string } }
) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(kind, path.contract)
    const result: typeof TokenHolder.Encoded = {
      // The only address in these answers that keeps the letter case of the request.
      address: decodeURIComponent(request.url.split("/")[4] ?? contract.address),
      totalHolder: yield* stored(chain.holderCount(contract.address))
    }
    return body(result)
  })

const changes = (
  { chain, contractOf, page, refusals, stored }: Reads,
  { path, urlParams: paging }: Request<typeof Api.getNftOwnershipChanges>
) =>
  Effect.gen(function*() {
    const { tokenId } = path
    const missing = () => refusals.token("nft token")
    const { address } = yield* contractOf("nft", path.contract, missing)
    const [known] = yield* stored(chain.ownership(address, tokenId, { limit: 1 }))
    if (known === undefined) return yield* Effect.fail(missing())
    return yield* page({
      identity: ["changes", address, quantity(tokenId)],
      paging,
      read: (after, limit) => chain.ownership(address, tokenId, { before: after?.updatedBy, limit }),
      place: ({ id }) => ({ updatedBy: id }),
      write: ({ from, timestamp, to }): typeof OwnershipChange.Encoded => ({ from, to, timestamp })
    })
  })

const holdings = (
  { chain, covered, page }: Reads,
  { path, urlParams: { kind, ...paging } }: Request<typeof Api.getContractsByOwnerAddress>
) => {
  const owner = hexOf(path.owner)
  const kinds = kindsOf(kind)
  return Effect.zipRight(
    covered.wholeChain(allTokens),
    page({
      identity: ["holdings", owner, kinds],
      paging,
      read: (after, limit) =>
        chain.contractHoldings({ owner, kinds, after: after && { ...after, contract: after.address }, limit }),
      place: ({ contract, updatedBy }) => ({ updatedBy, item: contract.address }),
      write: wire.contractSummary
    })
  )
}

const kindsOf = (kinds: ReadonlyArray<TokenKind> | undefined) =>
  kinds === undefined ? undefined : [...new Set(kinds)].toSorted()

/** The further operations, as the contract has them. */
export const directoryLayer = (parts: DataParts) => {
  const on = onChain(parts)
  return HttpApiBuilder.group(DataApi, "token-directory", (handlers) =>
    handlers
      .handleRaw("getFtContracts", on(contracts("ft", wire.ftContract)))
      .handleRaw("getFtContractDetail", on(detail("ft", wire.ftContract)))
      .handleRaw("getNftContracts", on(contracts("nft", wire.nftContract)))
      .handleRaw("getNftContractDetail", on(detail("nft", wire.nftContract)))
      .handleRaw("getNftTokenHolder", on(holders("nft")))
      .handleRaw("getMtContracts", on(contracts("mt", wire.mtContract)))
      .handleRaw("getMtContractDetail", on(detail("mt", wire.mtContract)))
      .handleRaw("getMtTokenHolder", on(holders("mt")))
      .handleRaw("getNftOwnershipChanges", on(changes))
      .handleRaw("getContractsByOwnerAddress", on(holdings))
      .handleRaw("getTokensByOwnerAddress", on(tokens)))
}
