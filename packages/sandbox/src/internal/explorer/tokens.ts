import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { ChainId } from "../../Chain.js"
import type { StoreFailure } from "../../ChainError.js"
import type { ContractRecord, HoldingQuery, TokenQuery } from "../../TokenRecord.js"
import {
  type ExplorerReads,
  Links,
  linksFor,
  Missing,
  orMissing,
  ownNames,
  pageOf,
  pageSize,
  tokenWord
} from "./ExplorerReads.js"
import { brief, count, decimal, pill, printable, time } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, facts, figures, heading, type Page, pager, pathOf, table, tabs } from "./layout.js"
import { partiesOf, readTransfers, transferTable } from "./transfers.js"

const kindNames = { ft: "Fungible", nft: "Non-fungible", mt: "Multi" } as const

const labelOf = ({ label }: ContractRecord): Html =>
  label.deletedAt === undefined
    ? pill(label.status === "completed" ? "good" : "warn", label.status)
    : pill("bad", "no label")

/** A list of token contracts. */
export const contractTable = (
  links: Links,
  contracts: ReadonlyArray<ContractRecord>,
  empty = "No token contracts yet."
): Html =>
  table(
    "Token contracts",
    [
      { title: "Token" },
      { title: "Name" },
      { title: "Kind" },
      { title: "Standard" },
      { title: "Contract" },
      { title: "Block", isNumber: true },
      { title: "Label" }
    ],
    contracts.map((contract) => ({
      key: contract.address,
      cells: [
        html`<b>${links.token(contract)}</b>`,
        html`<bdi>${brief(contract.name ?? "")}</bdi>`,
        kindNames[contract.kind],
        contract.standard,
        html`<code class="short" title="${contract.address}">${contract.address.slice(0, 10)}…</code>`,
        links.block(contract.blockNumber, count(contract.blockNumber)),
        labelOf(contract)
      ]
    })),
    empty
  )

/** All token contracts of a chain. */
export const tokensPage = (
  reads: ExplorerReads,
  chainId: ChainId,
  { after }: { readonly after?: Hex | undefined }
): Effect.Effect<Page, StoreFailure> =>
  Effect.gen(function*() {
    const { items, last } = pageOf(
      yield* reads.chain(chainId).contracts({ limit: pageSize + 1, ...(after !== undefined && { after }) })
    )
    const links = new Links(chainId, ownNames(reads, chainId))
    return {
      title: "Tokens",
      section: "tokens",
      body: html`${heading("Chain", "Tokens", "Contracts of KIP-7, KIP-17, KIP-37 and their ERC counterparts")}${
        card("All token contracts", [
          contractTable(links, items),
          pager(pathOf(chainId, "tokens"), { newer: after !== undefined, older: last && { after: last.address } })
        ])
      }`
    }
  })

/** A share of a whole in percent, with two digits. */
const shareOf = (part: bigint, whole: bigint): string => whole === 0n ? "" : `${Number(part * 10_000n / whole) / 100}%`

const owners = (
  reads: ExplorerReads,
  chainId: ChainId,
  contract: ContractRecord,
  supply: bigint,
  { after, tokenId }: { readonly after: HoldingQuery["after"]; readonly tokenId?: bigint }
): Effect.Effect<Html, StoreFailure> =>
  Effect.gen(function*() {
    const { items, last } = pageOf(
      yield* reads.chain(chainId).holdings({
        contracts: [contract.address],
        limit: pageSize + 1,
        ...(tokenId === undefined ? { kinds: ["ft"] } : { tokenId }),
        ...(after !== undefined && { after })
      })
    )
    const links = yield* linksFor(reads, chainId, items.map(({ owner }) => owner))
    const isFungible = contract.kind === "ft"
    return html`${
      table(
        "Owners",
        [
          { title: "Owner" },
          { title: "Balance", isNumber: true },
          { title: "Share", isNumber: true },
          { title: "Last change" },
          { title: "By" }
        ],
        items.map((holding) => ({
          key: holding.owner,
          cells: [
            links.account(holding.owner),
            html`<span class="amount">${decimal(holding.balance, isFungible ? contract.decimals ?? 0 : 0)}</span>`,
            shareOf(holding.balance, isFungible ? supply : holding.supply ?? 0n),
            time(holding.updatedAt),
            links.transaction(holding.transactionHash)
          ]
        })),
        "There are no holders."
      )
    }${
      pager(
        tokenId === undefined
          ? pathOf(chainId, "tokens", contract.address)
          : pathOf(chainId, "tokens", contract.address, tokenId),
        {
          newer: after !== undefined,
          older: last && { by: last.updatedBy, owner: last.owner }
        },
        { view: "owners" }
      )
    }`
  })

