import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { BlockRecord } from "../../BlockRecord.js"
import type { ContractRecord } from "../../TokenRecord.js"
import type { TransactionRecord } from "../../TransactionRecord.js"
import type { Moved, TransferRecord } from "../../TransferRecord.js"
import type { StorageWrite } from "../evm/MappingKeys.js"
import type { EmittedLog } from "../evm/Message.js"
import type { StateChange } from "../state/JournalState.js"

/** A transfer that has no number yet: it gets one when its block is stored. */
export type DraftTransfer = Omit<TransferRecord, "id" | "transaction" | keyof Moved<Hex>> & Moved<Hex>

/** A transaction after execution, before its block is sealed. */
export interface ExecutedTransaction extends Omit<TransactionRecord, "blockHash" | "logCount" | "raw"> {
  readonly raw: Uint8Array
  readonly logs: ReadonlyArray<EmittedLog>
  /** What it wrote to storage, where that is known. */
  readonly writes: ReadonlyArray<StorageWrite> | undefined
  readonly transfers: ReadonlyArray<DraftTransfer>
}

/** A token contract as it describes itself. */
export type DescribedContract = Omit<ContractRecord, "blockNumber" | "createdAt" | "label">

/** What token contracts answer at the end of a block about the owners and tokens that the block touched. */
export interface TokenAnswers {
  readonly balances: ReadonlyArray<{
    readonly contract: Hex
    readonly owner: Hex
    /** Of a multi token. */
    readonly tokenId: bigint | undefined
    readonly balance: bigint
    /** Index of the last transaction that touched it. */
    readonly transaction: number
  }>
  /** Owners of non-fungible tokens; undefined for a token that does not exist. */
  readonly owners: ReadonlyArray<{
    readonly contract: Hex
    readonly tokenId: bigint
    readonly owner: Hex | undefined
    readonly transaction: number
  }>
  /** Total supplies of contracts. */
  readonly supplies: ReadonlyArray<{ readonly contract: Hex; readonly supply: bigint }>
  /** Supplies of single multi tokens. */
  readonly tokenSupplies: ReadonlyArray<{
    readonly contract: Hex
    readonly tokenId: bigint
    readonly supply: bigint
    readonly transaction: number
  }>
}

/** Everything that a block adds, stored in one database transaction. */
export interface ExecutedBlock {
  readonly block: BlockRecord
  readonly transactions: ReadonlyArray<ExecutedTransaction>
  readonly changes: ReadonlyArray<StateChange>
  /** New contract code by its Keccak-256 hash, hex without 0x. */
  readonly codes: ReadonlyMap<string, Uint8Array>
  /** Token contracts that are new, or whose description changed. */
  readonly contracts: ReadonlyArray<DescribedContract>
  readonly answers: TokenAnswers
  /** URIs of tokens that are new, or that their contract reports as changed. */
  readonly uris: ReadonlyArray<{ readonly contract: Hex; readonly tokenId: bigint; readonly uri: string }>
}
