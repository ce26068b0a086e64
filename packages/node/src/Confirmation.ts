/**
 * Waiting for a transaction to be mined.
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
 * How long, and how often the node is asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** One minute if left out. The chain makes a block each second. */
  readonly within?: Duration.DurationInput | undefined
  /** One second if left out, the time of one block. */
  readonly every?: Duration.DurationInput | undefined
}

/**
 * Waits until a transaction is mined. The receipt may be that of a failed transaction: see `Receipt.isSuccess`.
 *
 * **Details**
 *
 * Each question is a call with the retries of the client; one that fails for good ends the waiting.
 *
 * @since 0.1.0
 * @category combinators
 */
export const waitForReceipt: (
  transactionHash: string,
  options?: Options
) => Effect.Effect<Receipt, NotConfirmed | RpcError | ReadError, KlaytnNode> = internal.waitForReceipt
