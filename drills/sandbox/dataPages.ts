/** Every page of history and token data that two servers give of the same chain, read side by side. */
import * as HistoryApi from "@effect-klaytn/history/HistoryApi"
import { operationsOf } from "@effect-klaytn/service/Route"
import * as TokenDirectoryApi from "@effect-klaytn/tokens/TokenDirectoryApi"
import * as TokensApi from "@effect-klaytn/tokens/TokensApi"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { Chain } from "../../packages/sandbox/src/Chain.js"

/** All operations of history and token data. */
export const operations = operationsOf("data", [HistoryApi, TokensApi, TokenDirectoryApi])

/** Everything that paths and queries of the data interface can name on a chain. */
export interface Names {
  readonly address: ReadonlyArray<Hex>
  readonly owner: ReadonlyArray<Hex>
  readonly tokenId: ReadonlyArray<string>
  readonly hash: ReadonlyArray<Hex>
  readonly contracts: ReadonlyArray<{ readonly address: Hex; readonly kind: "ft" | "nft" | "mt" }>
}

/** The names on a chain as it is. */
export const namesOf = (chain: Chain) =>
  Effect.gen(function*() {
    const { number } = yield* chain.head
    const contracts = yield* chain.contracts({ limit: 100 })
    const tokens = yield* Effect.forEach(
      contracts,
      ({ address }) => chain.tokens({ contract: address, order: "tokenId", limit: 3 })
    )
    const records = yield* Effect.forEach(
      Array.from({ length: number + 1 }, (_, height) => height),
      chain.transactionsOf
    )
    const hashes = records.flat().map(({ hash }) => hash)
    const transfers = yield* Effect.forEach(hashes, chain.transfersOf)
    const parties = [...new Set(transfers.flat().flatMap(({ from, to }) => [from, to]))]
    const names: Names = {
      address: parties,
      owner: parties,
      tokenId: [...new Set(tokens.flat().map(({ tokenId }) => `0x${tokenId.toString(16)}`))].slice(0, 4),
      hash: hashes,
      contracts: contracts.map(({ address, kind }) => ({ address, kind }))
    }
    return names
  })

const kinds = ["klay", "ft", "nft", "mt", "ft,nft"]

/** The filters of a list, one search each. */
export const filtersOf = (operation: string, { contracts }: Names): ReadonlyArray<string> => {
  const [first = "", second = ""] = contracts.map(({ address }) => address)
  const search = [
    ...kinds.map((kind) => `kind=${kind}`),
    "exclude-zero-klay=true",
    "range=0x2,0x5"
  ]
  switch (operation) {
    case "history.getTransfers":
      return ["presets=1", "presets=2", ...search.map((one) => `presets=1,2&${one}`)]
    case "history.getTransfersByEoa":
      return ["", ...search, "from-only=true", "to-only=true", `ca-filter=${first}`, `ca-filter=${second}&kind=mt,nft`]
    case "tokens.getFtContracts":
      return ["", "status=completed", "status=failed", "type=KIP-7", "type=ERC-20"]
    case "tokens.getNftContracts":
      return ["", "status=completed", "type=KIP-17", "type=ERC-721"]
    case "tokens.getMtContracts":
      return ["", "status=completed", "type=KIP-37", "type=ERC-1155"]
    case "tokens.getTokensByOwnerAddress":
      return ["", "kind=ft", "kind=nft,mt", `ca-filters=${first},${second}`]
    case "tokens.getContractsByOwnerAddress":
      return ["", "kind=ft", "kind=nft,mt"]
    default:
      return [""]
  }
}

/** The paths of a template, with every name in its places. */
export const pathsOf = (template: string, { contracts, ...all }: Names): ReadonlyArray<string> => {
  const contract = contracts.flatMap(({ address, kind }) => template.includes(`/${kind}/`) ? [address] : [])
  return Object.entries({ ...all, contract }).reduce<ReadonlyArray<string>>(
    (paths, [name, values]) =>
      paths.flatMap((path) =>
        path.includes(`:${name}`) ? values.map((value) => path.replace(`:${name}`, value)) : path
      ),
    [template]
  )
}

/** The sizes of pages: a search without filters is read in small and in large ones. */
const sizesOf = (filter: string): ReadonlyArray<number> => filter === "" ? [5, 1000] : [30]

/** An answer to a request for data. */
export interface Page {
  readonly status: number
  readonly text: string
}

/** Gives the page of a path with its query. */
export type Server<E = never> = (path: string) => Effect.Effect<Page, E>

/** The cursor of the next page: empty on the last one, and undefined where there are no pages. */
const cursorOf = ({ text }: Page): string | undefined => (JSON.parse(text) as { readonly cursor?: string }).cursor

/**
 * Reads every page of two servers, each by its own cursors, and passes them on. Gives the operations of which there was
 * a page, and how many pages were read of each server.
 */
export const readBoth = <E>(
  names: Names,
  [one, other]: readonly [Server<E>, Server<E>],
  see: (path: string, pages: readonly [Page, Page]) => void
): Effect.Effect<{ readonly served: ReadonlyArray<string>; readonly pages: number }, E> =>
  Effect.gen(function*() {
    const served = new Set<string>()
    let pages = 0
    const readOne = (query: string, [first, second]: readonly [string, string]) =>
      Effect.gen(function*() {
        const after = (cursor: string) => cursor === "" ? query : `${query}&cursor=${cursor}`
        const read = [yield* one(after(first)), yield* other(after(second))] as const
        pages++
        see(query, read)
        return read
      })
    for (const { name, template } of operations) {
      for (const path of pathsOf(template, names)) {
        for (const filter of filtersOf(name, names)) {
          for (const size of sizesOf(filter)) {
            const query = `${path}?${filter}&size=${size}`
            let read = yield* readOne(query, ["", ""])
            if (read[0].status === 200) served.add(name)
            // What has no pages has no sizes.
            if (cursorOf(read[0]) === undefined) break
            for (;;) {
              const [first = "", second = ""] = read.map(cursorOf)
              if (first === "") break
              read = yield* readOne(query, [first, second])
            }
          }
        }
      }
    }
    return { served: [...served].sort(), pages }
  })
