/**
 * What a transfer moved for one account.
 *
 * **Details**
 *
 * A list of transfers is no account book. The coin transfer of a failed transaction stands in it with its full value and
 * moved nothing; one of an older form has no `status`, so it is not known whether it moved anything; one account may be on
 * both sides; an mt transfer moves several tokens. {@link of} puts that right. A token transfer is recorded only if it took
 * place.
 *
 * **Gotchas**
 *
 * Fees are not in it: whether a transaction fails or not, its fee is paid. They stand in every record of a transaction;
 * count them with `Transactions`. Coins that a contract moves inside an execution are in it only if the service has a
 * record of them (not known).
 *
 * **Example** (how a balance changed in a stretch of time, fees apart)
 *
 * ```ts
 * import * as Movement from "@effect-klaytn/history/Movement"
 * import type * as Range from "@effect-klaytn/history/Range"
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const change = (account: string, range: Range.Range) =>
 *   Effect.gen(function*() {
 *     const history = yield* TransferHistory.TransferHistory
 *     return yield* history.getTransfersByEoa.items({ address: account, range, kinds: ["coin"] }).pipe(
 *       Stream.mapConcat((transfer) => Movement.of(transfer, account)),
 *       Stream.filter((moved) => moved.asset === "coin" && moved.isCertain),
 *       Stream.runFold(0n, (sum, moved) => sum + moved.amount)
 *     )
 *   })
 * ```
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import * as internal from "./internal/movement.js"
import type { Kind } from "./Kind.js"
import type { Transfer } from "./Transfer.js"

/**
 * An amount that came to an account or left it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Movement {
  readonly asset: Kind
  /** The contract of the token; none for the coin. */
  readonly contract: Address | undefined
  /** Of an NFT and of a multi token. */
  readonly tokenId: bigint | undefined
  /** Above 0 what came, below 0 what left: in peb, in the token's smallest unit, or in tokens. Never 0. */
  readonly amount: bigint
  /**
   * Whether it is known that it moved: `false` for a coin transfer without a `status`, or with one that is neither success
   * nor failure. The receipt of the transaction at a node tells of those.
   */
  readonly isCertain: boolean
}

/**
 * What a transfer moved for an account. Nothing if the transaction failed, if the account has no part in it or is on both
 * sides, if the value is 0, and of a record of an unknown kind. The address of the account may be in any letter case.
 *
 * @since 0.1.0
 * @category accessors
 */
export const of: (transfer: Transfer, account: string) => ReadonlyArray<Movement> = internal.of
