/** The logs of some blocks, of which none may be left out. */
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import { isTransient } from "@effect-klaytn/core/SeenBlocks"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { blockMethods } from "../../BlockMethods.js"
import type { Service } from "../../KlaytnNode.js"
import type { Log, LogFilter } from "../../Log.js"
import { logMethods } from "../../LogMethods.js"
import * as Method from "../../Method.js"
import type { RpcError } from "../../RpcError.js"
import { isWanted } from "../calls/contradiction.js"
import { isFromOneExchange } from "../calls/methodLists.js"
import * as failure from "../errors/failure.js"
import * as schemas from "../records/schemas.js"
import * as widths from "./searchWidths.js"

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

/** Whether the node may answer soon: it throttles, failed, answered something else, or could not be reached. */
const mayPass = (result: Either.Either<unknown, RpcError | ReadError>): boolean => {
  if (Either.isRight(result)) return false
  const error = result.left
  if (failure.isContradiction(error)) return true
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

/** Clients of nodes that count no transactions. */
const countless = new WeakSet<Service>()

/** A block, of which nothing is read. Every node has this method. */
const anyBlock = Method.make({ ...blockMethods.getBlockByNumber, result: schemas.orNone(Schema.Unknown) })

/** What a node that lacks a block refuses, or answers with none. The count is shorter than the block. */
const presence = (node: Service, height: bigint) =>
  countless.has(node)
    ? Method.call(anyBlock, height)
    : Method.call(blockMethods.getBlockTransactionCountByNumber, height)

type Answer = Either.Either<Option.Option<unknown>, RpcError | ReadError>

/** Whether an answer about a block shows that the node has it. A node that has neither method is believed. */
const isThere = (node: Service, answer: Answer): Effect.Effect<boolean, RpcError | ReadError> =>
  Effect.catchTags(Effect.map(answer, Option.isSome), {
    BlockNotFound: () => Effect.succeed(false),
    MethodNotFound: (error) => countless.has(node) ? Effect.succeed(true) : Effect.fail(error)
  })

/** Runs what asks a node whether it has a block, again with the block where it counts no transactions. */
const counted = <A>(
  node: Service,
  ask: Effect.Effect<A, RpcError | ReadError>
): Effect.Effect<A, RpcError | ReadError> =>
  Effect.catchTag(
    ask,
    "MethodNotFound",
    (error) => countless.has(node) ? Effect.fail(error) : Effect.zipRight(Effect.sync(() => countless.add(node)), ask)
  )

/** Whether the node has a block. */
export const hasBlock = (node: Service, height: bigint): Effect.Effect<boolean, RpcError | ReadError> =>
  counted(
    node,
    Effect.suspend(() => Effect.flatMap(node.runAll([presence(node, height)]), ([answer]) => isThere(node, answer)))
  )

/**
 * The logs of some blocks, from a node that has the last one; none if it doesn't. Both are asked for in one request, the block first: one
 * node answers both. At first no half is repeated alone: another node might answer it. If the request goes on failing, or is refused for
 * its size, the client does what it does for any, and if the halves come in two then, the blocks from `newest` on are asked for by their
 * hashes. A client whose requests come apart asks for the logs of older blocks alone.
 */
export const withLastBlock = (node: Service, filter: Filter, from: bigint, to: bigint, newest: bigint): Found => {
  const older = (last: bigint) => node.klay.getLogs({ fromBlock: from, toBlock: last, ...filter })
  const both = Effect.gen(function*() {
    const pair = node.runAll([
      presence(node, to),
      Method.call(logMethods.getLogs, { fromBlock: from, toBlock: to, ...filter })
    ])
    const results = yield* wholePair(node, pair)
    const [block, logs] = results
    if (!(yield* isThere(node, block))) return Option.none()
    const given = yield* logs
    if (isFromOneExchange(results)) return Option.some(given)
    const border = newest > from ? newest : from
    const before = from < border ? yield* older(widths.least(border - 1n, to)) : []
    return Option.some(border > to ? before : [...before, ...yield* byHash(node, filter, border, to)])
  })
  return Effect.suspend(() => to < newest && apart.has(node) ? Effect.asSome(older(to)) : counted(node, both))
}

/** The logs of one block, from its receipts. */
export const ofReceipts = Effect.fnUntraced(function*(node: Service, filter: Filter, height: bigint) {
  const block = yield* node.klay.getBlockByNumber(height)
  const receipts = yield* node.klay.getBlockReceipts(block.hash ?? height)
  return receipts.flatMap(({ logs }) => logs).filter(isWanted(filter))
})
