/**
 * The errors of the index.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/**
 * The database failed: it is full, locked by another program, or not a database of this index. Nothing was changed.
 *
 * @category errors
 */
export class StoreFailure extends Data.TaggedError("StoreFailure")<{
  readonly operation: string
  readonly cause: unknown
  /** Whether the database was not there, and may be soon: a connection was lost, or the server restarts. Default: false. */
  readonly mayPass?: boolean | undefined
}> {
  override get message(): string {
    const text = this.cause instanceof Error ? this.cause.message : "unknown cause"
    return `the database failed at ${this.operation}: ${text}`
  }
}

/**
 * A node that an index follows answered with an error, or with something that can't be part of a chain. Nothing of the
 * block was stored.
 *
 * @category errors
 */
export class NodeFault extends Data.TaggedError("NodeFault")<{
  /** The method, such as `klay_getBlockByNumber`. */
  readonly method: string
  readonly problem: string
  /** The node's error code, if it answered with an error. */
  readonly code?: number | undefined
}> {
  override get message(): string {
    return `${this.method} of the node: ${this.problem}`
  }
}

/**
 * A source whose blocks don't fit together or don't fit the index. Nothing of the block was stored.
 *
 * @category errors
 */
export class SourceMismatch extends Data.TaggedError("SourceMismatch")<{
  readonly height: number
  readonly problem: string
}> {
  override get message(): string {
    return `block ${this.height} of the source: ${this.problem}`
  }
}

/**
 * Runs a synchronous call of the database; what it throws becomes a `StoreFailure` of this operation.
 *
 * @category constructors
 */
export const attempt = <A>(operation: string, read: () => A): Effect.Effect<A, StoreFailure> =>
  Effect.try({ try: read, catch: (cause) => new StoreFailure({ operation, cause }) })

/**
 * The same for an effect that calls the database: a defect becomes a `StoreFailure` of this operation.
 *
 * @category combinators
 */
export const catchThrown =
  (operation: string) => <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StoreFailure> =>
    Effect.catchAllDefect(effect, (cause) => Effect.fail(new StoreFailure({ operation, cause })))
