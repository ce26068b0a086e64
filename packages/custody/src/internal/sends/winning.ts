/** Which payment a block has, where it has other bytes than those that the wallet sent. */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../CustodyError.js"
import type { SendStore, StoredSend } from "../../SendStore.js"
import { doesSame, priceOf } from "../../TransactionFields.js"
import type { Verdict } from "../../WalletChain.js"

/** For so long nobody else repairs what is only written down, in seconds. */
const leaseSeconds = 4

const read = (raw: Hex): Transaction.Transaction | undefined => {
  const decoded = Transaction.decode(raw, { unprotected: true })
  return decoded.ok ? decoded.value : undefined
}

/** Stores the bytes of a block as an attempt of a payment, for which they do the same. */
const adopt = (store: SendStore, payment: StoredSend, by: Hex, raw: Hex, transaction: Transaction.Transaction) =>
  Effect.gen(function*() {
    const senderHash = Transaction.senderHash(transaction)
    if (!senderHash.ok) return undefined
    const { account, caller, credential, isRaisable, nonce } = payment
    const live = yield* store.live(account, nonce)
    const now = yield* UnixTime.now
    yield* Effect.logInfo(
      `${payment.hash} is in a block as ${by}: it does the same at the nonce ${nonce} of ${account}`
    )
    const row = yield* store.take({
      account,
      nonce,
      hash: by,
      senderHash: senderHash.value,
      raw,
      price: priceOf(transaction),
      cancels: "none",
      request: undefined,
      isRaisable,
      caller,
      credential,
      payment: payment.payment,
      attempt: Math.max(payment.attempt, live?.attempt ?? 0) + 1,
      leasedUntil: now + leaseSeconds
    }, now)
    // Another process may have done the same.
    return row ?? (yield* store.byHash(by))
  })

/**
 * The row that a block has in place of others with its nonce, `rows`; undefined if the block's transaction is none of the wallet's. One that
 * is not stored, but does the same as a payment among the rows, is that payment: an older copy of this wallet, another wallet with the
 * key, or the owner with a tool of his own has signed it at another price.
 */
export const winnerOf = (
  store: SendStore,
  rows: ReadonlyArray<StoredSend>,
  { by, raw }: Extract<Verdict, { readonly _tag: "replaced" }>
): Effect.Effect<StoredSend | undefined, StoreFailure> =>
  Effect.gen(function*() {
    const known = yield* store.byHash(by)
    if (known !== undefined || raw === undefined) return known
    const winner = read(raw)
    if (winner === undefined) return undefined
    const payment = rows.find((row) => {
      const own = row.cancels === "none" ? read(row.raw) : undefined
      return own !== undefined && doesSame(own, winner)
    })
    return payment && (yield* adopt(store, payment, by, raw, winner))
  })
