import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import { attempt } from "@effect-klaytn/local-chain/ChainError"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ChainId } from "../../Chain.js"
import { StoreFailure } from "../../ChainError.js"
import type { HoldingQuery } from "../../TokenRecord.js"
import type { TransferKind } from "../../TransferRecord.js"
import { keyPill, keyView } from "./accountKeys.js"
import { copy, type ExplorerReads, Links, linksFor, ownNames, pageOf, pageSize } from "./ExplorerReads.js"
import { count, dataBox, decimal, klay, klayAndPeb, pill, time } from "./format.js"
import { type Child, type Html, html } from "./Html.js"
import { address as addressOf, card, facts, heading, type Page, pager, pathOf, table, tabs } from "./layout.js"
import { partiesOfTransactions, placeOf, transactionTable } from "./transactionList.js"
import { partiesOf, readTransfers, transferTable } from "./transfers.js"

/** An account now; one that no transaction touched is empty. */
const stateOf = (reads: ExplorerReads, chainId: ChainId, address: Hex) =>
  reads.chain(chainId).account(address).pipe(
    Effect.mapError((cause) =>
      cause._tag === "StoreFailure" ? cause : new StoreFailure({ operation: "account", cause })
    ),
    Effect.map(Option.getOrElse(() => ({ balance: 0n, nonce: 0n, key: AccountKey.legacy, isContract: false })))
  )

/** The named accounts with what they have. */
const namedAccountTable = (reads: ExplorerReads, chainId: ChainId): Effect.Effect<Html, StoreFailure> =>
  Effect.gen(function*() {
    const links = new Links(chainId, ownNames(reads, chainId))
    const named: ReadonlyArray<Hex> = [
      ...reads.accounts().map(([, { address }]) => address),
      reads.chain(chainId).faucet.address,
      reads.wallet(chainId).globalFeePayer.address
    ]
    const rows = yield* Effect.forEach(
      named,
      (address) =>
        Effect.map(stateOf(reads, chainId, address), ({ balance, key, nonce }) => ({
          key: address,
          cells: [
            html`<b>${links.account(address)}</b>`,
            html`<code class="wide">${address}</code>`,
            klay(balance),
            count(nonce),
            keyPill(key)
          ]
        }))
    )
    return table(
      "Named accounts",
      [
        { title: "Name" },
        { title: "Address" },
        { title: "Balance", isNumber: true },
        { title: "Nonce", isNumber: true },
        { title: "Account key" }
      ],
      rows,
      "There are none."
    )
  })

/** The accounts whose keys the sandbox holds. */
export const accountsPage = (reads: ExplorerReads, chainId: ChainId): Effect.Effect<Page, StoreFailure> =>
  Effect.map(namedAccountTable(reads, chainId), (list) => ({
    title: "Accounts",
    section: "accounts",
    body: html`${
      heading("Chain", "Accounts", "Those whose keys the sandbox holds; search for any other by its address")
    }${card("Named accounts", list)}`
  }))

/** What is shown of an account, and where its page begins. */
export interface AccountView {
  readonly view: "transfers" | "tokens" | "fees"
  readonly kind: TransferKind | undefined
  readonly before: number | undefined
  readonly place: { readonly block: number; readonly index: number } | undefined
  readonly after: Omit<NonNullable<HoldingQuery["after"]>, "owner"> | undefined
}

const transferKinds = [
  ["KLAY", "coin"],
  ["Fungible", "ft"],
  ["NFT", "nft"],
  ["Multi", "mt"]
] as const

const transfersView = (reads: ExplorerReads, chainId: ChainId, address: Hex, { before, kind }: AccountView) =>
  Effect.gen(function*() {
    const { items, older } = yield* readTransfers(reads, chainId, {
      accounts: [address],
      ...(kind !== undefined && { kinds: [kind] }),
      ...(before !== undefined && { before })
    })
    const links = yield* linksFor(reads, chainId, partiesOf(items))
    const path = pathOf(chainId, "accounts", address)
    return html`${
      tabs("Kinds of transfers", [
        { title: "All", href: path, isCurrent: kind === undefined },
        ...transferKinds.map(([title, one]) => ({
          title,
          href: addressOf(path, { kind: one }),
          isCurrent: one === kind
        }))
      ])
    }${transferTable(links, items, { account: address, empty: "No transfers here." })}${
      pager(path, { newer: before !== undefined, older }, kind === undefined ? {} : { kind })
    }`
  })

