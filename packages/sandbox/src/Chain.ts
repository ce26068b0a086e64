/**
 * One chain of the sandbox.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AccountState } from "./AccountState.js"
import type { BlockRecord } from "./BlockRecord.js"
import type { CallAccess, CallRequest, CallResult, GasEstimate } from "./Call.js"
import type {
  BlockNotFound,
  ExecutionFailed,
  InvalidRequest,
  SnapshotNotFound,
  StoreFailure,
  TransactionRejected
} from "./ChainError.js"
import type { DevAccount } from "./DevAccount.js"
import type { SendRequest } from "./SendRequest.js"
import type {
  ContractHolding,
  ContractHoldingQuery,
  ContractLabel,
  ContractQuery,
  ContractRecord,
  HoldingQuery,
  HoldingRecord,
  OwnershipRecord,
  TokenQuery,
  TokenRecord
} from "./TokenRecord.js"
import type {
  DroppedTransaction,
  LogQuery,
  LogRecord,
  PendingTransaction,
  TransactionQuery,
  TransactionRecord
} from "./TransactionRecord.js"
import type { PresetRecord, TransferQuery, TransferRecord } from "./TransferRecord.js"

/**
 * ID of a chain: 8217 mainnet, 1001 testnet.
 *
 * @category models
 */
export type ChainId = 8217 | 1001

/**
 * Reads of a chain, served from the database.
 *
 * @category services
 */
export interface ChainReads {
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
  readonly contract: (address: Hex) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
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
    page: { readonly before?: number; readonly limit: number }
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
  /** None if nobody ever touched the address. */
  readonly account: (address: Hex, block?: number) => Effect.Effect<Option.Option<AccountState>, ReadFailure>
  readonly code: (address: Hex, block?: number) => Effect.Effect<Hex, ReadFailure>
  /** A slot as 32 bytes. */
  readonly storageAt: (address: Hex, slot: bigint, block?: number) => Effect.Effect<Hex, ReadFailure>
  readonly presets: Effect.Effect<ReadonlyArray<PresetRecord>, StoreFailure>
  readonly preset: (id: number) => Effect.Effect<Option.Option<PresetRecord>, StoreFailure>
}

/**
 * Reading at a block fails if the chain has not reached it.
 *
 * @category errors
 */
export type ReadFailure = StoreFailure | BlockNotFound

/**
 * A chain that can't build blocks: since when (Unix seconds), how often it has tried, and the error of the last
 * attempt.
 *
 * @category models
 */
export interface Stuck {
  readonly since: number
  readonly attempts: number
  readonly message: string
}

/**
 * A chain with real keys, real signatures and a real EVM. A block is in the database before anything reports it.
 *
 * **Details**
 *
 * Transactions follow the rules of Klaytn: account keys by role, fee payers with and without a ratio, nonces, and the
 * node's own messages for refusals. The gas price is constant; a transaction that offers more pays the constant price.
 * Fees are burnt. The EVM follows Cancun, with the precompiles 0x3fd to 0x3ff. The execution of one transaction may use
 * 30,000,000 gas, in place of the node's limit of computation cost.
 *
 * Changes to the chain are serialised, so calls may be made concurrently. Addresses and hashes may be in any case;
 * checksums are not verified. Results are in lower case.
 *
 * @category services
 */
export interface Chain extends ChainReads {
  readonly chainId: ChainId
  /** peb for one unit of gas. */
  readonly unitPrice: bigint
  /** The genesis account that {@link Chain.fund} pays from. */
  readonly faucet: DevAccount
  /** The chain's current time in Unix seconds, from which the next block's timestamp is built. */
  readonly now: Effect.Effect<number>
  /** The next nonce of an address, including transactions in the pool. */
  readonly pendingNonce: (address: Hex) => Effect.Effect<bigint>
  /** Hashes of the transactions that wait for a block. A block takes them until it has used 100,000,000 gas, or holds 8 MiB. */
  readonly pending: Effect.Effect<ReadonlyArray<Hex>>
  /**
   * The last 1,000 transactions that were accepted and left the pool without a block, newest last: cancelled, no longer
   * payable, signed by a key that the account no longer has, or impossible to build a block with.
   */
  readonly dropped: Effect.Effect<ReadonlyArray<DroppedTransaction>>
  /**
   * Present while no blocks can be built because the database fails. Building resumes automatically when it recovers.
   */
  readonly stuck: Effect.Effect<Option.Option<Stuck>>
  /** A waiting transaction by its hash. */
  readonly pendingTransaction: (hash: Hex) => Effect.Effect<Option.Option<PendingTransaction>>

  /** Checks and accepts a raw transaction; with automatic mining it is in a block when this returns. */
  readonly submitRaw: (raw: Hex) => Effect.Effect<Hex, TransactionRejected | StoreFailure>
  /** Like `submitRaw`, for a decoded transaction. */
  readonly submit: (transaction: Transaction) => Effect.Effect<Hex, TransactionRejected | StoreFailure>
  /** Builds, signs and submits. */
  readonly send: (request: SendRequest) => Effect.Effect<Hex, TransactionRejected | InvalidRequest | StoreFailure>
  /** Builds and signs a transaction without submitting it. Returns the raw bytes. */
  readonly sign: (request: SendRequest) => Effect.Effect<Hex, InvalidRequest>
  /** Like `send`, but builds the block itself and fails if the execution failed. */
  readonly execute: (request: SendRequest) => Effect.Effect<TransactionRecord, SendFailure>
  /**
   * Signs all requests in order and builds one block of exactly these, whatever the mining mode. If one of them is
   * refused or does not fit in the block, no block is built.
   */
  readonly sendBlock: (
    requests: ReadonlyArray<SendRequest>
  ) => Effect.Effect<BlockRecord, TransactionRejected | InvalidRequest | StoreFailure>
  /** Sends coin from the faucet. */
  readonly fund: (address: Hex, peb: bigint) => Effect.Effect<TransactionRecord, SendFailure>
  readonly call: (request: CallRequest) => Effect.Effect<CallResult, ReadFailure>
  /** The gas that a transaction with this message needs. `gas` is its upper limit, intrinsic cost included. */
  readonly estimateGas: (request: CallRequest) => Effect.Effect<GasEstimate, ReadFailure>
  /**
   * What a transaction with this message touches besides its sender, its target and the precompiles. `gas` is the
   * transaction's limit. Default: as much as it needs.
   */
  readonly accessList: (request: CallRequest) => Effect.Effect<CallAccess, ReadFailure>

  /** Builds blocks of the executable transactions, or empty blocks. Default: one block. */
  readonly mine: (blocks?: number) => Effect.Effect<ReadonlyArray<BlockRecord>, StoreFailure | InvalidRequest>
  /** Moves the chain's clock forward by whole seconds; the next block shows it. */
  readonly advanceTime: (seconds: number) => Effect.Effect<void, InvalidRequest>
  /** Takes a snapshot of the chain and its pool, which lasts until it is reverted to or the process ends. */
  readonly snapshot: Effect.Effect<number>
  /** Undoes everything since a snapshot. The snapshot and all later ones are used up. */
  readonly revert: (snapshot: number) => Effect.Effect<void, SnapshotNotFound | StoreFailure>
  /** Undoes everything since the genesis block. Presets stay. */
  readonly reset: Effect.Effect<void, StoreFailure>
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

/**
 * The failures of a transaction that the sandbox makes itself.
 *
 * @category errors
 */
export type SendFailure = TransactionRejected | InvalidRequest | ExecutionFailed | StoreFailure
