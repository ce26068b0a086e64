import { RequestChain } from "@effect-klaytn/core/OperationApi"
import type { OwnershipChange, TokenHolder } from "@effect-klaytn/tokens/Ownership"
import type { TokenKind } from "@effect-klaytn/tokens/Token"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { quantity } from "../../Column.js"
import type { DataChain } from "../../DataChain.js"
import type { DataParts } from "../../DataService.js"
import type { ContractLabel, ContractRecord, OwnershipRecord } from "../../TokenRecord.js"
import { DataApi } from "./DataApi.js"
import * as paging from "./paging.js"
import { hexOf, type Lookup, lookup } from "./tokens.js"
import * as wire from "./wireToken.js"

/** The service's limit is unknown; this one is the sandbox's. */
const maxFilters = 100

/** What is missing where an owner may hold tokens of any contract. */
const allTokens = "the tokens of all contracts"

type LabelSearch<Standard> = paging.Paging & {
  readonly status?: ContractLabel["status"] | undefined
  readonly type?: Standard | undefined
}

const ownershipChange = ({ from, timestamp, to }: OwnershipRecord): typeof OwnershipChange.Encoded => ({
  from,
  to,
  timestamp
})

const contracts = <Item>(
  { covered, page }: Lookup,
  chain: DataChain,
  kind: ContractRecord["kind"],
  { cursor, size, status, type: standard }: LabelSearch<ContractRecord["standard"]>,
  write: (contract: ContractRecord, supply: bigint) => Item
) =>
  Effect.map(
    Effect.zipRight(
      covered.wholeChain(chain, "all contracts of the chain"),
      page({
        chain,
        identity: ["contracts", kind, status, standard],
        paging: { cursor, size },
        read: (after, limit) =>
          Effect.flatMap(
            chain.contracts({
              kinds: [kind],
              ...(status !== undefined && { status }),
              ...(standard !== undefined && { standard }),
              labelled: true,
              ...(after !== undefined && { after: paging.owedAddress(after) }),
              limit
            }),
            Effect.forEach((contract) =>
              Effect.map(kind === "mt" ? Effect.succeed(0n) : chain.contractSupply(contract.address), (supply) => ({
                contract,
                supply
              }))
            )
          ),
        place: ({ contract }) => ({ before: 0, pendingTrigger: paging.toPendingTrigger(contract.address) }),
        write: ({ contract, supply }) => write(contract, supply)
      })
    ),
    paging.body
  )

const detail = <Item>(
  { contractOf, stored }: Lookup,
  chain: DataChain,
  kind: ContractRecord["kind"],
  address: string,
  write: (contract: ContractRecord, supply: bigint) => Item
) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(chain, kind, address)
    return paging.body(write(contract, yield* stored(chain.contractSupply(contract.address))))
  })

const tokens = (
  { covered, page, refusals }: Lookup,
  chain: DataChain,
  ownerText: string,
  { "ca-filters": filters, kind, ...query }: paging.Paging & {
    readonly kind?: ReadonlyArray<TokenKind> | undefined
    readonly "ca-filters"?: ReadonlyArray<string> | undefined
  }
) =>
  Effect.gen(function*() {
    if (filters !== undefined && filters.length > maxFilters) return yield* Effect.fail(refusals.query("filters"))
    const owner = hexOf(ownerText)
    const kinds = kindsOf(kind)
    const only = filters === undefined ? undefined : [...new Set(filters.map(hexOf))].toSorted()
    if (only === undefined) yield* covered.wholeChain(chain, allTokens)
    else yield* Effect.forEach(only, (contract) => covered.contractFromCreation(chain, contract), { discard: true })
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
    return paging.body(
      yield* page({
        chain,
        identity: ["tokens", owner, kinds, only],
        paging: query,
        read: (after, limit) =>
          Effect.gen(function*() {
            const holdings = yield* chain.holdings({
              owner,
              ...(kinds !== undefined && { kinds }),
              ...(only !== undefined && { contracts: only }),
              labelled: true,
              ...(after !== undefined && {
                after: {
                  updatedBy: after.before,
                  contract: after.contract ?? "0x",
                  owner,
                  tokenId: paging.pendingTriggerNumber(after)
                }
              }),
              limit
            })
            const all = yield* Effect.forEach(holdings, (holding) =>
              Effect.map(
                describeContract(holding.contract, holding.kind === "ft"),
                Option.map((contract) => ({ holding, ...contract }))
              ))
            return all.flatMap(Option.toArray)
          }),
        place: ({ holding: { contract, tokenId = 0n, updatedBy } }) => ({
          before: updatedBy,
          pendingTrigger: paging.toPendingTrigger(tokenId),
          contract
        }),
        write: wire.tokenSummary
      })
    )
  })

