import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { BlockRecord } from "../../BlockRecord.js"
import type { ContractRecord } from "../../TokenRecord.js"
import type { TransactionRecord } from "../../TransactionRecord.js"
import type { StateChange } from "../state/JournalState.js"

/** A log before its block is sealed. */
export interface EmittedLog {
  readonly address: Hex
  readonly topics: ReadonlyArray<Hex>
  readonly data: Uint8Array
}

/** A transfer before its block is stored and numbers it. */
export type DraftTransfer =
  | { readonly kind: "coin"; readonly from: Hex; readonly to: Hex; readonly value: bigint }
  | { readonly kind: "ft"; readonly from: Hex; readonly to: Hex; readonly value: bigint; readonly contract: Hex }
  | { readonly kind: "nft"; readonly from: Hex; readonly to: Hex; readonly tokenId: bigint; readonly contract: Hex }
  | {
    readonly kind: "mt"
    readonly operator: Hex
    readonly from: Hex
    readonly to: Hex
    readonly ids: ReadonlyArray<bigint>
    readonly values: ReadonlyArray<bigint>
    readonly contract: Hex
  }

/** A transaction after execution, before its block is sealed. */
export interface ExecutedTransaction extends Omit<TransactionRecord, "blockHash" | "logCount" | "raw"> {
  readonly raw: Uint8Array
  readonly logs: ReadonlyArray<EmittedLog>
  readonly transfers: ReadonlyArray<DraftTransfer>
}

/** Everything one block adds: stored as one database transaction or not at all. */
export interface ExecutedBlock {
  readonly block: BlockRecord
  readonly transactions: ReadonlyArray<ExecutedTransaction>
  readonly changes: ReadonlyArray<StateChange>
  /** New codes by Keccak-256 hash, hex without 0x. */
  readonly codes: ReadonlyMap<string, Uint8Array>
  /** Token contracts seen for the first time. */
  readonly contracts: ReadonlyArray<Omit<ContractRecord, "blockNumber" | "createdAt" | "label">>
  /** URIs of tokens that are new, or whose contract says that they changed. */
  readonly uris: ReadonlyArray<{ readonly contract: Hex; readonly tokenId: bigint; readonly uri: string }>
}