const items = (
  reads: ExplorerReads,
  chainId: ChainId,
  contract: ContractRecord,
  after: TokenQuery["after"]
): Effect.Effect<Html, StoreFailure> =>
  Effect.gen(function*() {
    const page = pageOf(
      yield* reads.chain(chainId).tokens({
        contract: contract.address,
        order: "newest",
        limit: pageSize + 1,
        ...(after !== undefined && { after })
      })
    )
    const links = yield* linksFor(reads, chainId, page.items.map(({ owner }) => owner))
    return html`${
      table(
        "Tokens",
        [
          { title: "Token" },
          contract.kind === "nft" ? { title: "Owner" } : { title: "Supply", isNumber: true },
          { title: "URI" },
          { title: "Last change" }
        ],
        page.items.map((token) => ({
          key: String(token.tokenId),
          cells: [
            links.tokenId(contract.address, token.tokenId),
            token.owner === undefined ? count(token.supply) : links.account(token.owner),
            html`<bdi class="uri">${brief(token.uri, 60)}</bdi>`,
            time(token.updatedAt)
          ]
        })),
        "No tokens yet."
      )
    }${
      pager(pathOf(chainId, "tokens", contract.address), {
        newer: after !== undefined,
        older: page.last && { by: page.last.updatedBy, id: String(page.last.tokenId) }
      }, { view: "items" })
    }`
  })

const findContract = (reads: ExplorerReads, chainId: ChainId, address: Hex) =>
  orMissing(reads.chain(chainId).contract(address), "No such token", `This chain has no token contract ${address}.`)

/** A view of a token contract, and where its page begins. */
export interface TokenView {
  readonly view: "transfers" | "owners" | "items"
  readonly before: number | undefined
  readonly by: number | undefined
  readonly owner: Hex | undefined
  readonly id: bigint | undefined
}

