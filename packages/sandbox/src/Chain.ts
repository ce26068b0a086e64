/**
 * One chain of the sandbox.
 *
 * @since 0.1.0
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
import type { LogQuery } from "./LogQuery.js"
import type { PresetRecord } from "./PresetRecord.js"
import type { SendRequest } from "./SendRequest.js"
import type { ContractHoldingQuery, ContractQuery, HoldingQuery, TokenQuery } from "./TokenQuery.js"
import type {
  ContractHolding,
  ContractLabel,
  ContractRecord,
  HoldingRecord,
  OwnershipRecord,
  TokenRecord
} from "./TokenRecord.js"
import type { DroppedTransaction, LogRecord, PendingTransaction, TransactionRecord } from "./TransactionRecord.js"
import type { TransferQuery, TransferRecord } from "./TransferRecord.js"

/**
 * ID of a chain: 8217 mainnet, 1001 testnet.
 *
 * @since 0.1.0
 * @category models
 */
export type ChainId = 8217 | 1001

/**
 * What a client waits for: everything about blocks, read from the database.
 *
 * @since 0.1.0
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
  readonly transactionsOf: (block: number) => Effect.Effect<ReadonlyArray<TransactionRecord>, StoreFailure>
  readonly logsOf: (hash: Hex) => Effect.Effect<ReadonlyArray<LogRecord>, StoreFailure>
  readonly logs: (query: LogQuery) => Effect.Effect<ReadonlyArray<LogRecord>, StoreFailure>
  readonly transfers: (query: TransferQuery) => Effect.Effect<ReadonlyArray<TransferRecord>, StoreFailure>
  /** Tokens before the native record; nothing for an unknown hash. */
  readonly transfersOf: (hash: Hex) => Effect.Effect<ReadonlyArray<TransferRecord>, StoreFailure>
  readonly contract: (address: Hex) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
  readonly contracts: (query: ContractQuery) => Effect.Effect<ReadonlyArray<ContractRecord>, StoreFailure>
  /** What all owners hold together: amounts of a fungible or multi token, a number of non-fungible ones. */
  readonly contractSupply: (contract: Hex) => Effect.Effect<bigint, StoreFailure>
  /** Labelled contracts of which an owner holds tokens. */
  readonly contractHoldings: (
    query: ContractHoldingQuery
  ) => Effect.Effect<ReadonlyArray<ContractHolding>, StoreFailure>
  /** Changes of hands of a non-fungible token, burnt ones too, the newest first; `before` is the last `id` seen. */
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
  /** Sum of what an owner holds of all tokens of a contract. */
  readonly totalBalance: (contract: Hex, owner: Hex) => Effect.Effect<bigint, StoreFailure>
  readonly holderCount: (contract: Hex) => Effect.Effect<number, StoreFailure>
  /** Nothing when nobody ever touched the address. */
  readonly account: (address: Hex, block?: number) => Effect.Effect<Option.Option<AccountState>, ReadFailure>
  readonly code: (address: Hex, block?: number) => Effect.Effect<Hex, ReadFailure>
  /** A slot as 32 bytes. */
  readonly storageAt: (address: Hex, slot: bigint, block?: number) => Effect.Effect<Hex, ReadFailure>
  readonly presets: Effect.Effect<ReadonlyArray<PresetRecord>, StoreFailure>
  readonly preset: (id: number) => Effect.Effect<Option.Option<PresetRecord>, StoreFailure>
}

/**
 * Reading at a block fails if the chain has not got that far.
 *
 * @since 0.1.0
 * @category errors
 */
export type ReadFailure = StoreFailure | BlockNotFound

/**
 * A chain that can't build blocks: since when (Unix seconds), how often it has tried, and what the last try failed with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Stuck {
  readonly since: number
  readonly attempts: number
  readonly message: string
}

/**
 * A chain: real keys, real signatures, a real EVM, and blocks that are in the database before anybody hears of them.
 *
 * **Details**
 *
 * Transactions run by the rules of Klaytn: account keys by role, fee payers also by ratio, nonces, the node's own texts
 * for what is refused. The price of gas is constant; who offers more pays the constant price. Fees are burnt. The EVM
 * is Cancun's with the precompiles 0x3fd to 0x3ff. One transaction's execution may use 30,000,000 gas: it stands for
 * the node's limit of computation cost.
 *
 * Everything that changes the chain waits for its turn, so calls may be made at the same time from anywhere. Addresses
 * and hashes may be written in any case; a checksum's capitals are not checked. What comes back is in lower case.
 *
 * @since 0.1.0
 * @category services
 */
