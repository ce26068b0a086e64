/**
 * One chain of the sandbox.
 */
import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { ChainId, IndexReader } from "@effect-klaytn/indexer/IndexReader"
import type { ContractLabel, ContractRecord } from "@effect-klaytn/indexer/TokenRecord"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { PresetRecord } from "@effect-klaytn/indexer/TransferRecord"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { LocalChain } from "@effect-klaytn/local-chain/LocalChain"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

export type { ChainId } from "@effect-klaytn/indexer/IndexReader"
export type { ReadFailure, SendFailure } from "@effect-klaytn/local-chain/ChainError"
export type { Stuck } from "@effect-klaytn/local-chain/LocalChain"

/**
 * What the sandbox stores of blocks and transactions.
 *
 * @category models
 */
export interface SandboxRecords {
  readonly block: BlockRecord
  readonly transaction: TransactionRecord
}

/**
 * Reads of a chain: its index, and its state at any block.
 *
 * @category services
 */
export interface ChainReads
  extends
    Omit<IndexReader, "head">,
    Pick<LocalChain<SandboxRecords>, "head" | "account" | "code" | "storageAt" | "storageRoot">
{}

/**
 * When blocks are built: with every transaction (`auto`), only when asked (`manual`), or at an interval, empty if
 * nothing waits.
 *
 * @category models
 */
export type Mining = "auto" | "manual" | { readonly every: Duration.DurationInput }

/**
 * A chain that the sandbox executes, and its index in the database. A block is stored together
 * with its transfers and changes of tokens, before anything reports the block.
 *
 * @category services
 */
export interface Chain extends LocalChain<SandboxRecords>, Omit<IndexReader, "head"> {
  readonly chainId: ChainId
  /** The address of the one validator, which proposes and agrees on every block. Its key is derived from the seed. */
  readonly validator: Hex
  /** When blocks are built. */
  readonly mining: Effect.Effect<Mining>
  /** Changes when blocks are built. With `auto`, what waits and can run is mined. */
  readonly setMining: (mining: Mining) => Effect.Effect<void, StoreFailure>
  readonly addPreset: (preset: Omit<PresetRecord, "id">) => Effect.Effect<PresetRecord, StoreFailure>
  /** Labels a token contract; none if the address is not one. Labels survive a revert. */
  readonly setLabel: (
    contract: Hex,
    status: ContractLabel["status"]
  ) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
  /** Removes the label of a token contract; answers like `setLabel`. */
  readonly removeLabel: (contract: Hex) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
  /** Returns true if the preset existed. */
  readonly removePreset: (id: number) => Effect.Effect<boolean, StoreFailure>
}
