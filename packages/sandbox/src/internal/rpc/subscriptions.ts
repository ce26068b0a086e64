import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { Chain } from "../../Chain.js"
import { ethHeader, klayHeader, withBlobGas } from "./blocks.js"
import type { FindMethod } from "./envelope.js"
import { type LogFilter, logFilter, told, whyNotWatched, within } from "./logs.js"
import { type Failure, failure, invalidParams, limitExceeded, type Method, method, RpcFailure } from "./Method.js"
import { bool, id, optional, text } from "./ParamDecoder.js"
import { randomId } from "./randomId.js"

/** The namespaces that have subscriptions. */
const namespaces = ["eth", "klay", "kaia"] as const

/** A subscription: what it is for, and the namespace that it was made in, which decides its form. */
type Subscribed = { readonly namespace: typeof namespaces[number] } & Wanted

type Wanted =
  | { readonly kind: "newHeads" }
  | { readonly kind: "newPendingTransactions" }
  | { readonly kind: "syncing" }
  | { readonly kind: "logs"; readonly filter: LogFilter }

/** What can be subscribed to. */
const isKind = (name: string): name is Wanted["kind"] =>
  name === "newHeads" || name === "newPendingTransactions" || name === "syncing" || name === "logs"

/** How many subscriptions a connection may have. */
export const mostSubscriptions = 3_000

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

  /** Finds a method of the connection: of any namespace, though only some have subscriptions. */
  readonly find: FindMethod = (method) => {
    const [, name = "", verb] = /^([a-z0-9]+)_(subscribe|unsubscribe)$/.exec(method) ?? []
    if (verb === "unsubscribe") return this.#unsubscribe
    if (verb === undefined) return undefined
    const namespace = namespaces.find((known) => known === name)
    return namespace === undefined ? (_, [kind]) => noSubscription(kind, name) : this.#subscribe(namespace)
  }

  #subscribe(namespace: Subscribed["namespace"]): Method {
    const toLogs = method(
      [text, logFilter],
      (_, _name, filter) => whyNotWatched(filter) ?? this.#add({ namespace, kind: "logs", filter })
    )
    const toTransactions = method(
      [text, optional(bool)],
      // A node that is asked for whole transactions makes no subscription.
      (_, _name, isWhole) => isWhole === true ? notFound : this.#add({ namespace, kind: "newPendingTransactions" })
    )
    return (chain, params) => {
      const [name] = params
      if (typeof name !== "string" || !isKind(name)) return noSubscription(name, namespace)
      if (name === "logs") return toLogs(chain, params)
      if (name === "newPendingTransactions") return toTransactions(chain, params)
      return params.length > 1 ? tooMany : this.#add({ namespace, kind: name })
    }
  }

  get #unsubscribe(): Method {
    return method([id], (_, subscription) => {
      const found = this.#active.delete(subscription) || this.#fresh.delete(subscription)
      return found ? Effect.succeed(true) : notFound
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

const notFound = failure("subscription not found")

/** These subscriptions take nothing but their name. */
const tooMany = invalidParams("too many arguments, want at most 1")

const noSubscription = (name: unknown, namespace: string): RpcFailure =>
  typeof name !== "string" ? invalidParams("expected subscription name as first argument") : new RpcFailure({
    code: ServiceCode.jsonRpc.methodNotFound,
    message: `no "${name}" subscription in ${namespace} namespace`
  })

const resultsOf = (
  chain: Chain,
  block: BlockRecord,
  subscribed: Subscribed
): Effect.Effect<ReadonlyArray<unknown>, Failure> => {
  // A sandbox never syncs.
  if (subscribed.kind === "newPendingTransactions" || subscribed.kind === "syncing") return Effect.succeed([])
  if (subscribed.kind === "newHeads") {
    const header = subscribed.namespace === "eth" ? ethHeader : klayHeader
    return Effect.map(withBlobGas(chain, block), (shown) => [header(shown, chain)])
  }
  if (noLogs.test(block.logsBloom)) return Effect.succeed([])
  const { filter } = subscribed
  return Effect.map(told(chain, filter, ...within(filter, block.number, block.number)), ({ logs }) => logs)
}

const notification = (subscription: string, { namespace }: Subscribed, result: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method: `${namespace}_subscription`, params: { subscription, result } })
