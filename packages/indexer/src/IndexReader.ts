/**
 * Reads of the index of a chain.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { BlockRecord } from "./BlockRecord.js"
import type { StoreFailure } from "./IndexError.js"
import type { ScopeFilter } from "./IndexScope.js"
import type {
  ContractHolding,
  ContractHoldingQuery,
  ContractQuery,
  ContractRecord,
  HoldingQuery,
  HoldingRecord,
  OwnershipRecord,
  TokenQuery,
  TokenRecord
} from "./TokenRecord.js"
import type { LogQuery, LogRecord, TransactionQuery, TransactionRecord } from "./TransactionRecord.js"
import type { PresetRecord, TransferQuery, TransferRecord } from "./TransferRecord.js"

/**
 * ID of a chain: 8217 mainnet, 1001 testnet.
 *
 * @category models
 */
export type ChainId = 8217 | 1001

/**
 * Reads of one chain's index. Addresses and hashes are in lower case. They return what the index has: what its scope
 * leaves out looks as if it had never happened. The handlers of `DataService` refuse what can't be answered completely.
 *
 * @category services
 */
export interface IndexReader {
  /** The part of its chain that the index keeps. */
  readonly scope: ScopeFilter
  /** The newest block; fails if there is none. */
  readonly head: Effect.Effect<BlockRecord, StoreFailure>
  readonly block: (at: number | Hex) => Effect.Effect<Option.Option<BlockRecord>, StoreFailure>
  readonly transaction: (hash: Hex) => Effect.Effect<Option.Option<TransactionRecord>, StoreFailure>
  /** By sender hash; a transaction that is not fee-delegated is found by its hash. */
  readonly transactionBySenderHash: (hash: Hex) => Effect.Effect<Option.Option<TransactionRecord>, StoreFailure>
  readonly transactionAt: (
    block: number,
    index: number
  ) => Effect.Effect<Option.Option<TransactionRecord>, StoreFailure>
  readonly transactions: (query: TransactionQuery) => Effect.Effect<ReadonlyArray<TransactionRecord>, StoreFailure>
  readonly transactionsOf: (block: number) => Effect.Effect<ReadonlyArray<TransactionRecord>, StoreFailure>
  readonly logsOf: (hash: Hex) => Effect.Effect<ReadonlyArray<LogRecord>, StoreFailure>
  readonly logs: (query: LogQuery) => Effect.Effect<ReadonlyArray<LogRecord>, StoreFailure>
  readonly transfers: (query: TransferQuery) => Effect.Effect<ReadonlyArray<TransferRecord>, StoreFailure>
  /** Token transfers come before the coin transfer; empty for an unknown hash. */
  readonly transfersOf: (hash: Hex) => Effect.Effect<ReadonlyArray<TransferRecord>, StoreFailure>
  /** The last transfer of each of some transactions: their coin transfer, if they have one. */
  readonly lastTransfersOf: (hashes: ReadonlyArray<Hex>) => Effect.Effect<ReadonlyArray<TransferRecord>, StoreFailure>
  /** Runs reads on one state of the index, whatever is stored or reverted in the meantime. */
  readonly inOneState: <A>(reads: Effect.Effect<A, StoreFailure>) => Effect.Effect<A, StoreFailure>
  /** Whether the index has the successful transaction that created a contract. */
  readonly hasCreation: (contract: Hex) => Effect.Effect<boolean, StoreFailure>
  readonly contract: (address: Hex) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
  /** Those of some addresses that are contracts. */
  readonly contractsOf: (addresses: ReadonlyArray<Hex>) => Effect.Effect<ReadonlyArray<ContractRecord>, StoreFailure>
  readonly contracts: (query: ContractQuery) => Effect.Effect<ReadonlyArray<ContractRecord>, StoreFailure>
  /** The total that all owners hold: amounts of a fungible or multi token, or the number of non-fungible tokens. */
  readonly contractSupply: (contract: Hex) => Effect.Effect<bigint, StoreFailure>
  /** The labelled contracts whose tokens an owner holds. */
  readonly contractHoldings: (
    query: ContractHoldingQuery
  ) => Effect.Effect<ReadonlyArray<ContractHolding>, StoreFailure>
  /** The changes of ownership of a non-fungible token, burns included, newest first; `before` is the last `id` seen. */
  readonly ownership: (
    contract: Hex,
    tokenId: bigint,
    page: { readonly before?: number | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<OwnershipRecord>, StoreFailure>
  readonly token: (contract: Hex, tokenId: bigint) => Effect.Effect<Option.Option<TokenRecord>, StoreFailure>
  readonly tokens: (query: TokenQuery) => Effect.Effect<ReadonlyArray<TokenRecord>, StoreFailure>
  readonly holding: (
    contract: Hex,
    owner: Hex,
    tokenId?: bigint
  ) => Effect.Effect<Option.Option<HoldingRecord>, StoreFailure>
  readonly holdings: (query: HoldingQuery) => Effect.Effect<ReadonlyArray<HoldingRecord>, StoreFailure>
  /** The sum of an owner's balances of all tokens of a contract. */
  readonly totalBalance: (contract: Hex, owner: Hex) => Effect.Effect<bigint, StoreFailure>
  readonly holderCount: (contract: Hex) => Effect.Effect<number, StoreFailure>
  /** Whether contracts were asked about everything that blocks touched; false while the index is far behind its source. */
  readonly isSettled: Effect.Effect<boolean, StoreFailure>
  readonly presets: Effect.Effect<ReadonlyArray<PresetRecord>, StoreFailure>
  readonly preset: (id: number) => Effect.Effect<Option.Option<PresetRecord>, StoreFailure>
}
