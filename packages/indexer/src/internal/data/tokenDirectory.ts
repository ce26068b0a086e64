import type { OwnershipChange, TokenHolder } from "@effect-klaytn/tokens/Ownership"
import type { TokenKind } from "@effect-klaytn/tokens/Token"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { quantity } from "../../Column.js"
import type { DataParts } from "../../DataService.js"
import type { ContractLabel, ContractRecord, OwnershipRecord } from "../../TokenRecord.js"
import { DataApi } from "./DataApi.js"
import { body, hexOf, onChain, type Paging, type Reads } from "./reads.js"
import * as wire from "./wireToken.js"

/** The service's limit is unknown; this one is the sandbox's. */
const maxFilters = 100

/** What is missing where an owner may hold tokens of any contract. */
const allTokens = "the tokens of all contracts"

type LabelSearch<Standard> = Paging & {
  readonly status?: ContractLabel["status"] | undefined
  readonly type?: Standard | undefined
}

type KindSearch = Paging & { readonly kind?: ReadonlyArray<TokenKind> | undefined }

/** A contract of a path. */
interface Path {
  readonly contract: string
}

type WriteContract<Item> = (contract: ContractRecord, supply: bigint) => Item

const ownershipChange = ({ from, timestamp, to }: OwnershipRecord): typeof OwnershipChange.Encoded => ({
  from,
  to,
  timestamp
})

const contracts = <Item>(
  { chain, covered, page }: Reads,
  kind: ContractRecord["kind"],
  { status, type: standard, ...paging }: LabelSearch<ContractRecord["standard"]>,
  write: WriteContract<Item>
) =>
  Effect.zipRight(
    covered.wholeChain("all contracts of the chain"),
    page({
      identity: ["contracts", kind, status, standard],
      paging,
      read: (after, limit) =>
        Effect.flatMap(
          chain.contracts({ kinds: [kind], status, standard, labelled: true, after: after?.address, limit }),
          Effect.forEach((contract) =>
            Effect.map(
              kind === "mt" ? Effect.succeed(0n) : chain.contractSupply(contract.address),
              (supply) => ({ contract, supply })
            )
          )
        ),
      place: ({ contract }) => ({ item: contract.address }),
      write: ({ contract, supply }) => write(contract, supply)
    })
  )

const detail = <Item>(
  { chain, contractOf, stored }: Reads,
  kind: ContractRecord["kind"],
  { contract: address }: Path,
  write: WriteContract<Item>
) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(kind, address)
    return body(write(contract, yield* stored(chain.contractSupply(contract.address))))
  })

const tokens = (
  { chain, covered, page, refusals }: Reads,
  ownerText: string,
  { "ca-filters": filters, kind, ...paging }: KindSearch & {
    readonly "ca-filters"?: ReadonlyArray<string> | undefined
  }
) =>
  Effect.gen(function*() {
    if (filters !== undefined && filters.length > maxFilters) return yield* Effect.fail(refusals.query("filters"))
    const owner = hexOf(ownerText)
    const kinds = kindsOf(kind)
    const only = filters === undefined ? undefined : [...new Set(filters.map(hexOf))].toSorted()
    if (only === undefined) yield* covered.wholeChain(allTokens)
    else yield* Effect.forEach(only, covered.contractFromCreation, { discard: true })
    const known = new Map<string, { readonly contract: ContractRecord; readonly supply: bigint }>()
    const describeContract = (address: `0x${string}`, isFt: boolean) =>
      Effect.gen(function*() {
        const before = known.get(address)
        if (before !== undefined) return Option.some(before)
        const contract = yield* chain.contract(address)
        if (Option.isNone(contract)) return Option.none()
        const supply = isFt ? yield* chain.contractSupply(address) : 0n
        const found = { contract: contract.value, supply }
        known.set(address, found)
        return Option.some(found)
      })
    return yield* page({
      identity: ["tokens", owner, kinds, only],
      paging,
      read: (after, limit) =>
        Effect.gen(function*() {
          const holdings = yield* chain.holdings({
            owner,
            kinds,
            contracts: only,
            labelled: true,
            after: after && { ...after, owner },
            limit
          })
          const all = yield* Effect.forEach(holdings, (holding) =>
            Effect.map(
              describeContract(holding.contract, holding.kind === "ft"),
              Option.map((contract) => ({ holding, ...contract }))
            ))
          return all.flatMap(Option.toArray)
        }),
      place: ({ holding: { contract, tokenId, updatedBy } }) => ({ updatedBy, item: tokenId, contract }),
      write: wire.tokenSummary
    })
  })

