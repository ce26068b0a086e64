import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { type CustodyFailure, NodeFailure, TransactionRejected } from "../../CustodyError.js"
import type { SendStore } from "../../SendStore.js"
import type { WalletChain } from "../../WalletChain.js"
import * as WalletMetrics from "../../WalletMetrics.js"

/** An account has no transaction so far above the last one that it has used: more would take days of whole blocks. */
const farthest = 1_000_000n

/** What a column of 64 bits with a sign holds. */
const largest = 2n ** 63n - 1n

/**
 * How often the node is asked where a copy of it that lags behind would answer wrongly: a nonce that was used costs a caller a
 * payment, and a payment is never signed again. One after the other, since calls that go out together reach the same copy.
 */
export const asks = 3

const tooHigh = new TransactionRejected({
  reason: "NonceTooHigh",
  message: `nonce too high: it is more than ${farthest} above the last one that the account has used`
})

/** A node that says so may say the next time what is so: nothing is concluded from it. */
const impossible = (account: Hex, nonce: bigint): Effect.Effect<never, NodeFailure> =>
  Effect.zipRight(
    Metric.update(WalletMetrics.impossible.pipe(Metric.tagged("operation", "nonce")), 1),
    new NodeFailure({
      operation: "nonce",
      message:
        `the node says that ${nonce} is the next nonce of ${account}: it is more than ${farthest} above the last ` +
        "one that the account has used. Nothing was signed"
    })
  )

const max = (nonces: ReadonlyArray<bigint>): bigint => nonces.reduce((one, other) => one > other ? one : other, 0n)

/** The nonces of accounts, of which none is believed that cannot be. */
export const nonces = (
  { chain, store }: {
    readonly chain: Pick<WalletChain, "account" | "pendingNonce">
    readonly store: Pick<SendStore, "firstUnused" | "takenFrom">
  }
) => {
  /** The blocks that this wallet has seen say which nonces were used; for an account without any, the node does. */
  const isPossible = (account: Hex, nonce: bigint, unused?: bigint) =>
    Effect.gen(function*() {
      if (nonce <= farthest) return true
      const seen = unused ?? (yield* store.firstUnused(account))
      if (seen > 0n) return nonce <= seen + farthest
      const used = Option.match(yield* chain.account(account), { onNone: () => 0n, onSome: (state) => state.nonce })
      return nonce <= used + farthest && nonce <= largest
    })

  /**
   * What the node says of the next nonce: the largest of several answers, since copies of it lag behind. One that a single answer names, and
   * no other one when it is asked again, is a slip or a lie: a payment above a gap would wait until others fill it.
   */
  const toldNonce = (account: Hex) =>
    Effect.gen(function*() {
      const ask = Effect.replicateEffect(chain.pendingNonce(account), asks)
      const first = yield* ask
      const largest = max(first)
      if (first.filter((one) => one === largest).length > 1) return largest
      // The largest one that another answer reaches.
      const all = [...first, ...(yield* ask)].toSorted((one, other) => one < other ? 1 : -1)
      return all[1] ?? largest
    })

  return {
    /** Fails for a nonce that is none of the next of an account. */
    checkNonce: (account: Hex, nonce: bigint): Effect.Effect<void, TransactionRejected | CustodyFailure> =>
      Effect.flatMap(isPossible(account, nonce), (isOne) => isOne ? Effect.void : tooHigh),
    /** The nonce of the next transaction of an account. */
    nextNonce: (account: Hex): Effect.Effect<bigint, CustodyFailure> =>
      Effect.gen(function*() {
        const unused = yield* store.firstUnused(account)
        let nonce = max([yield* toldNonce(account), unused])
        if (!(yield* isPossible(account, nonce, unused))) return yield* impossible(account, nonce)
        for (const other of yield* store.takenFrom(account, nonce)) {
          if (other !== nonce) break
          nonce++
        }
        return nonce
      })
  }
}
