import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BlockRecord } from "../../BlockRecord.js"
import type { StoreFailure } from "../../ChainError.js"
import { Numeral } from "./Json.js"
import type { NodeChain } from "./NodeChain.js"
import { hash, heightOf, isRecord, type Reader, reader, Unreadable } from "./Reader.js"
import { failed, type RpcFailure } from "./RpcFailure.js"

/** A block by height or tag; `latest` stands for `safe` and `finalized` too, since blocks are final at once. */
export type NumberSelector = bigint | "latest" | "pending"

/** The same, or by hash; nothing where an object names neither. */
export type Selector = NumberSelector | { readonly hash: Hex } | undefined

const tags: ReadonlyMap<unknown, NumberSelector> = new Map<unknown, NumberSelector>([
  ["earliest", 0n],
  ["latest", "latest"],
  ["safe", "latest"],
  ["finalized", "latest"],
  ["pending", "pending"]
])

const maxHeight = 2n ** 63n - 1n

const numberOf = (value: unknown, tooHigh: string): NumberSelector | Unreadable => {
  const tag = tags.get(value)
  if (tag !== undefined) return tag
  const height = heightOf(value)
  if (typeof height === "string") return new Unreadable(height)
  return height > maxHeight ? new Unreadable(tooHigh) : height
}

/** Reads a height or tag. A null is the height 0, as for a node. */
export const blockNumber: Reader<NumberSelector> = reader((value) =>
  value === null ? 0n : numberOf(value, "Blocknumber too high")
)

/** Reads a height, tag or hash, also as an object. */
export const blockNumberOrHash: Reader<Selector> = reader((value) => {
  if (value === null) return undefined
  if (typeof value === "string" && value.length === 66 && !tags.has(value)) {
    const read = hash.read(value)
    return read instanceof Unreadable ? read : { hash: read }
  }
  return isRecord(value) ? ofObject(value) : Array.isArray(value) || typeof value === "boolean"
    ? new Unreadable(Array.isArray(value) ? "array" : "bool", "string")
    : typeof value === "number" || value instanceof Numeral
    ? ofNumber(value)
    : numberOf(value, "blocknumber too high")
})

const ofNumber = (value: unknown): Selector | Unreadable => {
  const height = numberOf(value, "blocknumber too high")
  return height instanceof Unreadable ? new Unreadable("number", "string") : height
}

const ofObject = (value: { readonly [key: string]: unknown }): Selector | Unreadable => {
  const number = value["blockNumber"] ?? undefined
  const blockHash = value["blockHash"] ?? undefined
  const byNumber = number === undefined ? undefined : blockNumber.read(number)
  const byHash = blockHash === undefined ? undefined : hash.read(blockHash)
  const { requireCanonical } = value
  const isFlag = requireCanonical === undefined || requireCanonical === null || typeof requireCanonical === "boolean"
  if (!isFlag || byNumber instanceof Unreadable || byHash instanceof Unreadable) {
    return new Unreadable("object", "string")
  }
  if (byNumber !== undefined && byHash !== undefined) {
    return new Unreadable("cannot specify both BlockHash and BlockNumber, choose one or the other")
  }
  return byHash === undefined ? byNumber : { hash: byHash }
}

/** What a search is for: the words of its failure differ. */
type Sought = "block" | "header" | "state"

/**
 * What `pending` is as a block. No block is built that anybody could look at: it is the latest one, as for the nodes that
 * serve clients, or it is refused, as by those that have nothing to show.
 */
export class PendingBlock extends Context.Reference<PendingBlock>()("@effect-klaytn/sandbox/PendingBlock", {
  defaultValue: (): "latest" | "refused" => "latest"
}) {}

const noPending = failed("pending block is not prepared yet")

const nowhere = (hash: Hex, sought: Sought): RpcFailure => {
  if (sought === "block") return failed(`the block does not exist (block hash: ${hash})`)
  if (sought === "state") return failed("header for hash not found")
  return failed(`the header does not exist (hash: [${[...Buffer.from(hash.slice(2), "hex")].join(" ")}])`)
}

/** The block of a selector, or the node's words for its absence. */
export const find = (
  chain: NodeChain,
  selector: Selector,
  sought: Sought
): Effect.Effect<BlockRecord, RpcFailure | StoreFailure> => {
  if (selector === undefined) return Effect.fail(failed("invalid arguments; neither block nor hash specified"))
  if (selector === "pending") {
    return Effect.flatMap(
      PendingBlock,
      (is): Effect.Effect<BlockRecord, RpcFailure | StoreFailure> =>
        is === "latest" ? chain.head : Effect.fail(noPending)
    )
  }
  if (selector === "latest") return chain.head
  const [key, missing] = typeof selector === "bigint"
    ? [
      Number(selector),
      () => failed(`the ${sought === "block" ? "block" : "header"} does not exist (block number: ${selector})`)
    ] as const
    : [selector.hash, () => nowhere(selector.hash, sought)] as const
  return Effect.flatMap(
    chain.block(key),
    Option.match({
      onNone: () => Effect.fail(missing()),
      onSome: Effect.succeed
    })
  )
}

/** The same, with null for every absence. */
export const findOrNull = (
  chain: NodeChain,
  selector: Selector
): Effect.Effect<BlockRecord | null, StoreFailure> =>
  Effect.catchTag(find(chain, selector, "block"), "RpcFailure", () => Effect.succeed(null))

/**
 * The height whose state is meant; nothing for the newest, which needs no look into the database.
 */
export const stateHeight = (
  chain: NodeChain,
  selector: Selector
): Effect.Effect<number | undefined, RpcFailure | StoreFailure> =>
  selector === "latest" ? Effect.succeed(undefined) : Effect.map(find(chain, selector, "state"), ({ number }) => number)
