/**
 * Remembers the blocks that a client has seen, to recognise the answers of a node that lags behind.
 *
 * **Details**
 *
 * Behind one address there are often several nodes, and one of them may not have a block yet that another one reported. Its
 * answer is then `null`, or an error such as `header not found`. Blocks of this chain are final, so such an answer about a block
 * that was seen is wrong for now, and the call is worth repeating. About a block that nobody reported, the same answer is right.
 *
 * **When to use**
 *
 * The packages `node` and `indexer` repeat safe calls with this module. Use it for a client of your own.
 *
 * **Example** (a node that lost a block)
 *
 * ```ts
 * import * as SeenBlocks from "@effect-klaytn/core/SeenBlocks"
 * import * as Either from "effect/Either"
 *
 * const seen = new SeenBlocks.SeenBlocks()
 * seen.see("klay_blockNumber", "0x10")
 * seen.doubt("klay_getBlockByNumber", ["0x10", false], Either.right(null)) // "block missing"
 * seen.doubt("klay_getBlockByNumber", ["0x11", false], Either.right(null)) // undefined
 * ```
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { ErrorObject } from "./JsonRpc.js"
import * as RetryPolicy from "./RetryPolicy.js"

/** How many hashes of blocks a client remembers. */
const rememberedHashes = 1024

const isQuantity = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-f]{1,13}$/i.test(value)

/**
 * Whether a node says that it does not have the block or the header that a call is about.
 *
 * @category guards
 */
export const isMissingBlock = ({ message }: Pick<ErrorObject, "message">): boolean =>
  /\b(?:blocks?|header)\b.{0,80}?\b(?:does not exist|not found|cannot be found)|\bunknown block|could not find (?:the )?(?:block|header)/i
    .test(message)

/**
 * Whether a node's error is about the node and not about the call: JSON-RPC's code for an internal error, the code -32016 of
 * proxies, or a time-out behind the proxy that answered.
 *
 * @category guards
 */
export const isTransient = ({ code, message }: Pick<ErrorObject, "code" | "message">): boolean =>
  !/execution reverted|missing trie node/i.test(message) &&
  (code === -32603 || code === -32016 || /upstream|gateway time-?out|request timed? ?out/i.test(message))

/**
 * Why an answer to a safe call is not to be trusted yet.
 *
 * @category models
 */
export type Doubt = "block missing" | "node failed"

/** A node that lacks a block has the block after an interval or a few: blocks come once a second. */
const blockInterval = 1000

/**
 * How many milliseconds to wait before the attempt after `made` attempts: as the policy says, and after a missing block at
 * least one second, the interval of the chain, within the policy's `maxDelay`.
 *
 * @category combinators
 */
export const delay = (policy: RetryPolicy.RetryPolicy, made: number, isMissing: boolean): Effect.Effect<number> => {
  const wait = RetryPolicy.delay(policy, made)
  if (!isMissing) return wait
  const least = Math.min(blockInterval, Duration.toMillis(policy.maxDelay))
  return Effect.map(wait, (millis) => Math.max(least, millis))
}

/**
 * The part of a call's parameters that says which block it is about: the last text among them, or the end of a filter.
 * `undefined` if there is none.
 */
const blockOf = (method: string, params: ReadonlyArray<unknown>): unknown => {
  const filter = params.find((param) =>
    Predicate.isRecord(param) &&
    ("toBlock" in param || "fromBlock" in param || "blockHash" in param || "blockNumber" in param)
  )
  if (Predicate.isRecord(filter)) return filter["blockHash"] ?? filter["blockNumber"] ?? filter["toBlock"] ?? "latest"
  const texts = params.filter(Predicate.isString)
  return method.endsWith("AndIndex") ? texts[0] : texts.at(-1)
}

/** Tags of blocks that every node has. */
const tags: ReadonlySet<unknown> = new Set(["latest", "earliest", "safe", "finalized"])

/**
 * The blocks that a client has seen: the newest height, and the hashes of the latest ones.
 *
 * @category models
 */
export class SeenBlocks {
  #newest = -1
  readonly #hashes = new Set<string>()

  /** The newest height that was seen; `undefined` if none was. */
  get newest(): number | undefined {
    return this.#newest < 0 ? undefined : this.#newest
  }

  /** Notes the blocks in the result of a call, as JSON. */
  see(method: string, result: unknown): void {
    if (typeof result === "string") {
      if (result.length < 16 && method.endsWith("_blockNumber")) this.#note(result, undefined)
    } else if (typeof result === "object" && result !== null) {
      const one: unknown = Array.isArray(result) ? result.at(-1) : result
      if (!Predicate.isRecord(one)) return
      if (isQuantity(one["number"])) this.#note(one["number"], one["hash"])
      else if (isQuantity(one["blockNumber"])) this.#note(one["blockNumber"], one["blockHash"])
    }
  }

  /** Why a safe call with this answer is worth repeating; `undefined` if it isn't. */
  doubt(
    method: string,
    params: ReadonlyArray<unknown>,
    answer: Either.Either<unknown, ErrorObject>
  ): Doubt | undefined {
    const isMissing = Either.match(answer, {
      onLeft: isMissingBlock,
      onRight: (result) => result === null && /_get(?:Block|Header)\w*$/.test(method)
    })
    if (isMissing) return this.#has(blockOf(method, params)) ? "block missing" : undefined
    return Either.isLeft(answer) && isTransient(answer.left) ? "node failed" : undefined
  }

  #has(block: unknown): boolean {
    return isQuantity(block)
      ? Number(block) <= this.#newest
      : tags.has(block) || typeof block === "string" && this.#hashes.has(block.toLowerCase())
  }

  #note(height: string, hash: unknown): void {
    const number = Number(height)
    if (number > this.#newest) this.#newest = number
    if (typeof hash !== "string") return
    this.#hashes.add(hash.toLowerCase())
    if (this.#hashes.size <= rememberedHashes) return
    for (const oldest of this.#hashes) {
      this.#hashes.delete(oldest)
      return
    }
  }
}
