/**
 * The blocks of a node, over its JSON-RPC: a `BlockSource` for `CatchUp`.
 *
 * **Details**
 *
 * Blocks with their transactions and receipts are read ahead, some blocks in a request. How many changes with how the
 * node answers: a request that fails halves the number, one that succeeds raises it. Receipts come from
 * `getBlockReceipts`, or one by one from a node that lacks it. Methods have the prefix `kaia` or `klay`, or `eth` for a
 * node of another program.
 *
 * No archive node is needed. A node keeps the state of its newest blocks only, so contracts are asked about the state of
 * a block if that is among the newest {@link stateDepth}. New contracts of older blocks are asked what they are on the state of the
 * oldest of these; `catchUp` asks about holders and tokens when it is near the head.
 *
 * Contracts are called many at a time, by one `eth_call` with code for that call alone in place of the caller's account; a contract sees
 * the same caller, and what can't be told so is asked by a call of its own, as all is from a node that takes no such calls.
 *
 * What the node says about a block is compared with itself: each transaction has its own receipt, logs are those of their
 * block and transaction, are numbered without a gap and give the block's bloom filter unless it is empty, and a trace fails where its receipt
 * does. Blocks that contradict themselves are asked for again, as often as the client's retry policy says: of many copies
 * of a node behind one address, another one may answer. Then reading fails as a `NodeFault` that names method and block.
 *
 * Methods and fields were read from the source of Kaia 2.2.1, and tried on a node of it.
 */
import * as Input from "@effect-klaytn/core/Input"
import type { ServiceClient } from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { BlockSource } from "./BlockSource.js"
import type { NodeFault } from "./IndexError.js"
import { findNamespace, NodeBlocks } from "./internal/node/NodeBlocks.js"
import { NodeTraces } from "./internal/node/NodeTraces.js"
import { ReadAhead } from "./internal/node/ReadAhead.js"
import * as requests from "./internal/node/requests.js"
import type { Viewer } from "./Viewer.js"

/**
 * Why a block can't be read: a `NodeFault`, or a failure on the way to the node.
 *
 * @category errors
 */
export type Failure = NodeFault | ServiceError

/**
 * The prefix of a node's methods.
 *
 * @category models
 */
export type Namespace = "kaia" | "klay" | "eth"

/**
 * How a node is asked.
 *
 * @category models
 */
export interface Options {
  /** Default: the first of `kaia`, `klay` and `eth` that the node has. */
  readonly namespace?: Namespace | undefined
  /** The most calls in a request, at least 1. Default: 100. */
  readonly maxCount?: number | undefined
  /** The most requests at the same time, from 1 to 1,000. Default: 4. */
  readonly concurrency?: number | undefined
  /**
   * The most blocks that are read at once, from 1 to 10,000; the next ones are read while these are stored. They are fewer where they
   * have more than 500 transactions, which bounds the memory. Default: 100.
   */
  readonly maxAhead?: number | undefined
  /**
   * Whether the node is asked what contracts move of coin, by `debug_traceBlockByHash` with the `callTracer`, or by
   * `debug_traceTransaction` of each transaction if it lacks that. The node needs the state of the block before each:
   * an archive node for old blocks. Default: false.
   */
  readonly trace?: boolean | undefined
}

/**
 * Where a node stands now.
 *
 * @category models
 */
export interface NodePlace {
  /** The chain that it is on. */
  readonly chainId: number
  /** Its height. */
  readonly head: number
  /** The hash of its block at the height that was asked for; none if it has no such block, or none was asked for. */
  readonly hash: Hex | undefined
}

/**
 * A node as a source of blocks.
 *
 * @category models
 */
export interface NodeSource extends BlockSource<Failure> {
  readonly namespace: Namespace
  /** The chain that the node was on when the source was made. */
  readonly chainId: number
  /**
   * The chain that the node is on now, its height, and its block at a height, in one request: another program may answer at its
   * address by now.
   */
  readonly place: (height?: number) => Effect.Effect<NodePlace, Failure>
  /** The height of the node. */
  readonly head: Effect.Effect<number, Failure>
  /** The state at the end of a block, or of the oldest block whose state the node has. Ask for {@link head} before. */
  readonly stateAt: (height: number) => Viewer<Failure>
  /** The first block at or after a Unix second; none if the newest one is older. */
  readonly heightAt: (unixSeconds: number) => Effect.Effect<number | undefined, Failure>
}

/**
 * How many of its newest blocks a node is relied on to have the state of. Kaia keeps 128; the difference is for blocks
 * that arrive between two questions.
 *
 * @category constants
 */
export const stateDepth: number = requests.stateDepth

const readOptions = Input.decode(
  "indexer.nodeSource",
  Schema.Struct({
    namespace: Schema.optional(Input.oneOf(Schema.Literal("kaia", "klay", "eth"), "expected kaia, klay or eth")),
    maxCount: Schema.optionalWith(Input.Count, { default: () => 100 }),
    concurrency: Schema.optionalWith(Input.wholeNumber("expected a whole number from 1 to 1000", 1, 1000), {
      default: () => 4
    }),
    maxAhead: Schema.optionalWith(Input.wholeNumber("expected a whole number from 1 to 10000", 1, 10_000), {
      default: () => 100
    }),
    trace: Schema.optionalWith(Schema.Boolean, { default: () => false })
  })
)

/**
 * A node as a source. `client` must be the client of the service `node`; core's `OwnNode` configures one for a node of
 * your own. Fails if the node can't be asked, and as `InvalidInput` for an option outside its range. Reading ahead ends
 * with the scope.
 *
 * @category constructors
 */
export const make = (
  client: ServiceClient,
  options: Options = {}
): Effect.Effect<NodeSource, Failure, Scope.Scope> =>
  Effect.gen(function*() {
    const { concurrency, maxAhead, maxCount, namespace: wanted, trace } = yield* readOptions(options)
    const ask = requests.make(client, { concurrency, maxCount })
    const namespace = yield* findNamespace(ask, wanted)
    const node = new NodeBlocks(ask, namespace, client.settings.retry, trace ? new NodeTraces(ask) : undefined)
    const ahead = new ReadAhead(
      (from, count) => node.range(from, count),
      ({ transactions }) => transactions.length,
      maxAhead,
      yield* Effect.scope
    )
    return {
      namespace,
      chainId: (yield* node.place()).chainId,
      place: (height) => node.place(height),
      head: node.head,
      stateAt: (height) => node.stateAt(height),
      heightAt: (unixSeconds) => node.heightAt(unixSeconds),
      // Asked when the chain may have changed: what was read ahead may be of the blocks before.
      headerHash: (height) => Effect.zipRight(ahead.forget, node.hash(height)),
      block: (height) => ahead.block(height)
    }
  })
