import type {
  ContractRecord,
  HoldingQuery,
  OwnershipRecord,
  TokenQuery,
  TokenRecord
} from "@effect-klaytn/indexer/TokenRecord"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  type ChainView,
  limit,
  type Links,
  linksFor,
  Missing,
  orMissing,
  ownLinks,
  pageOf,
  pageSize,
  tokenWord
} from "./ExplorerReads.js"
import { brief, count, decimalAmount, foreign, pill, printable, quiet, time, wide } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, chainPage, type Column, facts, figures, heading, type Page, page, pager, table, tabs } from "./layout.js"
import { account, beforeRow, optional, tokenId, whole } from "./parameters.js"
import { transferList } from "./transfers.js"

const kindNames = { ft: "Fungible", nft: "Non-fungible", mt: "Multi" } as const

const labelOf = ({ label }: ContractRecord): Html =>
  label.deletedAt === undefined
    ? pill(label.status === "completed" ? "good" : "warn", label.status)
    : pill("bad", "no label")

/** A list of token contracts. */
export const contractTable = (links: Links, contracts: ReadonlyArray<ContractRecord>): Html =>
  table("Token contracts", contracts, {
    key: ({ address }) => address,
    columns: [
      ["Token", (contract) => html`<b>${links.token(contract)}</b>`],
      ["Name", ({ name }) => html`<bdi>${brief(name ?? "")}</bdi>`],
      ["Kind", ({ kind }) => kindNames[kind]],
      ["Standard", ({ standard }) => standard],
      ["Contract", ({ address }) => html`<code class="short" title="${address}">${address.slice(0, 10)}…</code>`],
      ["Block", ({ blockNumber }) => links.block(blockNumber), "number"],
      ["Label", labelOf]
    ],
    empty: "No token contracts yet."
  })

/** All token contracts of a chain. */
export const tokensPage = (view: ChainView, begin: { readonly after?: Hex | undefined }) =>
  Effect.gen(function*() {
    const after = begin.after === undefined ? undefined : Option.getOrUndefined(yield* view.chain.contract(begin.after))
    const { items, last } = pageOf(yield* view.chain.contracts({ limit, after }))
    const list = [
      contractTable(ownLinks(view), items),
      pager(view.path("tokens"), begin.after, last && { after: last.address })
    ]
    const beside = "Contracts of KIP-7, KIP-17, KIP-37 and their ERC counterparts"
    return chainPage("tokens", "Tokens", beside, card("All token contracts", list))
  })

/** A share of a whole in percent, with two digits. */
const shareOf = (part: bigint, whole: bigint): string => whole === 0n ? "" : `${Number(part * 10_000n / whole) / 100}%`

/** The decimals of a contract's balances. */
const decimalsOf = ({ decimals = 0, kind }: ContractRecord): number => kind === "ft" ? decimals : 0

const owners = (
  view: ChainView,
  contract: ContractRecord,
  supply: bigint,
  { by, owner, tokenId }: Pick<TokenView, "by" | "owner"> & Pick<HoldingQuery, "tokenId">
) =>
  Effect.gen(function*() {
    const { address } = contract
    const after = by === undefined || owner === undefined
      ? undefined
      : { updatedBy: by, owner, contract: address, tokenId }
    const kinds = tokenId === undefined ? ["ft" as const] : undefined
    const { items, last } = pageOf(yield* view.chain.holdings({ contracts: [address], tokenId, kinds, limit, after }))
    const links = yield* linksFor(view, items.map(({ owner }) => owner))
    const path = tokenId === undefined ? view.path("tokens", address) : view.path("tokens", address, tokenId)
    return [
      table("Owners", items, {
        key: ({ owner }) => owner,
        columns: [
          ["Owner", ({ owner }) => links.account(owner)],
          ["Balance", ({ balance }) => decimalAmount(balance, decimalsOf(contract)), "number"],
          [
            "Share",
            (holding) => shareOf(holding.balance, contract.kind === "ft" ? supply : holding.supply ?? 0n),
            "number"
          ],
          ["Last change", ({ updatedAt }) => time(updatedAt)],
          ["By", ({ transactionHash }) => links.transaction(transactionHash)]
        ],
        empty: "There are no holders."
      }),
      pager(path, after, last && { by: last.updatedBy, owner: last.owner }, { view: "owners" })
    ]
  })

