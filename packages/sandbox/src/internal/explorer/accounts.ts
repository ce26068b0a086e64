import type { CustodyFailure } from "@effect-klaytn/custody/CustodyError"
import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import { attempt } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { newestState } from "../newestAccount.js"
import { keyPill, keyView } from "./accountKeys.js"
import { type ChainView, copied, limit, linksFor, ownLinks, pageOf } from "./ExplorerReads.js"
import { count, dataBox, decimalAmount, klay, klayAndPeb, none, pill, quiet, time, wide } from "./format.js"
import { type Child, html } from "./Html.js"
import { card, chainPage, type Fact, facts, heading, link, type Page, page, pager, table, tabs } from "./layout.js"
import { account, beforeRow, optional, place, tokenId, whole } from "./parameters.js"
import { partiesOfTransactions, placeOf, transactionTable } from "./transactionList.js"
import { kindNames, transferList } from "./transfers.js"

/** The accounts whose keys the sandbox holds, with their balances. */
export const accountsPage = (view: ChainView) =>
  Effect.gen(function*() {
    const links = ownLinks(view)
    const { accounts, chain, wallet } = view
    const own = [...accounts().map(([, one]) => one), chain.faucet, wallet.globalFeePayer]
    const rows = yield* Effect.forEach(
      new Set(own.map(({ address }) => address)),
      (address) => Effect.map(newestState(chain, address), (state) => ({ address, ...state }))
    )
    const list = table("Named accounts", rows, {
      key: ({ address }) => address,
      columns: [
        ["Name", ({ address }) => html`<b>${links.account(address)}</b>`],
        ["Address", ({ address }) => wide(address)],
        ["Balance", ({ balance }) => klay(balance), "number"],
        ["Nonce", ({ nonce }) => count(nonce), "number"],
        ["Account key", ({ key }) => keyPill(key)]
      ],
      empty: "There are none."
    })
    const beside = "Those whose keys the sandbox holds; search for any other by its address"
    return chainPage("accounts", "Accounts", beside, card("Named accounts", list))
  })

/** An account, a view of it, and where the page of the view begins. */
export const accountView = Schema.Struct({
  address: account,
  view: Schema.optionalWith(Schema.Literal("transfers", "tokens", "fees"), { default: () => "transfers" as const }),
  kind: optional(Schema.Literal("coin", "ft", "nft", "mt")),
  ...beforeRow,
  place: optional(place),
  by: optional(whole),
  contract: optional(account),
  id: optional(tokenId)
})
type AccountView = typeof accountView.Type

const transfersView = (view: ChainView, { address, before, kind }: AccountView) => {
  const path = view.path("accounts", address)
  const list = transferList(view, path, { accounts: [address], kinds: kind && [kind], before }, {
    account: address,
    empty: "No transfers here.",
    keep: kind === undefined ? {} : { kind }
  })
  const kinds = Object.entries(kindNames).map(([one, title]) => [title, one] as const)
  const kindTabs = tabs("Kinds of transfers", path, "kind", kind ?? "", [["All", ""], ...kinds])
  return Effect.map(list, (transfers): Child => [kindTabs, transfers])
}

const tokensView = (view: ChainView, { address: owner, by, contract, id }: AccountView) =>
  Effect.gen(function*() {
    const after = by === undefined || contract === undefined
      ? undefined
      : { updatedBy: by, contract, tokenId: id, owner }
    const { items, last } = pageOf(yield* view.chain.holdings({ owner, limit, after }))
    const links = ownLinks(view)
    const rows = yield* Effect.forEach(items, (holding) =>
      Effect.map(view.chain.contract(holding.contract), (found) => {
        const unnamed = { address: holding.contract, name: undefined, symbol: undefined, decimals: undefined }
        return { ...holding, token: Option.getOrElse(found, () => unnamed) }
      }))
    const older = last && {
      by: last.updatedBy,
      contract: last.contract,
      ...(last.tokenId !== undefined && { id: String(last.tokenId) })
    }
    return [
      table("Tokens", rows, {
        key: (holding) => `${holding.contract}${holding.tokenId ?? ""}`,
        columns: [
          ["Token", ({ token }) => html`<b>${links.token(token)}</b>`],
          ["ID", ({ contract, tokenId }) => tokenId === undefined ? none : links.tokenId(contract, tokenId)],
          [
            "Balance",
            ({ balance, token, tokenId }) => decimalAmount(balance, tokenId === undefined ? token.decimals : 0),
            "number"
          ],
          ["Last change", ({ updatedAt }) => time(updatedAt)],
          ["By", ({ transactionHash }) => links.transaction(transactionHash)]
        ],
        empty: "It has no tokens."
      }),
      pager(view.path("accounts", owner), after, older, { view: "tokens" })
    ]
  })

const feesView = (view: ChainView, { address: feePayer, place }: AccountView) =>
  Effect.gen(function*() {
    const before = place && keyOf(place.block, place.index)
    const { items, last } = pageOf(
      yield* attempt("fees", () => view.reader.transactionsPaidBy({ feePayer, limit, before }))
    )
    const links = yield* linksFor(view, partiesOfTransactions(items))
    return [
      transactionTable(links, items, { empty: "It has paid the fee of no other account." }),
      pager(view.path("accounts", feePayer), place, last && { place: placeOf(last) }, { view: "fees" })
    ]
  })

const views = { transfers: transfersView, tokens: tokensView, fees: feesView }

/** An account: its balances, its key, and its transfers, tokens or fees. */
export const accountPage = (view: ChainView, asked: AccountView): Effect.Effect<Page, CustodyFailure> =>
  Effect.gen(function*() {
    const { address } = asked
    const { chain, wallet } = view
    const state = yield* newestState(chain, address)
    const links = yield* linksFor(view, [address])
    const name = links.names.get(address)
    const own = yield* wallet.anyAccount(address)
    const contract = yield* chain.contract(address)
    const code = state.isContract
      ? yield* chain.code(address).pipe(Effect.catchTag("BlockNotFound", () => Effect.succeed<Hex>("0x")))
      : undefined
    const rows: ReadonlyArray<Fact> = [
      ["Balance", klayAndPeb(state.balance)],
      ["Nonce", count(state.nonce)],
      [
        "Token",
        Option.isSome(contract) && [links.token(contract.value), " ", quiet(contract.value.standard)]
      ],
      [
        "Wallet",
        own !== undefined && [
          link(view.path("wallet", own.pool.type, own.pool.name), `${own.pool.type} ${own.pool.name}`),
          " ",
          pill("plain", yield* wallet.status(own))
        ]
      ],
      ["Code", code !== undefined && dataBox("Code", code, "klay_getCode")],
      ["Account key", !state.isContract && keyView(state.key)]
    ]
    const title = [name !== undefined && html`<bdi class="name">${name}</bdi> `, copied(address)]
    const viewTabs = tabs("Views of the account", view.path("accounts", address), "view", asked.view, [
      ["Transfers", "transfers"],
      ["Tokens", "tokens"],
      ["Fees paid for others", "fees"]
    ])
    return page(
      "accounts",
      `Account ${name ?? address.slice(0, 10)}`,
      heading(state.isContract ? "Contract" : "Account", title),
      card("Overview", facts(rows)),
      html`<section class="card">${viewTabs}${yield* views[asked.view](view, asked)}</section>`
    )
  })