/** A token contract: its transfers, owners or tokens. */
export const tokenPage = (
  reads: ExplorerReads,
  chainId: ChainId,
  address: Hex,
  { before, by, id, owner, view }: TokenView
): Effect.Effect<Page, StoreFailure | Missing> =>
  Effect.gen(function*() {
    const chain = reads.chain(chainId)
    const contract = yield* findContract(reads, chainId, address)
    const supply = yield* chain.contractSupply(address)
    const holders = yield* chain.holderCount(address)
    const path = pathOf(chainId, "tokens", address)
    const body = Effect.gen(function*() {
      if (view === "owners" && contract.kind === "ft") {
        const after = by === undefined || owner === undefined
          ? undefined
          : { updatedBy: by, owner, contract: address, tokenId: undefined }
        return yield* owners(reads, chainId, contract, supply, { after })
      }
      if (view === "items" && contract.kind !== "ft") {
        const after = by === undefined || id === undefined ? undefined : { updatedBy: by, tokenId: id }
        return yield* items(reads, chainId, contract, after)
      }
      const { items: transfers, older } = yield* readTransfers(reads, chainId, {
        contracts: [address],
        ...(before !== undefined && { before })
      })
      const links = yield* linksFor(reads, chainId, partiesOf(transfers))
      return html`${transferTable(links, transfers)}${pager(path, { newer: before !== undefined, older })}`
    })
    const links = yield* linksFor(reads, chainId, [address])
    const word = tokenWord(contract)
    const views = [
      { title: "Transfers", view: "transfers" },
      contract.kind === "ft" ? { title: "Owners", view: "owners" } : { title: "Tokens", view: "items" }
    ]
    return {
      title: `Token ${brief(word ?? address)}`,
      section: "tokens",
      body: html`${
        heading(
          "Token",
          html`<bdi>${brief(contract.name ?? word ?? address, 80)}</bdi>`,
          links.fullAccount(address)
        )
      }${
        figures([
          ["Kind", html`${kindNames[contract.kind]} <small>${contract.standard}</small>`],
          [
            "Supply",
            html`<span class="amount">${decimal(supply, contract.kind === "ft" ? contract.decimals ?? 0 : 0)}</span>`
          ],
          ["Owners", count(holders)],
          ["Decimals", contract.decimals ?? "—"],
          ["First seen", links.block(contract.blockNumber, count(contract.blockNumber))],
          ["Label", labelOf(contract)]
        ])
      }<section class="card">${
        tabs(
          "Views of the token",
          views.map((one) => ({ title: one.title, href: `${path}?view=${one.view}`, isCurrent: one.view === view }))
        )
      }${yield* body}</section>`
    }
  })

/** A token of a contract by its ID: who has it, and who had it before. */
export const tokenIdPage = (
  reads: ExplorerReads,
  chainId: ChainId,
  address: Hex,
  tokenId: bigint,
  { by, owner }: Pick<TokenView, "by" | "owner">
): Effect.Effect<Page, StoreFailure | Missing> =>
  Effect.gen(function*() {
    const chain = reads.chain(chainId)
    const contract = yield* findContract(reads, chainId, address)
    if (contract.kind === "ft") {
      return yield* new Missing({ title: "No such token", message: "A fungible token has no IDs." })
    }
    const token = yield* orMissing(chain.token(address, tokenId), "No such token", `It has no token ${tokenId}.`)
    const changes = contract.kind === "nft" ? yield* chain.ownership(address, tokenId, { limit: pageSize }) : []
    const links = yield* linksFor(reads, chainId, [
      address,
      token.owner,
      ...changes.flatMap(({ from, to }) => [from, to])
    ])
    const after = by === undefined || owner === undefined
      ? undefined
      : { updatedBy: by, owner, contract: address, tokenId }
    return {
      title: `Token ${brief(String(tokenId))} of ${brief(tokenWord(contract) ?? address)}`,
      section: "tokens",
      body: html`${heading("Token", html`#${brief(String(tokenId), 80)}`, html`of ${links.token(contract)}`)}${
        card(
          "Overview",
          facts([
            ["ID", html`<code class="wide">${tokenId}</code>`],
            ["Owner", token.owner === undefined ? undefined : links.fullAccount(token.owner)],
            ["Supply", count(token.supply)],
            [
              "URI",
              token.uri === ""
                ? html`<span class="quiet">none</span>`
                : html`<bdi class="uri">${printable(token.uri)}</bdi>`
            ],
            ["Created", time(token.createdAt)],
            ["Last change", html`${time(token.updatedAt)} by ${links.transaction(token.transactionHash)}`]
          ])
        )
      }${
        contract.kind === "nft"
          ? card(
            "Latest owners",
            table(
              "Owners",
              [{ title: "Time" }, { title: "From" }, { title: "To" }],
              changes.map(({ from, id, timestamp, to }) => ({
                key: id,
                cells: [time(timestamp), links.account(from), links.account(to)]
              })),
              "It was never transferred."
            )
          )
          : card("Owners", yield* owners(reads, chainId, contract, token.supply, { after, tokenId }))
      }`
    }
  })
