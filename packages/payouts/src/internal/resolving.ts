/** What an operator says about a payout, checked against the chain, the node's pool and the history of the payout. */
import type * as Hash from "@effect-klaytn/core/Hash"
import type { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Change } from "../Payout.js"
import * as PayoutState from "../PayoutState.js"
import { foundOf } from "./answers.js"
import * as arrivals from "./arrivals.js"
import type { Context } from "./context.js"
import { isSettled, onItsChain, reconcile } from "./steps.js"
import type { Stored } from "./store.js"

/** The transactions that the service named for an attempt, in the order of the answers. */
const hashesOf = (history: ReadonlyArray<Change>, attempt: number): ReadonlyArray<Hash.Hash> =>
  history.flatMap(({ event }) =>
    "attempt" in event && event.attempt === attempt && "transactionHash" in event && event.transactionHash !== undefined
      ? [event.transactionHash]
      : []
  )

/** The event of a payout whose own transaction is known to wait, or to be in a block that can still be moved. */
const seen = (
  state: Extract<PayoutState.PayoutState, { readonly doubt: boolean }>,
  transactionHash: Hash.Hash
): PayoutState.PayoutEvent | undefined => {
  const { attempt, closing, nonce } = state
  const isStored = closing !== undefined || (state._tag === "Sent" && state.transactionHash === transactionHash)
  return isStored ? undefined : { _tag: "Seen", attempt, nonce, transactionHash }
}

/** What makes it safe to pay under another key. */
const untilCancelled = (nonce: number): string =>
  `cancel it: it ends when a block has the cancellation, or another transaction, with nonce ${nonce}`

/**
 * The event for a resolution: with a hash, that transaction executed the payout, and without one, nothing did or will. `Left` says
 * what contradicts it. Undefined: the payout waits for its own transaction already.
 */
export const eventOf = (
  context: Context,
  payout: Stored,
  history: ReadonlyArray<Change>,
  hash: Hash.Hash | undefined
): Effect.Effect<Either.Either<PayoutState.PayoutEvent | undefined, string>, LookupFailed> =>
  Effect.gen(function*() {
    const { content, key, state } = payout
    yield* onItsChain(context, payout)
    if (!("doubt" in state) || !PayoutState.mayExecute(state)) {
      return Either.left("nothing of it is in doubt; cancel it if it should not be paid")
    }
    const { attempt, nonce } = state
    const known = hashesOf(history, attempt)
    const verdict = yield* reconcile(context, content, state, hash ?? known.at(-1))
    const isMovable = "transaction" in verdict && !(yield* isSettled(context, key, verdict.transaction))
    switch (verdict._tag) {
      case "Executed": {
        const { transactionHash } = verdict.transaction
        if (hash !== transactionHash) return Either.left(`the chain shows it as ${transactionHash}`)
        if (isMovable) return Either.right(seen(state, transactionHash))
        const event = foundOf(attempt, content.payer, verdict.transaction)
        const found = event && (yield* arrivals.seen(context, content, event))
        return found === undefined
          ? Either.left("the chain does not show yet whether it succeeded")
          : Either.right({ ...found, declared: true })
      }
      case "Waiting": {
        const { transactionHash } = verdict.transaction
        if (hash !== transactionHash) {
          return Either.left(`it waits for a block as ${transactionHash}: ${untilCancelled(nonce)}`)
        }
        return Either.right(seen(state, transactionHash))
      }
      case "Superseded":
        if (isMovable) {
          const { block, transactionHash } = verdict.transaction
          return Either.left(
            `${transactionHash} has its nonce, in block ${block}, which can still be moved: it ends when ` +
              `${context.confirmations} blocks are above that`
          )
        }
        return Either.right({ _tag: "Overtaken", attempt, by: verdict.transaction.transactionHash })
      case "NotExecuted":
        if (hash === undefined) return yield* notSent(context, payout, state, known)
        return known.includes(hash)
          ? Either.right(undefined)
          : Either.left(`the chain shows no such transaction with nonce ${nonce}`)
      case "Ambiguous":
        return Either.left(verdict.why)
    }
  })

/** Whether nothing that is known can still be executed with the nonce of an attempt that no block has. */
const notSent = (
  context: Context,
  { content: { request: { from } } }: Stored,
  { _tag, attempt, nonce }: Extract<PayoutState.PayoutState, { readonly doubt: boolean }>,
  known: ReadonlyArray<Hash.Hash>
): Effect.Effect<Either.Either<PayoutState.PayoutEvent, string>, LookupFailed> =>
  Effect.gen(function*() {
    if (_tag === "Sending") {
      return Either.left(
        "a process may be sending it at this moment: reconcile it, and say it again if it is still in doubt"
      )
    }
    const hash = known.at(-1)
    if (hash !== undefined) {
      return Either.left(`the service named it as ${hash}, which a later block may have: ${untilCancelled(nonce)}`)
    }
    const kept = (yield* context.waitingOf(from)).find(({ txData }) => txData.nonce === nonce)
    if (kept !== undefined) {
      return Either.left(`its signers may sign ${kept.transactionId} at any time: ${untilCancelled(nonce)}`)
    }
    const pending = yield* context.lookup.nextNonce(from, "pending")
    return pending > nonce
      ? Either.left(`the node has a transaction with nonce ${nonce} that waits for a block: ${untilCancelled(nonce)}`)
      : Either.right({ _tag: "DeclaredNotSent", attempt })
  })