const holders = ({ contractOf, stored }: Lookup, chain: DataChain, kind: "nft" | "mt", address: string, url: string) =>
  Effect.gen(function*() {
    const contract = yield* contractOf(chain, kind, address)
    const result: typeof TokenHolder.Encoded = {
      // The only address in these answers that keeps the letter case of the request.
      address: decodeURIComponent(url.split("/")[4] ?? contract.address),
      totalHolder: yield* stored(chain.holderCount(contract.address))
    }
    return paging.body(result)
  })

const changes = (
  { contractOf, page, refusals, stored }: Lookup,
  chain: DataChain,
  address: string,
  tokenId: bigint,
  query: paging.Paging
) =>
  Effect.gen(function*() {
    const missing = () => refusals.token("nft token")
    const contract = yield* contractOf(chain, "nft", address, missing)
    const [known] = yield* stored(chain.ownership(contract.address, tokenId, { limit: 1 }))
    if (known === undefined) return yield* Effect.fail(missing())
    return paging.body(
      yield* page({
        chain,
        identity: ["changes", contract.address, quantity(tokenId)],
        paging: query,
        read: (after, limit) =>
          chain.ownership(contract.address, tokenId, {
            ...(after !== undefined && { before: after.before }),
            limit
          }),
        place: ({ id }) => ({ before: id, pendingTrigger: undefined }),
        write: ownershipChange
      })
    )
  })

const holdings = (
  { covered, page }: Lookup,
  chain: DataChain,
  owner: string,
  { kind, ...query }: paging.Paging & { readonly kind?: ReadonlyArray<TokenKind> | undefined }
) => {
  const kinds = kindsOf(kind)
  return Effect.map(
    Effect.zipRight(
      covered.wholeChain(chain, allTokens),
      page({
        chain,
        identity: ["holdings", owner, kinds],
        paging: query,
        read: (after, limit) =>
          chain.contractHoldings({
            owner: hexOf(owner),
            ...(kinds !== undefined && { kinds }),
            ...(after !== undefined && {
              after: { updatedBy: after.before, contract: paging.owedAddress(after) }
            }),
            limit
          }),
        place: ({ contract, updatedBy }) => ({
          before: updatedBy,
          pendingTrigger: paging.toPendingTrigger(contract.address)
        }),
        write: wire.contractSummary
      })
    ),
    paging.body
  )
}

const kindsOf = (kinds: ReadonlyArray<TokenKind> | undefined) =>
  kinds === undefined ? undefined : [...new Set(kinds)].toSorted()

/** The further operations, as the contract has them. */
export const directoryLayer = (parts: DataParts) => {
  const shared = lookup(parts)
  const chain = Effect.map(RequestChain, parts.chain)
  return HttpApiBuilder.group(DataApi, "token-directory", (handlers) =>
    handlers
      .handleRaw("getFtContracts", ({ urlParams }) =>
        Effect.flatMap(chain, (on) => contracts(shared, on, "ft", urlParams, wire.ftContract)))
      .handleRaw("getFtContractDetail", ({ path }) =>
        Effect.flatMap(chain, (on) =>
          detail(shared, on, "ft", path.contract, wire.ftContract)))
      .handleRaw("getNftContracts", ({ urlParams }) =>
        Effect.flatMap(chain, (on) =>
          contracts(shared, on, "nft", urlParams, wire.nftContract)))
      .handleRaw("getNftContractDetail", ({ path }) =>
        Effect.flatMap(chain, (on) =>
          detail(shared, on, "nft", path.contract, wire.nftContract)))
      .handleRaw("getNftTokenHolder", ({ path, request }) =>
        Effect.flatMap(chain, (on) =>
          holders(shared, on, "nft", path.contract, request.url)))
      .handleRaw("getMtContracts", ({ urlParams }) =>
        Effect.flatMap(chain, (on) =>
          contracts(shared, on, "mt", urlParams, wire.mtContract)))
      .handleRaw("getMtContractDetail", ({ path }) =>
        Effect.flatMap(chain, (on) =>
          detail(shared, on, "mt", path.contract, wire.mtContract)))
      .handleRaw("getMtTokenHolder", ({ path, request }) =>
        Effect.flatMap(chain, (on) =>
          holders(shared, on, "mt", path.contract, request.url)))
      .handleRaw("getNftOwnershipChanges", ({ path, urlParams }) =>
        Effect.flatMap(chain, (on) =>
          changes(shared, on, path.contract, path.tokenId, urlParams)))
      .handleRaw("getContractsByOwnerAddress", ({ path, urlParams }) =>
        Effect.flatMap(chain, (on) =>
          holdings(shared, on, path.owner, urlParams)))
      .handleRaw("getTokensByOwnerAddress", ({ path, urlParams }) =>
        Effect.flatMap(chain, (on) =>
          tokens(shared, on, path.owner, urlParams))))
}
