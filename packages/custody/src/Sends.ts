/**
 * How a wallet's signed transactions reach the node.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import type * as Effect from "effect/Effect"
import type { CustodyFailure, StoreFailure, TransactionRejected } from "./CustodyError.js"
import type { SendOutcome } from "./SendOutcome.js"

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
  /** Whether the wallet chose its price, and may choose a higher one. Default: false. */
  readonly isRaisable?: boolean | undefined
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
  /** The transaction of the account with a lower nonce that it waits for, if that one does not run; undefined if there is none. */
  readonly waitsFor?: { readonly hash: Hex; readonly nonce: bigint } | undefined
}

/**
 * How a wallet's signed transactions reach the node.
 *
 * @category services
 */
export interface Sends {
  /** The nonce of the next transaction of an account. */
  readonly nextNonce: (account: Hex) => Effect.Effect<bigint, CustodyFailure>
  /**
   * What the keyed request of this fiber has sent for an account before, as `submit` gives it; undefined if it has sent nothing, or
   * what can't run any more. Nothing is signed.
   */
  readonly prior: (account: Hex) => Effect.Effect<Sent | undefined, TransactionRejected | CustodyFailure>
  /**
   * Fails for a transaction whose nonce {@link Sends.submit} would refuse before anything is sent, and for one of a caller that has too many
   * under way (`WalletRefused`, `tooMany`), unless it cancels: asked before it is signed, so that nothing counts. `hasNextNonce`: its nonce
   * is the one that {@link Sends.nextNonce} has just given for it. Default: none is refused.
   */
  readonly mayTake?:
    | ((
      from: Hex,
      transaction: Transaction,
      options?: { readonly hasNextNonce?: boolean | undefined }
    ) => Effect.Effect<void, TransactionRejected | CustodyFailure>)
    | undefined
  /**
   * Sends a transaction. Fails with `TransactionRejected` if the node refused it, and with `NodeFailure` if it is not known
   * whether the node has it. `NonceTooLow` says that it can never run.
   */
  readonly submit: (signed: Signed) => Effect.Effect<Sent, TransactionRejected | CustodyFailure>
  /** What became of the send that has, or had, a hash; undefined if none was stored. Default: nothing is stored. */
  readonly outcome?: ((hash: Hex) => Effect.Effect<SendOutcome | undefined, StoreFailure>) | undefined
}