export interface Chain extends ChainReads {
  readonly chainId: ChainId
  /** peb for one unit of gas. */
  readonly unitPrice: bigint
  /** The genesis account that {@link Chain.fund} pays from. */
  readonly faucet: DevAccount
  /** The chain's present, Unix seconds: what the next block's timestamp would be built from. */
  readonly now: Effect.Effect<number>
  /** The next nonce of an address, counting what waits in the pool. */
  readonly pendingNonce: (address: Hex) => Effect.Effect<bigint>
  /** Hashes of the transactions that wait for a block. A block is full at 100,000,000 gas, or 8 MiB of transactions. */
  readonly pending: Effect.Effect<ReadonlyArray<Hex>>
  /**
   * The last 1,000 transactions that were taken in and left the pool without a block, the newest last: cancelled, not
   * payable any more, signed by a key that the account has no longer, or such that no block can be built with them.
   */
  readonly dropped: Effect.Effect<ReadonlyArray<DroppedTransaction>>
  /** Why no blocks can be built, if so: the database fails. Blocks go on by themselves when it does not any more. */
  readonly stuck: Effect.Effect<Option.Option<Stuck>>
  /** One that waits, by its hash. */
  readonly pendingTransaction: (hash: Hex) => Effect.Effect<Option.Option<PendingTransaction>>

  /** Checks raw bytes and takes the transaction in; with automatic mining it is in a block when this returns. */
  readonly submitRaw: (raw: Hex) => Effect.Effect<Hex, TransactionRejected | StoreFailure>
  /** The same for a decoded transaction. */
  readonly submit: (transaction: Transaction) => Effect.Effect<Hex, TransactionRejected | StoreFailure>
  /** Builds, signs and submits. */
  readonly send: (request: SendRequest) => Effect.Effect<Hex, TransactionRejected | InvalidRequest | StoreFailure>
  /** Builds and signs, and leaves the submitting to the caller: the raw bytes. */
  readonly sign: (request: SendRequest) => Effect.Effect<Hex, InvalidRequest>
  /** As `send`, then waits for no more than the block it makes itself: fails if the execution failed. */
  readonly execute: (request: SendRequest) => Effect.Effect<TransactionRecord, SendFailure>
  /**
   * Signs all requests, in their order, and builds one block of exactly them, whatever the mining mode. If one of them
   * is refused, or has no room in the block any more, there is no block.
   */
  readonly sendBlock: (
    requests: ReadonlyArray<SendRequest>
  ) => Effect.Effect<BlockRecord, TransactionRejected | InvalidRequest | StoreFailure>
  /** Sends coin from the faucet. */
  readonly fund: (address: Hex, peb: bigint) => Effect.Effect<TransactionRecord, SendFailure>
  readonly call: (request: CallRequest) => Effect.Effect<CallResult, ReadFailure>
  /** The gas that a transaction with this message needs. `gas` is the most that it may be, the transaction's own included. */
  readonly estimateGas: (request: CallRequest) => Effect.Effect<GasEstimate, ReadFailure>
  /**
   * What a transaction with this message touches besides its sender, its target and the precompiles. `gas` is the
   * transaction's limit; default: as much as it takes.
   */
  readonly accessList: (request: CallRequest) => Effect.Effect<CallAccess, ReadFailure>

  /** Builds blocks of what can run, empty ones too. Default: one block. */
  readonly mine: (blocks?: number) => Effect.Effect<ReadonlyArray<BlockRecord>, StoreFailure | InvalidRequest>
  /** Moves the chain's clock forward by whole seconds; the next block shows it. */
  readonly advanceTime: (seconds: number) => Effect.Effect<void, InvalidRequest>
  /** Remembers the chain as it is, pool included, until it is reverted to or the process ends. */
  readonly snapshot: Effect.Effect<number>
  /** Takes back everything since a snapshot. The snapshot and all later ones are used up. */
  readonly revert: (snapshot: number) => Effect.Effect<void, SnapshotNotFound | StoreFailure>
  /** Takes back everything since the genesis block. Presets stay. */
  readonly reset: Effect.Effect<void, StoreFailure>
  readonly addPreset: (preset: Omit<PresetRecord, "id">) => Effect.Effect<PresetRecord, StoreFailure>
  /** Labels a token contract, or says nothing for an address that is none. Labels stay when blocks are taken back. */
  readonly setLabel: (
    contract: Hex,
    status: ContractLabel["status"]
  ) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
  /** Takes the label from a token contract; the same answers. */
  readonly removeLabel: (contract: Hex) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
  /** True when there was such a preset. */
  readonly removePreset: (id: number) => Effect.Effect<boolean, StoreFailure>
}

/**
 * What can go wrong with a transaction that the sandbox makes itself.
 *
 * @since 0.1.0
 * @category errors
 */
export type SendFailure = TransactionRejected | InvalidRequest | ExecutionFailed | StoreFailure
