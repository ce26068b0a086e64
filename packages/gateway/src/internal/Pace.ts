/** How fast an index catches up, and what it waits for. */
import type { SourceBlock } from "@effect-klaytn/indexer/BlockSource"
import type { IndexStore } from "@effect-klaytn/indexer/IndexStore"
import type * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import type { Viewer } from "@effect-klaytn/indexer/Viewer"
import * as Effect from "effect/Effect"
import type { CatchingUp } from "../GatewayStatus.js"
import { time } from "./FollowProgress.js"

/** Over how long the pace is taken, in milliseconds. */
const span = 10_000

/** The time in which something is waited for, by one or by many at once, in milliseconds. */
class Waits {
  #count = 0
  #since = 0
  #total = 0

  /** Runs what waits. */
  readonly during = <A, E>(wait: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      Effect.map(time, (now) => {
        if (this.#count++ === 0) this.#since = now
      }),
      () => wait,
      () =>
        Effect.map(time, (now) => {
          if (--this.#count === 0) this.#total += now - this.#since
        })
    )

  upTo(now: number): number {
    return this.#total + (this.#count === 0 ? 0 : now - this.#since)
  }
}

interface Sample {
  readonly at: number
  readonly blocks: number
  readonly transactions: number
  readonly node: number
  readonly database: number
}

/** How fast this process adds blocks to its index. */
export class Pace {
  readonly #node = new Waits()
  readonly #database = new Waits()
  #blocks = 0
  #transactions = 0
  #samples: ReadonlyArray<Sample> = []

  /** Notes blocks that were added at a time of `time`. */
  added(transactions: number, now: number): void {
    this.#blocks++
    this.#transactions += transactions
    if (now - (this.#samples.at(-1)?.at ?? 0) < 1000) return
    this.#samples = [...this.#samples.filter(({ at }) => now - at <= span), this.#sample(now)]
  }

  /** The pace of the last seconds, of an index that lacks so many blocks; nothing as long as it is not known. */
  at(now: number, blocksLeft: number): CatchingUp | undefined {
    const first = this.#samples.find(({ at }) => now - at <= span)
    if (first === undefined || now <= first.at) return undefined
    const last = this.#sample(now)
    const milliseconds = now - first.at
    const perSecond = (name: "blocks" | "transactions"): number => (last[name] - first[name]) / milliseconds * 1000
    const blocksPerSecond = perSecond("blocks")
    const [node, database] = [last.node - first.node, last.database - first.database]
    const most = Math.max(node, database, milliseconds - node - database)
    return {
      blocksPerSecond,
      transactionsPerSecond: perSecond("transactions"),
      waitsFor: most === node ? "node" : most === database ? "database" : "cpu",
      ...(blocksPerSecond > 0 && { secondsLeft: Math.ceil(blocksLeft / blocksPerSecond) })
    }
  }

  /** A source whose answers are waited for. */
  source({ block, ...source }: NodeSource.NodeSource): NodeSource.NodeSource {
    const viewer = (one: Viewer<NodeSource.Failure>): Viewer<NodeSource.Failure> => ({
      get isLater() {
        return one.isLater
      },
      call: (call) => this.#node.during(one.call(call)),
      callAll: one.callAll && ((calls) => this.#node.during(one.callAll?.(calls) ?? Effect.succeed([]))),
      code: (address) => this.#node.during(one.code(address))
    })
    const timed = (found: SourceBlock<NodeSource.Failure> | undefined) =>
      found && { ...found, viewer: viewer(found.viewer) }
    return { ...source, block: (height) => Effect.map(this.#node.during(block(height)), timed) }
  }

  /** A store whose database is waited for. */
  store(store: IndexStore): IndexStore {
    const { during } = this.#database
    return {
      ...store,
      newest: during(store.newest),
      facts: (keys) => during(store.facts(keys)),
      questions: (limit) => during(store.questions(limit)),
      read: (keys) => during(store.read(keys)),
      apply: (changes) => during(store.apply(changes))
    }
  }

  #sample(at: number): Sample {
    return {
      at,
      blocks: this.#blocks,
      transactions: this.#transactions,
      node: this.#node.upTo(at),
      database: this.#database.upTo(at)
    }
  }
}
