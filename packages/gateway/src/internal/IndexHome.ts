/** Where a gateway keeps its index: a file, or a schema of a Postgres. */
import type { Chain } from "@effect-klaytn/core/Chain"
import type { SourceMismatch } from "@effect-klaytn/indexer/CatchUp"
import type { StoreFailure } from "@effect-klaytn/indexer/IndexError"
import type { IndexScope, ScopeFilter } from "@effect-klaytn/indexer/IndexScope"
import type { IndexStore } from "@effect-klaytn/indexer/IndexStore"
import type * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import type { IndexFacts } from "@effect-klaytn/indexer/PostgresIndex"
import type { PaidQuery, TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CallerFile } from "../CallerFile.js"
import type { GatewayError } from "../GatewayError.js"
import type { BackfillStatus } from "../GatewayStatus.js"

/** The index, as it is opened. */
export interface OpenIndex {
  /** Reads, for the handlers. */
  readonly store: IndexStore
  /** The same index for readiness: on connections that no caller uses. */
  readonly watched: Watched
  /** The transactions whose fee an account has paid, newest first: for the fees of a wallet. */
  readonly transactionsPaidBy: (query: PaidQuery) => Effect.Effect<ReadonlyArray<TransactionRecord>, StoreFailure>
  /** Whether it has what contracts move of coin. */
  readonly isTraced: boolean
  /** What is kept beside it. */
  readonly facts: IndexFacts
  /** Seals the cursors of pages, which stay valid across restarts, and in all processes. */
  readonly cursorKey: Uint8Array
  /** Whether the index has ever reached the newest block of the node. */
  readonly isComplete: Effect.Effect<boolean>
  readonly setComplete: Effect.Effect<void, StoreFailure>
  /**
   * Runs an effect with the index to write, while this process may: always for a file. The effect is interrupted when
   * another process has taken over, or `mayLead` says that this process can't do its work now, and runs again when this one gets its turn.
   */
  readonly leading: <E, R>(
    mayLead: Effect.Effect<boolean>,
    use: (writing: Writing) => Effect.Effect<unknown, E, R>
  ) => Effect.Effect<unknown, E, R>
  /** Loads pieces of a new index until none is left; nothing for a file. */
  readonly load: (
    source: NodeSource.NodeSource,
    onBlocks: (blocks: number, transfers: number) => Effect.Effect<void>
  ) => Effect.Effect<number, Failure>
  /** How far the load of a new index is; undefined if there is none. */
  readonly backfill: Effect.Effect<BackfillStatus | undefined>
}

/** What readiness depends on. */
export interface Watched {
  readonly newest: IndexStore["newest"]
  readonly isSettled: IndexStore["reader"]["isSettled"]
}

/** Why an index can't be written now. */
export type Failure = NodeSource.Failure | SourceMismatch | StoreFailure

/** The index of the process that may write it. */
export interface Writing {
  readonly store: IndexStore
  /** Brings a new index to where it can be followed: folds what is loaded; nothing for a file. */
  readonly fold: (source: NodeSource.NodeSource) => Effect.Effect<void, Failure>
}

/** The callers that a database knows. */
export interface KnownCallers extends Pick<CallerFile, "check" | "callerOf" | "callerNamed"> {
  /**
   * Whether those of the wallet, or all callers, were read lately: of those that were known long ago, some may be revoked. Default: they
   * were.
   */
  readonly areFresh?: ((of: "wallet" | "all") => boolean) | undefined
}

/** A database that was opened. */
export interface IndexHome {
  /** The chain of its index; undefined if it is new. */
  readonly chain: Chain | undefined
  /** The scope of its index; undefined if it is new. */
  readonly scope: ScopeFilter | undefined
  /** Whether its index has what contracts move of coin; undefined if it is new. */
  readonly isTraced: boolean | undefined
  /** Opens the index. What is not so in the index is refused; a new index is created with it. */
  readonly open: (
    chain: Chain,
    scope: IndexScope | undefined,
    isTraced: boolean
  ) => Effect.Effect<OpenIndex, GatewayError, Scope.Scope>
  /** Checks the credentials of callers. */
  readonly callers: Effect.Effect<KnownCallers, GatewayError, Scope.Scope>
}
