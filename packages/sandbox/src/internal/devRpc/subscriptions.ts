import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { BlockRecord } from "../../BlockRecord.js"
import type { Chain } from "../../Chain.js"
import { ethHeader } from "../rpc/blocks.js"
import { type LogFilter, logFilter, searchWithin } from "../rpc/logs.js"
import { type Failure, failure, method, type Methods } from "../rpc/Method.js"
import { data, optional, text } from "../rpc/ParamDecoder.js"
import { limitExceeded, within } from "./filterMethods.js"
import { randomId } from "./Filters.js"

type Subscribed =
  | { readonly kind: "newHeads" }
  | { readonly kind: "newPendingTransactions" }
  | { readonly kind: "logs"; readonly filter: LogFilter }

/** What can be subscribed to. */
const isKind = (name: string): name is Subscribed["kind"] =>
  name === "newHeads" || name === "newPendingTransactions" || name === "logs"

/** How many subscriptions a connection may have. */
export const mostSubscriptions = 100

const noLogs = /^0x0*$/

/** What one connection has subscribed to. */
export class Subscriptions {
  readonly #active = new Map<Hex, Subscribed>()
  readonly #fresh = new Map<Hex, Subscribed>()

  /** Begins what was subscribed to since the last time: its client has the identifiers. */
  activate(): void {
    for (const [id, subscribed] of this.#fresh) this.#active.set(id, subscribed)
    this.#fresh.clear()
  }

  /** The notifications of a block, as JSON. */
  notifications(chain: Chain, block: BlockRecord): Effect.Effect<ReadonlyArray<string>, Failure> {
    const results = Effect.forEach(
      [...this.#active],
      ([id, subscribed]) =>
        Effect.map(resultsOf(chain, block, subscribed), (found) => found.map((result) => notification(id, result)))
    )
    return Effect.map(results, (lists) => lists.flat())
  }

  /** The notifications of a transaction that the pool has accepted, as JSON. */
  accepted(hash: Hex): ReadonlyArray<string> {
    return [...this.#active].flatMap(([id, { kind }]) =>
      kind === "newPendingTransactions" ? [notification(id, hash)] : []
    )
  }

  /** The methods of the connection. */
  readonly methods: Methods = {
    eth_subscribe: method([text, optional(logFilter)], (_, name, filter) => {
      if (!isKind(name)) {
        return failure(
          `no "${name}" subscription in eth namespace: there are newHeads, logs and newPendingTransactions`
        )
      }
      return this.#add(name === "logs" ? { kind: name, filter: filter ?? everything } : { kind: name })
    }),
    eth_unsubscribe: method([data], (_, id) => {
      const found = this.#active.delete(id) || this.#fresh.delete(id)
      return found ? Effect.succeed(true) : failure("subscription not found")
    })
  }

  #add(subscribed: Subscribed): Effect.Effect<Hex, Failure> {
    return Effect.suspend(() => {
      if (this.#active.size + this.#fresh.size >= mostSubscriptions) {
        return limitExceeded(`a connection has ${mostSubscriptions} subscriptions at most`)
      }
      const id = randomId()
      this.#fresh.set(id, subscribed)
      return Effect.succeed(id)
    })
  }
}

const everything: LogFilter = {
  blockHash: undefined,
  fromBlock: "latest",
  toBlock: "latest",
  addresses: [],
  topics: []
}

const resultsOf = (
  chain: Chain,
  block: BlockRecord,
  subscribed: Subscribed
): Effect.Effect<ReadonlyArray<unknown>, Failure> => {
  if (subscribed.kind === "newPendingTransactions") return Effect.succeed([])
  if (subscribed.kind === "newHeads") return Effect.succeed([ethHeader(block, chain)])
  if (noLogs.test(block.logsBloom)) return Effect.succeed([])
  return searchWithin(chain, subscribed.filter, ...within(subscribed.filter, block.number, block.number))
}

const notification = (subscription: Hex, result: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription, result } })
