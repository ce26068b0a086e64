import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { type StoreFailure, WalletRefused } from "../../CustodyError.js"
import { currentOrigin } from "../../WalletCaller.js"
import type { Counts } from "../../WalletStore.js"

/** How many transactions a caller may have of a kind, how they are counted, and what they do. */
interface Bound {
  readonly count: (caller: string, account: Hex) => Effect.Effect<Counts, StoreFailure>
  readonly most: Counts
  readonly what: string
}

const refuse = (counts: Counts, { most, what }: Bound): Effect.Effect<void, WalletRefused> => {
  const tooMany = (count: number, where: string) =>
    new WalletRefused({
      reason: "tooMany",
      message: `${count} transactions of the caller${where} ${what}, and no more may: some have to be done first`
    })
  if (counts.ofAccount >= most.ofAccount) return tooMany(counts.ofAccount, " from the account")
  return counts.all >= most.all ? tooMany(counts.all, "") : Effect.void
}

/**
 * Refuses what would be more than the caller of this fiber may have: it costs those who asked for it, and nobody else. The wallet's own are
 * not counted.
 */
export const checkRoom = (account: Hex, bound: Bound): Effect.Effect<void, StoreFailure | WalletRefused> =>
  Effect.flatMap(currentOrigin, ({ caller }) =>
    caller === undefined
      ? Effect.void
      : Effect.flatMap(bound.count(caller, account), (counts) => refuse(counts, bound)))
