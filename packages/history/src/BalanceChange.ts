/**
 * The change that a transfer made to one account's balance.
 *
 * **Details**
 *
 * A list of transfers is not a ledger. The coin transfer of a failed transaction is listed with its full value although
 * it moved nothing; an older coin record has no `status`, so it is not known whether it moved anything; one account may
 * be on both sides; a multi-token transfer moves several tokens. {@link of} accounts for all of this. A token transfer
 * is recorded only if it took place.
 *
 * **Gotchas**
 *
 * Fees are not included: a transaction pays its fee whether it fails or not. Every record of a transaction repeats the
 * fee; count it with `TransactionGrouping`. Coins that a contract moves during an execution are included only if the
 * service records them (not known).
 *
 * **Example** (how a balance changed over a period, without fees)
 *
 * ```ts
 * import * as BalanceChange from "@effect-klaytn/history/BalanceChange"
 * import type * as Range from "@effect-klaytn/history/Range"
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const change = (account: string, range: Range.Range) =>
 *   Effect.gen(function*() {
 *     const history = yield* TransferHistory.TransferHistory
 *     return yield* history.getTransfersByEoa.items({ address: account, range, kinds: ["coin"] }).pipe(
 *       Stream.mapConcat((transfer) => BalanceChange.of(transfer, account)),
 *       Stream.filter((moved) => moved.asset === "coin" && moved.isCertain),
 *       Stream.runFold(0n, (sum, moved) => sum + moved.amount)
 *     )
 *   })
 * ```
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Kind } from "./Kind.js"
import type { Transfer } from "./Transfer.js"

/**
 * An amount that an account received or sent.
 *
 * @category models
 */
export interface BalanceChange {
  readonly asset: Kind
  /** The contract of the token; `undefined` for the coin. */
  readonly contract: Address | undefined
  /** The ID of an NFT or a multi token; `undefined` for other assets. */
  readonly tokenId: bigint | undefined
  /** Positive if received, negative if sent: in peb, in the token's smallest unit, or in tokens. Never 0. */
  readonly amount: bigint
  /**
   * Whether it is known that it moved: `false` for a coin transfer without a `status`, or with one that is neither
   * success nor failure. For those, a node's receipt of the transaction has the answer.
   */
  readonly isCertain: boolean
}

/** The movement of one asset between two accounts, from the point of view of `account`. */
const between = (
  sides: { readonly from: Address; readonly to: Address },
  account: string,
  moved: Omit<BalanceChange, "isCertain">,
  isCertain = true
): ReadonlyArray<BalanceChange> => {
  const sign = (sides.to === account ? 1n : 0n) - (sides.from === account ? 1n : 0n)
  const amount = sign * moved.amount
  return amount === 0n ? [] : [{ ...moved, amount, isCertain }]
}

/**
 * Returns what a transfer moved for an account. The result is empty if the transaction failed, if the account is on
 * neither side or on both, if the value is 0, and for a record of an unknown kind. The account's address may be in any
 * letter case.
 *
 * @category accessors
 */
export const of = (transfer: Transfer, address: string): ReadonlyArray<BalanceChange> => {
  const account = address.toLowerCase()
  switch (transfer._tag) {
    case "CoinTransfer": {
      const { status, value } = transfer
      const coin = { asset: "coin", contract: undefined, tokenId: undefined, amount: value } as const
      return status === "failure" ? [] : between(transfer, account, coin, status === "success")
    }
    case "FtTransfer": {
      const { contract: { address: contract }, value } = transfer
      return between(transfer, account, { asset: "ft", contract, tokenId: undefined, amount: value })
    }
    case "NftTransfer": {
      const { contract: { address: contract }, tokenId } = transfer
      return between(transfer, account, { asset: "nft", contract, tokenId, amount: 1n })
    }
    case "MtTransfer": {
      const { contract: { address: contract }, ids, values } = transfer
      return ids.flatMap((tokenId, index) =>
        between(transfer, account, { asset: "mt", contract, tokenId, amount: values[index] ?? 0n })
      )
    }
    case "UnknownTransfer":
      return []
  }
}
