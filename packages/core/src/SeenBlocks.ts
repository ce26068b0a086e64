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

/** By how many blocks the copies of a node differ in their heights, at most. */
const farthest = 128

/** Tags of blocks that every node has. */
const tags: ReadonlySet<unknown> = new Set(["latest", "earliest", "safe", "finalized"])

/**
 * The blocks that a client has seen: the newest height, and the hashes of the latest ones.
 *
 * @category models
 */
export class SeenBlocks {
  #newest = -1
  /** The height that a node named last, if that is far below the newest. */
  #below = -1
  readonly #hashes = new Set<string>()

  /** The newest height that was seen; `undefined` if none was. */
  get newest(): number | undefined {
    return this.#newest < 0 ? undefined : this.#newest
  }

  /** Notes the blocks in the result of a call, as JSON. */
  see(method: string, result: unknown): void {
    if (typeof result === "string") {
      if (result.length < 16 && method.endsWith("_blockNumber")) this.#noteHeight(result)
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

  /** Notes a height. One of which the answers after it know nothing was none of this chain. */
  #noteHeight(height: string): void {
    const number = Number(height)
    const isFarBelow = number < this.#newest - farthest
    if (isFarBelow && this.#below >= 0 && Math.abs(number - this.#below) <= farthest) this.#newest = number
    this.#below = isFarBelow && number < this.#newest - farthest ? number : -1
    this.#note(height, undefined)
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

/**
 * The height of a chain by the answers of a node, of which one alone may be wrong: a copy of another chain gave it. A height that is far
 * from the one before is believed as far as the next answer bears it out.
 *
 * **Example** (one answer of a node of another chain)
 *
 * ```ts
 * import * as SeenBlocks from "@effect-klaytn/core/SeenBlocks"
 *
 * const height = new SeenBlocks.BelievedHeight()
 * for (const answer of [20, 21, 200_000_000, 22]) height.see(answer)
 * console.log(height.value) // 22
 * ```
 *
 * @category models
 */
export class BelievedHeight {
  #known = -1
  /** The last answer, if it is far from what is known. */
  #alone = -1

  /** The height that two answers bear out; as long as there is only one answer, that one, and 0 without any. */
  get value(): number {
    return Math.max(0, this.#known < 0 ? this.#alone : this.#known)
  }

  /** Notes the height in an answer. */
  see(height: number): void {
    const [known, alone] = [this.#known, this.#alone]
    if (known >= 0 && Math.abs(height - known) <= farthest) {
      this.#known = Math.max(known, height)
      this.#alone = -1
      return
    }
    this.#alone = height
    if (alone < 0) return
    // Two answers say that it is at least the lower one of them, or at most the higher one.
    if (alone > known && height > known) this.#known = Math.min(alone, height)
    if (alone < known && height < known) this.#known = Math.max(alone, height)
  }
}
