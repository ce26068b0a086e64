/**
 * JSON-RPC methods for logs and polling filters.
 */
import * as Hash from "@effect-klaytn/core/Hash"
import * as Schema from "effect/Schema"
import * as params from "./internal/methods/params.js"
import { Log, type LogFilter } from "./Log.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"

const read = Method.makeIn("klay", "safe")
const once = Method.makeIn("klay", "once")

const ofFilter = (filter: LogFilter) => [Param.filter("filter", filter)]
const ofId = (filter: string) => [Param.text("filter", filter)]

/**
 * Logs by filter, and filters that a node keeps for the caller.
 *
 * **Gotchas**
 *
 * The hosted service was seen not to support polling filters, and behind a load balancer a call may reach a node other
 * than the one that keeps the filter. Use `getLogs`, `LogRange` and `BlockStream` instead. A filter that is not polled
 * for 5 minutes is dropped. `getFilterChanges` is never repeated: each change is returned once, so those in a lost
 * answer are lost.
 *
 * @category methods
 */
export const logMethods = {
  /**
   * [`klay_getLogs`](https://docs.kaia.io/references/json-rpc/klay/get-logs/): the logs that match; fails if there are
   * more than 10,000.
   */
  getLogs: read("getLogs", ofFilter, Schema.Array(Log)),
  /**
   * [`klay_newFilter`](https://docs.kaia.io/references/json-rpc/klay/new-filter/): creates a log filter on the node;
   * returns its ID.
   */
  newFilter: once("newFilter", ofFilter, Schema.String),
  /**
   * [`klay_newBlockFilter`](https://docs.kaia.io/references/json-rpc/klay/new-block-filter/): creates a filter for new
   * blocks on the node; returns its ID.
   */
  newBlockFilter: once("newBlockFilter", params.none, Schema.String),
  /**
   * [`klay_newPendingTransactionFilter`](https://docs.kaia.io/references/json-rpc/klay/new-pending-transaction-filter/):
   * creates a filter for pending transactions on the node; returns its ID.
   */
  newPendingTransactionFilter: once("newPendingTransactionFilter", params.none, Schema.String),
  /**
   * [`klay_getFilterChanges`](https://docs.kaia.io/references/json-rpc/klay/get-filter-changes/): what has arrived
   * since the last poll: logs, or hashes of blocks or transactions.
   */
  getFilterChanges: once("getFilterChanges", ofId, Schema.Array(Schema.Union(Hash.FromWire, Log))),
  /** [`klay_getFilterLogs`](https://docs.kaia.io/references/json-rpc/klay/get-filter-logs/): all logs of a filter. */
  getFilterLogs: read("getFilterLogs", ofId, Schema.Array(Log)),
  /**
   * [`klay_uninstallFilter`](https://docs.kaia.io/references/json-rpc/klay/uninstall-filter/): removes a filter; false
   * if there is none.
   */
  uninstallFilter: once("uninstallFilter", ofId, Schema.Boolean)
}
