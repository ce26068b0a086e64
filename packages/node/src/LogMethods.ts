/**
 * Methods about logs, and the polling filters.
 *
 * @since 0.1.0
 */
import * as Hash from "@effect-klaytn/core/Hash"
import * as Schema from "effect/Schema"
import { Log } from "./Log.js"
import type { LogFilter } from "./LogFilter.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"

const once = { namespace: "klay", safety: "once" } as const

/**
 * Logs by filter; and filters that a node keeps for the caller.
 *
 * **Gotchas**
 *
 * The hosted service was seen not to support the polling filters, and behind a load balancer another node may be asked
 * than the one that keeps them. Use `getLogs`, `LogRange` and `BlockStream`. A filter that was not asked for 5 minutes
 * is gone. What a lost answer of `getFilterChanges` held is lost, so it is never repeated.
 *
 * @since 0.1.0
 * @category methods
 */
export const logMethods = {
  getLogs: Method.make({
    namespace: "klay",
    safety: "safe",
    name: "getLogs",
    summary: "The logs that match; at most 10,000, fails beyond",
    params: (filter: LogFilter) => [Param.filter("filter", filter)],
    result: Schema.Array(Log)
  }),
  newFilter: Method.make({
    ...once,
    name: "newFilter",
    summary: "Has the node keep a filter for logs; its ID",
    params: (filter: LogFilter) => [Param.filter("filter", filter)],
    result: Schema.String
  }),
  newBlockFilter: Method.make({
    ...once,
    name: "newBlockFilter",
    summary: "Has the node keep a filter for new blocks; its ID",
    params: () => [],
    result: Schema.String
  }),
  newPendingTransactionFilter: Method.make({
    ...once,
    name: "newPendingTransactionFilter",
    summary: "Has the node keep a filter for transactions in the pool; its ID",
    params: () => [],
    result: Schema.String
  }),
  getFilterChanges: Method.make({
    ...once,
    name: "getFilterChanges",
    summary: "What came since the last time: logs, or hashes of blocks or transactions",
    params: (filter: string) => [Param.text("filter", filter)],
    result: Schema.Array(Schema.Union(Hash.FromWire, Log))
  }),
  getFilterLogs: Method.make({
    namespace: "klay",
    safety: "safe",
    name: "getFilterLogs",
    summary: "All logs of a filter",
    params: (filter: string) => [Param.text("filter", filter)],
    result: Schema.Array(Log)
  }),
  uninstallFilter: Method.make({
    ...once,
    name: "uninstallFilter",
    summary: "Drops a filter; false if there is none",
    params: (filter: string) => [Param.text("filter", filter)],
    result: Schema.Boolean
  })
}
