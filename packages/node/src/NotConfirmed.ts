/**
 * The error of waiting for a transaction.
 *
 * @since 0.1.0
 */
import { Hash } from "@effect-klaytn/core/Hash"
import * as Schema from "effect/Schema"
import * as printed from "./internal/printed.js"

/**
 * No receipt came in time. The transaction is not known to have failed: it may still be mined.
 *
 * **Details**
 *
 * `known` says what the node knew of the transaction at the end: `pending` if it was in the pool, `unknown` if the node
 * did not know it (it was dropped, another transaction took its nonce, or another node has it), `unclear` if the node
 * could not be asked. `block` is the height at the end, if the node could be asked.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotConfirmed extends Schema.TaggedError<NotConfirmed>("@effect-klaytn/node/NotConfirmed")("NotConfirmed", {
  transactionHash: Hash,
  waitedMillis: Schema.Number,
  known: Schema.Literal("pending", "unknown", "unclear"),
  block: Schema.optional(Schema.BigInt)
}) {
  override get message(): string {
    return `no receipt of ${this.transactionHash} within ${this.waitedMillis} ms; the node says that it is ${this.known}`
  }

  override toJSON(): unknown {
    return printed.error(this)
  }
}
