import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BlockRecord } from "../../BlockRecord.js"
import type { StoreFailure } from "../../ChainError.js"
import type { RequestRecord } from "../../RequestRecord.js"
import type { TransactionRecord } from "../../TransactionRecord.js"
import type { TransferRecord } from "../../TransferRecord.js"
import { readBlocks } from "./blocks.js"
import { type ChainView, type Links, linksFor } from "./ExplorerReads.js"
import { count, counted, klay, outcome, printable, shortHex, time, timeOfMillis } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, chainName, figures, heading, type Page, table } from "./layout.js"
import { readRequests, statusOf, took, whatOf } from "./requests.js"
import { partiesOfTransactions, receiver, typeWords } from "./transactionList.js"
import { kindOf, moved, partiesOf } from "./transfers.js"

const maxRows = 8

const arrow = html`<span class="quiet" aria-label="to"> → </span>`

const blocksTable = (links: Links, blocks: ReadonlyArray<BlockRecord>): Html =>
  table("Newest blocks", blocks, {
    key: ({ hash }) => hash,
    columns: [
      ["Block", ({ number, timestamp }) =>
        html`<b>${links.block(number, count(number))}</b><small class="under">${time(timestamp)}</small>`],
      ["Hash", ({ gasUsed, hash }) =>
        html`<code title="${hash}">${shortHex(hash)}</code><small class="under">${count(gasUsed)} gas</small>`],
      ["Holds", ({ transactionCount, transferCount }) =>
        html`${count(transactionCount)} <span class="unit">tx</span><small class="under">${
          counted(transferCount, "transfer")
        }</small>`, "number"]
    ],
    empty: "No block yet."
  })

const transactionsTable = (links: Links, transactions: ReadonlyArray<TransactionRecord>): Html =>
  table("Newest transactions", transactions, {
    key: ({ hash }) => hash,
    columns: [
      [
        "Transaction",
        ({ hash, status, typeInt }) =>
          html`${links.transaction(hash)} ${status === 0 && outcome(0)}<small class="under">${
            typeWords(typeInt)
          }</small>`
      ],
      ["From and to", (record) => html`${links.account(record.from)}${arrow}${receiver(links, record)}`],
      ["Value", ({ value }) => klay(value), "number"]
    ],
    empty: "No transactions yet."
  })

const requestsTable = (requests: ReadonlyArray<RequestRecord>): Html =>
  table("Latest requests", requests, {
    key: ({ id }) => id,
    columns: [
      ["Operation", (record) => html`${whatOf(record)}<small class="under">${timeOfMillis(record.at)}</small>`],
      ["Status", statusOf],
      ["Took", took, "number"]
    ],
    empty: "No requests yet."
  })

const transfersTable = (links: Links, transfers: ReadonlyArray<TransferRecord>): Html =>
  table("Newest transfers", transfers, {
    key: ({ id }) => id,
    columns: [
      [
        "Kind",
        (transfer) => html`${kindOf(transfer)}<small class="under">${time(transfer.transaction.timestamp)}</small>`
      ],
      ["From and to", ({ from, to }) => html`${links.account(from)}${arrow}${links.account(to)}`],
      ["What", (transfer) => moved(links, transfer), "number"]
    ],
    empty: "No transfers yet."
  })

/** The overview of a chain: its newest blocks, transactions and transfers, and the latest requests to the service. */
export const overviewPage = (view: ChainView): Effect.Effect<Page, StoreFailure> =>
  Effect.gen(function*() {
    const { chain, chainId, path } = view
    const head = yield* chain.head
    const stuck = yield* chain.stuck
    const waiting = (yield* chain.pending).length
    const blocks = yield* readBlocks(view, head.number + 1, maxRows)
    const transactions = yield* chain.transactions({ limit: maxRows })
    const transfers = yield* chain.transfers({ limit: maxRows })
    const requests = readRequests(view, { limit: maxRows })
    const faults = view.faults.list().length
    const links = yield* linksFor(view, [...partiesOfTransactions(transactions), ...partiesOf(transfers)])
    const all = (section: string): Html => html`<a href="${path(section)}">All ${section}</a>`
    const stopped = Option.map(
      stuck,
      ({ attempts, message, since }) =>
        html`<div class="callout" role="note"><p><b>No blocks can be built</b> since ${time(since)} (${
          count(attempts)
        } attempts).</p><p>${printable(message)}</p></div>`
    )
    return {
      title: "Overview",
      section: "",
      body: html`${heading("Chain", chainName(chainId), html`ID ${chainId}`)}${Option.getOrUndefined(stopped)}${
        figures([
          ["Newest block", links.block(head.number, count(head.number))],
          ["Its time", time(head.timestamp)],
          ["Waiting", html`<a href="${path("transactions")}">${count(waiting)}</a>`],
          ["Gas price", html`${count(chain.unitPrice / 1_000_000_000n)} <small>gpeb</small>`],
          ["Faults in force", html`<a href="${path("requests")}">${count(faults)}</a>`]
        ])
      }<div class="columns">${card("Newest blocks", blocksTable(links, blocks), all("blocks"))}${
        card("Newest transactions", transactionsTable(links, transactions), all("transactions"))
      }${card("Latest requests", requestsTable(requests), all("requests"))}${
        card("Newest transfers", transfersTable(links, transfers), all("transfers"))
      }</div>`
    }
  })