const holders = ({ chain, contractOf, stored }: Reads, kind: "nft" | "mt", address: string, url: string) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(kind, address)
    const result: typeof TokenHolder.Encoded = {
      // The only address in these answers that keeps the letter case of the request.
      address: decodeURIComponent(url.split("/")[4] ?? contract.address),
      totalHolder: yield* stored(chain.holderCount(contract.address))
    }
    return body(result)
  })

const changes = (
  { chain, contractOf, page, refusals, stored }: Reads,
  { contract: text, tokenId }: Path & { readonly tokenId: bigint },
  paging: Paging
) =>
  Effect.gen(function*() {
    const missing = () => refusals.token("nft token")
    const { address } = yield* contractOf("nft", text, missing)
    const [known] = yield* stored(chain.ownership(address, tokenId, { limit: 1 }))
    if (known === undefined) return yield* Effect.fail(missing())
    return yield* page({
      identity: ["changes", address, quantity(tokenId)],
      paging,
      read: (after, limit) => chain.ownership(address, tokenId, { before: after?.updatedBy, limit }),
      place: ({ id }) => ({ updatedBy: id }),
      write: ownershipChange
    })
  })

const holdings = ({ chain, covered, page }: Reads, owner: string, { kind, ...paging }: KindSearch) => {
  const kinds = kindsOf(kind)
  return Effect.zipRight(
    covered.wholeChain(allTokens),
    page({
      identity: ["holdings", owner, kinds],
      paging,
      read: (after, limit) =>
        chain.contractHoldings({
          owner: hexOf(owner),
          kinds,
          after: after && { ...after, contract: after.address },
          limit
        }),
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
      .handleRaw("getFtContracts", ({ urlParams }) => on((reads) => contracts(reads, "ft", urlParams, wire.ftContract)))
      .handleRaw("getFtContractDetail", ({ path }) => on((reads) => detail(reads, "ft", path, wire.ftContract)))
      .handleRaw(
        "getNftContracts",
        ({ urlParams }) => on((reads) => contracts(reads, "nft", urlParams, wire.nftContract))
      )
      .handleRaw("getNftContractDetail", ({ path }) => on((reads) => detail(reads, "nft", path, wire.nftContract)))
      .handleRaw(
        "getNftTokenHolder",
        ({ path, request }) => on((reads) => holders(reads, "nft", path.contract, request.url))
      )
      .handleRaw("getMtContracts", ({ urlParams }) => on((reads) => contracts(reads, "mt", urlParams, wire.mtContract)))
      .handleRaw("getMtContractDetail", ({ path }) => on((reads) => detail(reads, "mt", path, wire.mtContract)))
      .handleRaw(
        "getMtTokenHolder",
        ({ path, request }) => on((reads) => holders(reads, "mt", path.contract, request.url))
      )
      .handleRaw("getNftOwnershipChanges", ({ path, urlParams }) => on((reads) => changes(reads, path, urlParams)))
      .handleRaw(
        "getContractsByOwnerAddress",
        ({ path, urlParams }) => on((reads) => holdings(reads, path.owner, urlParams))
      )
      .handleRaw(
        "getTokensByOwnerAddress",
        ({ path, urlParams }) => on((reads) => tokens(reads, path.owner, urlParams))
      ))
}
