/**
 * How a wallet's signed transactions reach the node.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import { type CustodyFailure, TransactionRejected } from "./CustodyError.js"

/**
 * A transaction with all of its signatures.
 *
 * @category models
 */
export interface Signed {
  readonly from: Hex
  readonly transaction: Transaction
  /** The bytes of the transaction. */
  readonly raw: Hex
}

/**
 * A transaction that the node has, or that a block has.
 *
 * @category models
 */
export interface Sent {
  readonly hash: Hex
  /** Its bytes: those that were given, or those of the same transaction that were sent before. */
  readonly raw: Hex
}

/**
 * How a wallet's signed transactions reach the node.
 *
 * @category services
 */
export interface Sends {
  /** The nonce of the next transaction of an account, not below `lowest` (default: 0). */
  readonly nextNonce: (account: Hex, lowest?: bigint) => Effect.Effect<bigint, CustodyFailure>
  /**
   * Sends a transaction. Fails with `TransactionRejected` if the node refused it, and with `NodeFailure` if it is not known
   * whether the node has it. `NonceTooLow` says that it can never run.
   */
  readonly submit: (signed: Signed) => Effect.Effect<Sent, TransactionRejected | CustodyFailure>
}

/** How often another nonce is taken. */
const nonceTries = 5

/**
 * Runs with the next nonce of an account. Where a block shows that the nonce was used, what was signed can never run: the answer
 * of the node was late, and `body` runs again with the nonce after.
 *
 * @category combinators
 */
export const withNextNonce = <A, E>(
  sends: Sends,
  account: Hex,
  body: (nextNonce: Effect.Effect<bigint, CustodyFailure>) => Effect.Effect<A, E | TransactionRejected>
): Effect.Effect<A, E | TransactionRejected> =>
  Effect.suspend(() => {
    let chosen: bigint | undefined
    const nextNonce = Effect.tap(
      Effect.suspend(() => sends.nextNonce(account, chosen === undefined ? undefined : chosen + 1n)),
      (nonce) => {
        chosen = nonce
      }
    )
    return Effect.retry(body(nextNonce), {
      times: nonceTries,
      while: (error) => chosen !== undefined && error instanceof TransactionRejected && error.reason === "NonceTooLow"
    })
  })
