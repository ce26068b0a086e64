import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { ChainId } from "../../Chain.js"
import type { StoreFailure } from "../../ChainError.js"
import type { TransferQuery, TransferRecord } from "../../TransferRecord.js"
import { type ExplorerReads, type Links, linksFor, pageOf, pageSize } from "./ExplorerReads.js"
import { count, klay, pill, shortDecimal, time } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, heading, type Page, pager, pathOf, type Row, table } from "./layout.js"

const kindNames = { coin: "KLAY", ft: "Fungible", nft: "NFT", mt: "Multi" } as const

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

/** A list of transfers. For an account, with the direction. */
export const transferTable = (
  links: Links,
  transfers: ReadonlyArray<TransferRecord>,
  { account, empty = "No transfers yet.", isOfOne = false }: {
    readonly account?: Hex
    readonly empty?: string
    /** Whether all are of one transaction, which need not be named then. */
    readonly isOfOne?: boolean
  } = {}
): Html => {
  const direction = (from: Hex, to: Hex): Html =>
    from === to ? pill("plain", "self") : from === account ? pill("warn", "out") : pill("good", "in")
  return table(
    "Transfers",
    [
      ...(isOfOne ? [] : [{ title: "Transaction" }, { title: "Time" }]),
      { title: "Kind" },
      { title: "From" },
      { title: "To" },
      { title: "What", isNumber: true }
    ],
    transfers.map((transfer): Row => {
      const { transaction } = transfer
      const failed = transaction.status === 0 && html` ${pill("bad", "failed")}`
      return {
        key: transfer.id,
        cells: [
          ...(isOfOne ? [] : [
            html`${links.transaction(transaction.transactionHash)}${failed}`,
            time(transaction.timestamp)
          ]),
          html`${kindOf(transfer)}${account !== undefined && html` ${direction(transfer.from, transfer.to)}`}`,
          transfer.from === account
            ? html`<span class="self">${links.nameOf(transfer.from) ?? "this account"}</span>`
            : links.account(transfer.from),
          transfer.to === account
            ? html`<span class="self">${links.nameOf(transfer.to) ?? "this account"}</span>`
            : links.account(transfer.to),
          moved(links, transfer)
        ]
      }
    }),
    empty
  )
}

/** A page of a search for transfers, and where the next one begins. */
export const readTransfers = (
  reads: ExplorerReads,
  chainId: ChainId,
  query: Omit<TransferQuery, "limit">
): Effect.Effect<
  { readonly items: ReadonlyArray<TransferRecord>; readonly older: { readonly before: number } | undefined },
  StoreFailure
> =>
  Effect.map(reads.chain(chainId).transfers({ ...query, limit: pageSize + 1 }), (read) => {
    const { items, last } = pageOf(read)
    return { items, older: last && { before: last.id } }
  })

/** All transfers of a chain. */
export const transfersPage = (
  reads: ExplorerReads,
  chainId: ChainId,
  { before }: { readonly before?: number | undefined }
): Effect.Effect<Page, StoreFailure> =>
  Effect.gen(function*() {
    const { items, older } = yield* readTransfers(reads, chainId, before === undefined ? {} : { before })
    const links = yield* linksFor(reads, chainId, partiesOf(items))
    return {
      title: "Transfers",
      section: "transfers",
      body: html`${heading("Chain", "Transfers", "Coin and tokens, newest first")}${
        card("All transfers", [
          transferTable(links, items),
          pager(pathOf(chainId, "transfers"), { newer: before !== undefined, older })
        ])
      }`
    }
  })