const items = (view: ChainView, { address, kind }: ContractRecord, after: TokenQuery["after"]) =>
  Effect.gen(function*() {
    const { items, last } = pageOf(yield* view.chain.tokens({ contract: address, order: "newest", limit, after }))
    const links = yield* linksFor(view, items.map(({ owner }) => owner))
    const held = ({ owner, supply }: TokenRecord) => owner === undefined ? count(supply) : links.account(owner)
    const holder: Column<TokenRecord> = kind === "nft" ? ["Owner", held] : ["Supply", held, "number"]
    const older = last && { by: last.updatedBy, id: String(last.tokenId) }
    return [
      table("Tokens", items, {
        key: ({ tokenId }) => String(tokenId),
        columns: [
          ["Token", ({ tokenId }) => links.tokenId(address, tokenId)],
          holder,
          ["URI", ({ uri }) => html`<bdi class="uri">${brief(uri, 60)}</bdi>`],
          ["Last change", ({ updatedAt }) => time(updatedAt)]
        ],
        empty: "No tokens yet."
      }),
      pager(view.path("tokens", address), after, older, { view: "items" })
    ]
  })

const findContract = ({ chain }: ChainView, address: Hex) =>
  orMissing(chain.contract(address), "No such token", `This chain has no token contract ${address}.`)

const ownerRow = { by: optional(whole), owner: optional(account) }

/** A token contract, a view of it, and where its page begins. */
export const tokenView = Schema.Struct({
  contract: account,
  view: Schema.optionalWith(Schema.Literal("transfers", "owners", "items"), { default: () => "transfers" as const }),
  ...beforeRow,
  ...ownerRow,
  id: optional(tokenId)
})
type TokenView = typeof tokenView.Type

/** A token of a contract, and where the page of its owners begins. */
export const tokenIdView = Schema.Struct({ contract: account, token: tokenId, ...ownerRow })

/** What a view of a token contract shows. */
const viewBody = (view: ChainView, contract: ContractRecord, supply: bigint, asked: TokenView) => {
  const { before, by, contract: address, id } = asked
  if (asked.view === "owners" && contract.kind === "ft") return owners(view, contract, supply, asked)
  if (asked.view === "items" && contract.kind !== "ft") {
    return items(view, contract, by === undefined || id === undefined ? undefined : { updatedBy: by, tokenId: id })
  }
  return transferList(view, view.path("tokens", address), { contracts: [address], before })
}

/** A token contract: its transfers, owners or tokens. */
export const tokenPage = (view: ChainView, asked: TokenView): Effect.Effect<Page, StoreFailure | Missing> =>
  Effect.gen(function*() {
    const address = asked.contract
    const contract = yield* findContract(view, address)
    const supply = yield* view.chain.contractSupply(address)
    const holders = yield* view.chain.holderCount(address)
    const links = yield* linksFor(view, [address])
    const word = tokenWord(contract) ?? address
    const viewTabs = tabs("Views of the token", view.path("tokens", address), "view", asked.view, [
      ["Transfers", "transfers"],
      contract.kind === "ft" ? ["Owners", "owners"] : ["Tokens", "items"]
    ])
    return page(
      "tokens",
      `Token ${brief(word)}`,
      heading(
        "Token",
        html`<bdi>${brief(printable(contract.name ?? "").trim() === "" ? word : contract.name ?? "", 80)}</bdi>`,
        links.fullAccount(address)
      ),
      figures([
        ["Kind", html`${kindNames[contract.kind]} <small>${contract.standard}</small>`],
        ["Supply", decimalAmount(supply, decimalsOf(contract))],
        ["Owners", count(holders)],
        ["Decimals", contract.decimals ?? "—"],
        ["First seen", links.block(contract.blockNumber)],
        ["Label", labelOf(contract)]
      ]),
      html`<section class="card">${viewTabs}${yield* viewBody(view, contract, supply, asked)}</section>`
    )
  })

