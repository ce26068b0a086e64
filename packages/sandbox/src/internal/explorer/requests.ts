import * as Effect from "effect/Effect"
import type { ChainId } from "../../Chain.js"
import type { ActiveFault } from "../../Fault.js"
import type { RequestFilter, RequestRecord } from "../../RequestRecord.js"
import { type ExplorerReads, pageOf, pageSize } from "./ExplorerReads.js"
import { brief, count, pill, printable, timeOfMillis } from "./format.js"
import { type Html, html } from "./Html.js"
import { address, card, heading, type Page, pager, pathOf, table } from "./layout.js"

/** The status of an answer, if there was one. */
export const statusOf = ({ status }: RequestRecord): Html =>
  status === undefined
    ? pill("bad", "no answer")
    : pill(status < 300 ? "good" : status < 500 ? "warn" : "bad", status)

/** How long a request took. */
export const took = ({ durationMillis }: RequestRecord): Html =>
  html`<span class="amount">${count(Math.round(durationMillis))} ms</span>`

/** What a request was for. */
export const whatOf = ({ operation, rpcMethods = [] }: RequestRecord): string =>
  operation === undefined
    ? "unknown path"
    : rpcMethods.length === 0
    ? operation
    : `${rpcMethods.slice(0, 3).join(", ")}${rpcMethods.length > 3 ? ` and ${rpcMethods.length - 3} more` : ""}`

const longestUrl = 200

/** A list of requests to the service. */
const requestTable = (chainId: ChainId, records: ReadonlyArray<RequestRecord>): Html =>
  table(
    "Requests",
    [
      { title: "No.", isNumber: true },
      { title: "Time" },
      { title: "Operation" },
      { title: "Status" },
      { title: "Chain", isNumber: true },
      { title: "Took", isNumber: true },
      { title: "Request" }
    ],
    records.map((record) => ({
      key: record.id,
      cells: [
        count(record.id),
        timeOfMillis(record.at),
        record.operation === undefined
          ? html`<span class="quiet">${whatOf(record)}</span>`
          : html`<a href="${address(pathOf(chainId, "requests"), { operation: record.operation })}">${
            brief(whatOf(record), 100)
          }</a>`,
        html`${statusOf(record)}${record.fault !== undefined && html` ${pill("warn", `fault ${record.fault}`)}`}`,
        record.chainId ?? html`<span class="quiet">—</span>`,
        took(record),
        html`<code class="url">${record.method} ${brief(record.url, longestUrl)}</code>`
      ]
    })),
    "No requests yet. The explorer's own are not listed."
  )

const actionOf = ({ action }: ActiveFault): string => {
  switch (action.kind) {
    case "answer":
      return `answers ${action.status}${action.code === undefined ? "" : ` with code ${action.code}`}`
    case "delay":
      return `waits ${count(action.milliseconds)} ms`
    case "drop":
      return `drops the connection ${action.when} the service acts`
  }
}

const faultTable = (faults: ReadonlyArray<ActiveFault>): Html =>
  table(
    "Faults in force",
    [
      { title: "Fault" },
      { title: "What it does" },
      { title: "To" },
      { title: "Chain" },
      { title: "Left", isNumber: true }
    ],
    faults.map((fault) => ({
      key: fault.id,
      cells: [
        fault.id,
        actionOf(fault),
        fault.operation === undefined ? "every request" : printable(fault.operation),
        fault.chainId ?? "both",
        html`${count(fault.left)} of ${count(fault.times ?? 1)}`
      ]
    })),
    "None: every request is answered by the service."
  )

/** The latest requests, newest first. */
export const readRequests = (reads: ExplorerReads, filter: RequestFilter): ReadonlyArray<RequestRecord> =>
  reads.requestLog.list(filter).toReversed()

/** The log of the requests to the service, and the faults in force. */
export const requestsPage = (
  reads: ExplorerReads,
  chainId: ChainId,
  { before, operation, status }: Pick<RequestFilter, "before" | "operation" | "status">
): Effect.Effect<Page> =>
  Effect.sync(() => {
    const { items, last } = pageOf(readRequests(reads, {
      limit: pageSize + 1,
      ...(before !== undefined && { before }),
      ...(operation !== undefined && { operation }),
      ...(status !== undefined && { status })
    }))
    const filter = {
      ...(operation !== undefined && { operation }),
      ...(status !== undefined && { status: String(status) })
    }
    const path = pathOf(chainId, "requests")
    const isFiltered = Object.keys(filter).length > 0
    return {
      title: "Requests",
      section: "requests",
      body: html`${heading("Service", "Requests", "What clients asked of both chains, newest first")}${
        card("Faults in force", faultTable(reads.faults.list()))
      }${
        card(
          isFiltered ? `Requests: ${Object.values(filter).map((text) => brief(text)).join(", ")}` : "All requests",
          [
            requestTable(chainId, items),
            pager(path, { newer: before !== undefined, older: last && { before: last.id } }, filter)
          ],
          isFiltered ? html`<a href="${path}">Show all</a>` : undefined
        )
      }`
    }
  })
