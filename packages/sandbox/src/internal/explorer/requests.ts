import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ActiveFault } from "../../Fault.js"
import type { RequestFilter, RequestRecord } from "../../RequestRecord.js"
import { type ChainView, limit, pageOf } from "./ExplorerReads.js"
import { brief, count, none, pill, printable, quiet, timeOfMillis } from "./format.js"
import { type Html, html } from "./Html.js"
import { address, card, heading, link, type Page, page, pager, table } from "./layout.js"
import { beforeRow, optional, whole } from "./parameters.js"

/** The status of an answer, if there was one, and the fault that it met. */
export const statusOf = ({ fault, status }: RequestRecord): Html =>
  html`${
    status === undefined
      ? pill("bad", "no answer")
      : pill(status < 300 ? "good" : status < 500 ? "warn" : "bad", status)
  }${fault !== undefined && html` ${pill("warn", `fault ${fault}`)}`}`

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
const requestTable = (path: string, records: ReadonlyArray<RequestRecord>): Html =>
  table("Requests", records, {
    key: ({ id }) => id,
    columns: [
      ["No.", ({ id }) => count(id), "number"],
      ["Time", ({ at }) => timeOfMillis(at)],
      ["Operation", (record) =>
        record.operation === undefined
          ? quiet(whatOf(record))
          : link(address(path, { operation: record.operation }), brief(whatOf(record), 100))],
      ["Status", statusOf],
      ["Chain", ({ chainId }) => chainId ?? none, "number"],
      ["Took", took, "number"],
      ["Request", ({ method, url }) => html`<code class="url">${method} ${brief(url, longestUrl)}</code>`]
    ],
    empty: "No requests yet. The explorer's own are not listed."
  })

const sendOutcomes = {
  known: "refuses a transaction as known",
  full: "refuses a transaction for a full pool",
  underpriced: "refuses a transaction for its price",
  forgotten: "accepts a transaction and forgets it"
}

const actionOf = ({ action }: ActiveFault): string => {
  switch (action.kind) {
    case "answer":
      return `answers ${action.status}${action.code === undefined ? "" : ` with code ${action.code}`}`
    case "delay":
      return `waits ${count(action.milliseconds)} ms`
    case "drop":
      return `drops the connection ${action.when} the service acts${
        action.milliseconds === undefined ? "" : `, ${count(action.milliseconds)} ms later`
      }`
    case "send":
      return sendOutcomes[action.outcome]
  }
}

const faultTable = (faults: ReadonlyArray<ActiveFault>): Html =>
  table("Faults in force", faults, {
    key: ({ id }) => id,
    columns: [
      ["Fault", ({ id }) => id],
      ["What it does", actionOf],
      [
        "To",
        ({ action, operation }) =>
          action.kind === "send" ? "transactions" : operation === undefined ? "every request" : printable(operation)
      ],
      ["Chain", ({ chainId }) => chainId ?? "both"],
      ["Left", ({ left, times }) => html`${count(left)} of ${count(times ?? 1)}`, "number"]
    ],
    empty: "None: every request is answered by the service."
  })

/** The latest requests, newest first. */
export const readRequests = ({ requestLog }: ChainView, filter: RequestFilter) => requestLog.list(filter).toReversed()

/** Which requests are shown. */
export const requestsView = Schema.Struct({
  ...beforeRow,
  operation: optional(Schema.NonEmptyString),
  status: optional(whole)
})

/** The log of the requests to the service, and the faults in force. */
export const requestsPage = (view: ChainView, { before, ...filter }: typeof requestsView.Type): Effect.Effect<Page> =>
  Effect.sync(() => {
    const { items, last } = pageOf(readRequests(view, { limit, ...(before !== undefined && { before }), ...filter }))
    const kept = Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]))
    const path = view.path("requests")
    const values = Object.values(kept)
    const title = values.length === 0 ? "All requests" : `Requests: ${values.map((text) => brief(text)).join(", ")}`
    const list = [requestTable(path, items), pager(path, before, last && { before: last.id }, kept)]
    return page(
      "requests",
      "Requests",
      heading(
        "Service",
        "Requests",
        "What clients asked the service, on both chains, newest first; JSON-RPC at /rpc is not listed"
      ),
      card("Faults in force", faultTable(view.faults.list())),
      card(title, list, values.length > 0 && link(path, "Show all"))
    )
  })
