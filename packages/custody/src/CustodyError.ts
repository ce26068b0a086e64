/**
 * The errors of a wallet: of its database, of its node, and of a transaction that the node refused.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/**
 * The database of the wallet failed: it is full, locked, or has rows that something else has changed. Nothing was signed
 * after the failure.
 *
 * @category errors
 */
export class StoreFailure extends Data.TaggedError("StoreFailure")<{
  readonly operation: string
  readonly cause: unknown
}> {
  override get message(): string {
    const text = this.cause instanceof Error ? this.cause.message : "unknown cause"
    return `the database failed at ${this.operation}: ${text}`
  }
}

/**
 * The node did not answer a read, or its answer can't be used: nothing changed. Or it is not known whether the node took what it was
 * given. `message` has no part of the node's address. `status` is the HTTP status of a door that answered in the node's place, and
 * `text` the node's own text that proves nothing, such as `nonce too low`.
 *
 * @category errors
 */
export class NodeFailure extends Data.TaggedError("NodeFailure")<{
  readonly operation: string
  readonly message: string
  readonly status?: number | undefined
  readonly text?: string | undefined
}> {}

/**
 * The node refused a transaction. `message` is the node's own text, such as `nonce too low`.
 *
 * @category errors
 */
export class TransactionRejected extends Data.TaggedError("TransactionRejected")<{
  readonly reason: string
  readonly message: string
}> {}

/**
 * The wallet does not do what a caller asks: the caller lacks a right, a limit forbids it, the wallet is frozen, the price is above
 * the wallet's bound, the caller has too many transactions that do not run, or what was paid under the key since is not known to a copy of the wallet. Nothing was signed.
 *
 * @category errors
 */
export class WalletRefused extends Data.TaggedError("WalletRefused")<{
  readonly reason: "rights" | "pool" | "limit" | "frozen" | "price" | "keys" | "tooMany"
  readonly message: string
}> {}

/**
 * The failures of what a wallet reads and writes, and of what the wallet may not do.
 *
 * @category errors
 */
export type CustodyFailure = StoreFailure | NodeFailure | WalletRefused

/**
 * Runs a synchronous call; an exception becomes a `StoreFailure` of this operation.
 *
 * @category constructors
 */
export const attempt = <A>(operation: string, run: () => A): Effect.Effect<A, StoreFailure> =>
  Effect.try({ try: run, catch: (cause) => new StoreFailure({ operation, cause }) })
