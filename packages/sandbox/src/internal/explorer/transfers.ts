import type { TransferQuery, TransferRecord } from "@effect-klaytn/indexer/TransferRecord"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { type ChainView, limit, type Links, linksFor, pageOf } from "./ExplorerReads.js"
import { count, klay, pill, shortDecimal, time } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, chainPage, type Column, pager, table } from "./layout.js"

/** The kinds of transfers, as their pages name them. */
export const kindNames = { coin: "KLAY", ft: "Fungible", nft: "NFT", mt: "Multi" } as const

/** A transfer's kind as a word with a colour. */
export const kindOf = (transfer: TransferRecord): Html =>
  html`<span class="kindof ${transfer.kind}">${kindNames[transfer.kind]}</span>`

/** The most IDs of a batch that a row shows. */
const maxIds = 4

/** What a transfer moved. */
export const moved = (links: Links, transfer: TransferRecord): Html => {
  switch (transfer.kind) {
    case "coin":
      return klay(transfer.value)
    case "ft":
      return html`<span class="amount" title="${count(transfer.value)} of the smallest unit">${
        shortDecimal(transfer.value, transfer.contract.decimals ?? 0)
      }</span> ${links.token(transfer.contract)}`
    case "nft":
      return html`${links.tokenId(transfer.contract.address, transfer.tokenId)} ${links.token(transfer.contract)}`
    case "mt": {
      const shown = transfer.ids.slice(0, maxIds).map((id, index) =>
        html`<span>${count(transfer.values[index] ?? 0n)} × ${links.tokenId(transfer.contract.address, id)}</span> `
      )
      const rest = transfer.ids.length - maxIds
      return html`${shown}${rest > 0 && html`and ${count(rest)} more `}${links.token(transfer.contract)}`
    }
  }
}

/** Addresses whose names a list of transfers shows. */
export const partiesOf = (transfers: ReadonlyArray<TransferRecord>): ReadonlyArray<Hex> =>
  transfers.flatMap(({ from, to }) => [from, to])

interface TransferTable {
  readonly account?: Hex
  readonly empty?: string
  /** Whether all are of one transaction, so that the transaction and its time are left out. */
  readonly isOfOne?: boolean
}

/** A list of transfers. For an account, with the direction. */
export const transferTable = (
  links: Links,
  transfers: ReadonlyArray<TransferRecord>,
  { account, empty = "No transfers yet.", isOfOne = false }: TransferTable = {}
): Html => {
  const direction = (from: Hex, to: Hex): Html =>
    from === to ? pill("plain", "self") : from === account ? pill("warn", "out") : pill("good", "in")
  const party = (address: Hex): Html =>
    address === account
      ? html`<span class="self">${links.names.get(address) ?? "this account"}</span>`
      : links.account(address)
  const transaction: ReadonlyArray<Column<TransferRecord>> = isOfOne ? [] : [
    [
      "Transaction",
      ({ transaction: { status, transactionHash } }) => [
        links.transaction(transactionHash),
        status === 0 && [" ", pill("bad", "failed")]
      ]
    ],
    ["Time", ({ transaction: { timestamp } }) => time(timestamp)]
  ]
  return table("Transfers", transfers, {
    key: ({ id }) => id,
    columns: [
      ...transaction,
      [
        "Kind",
        (transfer) => [kindOf(transfer), account !== undefined && [" ", direction(transfer.from, transfer.to)]]
      ],
      ["From", ({ from }) => party(from)],
      ["To", ({ to }) => party(to)],
      ["What", (transfer) => moved(links, transfer), "number"]
    ],
    empty
  })
}

/** A page of a search for transfers, with links to the newest and the next page. */
export const transferList = (
  view: ChainView,
  path: string,
  query: Omit<TransferQuery, "limit">,
  { keep, ...options }: TransferTable & { readonly keep?: Readonly<Record<string, string>> } = {}
) =>
  Effect.gen(function*() {
    const { items, last } = pageOf(yield* view.chain.transfers({ ...query, limit }))
    const links = yield* linksFor(view, partiesOf(items))
    return [
      transferTable(links, items, options),
      pager(path, query.before, last && { before: last.id }, keep)
    ]
  })

/** All transfers of a chain. */
export const transfersPage = (view: ChainView, begin: Pick<TransferQuery, "before">) =>
  Effect.map(
    transferList(view, view.path("transfers"), begin),
    (list) => chainPage("transfers", "Transfers", "Coin and tokens, newest first", card("All transfers", list))
  )
