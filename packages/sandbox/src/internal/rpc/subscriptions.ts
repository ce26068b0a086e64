import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { Chain } from "../../Chain.js"
import { ethHeader, klayHeader } from "./blocks.js"
import { type LogFilter, logFilter, searchWithin, whyNotWatched, within } from "./logs.js"
import { type Failure, failure, limitExceeded, type Method, method, type Methods } from "./Method.js"
import { id, optional, text } from "./ParamDecoder.js"
import { randomId } from "./randomId.js"

/** The namespaces that have subscriptions. */
const namespaces = ["eth", "klay", "kaia"] as const

/** A subscription: what it is for, and the namespace that it was made in, which decides its form. */
type Subscribed = { readonly namespace: typeof namespaces[number] } & Wanted

type Wanted =
  | { readonly kind: "newHeads" }
  | { readonly kind: "newPendingTransactions" }
  | { readonly kind: "logs"; readonly filter: LogFilter }

/** What can be subscribed to. */
const isKind = (name: string): name is Wanted["kind"] =>
  name === "newHeads" || name === "newPendingTransactions" || name === "logs"

/** How many subscriptions a connection may have. */
export const mostSubscriptions = 100

const noLogs = /^0x0*$/

/** What one connection has subscribed to. */
export class Subscriptions {
  readonly #active = new Map<string, Subscribed>()
  readonly #fresh = new Map<string, Subscribed>()

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
        Effect.map(
          resultsOf(chain, block, subscribed),
          (found) => found.map((result) => notification(id, subscribed, result))
        )
    )
    return Effect.map(results, (lists) => lists.flat())
  }

  /** The notifications of a transaction that the pool has accepted, as JSON. */
  accepted(hash: Hex): ReadonlyArray<string> {
    return [...this.#active].flatMap(([id, subscribed]) =>
      subscribed.kind === "newPendingTransactions" ? [notification(id, subscribed, hash)] : []
    )
  }

  /** The methods of the connection. */
  readonly methods: Methods = Object.fromEntries(namespaces.flatMap((namespace) => [
    [`${namespace}_subscribe`, this.#subscribe(namespace)],
    [`${namespace}_unsubscribe`, this.#unsubscribe]
  ]))

  #subscribe(namespace: Subscribed["namespace"]): Method {
    return method([text, optional(logFilter)], (_, name, filter) => {
      if (!isKind(name)) {
        return failure(
          `no "${name}" subscription in ${namespace} namespace: there are newHeads, logs and newPendingTransactions`
        )
      }
      const refusal = name === "logs" && filter !== undefined ? whyNotWatched(filter) : undefined
      return refusal ?? this.#add(
        name === "logs" ? { namespace, kind: name, filter: filter ?? everything } : { namespace, kind: name }
      )
    })
  }

  get #unsubscribe(): Method {
    return method([id], (_, subscription) => {
      const found = this.#active.delete(subscription) || this.#fresh.delete(subscription)
      return found ? Effect.succeed(true) : failure("subscription not found")
    })
  }

  #add(subscribed: Subscribed): Effect.Effect<Hex, Failure> {
    return Effect.suspend(() => {
      if (this.#active.size + this.#fresh.size >= mostSubscriptions) {
        return limitExceeded(`a connection has ${mostSubscriptions} subscriptions at most`)
      }
      const subscription = randomId()
      this.#fresh.set(subscription, subscribed)
      return Effect.succeed(subscription)
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
  if (subscribed.kind === "newHeads") {
    const header = subscribed.namespace === "eth" ? ethHeader : klayHeader
    return Effect.succeed([header(block, chain)])
  }
  if (noLogs.test(block.logsBloom)) return Effect.succeed([])
  return searchWithin(chain, subscribed.filter, ...within(subscribed.filter, block.number, block.number))
}

const notification = (subscription: string, { namespace }: Subscribed, result: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method: `${namespace}_subscription`, params: { subscription, result } })
