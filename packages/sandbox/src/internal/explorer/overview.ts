import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BlockRecord } from "../../BlockRecord.js"
import type { ChainId } from "../../Chain.js"
import type { StoreFailure } from "../../ChainError.js"
import type { RequestRecord } from "../../RequestRecord.js"
import type { TransactionRecord } from "../../TransactionRecord.js"
import type { TransferRecord } from "../../TransferRecord.js"
import { readBlocks } from "./blocks.js"
import { type ExplorerReads, type Links, linksFor } from "./ExplorerReads.js"
import { count, counted, klay, outcome, pill, printable, shortHex, time, timeOfMillis } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, chainName, figures, heading, type Page, pathOf, table } from "./layout.js"
import { readRequests, statusOf, took, whatOf } from "./requests.js"
import { partiesOfTransactions, receiver, typeWords } from "./transactionList.js"
import { kindOf, moved, partiesOf } from "./transfers.js"

const maxRows = 8

const arrow = html`<span class="quiet" aria-label="to"> → </span>`

const blocksTable = (links: Links, blocks: ReadonlyArray<BlockRecord>): Html =>
  table(
    "Newest blocks",
    [{ title: "Block" }, { title: "Hash" }, { title: "Holds", isNumber: true }],
    blocks.map((block) => ({
      key: block.hash,
      cells: [
        html`<b>${links.block(block.number, count(block.number))}</b><small class="under">${
          time(block.timestamp)
        }</small>`,
        html`<code title="${block.hash}">${shortHex(block.hash)}</code><small class="under">${
          count(block.gasUsed)
        } gas</small>`,
        html`${count(block.transactionCount)} <span class="unit">tx</span><small class="under">${
          counted(block.transferCount, "transfer")
        }</small>`
      ]
    })),
    "No block yet."
  )

const transactionsTable = (links: Links, transactions: ReadonlyArray<TransactionRecord>): Html =>
  table(
    "Newest transactions",
    [{ title: "Transaction" }, { title: "From and to" }, { title: "Value", isNumber: true }],
    transactions.map((record) => ({
      key: record.hash,
      cells: [
        html`${links.transaction(record.hash)} ${record.status === 0 && outcome(0)}<small class="under">${
          typeWords(record.typeInt)
        }</small>`,
        html`${links.account(record.from)}${arrow}${receiver(links, record)}`,
        klay(record.value)
      ]
    })),
    "No transactions yet."
  )

const requestsTable = (requests: ReadonlyArray<RequestRecord>): Html =>
  table(
    "Latest requests",
    [{ title: "Operation" }, { title: "Status" }, { title: "Took", isNumber: true }],
    requests.map((record) => ({
      key: record.id,
      cells: [
        html`${whatOf(record)}<small class="under">${timeOfMillis(record.at)}</small>`,
        html`${statusOf(record)}${record.fault !== undefined && html` ${pill("warn", `fault ${record.fault}`)}`}`,
        took(record)
      ]
    })),
    "No requests yet."
  )

const transfersTable = (links: Links, transfers: ReadonlyArray<TransferRecord>): Html =>
  table(
    "Newest transfers",
    [{ title: "Kind" }, { title: "From and to" }, { title: "What", isNumber: true }],
    transfers.map((transfer) => ({
      key: transfer.id,
      cells: [
        html`${kindOf(transfer)}<small class="under">${time(transfer.transaction.timestamp)}</small>`,
        html`${links.account(transfer.from)}${arrow}${links.account(transfer.to)}`,
        moved(links, transfer)
      ]
    })),
    "No transfers yet."
  )

/** The overview of a chain: its newest blocks, transactions and transfers, and the latest requests to the service. */
export const overviewPage = (reads: ExplorerReads, chainId: ChainId): Effect.Effect<Page, StoreFailure> =>
  Effect.gen(function*() {
    const chain = reads.chain(chainId)
    const head = yield* chain.head
    const stuck = yield* chain.stuck
    const waiting = (yield* chain.pending).length
    const blocks = yield* readBlocks(reads, chainId, head.number + 1, maxRows)
    const transactions = yield* chain.transactions({ limit: maxRows })
    const transfers = yield* chain.transfers({ limit: maxRows })
    const requests = readRequests(reads, { limit: maxRows })
    const faults = reads.faults.list().length
    const links = yield* linksFor(reads, chainId, [...partiesOfTransactions(transactions), ...partiesOf(transfers)])
    const all = (section: string): Html => html`<a href="${pathOf(chainId, section)}">All ${section}</a>`
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
          ["Waiting", html`<a href="${pathOf(chainId, "transactions")}">${count(waiting)}</a>`],
          ["Gas price", html`${count(chain.unitPrice / 1_000_000_000n)} <small>gpeb</small>`],
          ["Faults in force", html`<a href="${pathOf(chainId, "requests")}">${count(faults)}</a>`]
        ])
      }<div class="columns">${card("Newest blocks", blocksTable(links, blocks), all("blocks"))}${
        card("Newest transactions", transactionsTable(links, transactions), all("transactions"))
      }${card("Latest requests", requestsTable(requests), all("requests"))}${
        card("Newest transfers", transfersTable(links, transfers), all("transfers"))
      }</div>`
    }
  })
