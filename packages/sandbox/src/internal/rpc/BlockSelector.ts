import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { NodeSettings } from "../NodeSettings.js"
import { failure, type RpcFailure } from "./Method.js"
import * as Param from "./ParamDecoder.js"

/** A block by height or tag; `latest` stands for `safe` and `finalized` too, since blocks are final at once. */
export type NumberSelector = bigint | "latest" | "pending"

/** The same, or by hash; `unnamed` where an object names neither. */
export type Selector = NumberSelector | { readonly hash: Hex } | "unnamed"

const tags: ReadonlyMap<unknown, NumberSelector> = new Map<unknown, NumberSelector>([
  ["earliest", 0n],
  ["latest", "latest"],
  ["safe", "latest"],
  ["finalized", "latest"],
  ["pending", "pending"]
])

const maxHeight = 2n ** 63n - 1n

const decodeNumber = (value: unknown, tooHigh: string): Param.Decoded<NumberSelector> => {
  const tag = tags.get(value)
  return tag !== undefined
    ? Either.right(tag)
    : Either.flatMap(
      Param.decodeHeight(value),
      (height) => height > maxHeight ? Param.fail(tooHigh) : Either.right(height)
    )
}

/** Reads a height or tag. A null is the height 0, as for a node. */
export const blockNumber: Param.ParamDecoder<NumberSelector> = Param.make((value) =>
  value === null ? Either.right(0n) : decodeNumber(value, "Blocknumber too high")
)

/** Reads a height, tag or hash, also as an object. */
export const blockNumberOrHash: Param.ParamDecoder<Selector> = Param.make((value) => {
  if (value === null) return Either.right("unnamed")
  if (typeof value === "string" && value.length === 66 && !tags.has(value)) {
    return Either.map(Param.hash.decode(value), (hash) => ({ hash }))
  }
  if (Param.isRecord(value)) return decodeObject(value)
  if (Array.isArray(value) || typeof value === "boolean") return Param.wrongType(value, "string")
  const height = decodeNumber(value, "blocknumber too high")
  return typeof value === "string" ? height : Either.mapLeft(height, () => new Param.ParamError("number", "string"))
})

const decodeObject = (value: { readonly [key: string]: unknown }): Param.Decoded<Selector> => {
  const { blockHash, blockNumber: number, requireCanonical } = Param.fieldsOf(
    value,
    "blockHash",
    "blockNumber",
    "requireCanonical"
  )
  const byNumber = Param.optional(blockNumber).decode(number)
  const byHash = Param.optional(Param.hash).decode(blockHash)
  const isFlag = requireCanonical === undefined || requireCanonical === null || typeof requireCanonical === "boolean"
  if (!isFlag || Either.isLeft(byNumber) || Either.isLeft(byHash)) return Param.fail("object", "string")
  if (byNumber.right !== undefined && byHash.right !== undefined) {
    return Param.fail("cannot specify both BlockHash and BlockNumber, choose one or the other")
  }
  return Either.right(byHash.right === undefined ? byNumber.right ?? "unnamed" : { hash: byHash.right })
}

/** What is searched for, which decides the message of a failure. */
type Target = "block" | "header" | "state"

const noPending = failure("pending block is not prepared yet")

const missingBlock = (selector: bigint | { readonly hash: Hex }, sought: Target): RpcFailure => {
  const what = sought === "block" ? "block" : "header"
  if (typeof selector === "bigint") return failure(`the ${what} does not exist (block number: ${selector})`)
  const { hash } = selector
  if (sought === "block") return failure(`the block does not exist (block hash: ${hash})`)
  if (sought === "state") return failure("header for hash not found")
  return failure(`the header does not exist (hash: ${hash})`)
}

/** The block of a selector. Fails with the node's message if there is none. */
export const find = (
  chain: Chain,
  selector: Selector,
  sought: Target
): Effect.Effect<BlockRecord, RpcFailure | StoreFailure> =>
  Effect.gen(function*() {
    if (selector === "unnamed") return yield* failure("invalid arguments; neither block nor hash specified")
    if (selector === "pending" && (yield* NodeSettings).pendingBlock === "refused") return yield* noPending
    if (selector === "pending" || selector === "latest") return yield* chain.head
    const found = yield* chain.block(typeof selector === "bigint" ? Number(selector) : selector.hash)
    return Option.isSome(found) ? found.value : yield* missingBlock(selector, sought)
  })

/** The same, with null for every absence. */
export const findOrNull = (chain: Chain, selector: Selector) =>
  Effect.catchTag(find(chain, selector, "block"), "RpcFailure", () => Effect.succeed(null))

/** How many of the newest states a full node has in memory, and how far apart those are that it stores. */
const fullNode = { newest: 128, every: 128 }

/** Fails with a full node's message where it does not have the state of a block any more. */
const checkKept = (chain: Chain, { number, stateRoot }: BlockRecord) =>
  Effect.gen(function*() {
    if ((yield* NodeSettings).oldState === "kept" || number % fullNode.every === 0) return
    const head = yield* chain.head
    if (head.number - number >= fullNode.newest) yield* failure(`missing trie node ${stateRoot.slice(2)} (path )`)
  })

/**
 * The height whose state is meant; nothing for the newest, which needs no look into the database.
 */
export const stateHeight = (chain: Chain, selector: Selector) =>
  selector === "latest"
    ? Effect.succeed(undefined)
    : Effect.flatMap(find(chain, selector, "state"), (block) => Effect.as(checkKept(chain, block), block.number))
