import * as Effect from "effect/Effect"
import { WalletRefused } from "../../CustodyError.js"
import type { Counts } from "../../WalletStore.js"

/** Refuses what would be more than a caller may have: it costs those who asked for it, and nobody else. */
export const checkRoom = (counts: Counts, most: Counts, what: string): Effect.Effect<void, WalletRefused> => {
  const refuse = (count: number, where: string) =>
    new WalletRefused({
      reason: "tooMany",
      message: `${count} transactions of the caller${where} ${what}, and no more may: some have to be done first`
    })
  if (counts.ofAccount >= most.ofAccount) return refuse(counts.ofAccount, " from the account")
  return counts.all >= most.all ? refuse(counts.all, "") : Effect.void
}
