/**
 * The blocks of a chain that is executed elsewhere.
 */
import type { BlockHeader, Receipt, TransactionFacts } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"
import type { Viewer } from "./Viewer.js"

/**
 * A transaction of a block: its signed bytes, which are decoded, and its sender, or its fields as the source lists them.
 * Only the second form can have a type that this version does not know.
 *
 * @category models
 */
export type MinedTransaction =
  | {
    /** Its signed bytes; Ethereum types with or without 0x78 in front. */
    readonly raw: Hex
    readonly from: Hex
    readonly receipt: Receipt
  }
  | { readonly facts: TransactionFacts; readonly receipt: Receipt }

/**
 * A block that a source has.
 *
 * @category models
 */
export interface SourceBlock<E = never> {
  readonly header: Omit<BlockHeader, "transactionCount">
  /** In the order of the block. */
  readonly transactions: ReadonlyArray<MinedTransaction>
  /** The state at its end. */
  readonly viewer: Viewer<E>
  /** A height that the source has reached, as far as is known without asking. Default: the height of this block. */
  readonly newest?: number | undefined
}

/**
 * The blocks of a chain that is executed elsewhere. `catchUp` follows it, and reverts the blocks that it no longer has.
 *
 * A client of a node implements it: headers, receipts and raw transactions are all on the wire. A chain that is executed
 * here does not need it: its blocks are stored as they are built, from the same receipts and questions.
 *
 * @category services
 */
export interface BlockSource<E = never> {
  /** The hash of the block at a height; none above the newest one. */
  readonly headerHash: (height: number) => Effect.Effect<Hex | undefined, E>
  /** The block at a height; none above the newest one. */
  readonly block: (height: number) => Effect.Effect<SourceBlock<E> | undefined, E>
}
