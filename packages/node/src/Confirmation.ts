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
 *
 * @since 0.1.0
 */
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as internal from "./internal/confirmation.js"
import type { KlaytnNode } from "./KlaytnNode.js"
import type { NotConfirmed } from "./NotConfirmed.js"
import type { Receipt } from "./Receipt.js"
import type { RpcError } from "./RpcError.js"

/**
 * How long to wait, and how often to ask the node.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Defaults to one minute. The chain makes one block per second. */
  readonly within?: Duration.DurationInput | undefined
  /** Defaults to one second, the time of one block. */
  readonly every?: Duration.DurationInput | undefined
}

/**
 * Waits until a transaction is mined. The receipt may be of a failed transaction: check `Receipt.isSuccess`.
 *
 * **Details**
 *
 * Each poll is a call with the client's retry policy; if one fails for good, so does the wait.
 *
 * @since 0.1.0
 * @category combinators
 */
export const waitForReceipt: (
  transactionHash: string,
  options?: Options
) => Effect.Effect<Receipt, NotConfirmed | RpcError | ReadError, KlaytnNode> = internal.waitForReceipt
