import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"
import type { BlockRecord } from "../../BlockRecord.js"
import type { StorageWrite } from "../evm/MappingKeys.js"
import type { EmittedLog } from "../evm/Message.js"
import type { Viewer } from "./Viewer.js"

/** The result of a transaction: everything that its signed bytes do not contain. */
export interface Receipt {
  readonly status: 0 | 1
  /** The node's code for a failed execution. */
  readonly txError: number | undefined
  readonly gasUsed: bigint
  /** peb that was paid for one unit of gas. */
  readonly gasPrice: bigint
  /** The contract that it created. */
  readonly contractAddress: Hex | undefined
  readonly logs: ReadonlyArray<EmittedLog>
  /**
   * The slots that it wrote, with the keys of the mappings that they belong to; absent where the source can't tell. No
   * method of a node tells them, an EVM that traces does. Without them the token index asks a contract only about those
   * whom its logs and the calls to it name, and misses a balance that it changes for others without a log.
   */
  readonly writes: ReadonlyArray<StorageWrite> | undefined
}

/** A transaction of a block. */
export interface MinedTransaction {
  /** Its signed bytes; Ethereum types with or without 0x78 in front. */
  readonly raw: Hex
  readonly from: Hex
  readonly receipt: Receipt
}

/** A block that a source has. */
export interface SourceBlock<E = never> {
  readonly header: Omit<BlockRecord, "transactionCount" | "transferCount">
  /** In the order of the block. */
  readonly transactions: ReadonlyArray<MinedTransaction>
  /** The state at its end. */
  readonly viewer: Viewer<E>
}

/**
 * The blocks of a chain that is executed elsewhere. `catchUp` follows it, and reverts the blocks that it no longer has.
 *
 * A client of a node implements it: headers, receipts and raw transactions are all on the wire. A chain that is executed
 * here does not need it: its blocks are stored as they are built, from the same receipts and questions.
 */
export interface BlockSource<E = never> {
  /** The hash of the block at a height; none above the newest one. */
  readonly headerHash: (height: number) => Effect.Effect<Hex | undefined, E>
  /** The block at a height; none above the newest one. */
  readonly block: (height: number) => Effect.Effect<SourceBlock<E> | undefined, E>
}
