/** What both sides tell without being asked: subscriptions over WebSocket, and filters that are polled. */
import { WebSocket } from "undici"
import type { Differences } from "./differences.js"
import { type Reply, type Side, sleep } from "./sides.js"

/** How long one answer may take. */
const longest = 30_000

/** What is subscribed to, or what filters are for. */
type Watched = "heads" | "logs" | "transactions" | "syncing"

interface Subscription {
  readonly watched: Watched
  readonly params: ReadonlyArray<unknown>
  readonly namespace: string
}

const filters = [{}, { topics: [[null]] }, { topics: [], address: [] }] as const

const subscriptions: ReadonlyArray<Subscription> = ["eth", "klay", "kaia"].flatMap((namespace) => [
  { namespace, watched: "heads" as const, params: ["newHeads"] },
  ...filters.map((filter) => ({ namespace, watched: "logs" as const, params: ["logs", filter] })),
  { namespace, watched: "transactions" as const, params: ["newPendingTransactions"] },
  { namespace, watched: "syncing" as const, params: ["syncing"] }
])

/** Messages whose answers are compared: what is not subscribed to, and what is no call. */
const messages: ReadonlyArray<unknown> = [
  ...[[], ["nothing"], [1], ["logs"], ["logs", {}, 1], ["logs", { address: 1 }], ["logs", { fromBlock: "pending" }]],
  ...[["newHeads", true], ["newPendingTransactions", true], ["newPendingTransactions", false], ["syncing", 1]]
].map((params) => ({ method: "eth_subscribe", params })).concat([
  { method: "net_subscribe", params: ["newHeads"] },
  { method: "debug_subscribe", params: ["newHeads"] },
  { method: "eth_unsubscribe", params: ["0x1"] },
  { method: "klay_unsubscribe", params: [] },
  { method: "web3_unsubscribe", params: ["0x1"] },
  { method: "eth_chainId", params: [] }
])

/** A connection to one side, with what it was told. */
class Connection {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  readonly #told = new Map<string, Array<unknown>>()
  #next = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data))))
  }

  static open(url: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url)
      socket.addEventListener("open", () => resolve(new Connection(socket)))
      socket.addEventListener("error", () => reject(new Error(`no WebSocket at ${url}`)))
    })
  }

  #receive(
    message: Reply & { readonly id?: number; readonly params?: { subscription: string; result: unknown } }
  ): void {
    if (message.params !== undefined) {
      const { result, subscription } = message.params
      this.#told.set(subscription, [...this.#told.get(subscription) ?? [], result])
    } else if (message.id !== undefined) {
      const { error, result } = message
      this.#waiting.get(message.id)?.(error === undefined ? { result } : { error })
      this.#waiting.delete(message.id)
    }
  }

  async ask(message: object): Promise<Reply | "no answer"> {
    const id = this.#next++
    const answered = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...message }))
    return Promise.race([answered, sleep(longest).then(() => "no answer" as const)])
  }

  /** What a subscription was told of blocks up to one, or of anything that is in no block. */
  take(subscription: string, last: number): ReadonlyArray<unknown> {
    const all = this.#told.get(subscription) ?? []
    const isLater = (one: unknown): boolean => heightOf(one) > last
    this.#told.set(subscription, all.filter(isLater))
    return all.filter((one) => !isLater(one))
  }

  close(): void {
    this.#socket.close()
  }
}

const heightOf = (told: unknown): number => {
  const { blockNumber, number } = told as { readonly blockNumber?: string; readonly number?: string }
  return Number(number ?? blockNumber ?? -1)
}

const filterOf: Readonly<Record<"heads" | "logs" | "transactions", ReadonlyArray<unknown>>> = {
  heads: ["newBlockFilter"],
  logs: ["newFilter", { fromBlock: "latest" }],
  transactions: ["newPendingTransactionFilter"]
}

/** Listens to both sides, and compares what they tell. */
export class Listening {
  readonly #ids: Array<readonly [Subscription, node: string, sandbox: string]> = []
  /** The transactions that were told of, by subscription or filter: one that the sandbox gets again is told of again. */
  readonly #known = new Map<string, Set<unknown>>()
  readonly #filters: Array<readonly [namespace: string, watched: Watched, node: unknown, sandbox: unknown]> = []

