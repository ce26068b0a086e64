/**
 * The errors of a chain.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/**
 * Why a transaction was not accepted into the pool. The node's own message is in {@link TransactionRejected}.
 *
 * @category models
 */
export type RejectReason =
  | "Undecodable"
  | "UnsupportedType"
  | "WrongChain"
  | "InvalidSenderSignature"
  | "InvalidFeePayerSignature"
  | "LegacyKeyRequired"
  | "NonceTooLow"
  | "NonceTooHigh"
  | "NonceMax"
  | "NonceTaken"
  | "AlreadyKnown"
  | "GasPriceTooLow"
  | "IntrinsicGasTooLow"
  | "GasLimitTooHigh"
  | "OversizedData"
  | "OversizedInitcode"
  | "InsufficientFundsOfSender"
  | "InsufficientFundsOfFeePayer"
  | "NotForContract"
  | "NotAContract"
  | "NoProgram"
  | "ReservedAddress"
  | "InvalidDeploy"
  | "InvalidAccountKey"
  | "InvalidAuthorization"
  | "AnchoringOff"
  | "InvalidBlobs"
  | "DelegatedLimit"
  | "DelegatedGap"
  | "AuthorityReserved"
  | "PoolFull"
  | "BlockFull"
  | "Unexecutable"

/**
 * A transaction was refused before it got into a block; nothing changed. `message` is the text with which a node
 * answers error code -32000, for example `nonce too low` or `insufficient funds of the sender for value ` (with the
 * space). `Unexecutable` and `BlockFull` are the sandbox's own: no block can be built with this transaction in it, or
 * not the requested one.
 *
 * @category errors
 */
export class TransactionRejected extends Data.TaggedError("TransactionRejected")<{
  readonly reason: RejectReason
  readonly message: string
}> {}

/**
 * A transaction can't be traced: the state that it met is not known. `message` says why, as text to read.
 *
 * @category errors
 */
export class NotTraceable extends Data.TaggedError("NotTraceable")<{
  readonly message: string
}> {}

/**
 * The database failed: it is full, locked by another sandbox, or not a sandbox database. The chain is unchanged.
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
 * The snapshot does not exist: it was never taken, was used up, or was taken after a point that a revert went back to.
 *
 * @category errors
 */
export class SnapshotNotFound extends Data.TaggedError("SnapshotNotFound")<{ readonly snapshot: number }> {
  override get message(): string {
    return `there is no snapshot ${this.snapshot}; snapshots are used up by a revert and end with the process`
  }
}

/**
 * The chain has no block at that height.
 *
 * @category errors
 */
export class BlockNotFound extends Data.TaggedError("BlockNotFound")<{ readonly block: number }> {
  override get message(): string {
    return `the chain has no block ${this.block}`
  }
}

/**
 * A transaction that the sandbox made itself was executed and failed, for example a transfer of tokens that the sender
 * does not have. It is in its block and has paid its fee.
 *
 * @category errors
 */
export class ExecutionFailed extends Data.TaggedError("ExecutionFailed")<{
  readonly transactionHash: string
  /** The node's code, 0x2 to 0x1e. */
  readonly txError: number
}> {
  override get message(): string {
    return `transaction ${this.transactionHash} failed in its block with txError 0x${this.txError.toString(16)}`
  }
}

/**
 * An argument is invalid, for example a time that goes backwards. Nothing changed.
 *
 * @category errors
 */
export class InvalidRequest extends Data.TaggedError("InvalidRequest")<{ readonly message: string }> {}

/**
 * Reading at a block fails if the chain has not reached it.
 *
 * @category errors
 */
export type ReadFailure = StoreFailure | BlockNotFound

/**
 * The failures of a transaction that the chain makes itself.
 *
 * @category errors
 */
export type SendFailure = TransactionRejected | InvalidRequest | ExecutionFailed | StoreFailure

/**
 * Runs a synchronous call of a storage; an exception becomes a `StoreFailure` of this operation.
 *
 * @category constructors
 */
export const attempt = <A>(operation: string, read: () => A): Effect.Effect<A, StoreFailure> =>
  Effect.try({ try: read, catch: (cause) => new StoreFailure({ operation, cause }) })

/**
 * The same for an effect that calls a storage: a defect becomes a `StoreFailure` of this operation.
 *
 * @category combinators
 */
export const catchThrown =
  (operation: string) => <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StoreFailure> =>
    Effect.catchAllDefect(effect, (cause) => Effect.fail(new StoreFailure({ operation, cause })))
