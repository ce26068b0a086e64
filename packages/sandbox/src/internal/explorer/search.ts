import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ChainId } from "../../Chain.js"
import { type ChainView, type ExplorerReads, Links, ownLinks, viewOf } from "./ExplorerReads.js"
import { brief } from "./format.js"
import { html } from "./Html.js"
import { card, chainName, heading, type Page, page, pathOf } from "./layout.js"
import { contractTable } from "./tokens.js"

/** What a search leads to: a page, or a choice. */
export type Found = { readonly path: string } | { readonly page: Page }

/** The most token contracts that are looked through by name. */
const maxContracts = 5_000

const maxFound = 50

const longestQuery = 200

const isAddress = (text: string): text is Hex => /^0x[0-9a-f]{40}$/.test(text)
const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text)

/** The page of a block, transaction or account on one chain, if it has it. */
const exactly = ({ chain, path }: ChainView, text: string) =>
  Effect.gen(function*() {
    const number = text.replaceAll(",", "")
    if (/^\d{1,10}$/.test(number)) {
      return Option.isSome(yield* chain.block(Number(number))) ? path("blocks", Number(number)) : undefined
    }
    if (isAddress(text)) {
      const account = yield* Effect.option(chain.account(text))
      return Option.isSome(Option.flatten(account)) ? path("accounts", text) : undefined
    }
    if (!isHash(text)) return undefined
    if (Option.isSome(yield* chain.block(text))) return path("blocks", text)
    const isKnown = Option.isSome(yield* chain.transactionBySenderHash(text)) ||
      Option.isSome(yield* chain.pendingTransaction(text)) || (yield* chain.dropped).some(({ hash }) => hash === text)
    return isKnown ? path("transactions", text) : undefined
  })

const named = (view: ChainView, name: string): string | undefined => {
  const found = [...ownLinks(view).names].find(([, one]) => one.toLowerCase() === name)
  return found && view.path("accounts", found[0])
}

const contractsLike = ({ chain }: ChainView, text: string) =>
  Effect.map(
    chain.contracts({ limit: maxContracts }),
    (all) => all.filter(({ name, symbol }) => [name, symbol].some((one) => one?.toLowerCase().includes(text) === true))
  )

/**
 * Finds an address, a hash, the number of a block, the name of an account, or a token by its name or symbol. What this
 * chain does not have is looked for on the other one.
 */
export const search = (reads: ExplorerReads, chainId: ChainId, query: string): Effect.Effect<Found, StoreFailure> =>
  Effect.gen(function*() {
    const text = query.trim().slice(0, longestQuery).toLowerCase()
    if (text === "") return { path: pathOf(chainId) }
    const view = viewOf(reads, chainId)
    const other = viewOf(reads, chainId === 1001 ? 8217 : 1001)
    const path = named(view, text) ?? (yield* exactly(view, text)) ?? (yield* exactly(other, text))
    if (path !== undefined) return { path }
    // An address without transactions has a page too.
    if (isAddress(text)) return { path: view.path("accounts", text) }
    const found = yield* Effect.forEach(
      [view, other],
      (one) => Effect.map(contractsLike(one, text), (contracts) => ({ ...one, contracts }))
    )
    const [only, ...rest] = found.flatMap(({ contracts, path }) =>
      contracts.map(({ address }) => path("tokens", address))
    )
    if (only !== undefined && rest.length === 0) return { path: only }
    const results = found.flatMap(({ chainId, contracts }) =>
      contracts.length === 0 ? [] : card(
        `Tokens on ${chainName(chainId)}`,
        contractTable(new Links(chainId, new Map()), contracts.slice(0, maxFound))
      )
    )
    const nothing = card(
      "Nothing found",
      html`<p>Neither chain has it. Search for an address, the hash of a transaction or block, the number of a block, the name of an account such as <q>alice</q>, or the name or symbol of a token.</p>`
    )
    const asked = html`<q><bdi>${brief(query, 80)}</bdi></q>`
    return { page: page(undefined, "Search", heading("Search", asked), results.length > 0 ? results : nothing) }
  })