const tokensView = (reads: ExplorerReads, chainId: ChainId, owner: Hex, { after }: AccountView) =>
  Effect.gen(function*() {
    const chain = reads.chain(chainId)
    const { items, last } = pageOf(
      yield* chain.holdings({ owner, limit: pageSize + 1, ...(after !== undefined && { after: { ...after, owner } }) })
    )
    const links = yield* linksFor(reads, chainId, [])
    const rows = yield* Effect.forEach(items, (holding) =>
      Effect.map(chain.contract(holding.contract), (found) => {
        const contract = Option.getOrElse(found, () => ({
          address: holding.contract,
          name: undefined,
          symbol: undefined,
          decimals: undefined
        }))
        const decimals = holding.tokenId === undefined ? contract.decimals ?? 0 : 0
        return {
          key: `${holding.contract}${holding.tokenId ?? ""}`,
          cells: [
            html`<b>${links.token(contract)}</b>`,
            holding.tokenId === undefined
              ? html`<span class="quiet">—</span>`
              : links.tokenId(holding.contract, holding.tokenId),
            html`<span class="amount">${decimal(holding.balance, decimals)}</span>`,
            time(holding.updatedAt),
            links.transaction(holding.transactionHash)
          ]
        }
      }))
    return html`${
      table(
        "Tokens",
        [
          { title: "Token" },
          { title: "ID" },
          { title: "Balance", isNumber: true },
          { title: "Last change" },
          { title: "By" }
        ],
        rows,
        "It has no tokens."
      )
    }${
      pager(pathOf(chainId, "accounts", owner), {
        newer: after !== undefined,
        older: last && {
          by: last.updatedBy,
          contract: last.contract,
          ...(last.tokenId !== undefined && { id: String(last.tokenId) })
        }
      }, { view: "tokens" })
    }`
  })

const feesView = (reads: ExplorerReads, chainId: ChainId, feePayer: Hex, { place }: AccountView) =>
  Effect.gen(function*() {
    const before = place && keyOf(place.block, place.index)
    const { items, last } = pageOf(
      yield* attempt(
        "fees",
        () => reads.wallet(chainId).reader.transactionsPaidBy({ feePayer, limit: pageSize + 1, before })
      )
    )
    const links = yield* linksFor(reads, chainId, partiesOfTransactions(items))
    return html`${transactionTable(links, items, { empty: "It has paid the fee of no other account." })}${
      pager(pathOf(chainId, "accounts", feePayer), {
        newer: place !== undefined,
        older: last && { place: placeOf(last) }
      }, { view: "fees" })
    }`
  })

/** An account: what it has, who may sign for it, and what it did. */
export const accountPage = (
  reads: ExplorerReads,
  chainId: ChainId,
  address: Hex,
  view: AccountView
): Effect.Effect<Page, StoreFailure> =>
  Effect.gen(function*() {
    const chain = reads.chain(chainId)
    const wallet = reads.wallet(chainId)
    const state = yield* stateOf(reads, chainId, address)
    const links = yield* linksFor(reads, chainId, [address])
    const name = links.nameOf(address)
    const own = yield* wallet.anyAccount(address)
    const contract = yield* chain.contract(address)
    const code = state.isContract
      ? yield* chain.code(address).pipe(Effect.catchTag("BlockNotFound", () => Effect.succeed<Hex>("0x")))
      : undefined
    const path = pathOf(chainId, "accounts", address)
    const rows: ReadonlyArray<readonly [string, Child]> = [
      ["Balance", klayAndPeb(state.balance)],
      ["Nonce", count(state.nonce)],
      [
        "Token",
        Option.isSome(contract) &&
        html`${links.token(contract.value)} <span class="quiet">${contract.value.standard}</span>`
      ],
      [
        "Wallet",
        own !== undefined &&
        html`<a href="${
          pathOf(chainId, "wallet", own.pool.type, own.pool.name)
        }">${own.pool.type} ${own.pool.name}</a> ${pill("plain", yield* wallet.status(own))}`
      ],
      ["Code", code !== undefined && dataBox("Code", code)],
      ["Account key", !state.isContract && keyView(state.key)]
    ]
    const body = view.view === "tokens"
      ? tokensView(reads, chainId, address, view)
      : view.view === "fees"
      ? feesView(reads, chainId, address, view)
      : transfersView(reads, chainId, address, view)
    return {
      title: `Account ${name ?? address.slice(0, 10)}`,
      section: "accounts",
      body: html`${
        heading(
          state.isContract ? "Contract" : "Account",
          html`${name !== undefined && html`<bdi class="name">${name}</bdi> `}<code class="wide">${address}</code>${
            copy(address)
          }`
        )
      }${card("Overview", facts(rows))}<section class="card">${
        tabs("Views of the account", [
          { title: "Transfers", href: path, isCurrent: view.view === "transfers" },
          { title: "Tokens", href: addressOf(path, { view: "tokens" }), isCurrent: view.view === "tokens" },
          { title: "Fees paid for others", href: addressOf(path, { view: "fees" }), isCurrent: view.view === "fees" }
        ])
      }${yield* body}</section>`
    }
  })