  private constructor(
    readonly differences: Differences,
    readonly sides: readonly [Side, Side],
    readonly connections: readonly [Connection, Connection]
  ) {}

  /** Compares the answers to messages of every form, and subscribes. */
  static async begin(
    differences: Differences,
    sides: readonly [Side, Side],
    urls: readonly [string, string]
  ): Promise<Listening> {
    const connections = await Promise.all([Connection.open(urls[0]), Connection.open(urls[1])])
    const listening = new Listening(differences, sides, connections)
    for (const message of messages) {
      const [theirs, ours] = await listening.#ask(message as object)
      const isId = (reply: Reply | "no answer"): boolean =>
        reply !== "no answer" && typeof reply.result === "string" && reply.result !== "0x3e9"
      // The names of subscriptions are random.
      if (!isId(theirs) || !isId(ours)) differences.compare("message", JSON.stringify(message), theirs, ours)
    }
    for (const one of subscriptions) {
      const [theirs, ours] = await listening.#ask({ method: `${one.namespace}_subscribe`, params: one.params })
      if (theirs === "no answer" || ours === "no answer") throw new Error(`no answer to ${JSON.stringify(one)}`)
      listening.#ids.push([one, String(theirs.result), String(ours.result)])
    }
    await listening.#makeFilters()
    return listening
  }

  /** What is compared: of transactions those that are new, in no order, since each side looks at its pool in its own. */
  #shown(watched: Watched, id: unknown, told: ReadonlyArray<unknown>): ReadonlyArray<unknown> {
    if (watched !== "transactions") return told
    const known = this.#known.get(String(id)) ?? new Set()
    this.#known.set(String(id), known)
    const fresh = [...new Set(told)].filter((one) => !known.has(one))
    for (const one of fresh) known.add(one)
    return fresh.toSorted()
  }

  #ask(message: object) {
    const [node, sandbox] = this.connections
    return Promise.all([node.ask(message), sandbox.ask(message)])
  }

  async #makeFilters(): Promise<void> {
    for (const namespace of ["eth", "klay", "kaia"]) {
      for (const watched of ["heads", "logs", "transactions"] as const) {
        const [name, ...params] = filterOf[watched]
        const [node, sandbox] = await Promise.all(
          this.sides.map((side) => side.result(`${namespace}_${String(name)}`, ...params))
        )
        this.#filters.push([namespace, watched, node, sandbox])
      }
    }
  }

  /** Forgets what was told until both stood at a block: they did not begin to listen at the same one. */
  async skip(last: number): Promise<void> {
    const [node, sandbox] = this.connections
    for (const [, theirs, ours] of this.#ids) {
      node.take(theirs, last)
      sandbox.take(ours, last)
    }
    for (const [namespace, , theirs, ours] of this.#filters) {
      const method = `${namespace}_getFilterChanges`
      await Promise.all([this.sides[0].result(method, theirs), this.sides[1].result(method, ours)])
    }
  }

  /** Compares what both told of the blocks up to one that both have. Filters are asked while both stand at it. */
  async compare(last: number, isAtLast: boolean): Promise<number> {
    const [node, sandbox] = this.connections
    let told = 0
    for (const [{ namespace, params, watched }, theirs, ours] of this.#ids) {
      const left = this.#shown(watched, theirs, node.take(theirs, last))
      const right = this.#shown(watched, ours, sandbox.take(ours, last))
      told += left.length
      this.differences.compare(`told of ${watched} by ${namespace}`, JSON.stringify(params), left, right)
    }
    if (!isAtLast) return told
    for (const [namespace, watched, theirs, ours] of this.#filters) {
      const method = `${namespace}_getFilterChanges`
      const [left, right] = await Promise.all([
        this.sides[0].result(method, theirs),
        this.sides[1].result(method, ours)
      ]) as [ReadonlyArray<unknown>, ReadonlyArray<unknown>]
      told += left.length
      this.differences.compare(
        `filter of ${watched} by ${namespace}`,
        `the changes of a filter of ${watched}`,
        watched === "heads" ? left.length : this.#shown(watched, theirs, left),
        watched === "heads" ? right.length : this.#shown(watched, ours, right)
      )
    }
    return told
  }

  end(): void {
    for (const connection of this.connections) connection.close()
  }
}
