/**
 * Keeps open sends going: the same bytes again until a block decides, and a cancellation for a nonce that nothing else fills.
 */
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "./ChainWallet.js"
import type { CustodyFailure, TransactionRejected } from "./CustodyError.js"
import * as signing from "./internal/wallet/signing.js"
import type { SendStore, StoredSend } from "./SendStore.js"
import type { RemoteChain } from "./WalletChain.js"

/**
 * The parts of a keeper.
 *
 * @category models
 */
export interface Parts {
  readonly chain: RemoteChain
  readonly store: SendStore
  readonly wallet: ChainWallet
  /** How long it rests between two rounds. Default: a second. */
  readonly every?: Duration.DurationInput | undefined
  /** How long the node has to refuse a send before its nonce is cancelled. Default: 2 minutes. */
  readonly cancelAfter?: Duration.DurationInput | undefined
}

/** Sends of one round are looked up by as many fibers. */
const concurrency = 16

const cancelGas = 1_000_000n

/** A cancellation of the nonce, signed by the account's own key; nothing if the wallet does not have the one key that it needs. */
const cancellation = ({ chain, wallet }: Parts, { account, nonce }: StoredSend) =>
  Effect.gen(function*() {
    const own = yield* wallet.anyAccount(account)
    if (own === undefined || own.multiSig !== undefined || (yield* wallet.status(own)) !== "enabled") return undefined
    const unsigned = yield* signing.acceptResult(Transaction.make({
      type: "Cancel",
      nonce,
      gas: cancelGas,
      gasPrice: yield* chain.unitPrice,
      from: account
    }))
    const transaction = yield* signing.signAsSender(wallet, yield* wallet.signer(own), unsigned)
    return { transaction, raw: yield* signing.encode(transaction) }
  })

/** Stores a cancellation, then sends it. A send whose nonce the wallet can't cancel is given up. */
const cancel = (
  parts: Parts,
  send: StoredSend,
  now: number
): Effect.Effect<void, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    const { chain, store } = parts
    const made = yield* cancellation(parts, send)
    if (made === undefined) return yield* store.settle(send, "refused", now)
    const hash = yield* signing.acceptResult(Transaction.hash(made.transaction))
    const { account, nonce } = send
    const row = { account, nonce, hash, senderHash: hash, raw: made.raw, isCancel: true, request: undefined }
    yield* Effect.logWarning(`the node refuses ${send.hash}: its nonce ${nonce} of ${account} is cancelled by ${hash}`)
    // Only what is stored is sent: another round may have stored a cancellation already.
    if ((yield* store.take(row, now)) !== undefined) yield* chain.submitRaw(made.raw)
  })

/** Works on one open send; true if it is decided. */
const keep = (parts: Parts, send: StoredSend, hasCancel: boolean): Effect.Effect<void, CustodyFailure> =>
  Effect.gen(function*() {
    const { cancelAfter = "2 minutes", chain, store } = parts
    const verdict = yield* chain.verdict(send)
    const millis = yield* Clock.currentTimeMillis
    const now = Math.floor(millis / 1000)
    if (verdict !== "open") {
      if (verdict === "replaced" && !send.isCancel) {
        yield* Effect.logWarning(`${send.hash} can't run any more: a block has another transaction with its nonce`)
      }
      return yield* store.settle(send, verdict, now)
    }
    // The request that made it may still be at work.
    if (now - send.updatedAt < Math.min(2 ** Math.min(send.attempts, 6), 30)) return
    yield* store.attempted(send, now)
    yield* Effect.catchTag(chain.submitRaw(send.raw), "TransactionRejected", (refusal) => {
      const isDue = millis - send.createdAt * 1000 >= Duration.toMillis(cancelAfter)
      return isDue && !send.isCancel && !hasCancel
        ? Effect.catchTag(
          cancel(parts, send, now),
          "TransactionRejected",
          ({ message }) => Effect.logWarning(`nonce ${send.nonce} of ${send.account} can't be cancelled: ${message}`)
        )
        : Effect.logDebug(`the node refuses ${send.hash}: ${refusal.message}`)
    })
  })

/**
 * One round over all open sends. A failure of the node or of the database is logged, and the next round tries again.
 *
 * @category running
 */
export const round = (parts: Parts): Effect.Effect<void> =>
  Effect.gen(function*() {
    const open = yield* parts.store.open
    const cancelled = new Set(
      open.filter(({ isCancel }) => isCancel).map(({ account, nonce }) => `${account} ${nonce}`)
    )
    yield* Effect.forEach(
      open,
      (send) =>
        Effect.catchAll(
          keep(parts, send, cancelled.has(`${send.account} ${send.nonce}`)),
          ({ message }) => Effect.logWarning(`a send could not be looked up: ${message}`)
        ),
      { concurrency, discard: true }
    )
  }).pipe(Effect.catchAll(({ message }) => Effect.logError(message)))

/**
 * Rounds without end.
 *
 * @category running
 */
export const run = (parts: Parts): Effect.Effect<never> =>
  Effect.forever(Effect.zipRight(round(parts), Effect.sleep(parts.every ?? "1 second")))
