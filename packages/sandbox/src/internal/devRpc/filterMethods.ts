import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { logFilter, search, told, whyNotWatched, within } from "../rpc/logs.js"
import {
  type Failure,
  failure,
  inNamespaces,
  limitExceeded,
  method,
  type Methods,
  type RpcFailure
} from "../rpc/Method.js"
import { id } from "../rpc/ParamDecoder.js"
import type { DevRpcState } from "./DevRpcState.js"
import { type Filter, filterLimits, type Filters, type Watched } from "./Filters.js"

const notFound = failure("filter not found")

/** How many blocks one poll reports at most; older ones are left out. */
const mostBlocks = 10_000

const add = (chain: Chain, filters: Filters, watched: Watched): Effect.Effect<Hex, Failure> =>
  Effect.gen(function*() {
    const { number } = yield* chain.head
    const { times } = yield* chain.setBacks(0)
    const id = filters.add({ watched, next: number + 1, setBacks: times }, yield* Clock.currentTimeMillis)
    return id ?? (yield* limitExceeded(`a chain has ${filterLimits.filters} filters at most`))
  })

const find = (filters: Filters, name: string): Effect.Effect<Filter, RpcFailure> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const filter = filters.get(name, now)
    return filter === undefined ? notFound : Effect.succeed(filter)
  })

/** The hashes of what `read` finds at each height; of more than {@link mostBlocks} heights, at the highest ones. */
const hashesOf = (
  first: number,
  last: number,
  read: (height: number) => Effect.Effect<Iterable<{ readonly hash: Hex }>, StoreFailure>
): Effect.Effect<ReadonlyArray<Hex>, StoreFailure> => {
  const begin = Math.max(first, last - mostBlocks + 1)
  const heights = Array.from({ length: Math.max(0, last - begin + 1) }, (_, index) => begin + index)
  return Effect.map(
    Effect.forEach(heights, read),
    (lists) => lists.flatMap((list) => Array.from(list, ({ hash }) => hash))
  )
}

/** What a poll is told, and the last block of that: of many logs, the next poll has the rest. */
interface Report {
  readonly found: ReadonlyArray<unknown>
  readonly last: number
}

const report = (
  chain: Chain,
  watched: Watched,
  first: number,
  last: number
): Effect.Effect<Report, Failure> => {
  switch (watched.kind) {
    case "logs": {
      const [from, to] = within(watched.filter, first, last)
      return Effect.map(
        told(chain, watched.filter, from, to),
        (found) => ({ found: found.logs, last: found.last < to ? found.last : last })
      )
    }
    case "blocks":
      return Effect.map(
        hashesOf(first, last, (height) => Effect.map(chain.block(height), Option.toArray)),
        (found) => ({ found, last })
      )
    case "transactions":
      return Effect.map(chain.told(watched.told), ({ count, hashes }) => {
        watched.told = count
        return { found: [...new Set(hashes)], last }
      })
  }
}

/**
 * The changes since the last poll that was answered. If the chain was set back in between, a filter continues with the blocks that
 * follow the one that it was set back to.
 */
const changes = (chain: Chain, filter: Filter): Effect.Effect<ReadonlyArray<unknown>, Failure> =>
  Effect.gen(function*() {
    const { number } = yield* chain.head
    const { next, setBacks, watched } = filter
    const { lowest = number, times } = yield* chain.setBacks(setBacks)
    const first = Math.min(next, number + 1, lowest + 1)
    filter.next = number + 1
    filter.setBacks = times
    const { found, last } = yield* Effect.onError(report(chain, watched, first, number), () =>
      Effect.sync(() => {
        filter.next = first
      }))
    filter.next = Math.min(filter.next, last + 1)
    return found
  })

/** Filters that clients poll, by the names of their methods without a namespace. */
const polled = (filters: Filters): Methods => ({
  newFilter: method([logFilter], (chain, filter) => {
    const refusal = whyNotWatched(filter)
    return refusal ?? add(chain, filters, { kind: "logs", filter })
  }),
  newBlockFilter: method([], (chain) => add(chain, filters, { kind: "blocks" })),
  newPendingTransactionFilter: method(
    [],
    (chain) => Effect.flatMap(chain.told(), ({ count }) => add(chain, filters, { kind: "transactions", told: count }))
  ),
  getFilterChanges: method(
    [id],
    (chain, name) => Effect.flatMap(find(filters, name), (filter) => changes(chain, filter))
  ),
  getFilterLogs: method(
    [id],
    (chain, name) =>
      Effect.flatMap(
        find(filters, name),
        ({ watched }) => watched.kind === "logs" ? search(chain, watched.filter) : notFound
      )
  ),
  uninstallFilter: method([id], (_, name) => Effect.sync(() => filters.remove(name)))
})

/** Filters that clients poll, each under the namespace that it was made in. */
export const filterMethods = ({ filters: { eth, klay } }: DevRpcState): Methods => ({
  ...inNamespaces(["eth"], polled(eth)),
  ...inNamespaces(["klay", "kaia"], polled(klay))
})
