import * as Effect from "effect/Effect"
import type { Chain } from "../../Chain.js"
import type { PendingTransaction } from "../../TransactionRecord.js"
import { transactionOf } from "./transactionForm.js"

/** What to say of a waiting transaction whose nonce is too far ahead; undefined if it waits for something else. */
export const nonceGap = (
  chain: Pick<Chain, "pendingNonce">,
  known: PendingTransaction
): Effect.Effect<string | undefined> =>
  Effect.map(chain.pendingNonce(known.from), (next) => {
    const { nonce } = transactionOf(known)
    return nonce > next
      ? `Its nonce ${nonce} is too far ahead: the next one of ${known.from} is ${next}. After a restart or a reset of the chain, ` +
        "wallets and tools hold nonces of before: clear them there."
      : undefined
  })
