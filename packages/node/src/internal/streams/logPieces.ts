/** The logs of some blocks, of which none may be left out. */
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import { isTransient } from "@effect-klaytn/core/SeenBlocks"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { blockMethods } from "../../BlockMethods.js"
import type { Service } from "../../KlaytnNode.js"
import type { Log, LogFilter } from "../../Log.js"
import { logMethods } from "../../LogMethods.js"
import * as Method from "../../Method.js"
import type { RpcError } from "../../RpcError.js"
import { isFromOneExchange } from "../calls/methodLists.js"

type Filter = Pick<LogFilter, "address" | "topics">

/** Logs; none as long as the node lacks a block. */
export type Found = Effect.Effect<Option.Option<ReadonlyArray<Log>>, RpcError | ReadError>

/**
 * The logs of blocks by their hashes, which a node that lacks one of them refuses; none as long as it does. It takes two calls a block, and
 * each may be answered by another node.
 */
const byHash = Effect.fnUntraced(function*(node: Service, filter: Filter, from: bigint, to: bigint) {
  const heights = Array.from({ length: Number(to - from) + 1 }, (_, index) => [from + BigInt(index)] as const)
  // Every node has this method; not every one has that of a header alone.
  const blocks = yield* Either.all(yield* node.runEach(blockMethods.getBlockByNumber, heights))
  const logs = yield* node.runEach(
    logMethods.getLogs,
    blocks.map(({ hash }) => [{ blockHash: hash, ...filter }] as const)
  )
  return (yield* Either.all(logs)).flat()
})

/** Whether the node may answer the same soon: it throttles, failed, or could not be reached. */
const mayPass = (result: Either.Either<unknown, RpcError | ReadError>): boolean => {
  if (Either.isRight(result)) return false
  const error = result.left
  switch (error._tag) {
    case "RateLimited":
    case "TimedOut":
    case "TransportFailed":
    case "Unavailable":
      return true
    case "RpcFailed":
      return isTransient({ code: error.code, message: error.serviceMessage })
    default:
      return false
  }
}

/** How often a pair is asked for as a whole before its halves may come from two copies of a node. */
const asWhole = 4

/** Clients whose last pair came apart each time. They ask once from then on, until one comes whole. */
const apart = new WeakSet<Service>()

/** The answers of two calls, in one exchange if it can be had: what came apart, or may pass, is asked again as a whole at first. */
const wholePair = <Pair extends ReadonlyArray<Either.Either<unknown, RpcError | ReadError>>, E>(
  node: Service,
  pair: Effect.Effect<Pair, E>,
  made = 1
): Effect.Effect<Pair, E> =>
  Effect.gen(function*() {
    const results = yield* RetryPolicy.withRetryPolicy(pair, RetryPolicy.none)
    const mayPassSoon = results.some(mayPass)
    if (isFromOneExchange(results) && !mayPassSoon) {
      apart.delete(node)
      return results
    }
    if (made >= asWhole || apart.has(node)) {
      apart.add(node)
      return mayPassSoon ? yield* pair : results
    }
    yield* Effect.flatMap(RetryPolicy.delay(RetryPolicy.defaultPolicy, made), Effect.sleep)
    return yield* wholePair(node, pair, made + 1)
  })

/**
 * The logs of some blocks, from a node that has the last one; none if it doesn't. Both are asked for in one request, the block first: one
 * node answers both. At first no half is repeated alone: another node might answer it. If the request goes on failing, or is refused for
 * its size, the client does what it does for any, and if the halves come in two then, the blocks from `newest` on are asked for by their
 * hashes.
 */
export const withLastBlock: (node: Service, filter: Filter, from: bigint, to: bigint, newest: bigint) => Found = Effect
  .fnUntraced(function*(node, filter, from, to, newest) {
    const pair = node.runAll([
      Method.call(blockMethods.getBlockTransactionCountByNumber, to),
      Method.call(logMethods.getLogs, { fromBlock: from, toBlock: to, ...filter })
    ])
    const results = yield* wholePair(node, pair)
    const [count, logs] = results
    // A node without this method is believed.
    const found = yield* Effect.catchTag(count, "MethodNotFound", () => Effect.succeedSome(0n))
    if (Option.isNone(found)) return Option.none()
    const given = yield* logs
    if (isFromOneExchange(results)) return Option.some(given)
    const border = newest > from ? newest : from
    const older = from < border ? yield* node.klay.getLogs({ fromBlock: from, toBlock: border - 1n, ...filter }) : []
    return Option.some([...older, ...yield* byHash(node, filter, border, to)])
  })

/** Whether a log has one of the wanted values: of one, of any of a list, or of any at all. */
const isOneOf = (
  value: string | undefined,
  wanted: string | null | undefined | ReadonlyArray<string | null>
): boolean =>
  wanted === null || wanted === undefined ||
  (Array.isArray(wanted) ? wanted : [wanted]).some((one: string | null) => one === null || one.toLowerCase() === value)

/** As a node matches: the log has as many topics as the filter at least. */
const matches = ({ address, topics = [] }: Filter) => (log: Log): boolean =>
  isOneOf(log.address, address) && log.topics.length >= topics.length &&
  topics.every((wanted, place) => isOneOf(log.topics[place], wanted))

/** The logs of one block, from its receipts. */
export const ofReceipts = Effect.fnUntraced(function*(node: Service, filter: Filter, height: bigint) {
  const block = yield* node.klay.getBlockByNumber(height)
  const receipts = yield* node.klay.getBlockReceipts(block.hash ?? height)
  return receipts.flatMap(({ logs }) => logs).filter(matches(filter))
})
