/**
 * Waits for a transaction to be mined.
 *
 * **Example** (submit and wait)
 *
 * ```ts
 * import * as Confirmation from "@effect-klaytn/node/Confirmation"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Receipt from "@effect-klaytn/node/Receipt"
 * import * as Effect from "effect/Effect"
 *
 * export const submit = (raw: string) =>
 *   Effect.gen(function*() {
 *     const node = yield* KlaytnNode.KlaytnNode
 *     const hash = yield* node.klay.sendRawTransaction(raw)
 *     const receipt = yield* Confirmation.waitForReceipt(hash, { within: "30 seconds" })
 *     return Receipt.isSuccess(receipt) ? receipt.gasUsed : yield* Effect.fail("it failed")
 *   })
 * ```
 */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isContradiction } from "./internal/errors/failure.js"
import * as schemas from "./internal/records/schemas.js"
import * as nextBlock from "./internal/streams/nextBlock.js"
import { KlaytnNode } from "./KlaytnNode.js"
import type { Receipt } from "./Receipt.js"
import type { RpcError } from "./RpcError.js"

/**
 * No receipt arrived in time. The transaction may still be mined.
 *
 * **Details**
 *
 * `known` says what the node knew of the transaction at the end: `pending` if it was in the pool, `unknown` if the node
 * did not know it (it was dropped, another transaction took its nonce, or another node has it), `unclear` if the node
 * could not be asked. `block` is the height at the end, if the node could be asked.
 *
 * @category errors
 */
export class NotConfirmed extends Schema.TaggedError<NotConfirmed>("@effect-klaytn/node/NotConfirmed")("NotConfirmed", {
  transactionHash: Hash.Hash,
  waitedMillis: Schema.Number,
  known: Schema.Literal("pending", "unknown", "unclear"),
  block: Schema.optional(Schema.BigInt)
}) {
  override get message(): string {
    return `no receipt for ${this.transactionHash} within ${this.waitedMillis} ms; its state is ${this.known}`
  }

  override toJSON(): unknown {
    return schemas.errorToJson(this)
  }
}

/**
 * How long to wait, and how often to ask the node.
 *
 * @category models
 */
export interface Options {
  /** Defaults to one minute. The chain makes one block per second. */
  readonly within?: Duration.DurationInput | undefined
  /** Defaults to one second, the time of one block. */
  readonly pollInterval?: Duration.DurationInput | undefined
}

const decode = Input.decode(
  "node.waitForReceipt",
  Schema.Struct({
    transactionHash: Hash.FromWire,
    within: schemas.TimeLimit,
    pollInterval: schemas.Pause
  })
)

/**
 * Waits until a transaction is mined. The receipt may be of a failed transaction: check `Receipt.isSuccess`.
 *
 * **Details**
 *
 * Each poll is a call with the client's retry policy; if one fails for good, so does the wait. The receipt of another
 * transaction is none: the node is asked again at the next poll.
 *
 * @category combinators
 */
export const waitForReceipt = (
  transactionHash: string,
  options: Options = {}
): Effect.Effect<Receipt, NotConfirmed | RpcError | ReadError, KlaytnNode> =>
  Effect.gen(function*() {
    const node = yield* KlaytnNode
    const params = yield* decode({ ...options, transactionHash })
    const within = Duration.toMillis(params.within)
    const pollInterval = Duration.toMillis(params.pollInterval)
    const clock = yield* Effect.clock
    const start = Deadline.now(clock)

    const expire = Effect.gen(function*() {
      const [known, block] = yield* Effect.all([
        Effect.match(node.klay.getTransactionByHash(params.transactionHash), {
          onFailure: () => "unclear" as const,
          onSuccess: (found) => Option.isSome(found) ? "pending" as const : "unknown" as const
        }),
        Effect.option(node.klay.blockNumber())
      ], { concurrency: "unbounded" })
      return yield* new NotConfirmed({
        transactionHash: params.transactionHash,
        waitedMillis: Deadline.now(clock) - start,
        known,
        ...(Option.isSome(block) ? { block: block.value } : {})
      })
    })

    while (true) {
      const receipt = yield* node.klay.getTransactionReceipt(params.transactionHash).pipe(
        // Another transaction's receipt is none of this one.
        Effect.catchIf(isContradiction, () => Effect.succeedNone)
      )
      if (Option.isSome(receipt)) return receipt.value
      const left = start + within - Deadline.now(clock)
      if (left <= 0) return yield* expire
      yield* Effect.raceFirst(nextBlock.wait(pollInterval), Effect.sleep(left))
    }
  })
