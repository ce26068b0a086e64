/**
 * The methods of the node that a gateway passes on, and their limits.
 *
 * **Details**
 *
 * The methods are those of `Methods` of `@effect-klaytn/node`, which has the chain's documented methods: all that read, and
 * those that send a raw transaction, each as `klay_`, `kaia_` or `eth_`. Every other method is refused with -32601, such as
 * those of the namespaces `debug`, `admin`, `personal` and `txpool`. So are those of the list that concern the node itself
 * (its accounts, its mining and its console), and filters, which are kept in the memory of one node.
 *
 * Requests are written anew for the node: neither the caller's headers and IDs nor anything besides method and parameters
 * reach the node. A request is sent once and never repeated, so a raw transaction reaches the node at most once for each
 * request.
 */
import * as Methods from "@effect-klaytn/node/Methods"

/** Methods that concern the node itself, or a filter in the memory of one node. */
const withheld: ReadonlySet<string> = new Set([
  "accounts",
  "coinbase",
  "etherbase",
  "getFilterLogs",
  "getWork",
  "isConsoleLogEnabled",
  "nodeAddress",
  "rewardbase"
])

const withoutNamespace = (method: string): string => method.slice(method.indexOf("_") + 1)

/**
 * Whether a method is passed on, by its name on the wire, such as `klay_getBalance`.
 *
 * @category guards
 */
export const isServed = (method: string): boolean => {
  const safety = Methods.safetyOf(method)
  return (safety === "safe" || safety === "keyed") && !withheld.has(withoutNamespace(method))
}

/**
 * Whether a method changes something: a raw transaction.
 *
 * @category guards
 */
export const isWrite = (method: string): boolean => Methods.safetyOf(method) !== "safe"

/**
 * The limits of requests to the node. The size of a request is limited by `maxBytes` of `Route` of
 * `@effect-klaytn/indexer`.
 *
 * @category constants
 */
export const limits = {
  /** Calls in a request. */
  calls: 1000,
  /** Bytes of the node's answer. */
  answerBytes: 32 * 1024 * 1024,
  /** Seconds until the node has to have answered. */
  seconds: 25,
  /** Requests to the node at the same time; others wait within their time. */
  concurrency: 64,
  /** Of these, those of one caller. */
  concurrencyOfCaller: 16
} as const