/** Who has had a token, newest first. */
const ownersTable = (links: Links, changes: ReadonlyArray<OwnershipRecord>): Html =>
  table("Owners", changes, {
    key: ({ id }) => id,
    columns: [
      ["Time", ({ timestamp }) => time(timestamp)],
      ["From", ({ from }) => links.account(from)],
      ["To", ({ to }) => links.account(to)]
    ],
    empty: "It was never transferred."
  })

/** A token that nobody has: burned, or one for which the contract names no owner. Who had it last, and by which transaction it went. */
const gonePage = (
  view: ChainView,
  contract: ContractRecord,
  tokenId: bigint,
  changes: ReadonlyArray<OwnershipRecord>,
  last: OwnershipRecord
) =>
  Effect.gen(function*() {
    const { address } = contract
    const isBurned = last.to === zeroAddress
    const [transfer] = yield* view.chain.transfers({ contracts: [address], before: last.id + 1, limit: 1 })
    const links = yield* linksFor(view, [address, ...changes.flatMap(({ from, to }) => [from, to])])
    return page(
      "tokens",
      `Token ${brief(String(tokenId))} of ${brief(tokenWord(contract) ?? address)}`,
      heading("Token", `#${brief(String(tokenId), 80)}`, html`of ${links.token(contract)}`),
      card(
        isBurned ? "Burned" : "Without an owner",
        facts([
          ["ID", wide(tokenId)],
          [
            isBurned ? "Burned" : "Last transfer",
            html`${time(last.timestamp)}${
              transfer && html` by ${links.transaction(transfer.transaction.transactionHash)}`
            }`
          ],
          isBurned
            ? ["Last owner", links.fullAccount(last.from)]
            : ["Owner", "none: the contract's ownerOf names no account, whatever its events say"]
        ])
      ),
      card("Latest owners", ownersTable(links, changes))
    )
  })

/** A token of a contract by its ID: its owners now and before. */
export const tokenIdPage = (
  view: ChainView,
  { contract: address, token: tokenId, ...begin }: typeof tokenIdView.Type
): Effect.Effect<Page, StoreFailure | Missing> =>
  Effect.gen(function*() {
    const { chain } = view
    const contract = yield* findContract(view, address)
    if (contract.kind === "ft") {
      return yield* new Missing({ title: "No such token", message: "A fungible token has no IDs." })
    }
    const changes = contract.kind === "nft" ? yield* chain.ownership(address, tokenId, { limit: pageSize }) : []
    const found = yield* chain.token(address, tokenId)
    const [last] = changes
    if (Option.isNone(found) && last !== undefined) {
      return yield* gonePage(view, contract, tokenId, changes, last)
    }
    const token = yield* orMissing(
      Effect.succeed(found),
      "No such token",
      `It has no token ${tokenId}, or all of it was burned.`
    )
    const links = yield* linksFor(view, [address, token.owner, ...changes.flatMap(({ from, to }) => [from, to])])
    const overview = facts([
      ["ID", wide(tokenId)],
      ["Owner", token.owner && links.fullAccount(token.owner)],
      ["Supply", count(token.supply)],
      ["URI", token.uri === "" ? quiet("none") : foreign(token.uri)],
      ["Created", time(token.createdAt)],
      ["Last change", html`${time(token.updatedAt)} by ${links.transaction(token.transactionHash)}`]
    ])
    return page(
      "tokens",
      `Token ${brief(String(tokenId))} of ${brief(tokenWord(contract) ?? address)}`,
      heading("Token", `#${brief(String(tokenId), 80)}`, html`of ${links.token(contract)}`),
      card("Overview", overview),
      contract.kind === "nft"
        ? card("Latest owners", ownersTable(links, changes))
        : card("Owners", yield* owners(view, contract, token.supply, { ...begin, tokenId }))
    )
  })
