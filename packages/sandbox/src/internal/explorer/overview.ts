import * as Amount from "@effect-klaytn/core/Amount"
import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { TransferRecord } from "@effect-klaytn/indexer/TransferRecord"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RequestRecord } from "../../RequestRecord.js"
import { readBlocks } from "./blocks.js"
import { type ChainView, type Links, linksFor } from "./ExplorerReads.js"
import { count, counted, decimal, klay, outcome, printable, shortCode, time, timeOfMillis, under } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, chainName, figures, heading, link, type Page, page, table } from "./layout.js"
import { readRequests, statusOf, took, whatOf } from "./requests.js"
import { partiesOfTransactions, receiver, typeWords } from "./transactionList.js"
import { kindOf, moved, partiesOf } from "./transfers.js"

const maxRows = 8

const arrow = html`<span class="quiet" aria-label="to"> → </span>`

const blocksTable = (links: Links, blocks: ReadonlyArray<BlockRecord>): Html =>
  table("Newest blocks", blocks, {
    key: ({ hash }) => hash,
    columns: [
      ["Block", ({ number, timestamp }) => [html`<b>${links.block(number)}</b>`, under(time(timestamp))]],
      ["Hash", ({ gasUsed, hash }) => [shortCode(hash), under(`${count(gasUsed)} gas`)]],
      [
        "Contents",
        ({ transactionCount, transferCount }) => [
          html`${count(transactionCount)} <span class="unit">tx</span>`,
          under(counted(transferCount, "transfer"))
        ],
        "number"
      ]
    ],
    empty: "No block yet."
  })

const transactionsTable = (links: Links, transactions: ReadonlyArray<TransactionRecord>): Html =>
  table("Newest transactions", transactions, {
    key: ({ hash }) => hash,
    columns: [
      [
        "Transaction",
        ({ hash, status, typeInt }) => [
          links.transaction(hash),
          " ",
          status === 0 && outcome(0),
          under(typeWords(typeInt))
        ]
      ],
      ["From and to", (record) => [links.account(record.from), arrow, receiver(links, record)]],
      ["Value", ({ value }) => klay(value), "number"]
    ],
    empty: "No transactions yet."
  })

const requestsTable = (requests: ReadonlyArray<RequestRecord>): Html =>
  table("Latest requests", requests, {
    key: ({ id }) => id,
    columns: [
      ["Operation", (record) => [whatOf(record), under(timeOfMillis(record.at))]],
      ["Status", statusOf],
      ["Took", took, "number"]
    ],
    empty: "No requests to the service yet. JSON-RPC at /rpc is not listed."
  })

const transfersTable = (links: Links, transfers: ReadonlyArray<TransferRecord>): Html =>
  table("Newest transfers", transfers, {
    key: ({ id }) => id,
    columns: [
      ["Kind", (transfer) => [kindOf(transfer), under(time(transfer.transaction.timestamp))]],
      ["From and to", ({ from, to }) => [links.account(from), arrow, links.account(to)]],
      ["What", (transfer) => moved(links, transfer), "number"]
    ],
    empty: "No transfers yet."
  })

/** The overview of a chain: its newest blocks, transactions and transfers, and the latest requests to the service. */
export const overviewPage = (view: ChainView): Effect.Effect<Page, StoreFailure> =>
  Effect.gen(function*() {
    const { chain, chainId, path } = view
    const head = yield* chain.head
    const stuck = Option.getOrUndefined(yield* chain.stuck)
    const waiting = (yield* chain.pending).length
    const { baseFeePerGas } = yield* chain.nextBlock
    const blocks = yield* readBlocks(view, head.number + 1, maxRows)
    const transactions = yield* chain.transactions({ limit: maxRows })
    const transfers = yield* chain.transfers({ limit: maxRows })
    const requests = readRequests(view, { limit: maxRows })
    const faults = view.faults.list().length
    const links = yield* linksFor(view, [...partiesOfTransactions(transactions), ...partiesOf(transfers)])
    const all = (section: string): Html => link(path(section), `All ${section}`)
    return page(
      "",
      "Overview",
      heading("Chain", chainName(chainId), `ID ${chainId}`),
      stuck &&
        html`<div class="callout" role="note"><p><b>No blocks can be built</b> since ${time(stuck.since)} (${
          count(stuck.attempts)
        } attempts).</p><p>${printable(stuck.message)}</p></div>`,
      figures([
        ["Newest block", links.block(head.number)],
        ["Time", time(head.timestamp)],
        ["Pending", link(path("transactions"), count(waiting))],
        ["Gas price", html`${decimal(baseFeePerGas, Amount.units.Gpeb)} <small>gpeb</small>`],
        ["Faults in force", link(path("requests"), count(faults))]
      ]),
      html`<div class="columns">${[
        card("Newest blocks", blocksTable(links, blocks), all("blocks")),
        card("Newest transactions", transactionsTable(links, transactions), all("transactions")),
        card("Latest requests", requestsTable(requests), all("requests")),
        card("Newest transfers", transfersTable(links, transfers), all("transfers"))
      ]}</div>`
    )
  })
