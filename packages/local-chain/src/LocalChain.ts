/**
 * One chain that this process executes.
 */
import type { TransactionResult } from "@effect-klaytn/transaction/ExecutedTransaction"
import { type Hardfork, latest } from "@effect-klaytn/transaction/Hardfork"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { noble, type Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import type { BlobSidecar } from "@effect-klaytn/transaction/TransactionBody"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { AccountState } from "./AccountState.js"
import type { CallAccess, CallRequest, CallResult, GasEstimate, MeasuredCall } from "./Call.js"
import type {
  InvalidRequest,
  NotTraceable,
  ReadFailure,
  SendFailure,
  SnapshotNotFound,
  StoreFailure,
  TransactionRejected
} from "./ChainError.js"
import { type ChainRecords, type ChainStorage, memory } from "./ChainStorage.js"
import * as DevAccount from "./DevAccount.js"
import type { BlockFields } from "./Execution.js"
import { ChainTime } from "./internal/BlockClock.js"
import { ChainService } from "./internal/ChainService.js"
import { ChainState } from "./internal/ChainState.js"
import * as chainRules from "./internal/rules.js"
import type { SendRequest } from "./SendRequest.js"
import type { Trace, TracedTransaction, TraceOptions } from "./Trace.js"

/**
 * `system` is the runtime's clock. Otherwise the time of the genesis block and the step per block, in seconds.
 *
 * @category models
 */
export type BlockClock = "system" | { readonly start: number; readonly step: number }

/**
 * A transaction in the pool.
 *
 * @category models
 */
export interface PendingTransaction extends Pick<TransactionResult, "hash" | "senderTxHash" | "typeInt" | "from"> {
  /** The signed bytes; Ethereum types without the envelope byte 0x78. */
  readonly raw: Hex
  /** Whether it can't run yet: an earlier nonce of its sender is missing, or it offers less than the base fee of the next block. */
  readonly isQueued: boolean
}

/**
 * A transaction that left the pool without a block: it was never executed and paid nothing.
 *
 * @category models
 */
export interface DroppedTransaction extends Pick<TransactionResult, "hash" | "from" | "nonce"> {
  /** Why, as text to read. */
  readonly reason: string
  /** The transaction that has its nonce instead, in the pool or in a block. That one may have been replaced since. */
  readonly replacedBy?: Hex
}

/**
 * What becomes of a valid transaction that is submitted, in place of the pool: it is refused as one that the pool has
 * (`known`), because the pool is full (`full`), or because its price is below the base fee (`underpriced`), in the node's
 * words; or it is accepted and never heard of again (`forgotten`).
 *
 * @category models
 */
export type SubmitFault = "known" | "full" | "underpriced" | "forgotten"

/**
 * What other blocks a chain goes on with after {@link LocalChain.reorg}.
 *
 * @category models
 */
export interface Reorg {
  /**
   * `return` (default): the transactions of the blocks that are taken back wait again, before those that wait already, also
   * where the pool is full. Their signatures are checked again when they run; those of {@link LocalChain.submitAs} need not
   * be, if this process has built their block and at most 10,000 such came after them. `drop`: they are gone.
   */
  readonly transactions?: "return" | "drop" | undefined
  /**
   * The transactions of the new blocks, from the first one. Blocks without any are empty. One that can't be in its block is
   * left out. `from`: the sender, which need not have signed; without it, the sender is who has signed.
   */
  readonly blocks?: ReadonlyArray<ReadonlyArray<{ readonly transaction: Transaction; readonly from?: Hex | undefined }>>
}

/**
 * The parts of an account that {@link LocalChain.edit} sets. Fields that are left out stay.
 *
 * @category models
 */
export interface AccountEdit {
  /** peb */
  readonly balance?: bigint
  /** At least the present one. Waiting transactions with a lower nonce leave the pool. */
  readonly nonce?: bigint
  /** The code of a contract as it is executed; `0x` removes it. */
  readonly code?: Hex
  /** Values by slot; other slots stay. */
  readonly storage?: ReadonlyMap<bigint, bigint>
}

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
 * A chain with real keys, real signatures and a real EVM. A block is in its storage before anything reports it.
 *
 * **Details**
 *
 * Transactions follow the rules of Klaytn: account keys by role, fee payers with and without a ratio, nonces, and the
 * node's own messages for refusals. A transaction pays its whole gas price; one with a dynamic fee pays the base fee and its
 * tip, up to its cap. Gas is charged as used, all of it by an execution that fails but for a revert. Fees are burnt. The EVM
 * follows `hardfork`, with the precompiles 0x3fd to 0x3ff. The execution of one transaction may have a computation cost of
 * 150,000,000: beyond that it fails with `txError` 0xa. Chains of older storages have other rules, see {@link ChainRules}.
 *
 * Changes to the chain are serialised, so calls may be made concurrently. Addresses and hashes may be in any case;
 * checksums are not verified. Results are in lower case.
 *
 * `R` are the records that the storage keeps of blocks and transactions.
 *
 * @category services
 */
export interface LocalChain<R extends ChainRecords = ChainRecords> {
  readonly chainId: number
  /** The rules of transactions and execution. */
  readonly hardfork: Hardfork
  /** What transactions pay and may execute. A storage keeps the rules that its chain was made with. */
  readonly rules: ChainRules
  /** The base fee, in peb for one unit of gas; the least, where it moves. */
  readonly unitPrice: bigint
  /** Between which prices the base fee moves, or would if it were not fixed. */
  readonly feeBounds: { readonly lowest: bigint; readonly highest: bigint }
  /** The genesis account that {@link LocalChain.fund} pays from. */
  readonly faucet: DevAccount.DevAccount
  /** The newest block. */
  readonly head: Effect.Effect<R["block"], StoreFailure>
  /**
   * The heights of blocks from now on, each after its block is stored. The queue keeps the 16 newest unread
   * heights; a reader that is behind reads the blocks between.
   */
  readonly newBlocks: Effect.Effect<Queue.Dequeue<number>, never, Scope.Scope>
  /**
   * The hashes of transactions that can run for the first time from now on, including transactions that are in a block at once; one
   * whose sender has a gap before it, when that is closed. The queue keeps the 10,000 newest unread hashes.
   */
  readonly newTransactions: Effect.Effect<Queue.Dequeue<Hex>, never, Scope.Scope>
  /**
   * The same that were told after the first `after` ones, of the newest 10,000, and how many were told in all. Default: none but that
   * number.
   */
  readonly told: (after?: number) => Effect.Effect<{ readonly hashes: ReadonlyArray<Hex>; readonly count: number }>
  /** The chain's current time in Unix seconds, from which the next block's timestamp is built. */
  readonly now: Effect.Effect<number>
  /** None if the address was never used. */
  readonly account: (address: Hex, block?: number) => Effect.Effect<Option.Option<AccountState>, ReadFailure>
  /** The balances of all accounts together, in peb, at the end of a block, the newest one by default. */
  readonly coin: (block?: number) => Effect.Effect<bigint, ReadFailure>
  readonly code: (address: Hex, block?: number) => Effect.Effect<Hex, ReadFailure>
  /** A slot as 32 bytes. */
  readonly storageAt: (address: Hex, slot: bigint, block?: number) => Effect.Effect<Hex, ReadFailure>
  /**
   * The root of the Merkle Patricia trie of an account's storage at the end of a block, the newest one by default. The trie is made
   * for each call, of all slots: the chain keeps none.
   */
  readonly storageRoot: (address: Hex, block?: number) => Effect.Effect<Hex, ReadFailure>
  /**
   * The blobs of a transaction in a block, as they were sent with it; none if it has none, or 1,814,400 blocks came after its
   * own: a node keeps them for 21 days.
   */
  readonly blobs: (hash: Hex) => Effect.Effect<Option.Option<BlobSidecar>, StoreFailure>
  /** The next nonce of an address: after the transactions in the pool that can run. */
  readonly pendingNonce: (address: Hex) => Effect.Effect<bigint>
  /**
   * The first nonce of an address that no block and no waiting transaction has. It differs from `pendingNonce` while one waits
   * that the next block does not allow, as one below the base fee: a send at `pendingNonce` would replace that one.
   */
  readonly freeNonce: (address: Hex) => Effect.Effect<bigint>
  /**
   * How often the chain was set back, by `revert`, `reorg` or `reset`, and the lowest height that it was set back to since it
   * had been set back `since` times; undefined if it was not.
   */
  readonly setBacks: (
    since: number
  ) => Effect.Effect<{ readonly times: number; readonly lowest: number | undefined }>
  /**
   * Hashes of the transactions that wait for a block, in the order they came, those included that can't run yet. A block takes those
   * that can run by the price that they pay, then as they came, and each sender's by nonce, until they have used 100,000,000 gas (of a
   * failed one 30,000,000 count at most), or take 8 MiB. What can't run leaves after five minutes by the chain's clock, counted from the
   * last transaction of its sender that could run, or else from the first that could not.
   */
  readonly pending: Effect.Effect<ReadonlyArray<Hex>>
  /**
   * The last 1,000 transactions that were accepted and left the pool without a block, newest last: replaced or cancelled, with a
   * nonce that was used, dropped by request, five minutes old and not able to run, no longer payable at the price that they offer,
   * signed by a key that the account no longer has, or impossible to build a block with.
   */
  readonly dropped: Effect.Effect<ReadonlyArray<DroppedTransaction>>
  /** Present while no blocks can be built because the storage fails. Building resumes automatically when it recovers. */
  readonly stuck: Effect.Effect<Option.Option<Stuck>>
  /** A waiting transaction by its hash. */
  readonly pendingTransaction: (hash: Hex) => Effect.Effect<Option.Option<PendingTransaction>>
  /**
   * Checks and accepts a raw transaction; with automatic mining it is in a block when this returns. One with the nonce of a waiting
   * one takes its place if it offers a higher price (for dynamic fees: a higher cap, whatever the tip), or cancels.
   */
  readonly submitRaw: (raw: Hex) => Effect.Effect<Hex, TransactionRejected | StoreFailure>
  /** Like `submitRaw`, for a decoded transaction. */
  readonly submit: (transaction: Transaction) => Effect.Effect<Hex, TransactionRejected | StoreFailure>
  /**
   * Like `submit`, for a transaction that takes the next nonce of an address, including transactions in the pool: `make`
   * gets this nonce, and nothing else is submitted before the transaction is. `make` may read the chain, but not change or
   * call it. `isUnsigned`: the address need not have signed, as with `submitAs`. Default: false.
   */
  readonly submitNext: <E>(
    from: Hex,
    make: (nonce: bigint) => Effect.Effect<Transaction, E>,
    options?: { readonly isUnsigned?: boolean }
  ) => Effect.Effect<Hex, E | TransactionRejected | StoreFailure>
  /** Builds, signs and submits. */
  readonly send: (request: SendRequest) => Effect.Effect<Hex, TransactionRejected | InvalidRequest | StoreFailure>
  /** Builds and signs a transaction without submitting it. Returns the raw bytes. */
  readonly sign: (request: SendRequest) => Effect.Effect<Hex, InvalidRequest>
  /**
   * Like `send`, but builds the block itself and fails if the execution failed. A transaction that has to wait for an
   * earlier nonce is not kept: it fails with `InvalidRequest`.
   */
  readonly execute: (request: SendRequest) => Effect.Effect<R["transaction"], SendFailure>
  /**
   * Signs all requests in order and builds one block of exactly these, in every mining mode. If one of them is
   * refused or does not fit in the block, no block is built.
   */
  readonly sendBlock: (
    requests: ReadonlyArray<SendRequest>
  ) => Effect.Effect<R["block"], TransactionRejected | InvalidRequest | StoreFailure>
  /** Sends coin from the faucet, in peb. */
  readonly fund: (address: Hex, peb: bigint) => Effect.Effect<R["transaction"], SendFailure>
  readonly call: (request: CallRequest) => Effect.Effect<CallResult, ReadFailure>
  /** Like `call`, and counts the computation cost, also of an execution that fails. Slower than `call`. */
  readonly measure: (request: CallRequest) => Effect.Effect<MeasuredCall, ReadFailure>
  /** The gas that a transaction with this message needs. `gas` is its upper limit, intrinsic cost included. */
  readonly estimateGas: (request: CallRequest) => Effect.Effect<GasEstimate, ReadFailure>
  /**
   * The addresses and slots that a transaction with this message touches, besides its sender, its target and the
   * precompiles. `gas` is the
   * transaction's limit. Default: as much as it needs.
   */
  readonly accessList: (request: CallRequest) => Effect.Effect<CallAccess, ReadFailure>
  /**
   * What the transactions of a block did, from the one at the index `first` (default: 0) to the one at `last` (default: all): they are
   * executed again, on the state that they met. `transactions` are all of the block, in order.
   */
  readonly traceBlock: (
    block: number,
    transactions: ReadonlyArray<TracedTransaction>,
    options?: TraceOptions & { readonly first?: number; readonly last?: number }
  ) => Effect.Effect<ReadonlyArray<Trace>, StoreFailure | NotTraceable>
  /** What a call does. */
  readonly traceCall: (
    request: CallRequest,
    options?: TraceOptions
  ) => Effect.Effect<{
    readonly result: CallResult
    readonly trace: Trace
    /** All gas that a transaction with this message is charged: the intrinsic cost and the execution, less refunds. */
    readonly gasUsed: bigint
  }, ReadFailure>
  /** Builds blocks of the executable transactions, or empty blocks. Default: one block. */
  readonly mine: (blocks?: number) => Effect.Effect<ReadonlyArray<R["block"]>, StoreFailure | InvalidRequest>
  /** Moves the chain's clock forward by whole seconds; the next block shows it. */
  readonly advanceTime: (seconds: number) => Effect.Effect<void, InvalidRequest>
  /** Sets the timestamp of the next block, in Unix seconds; not before the newest block's. Time goes on from there. */
  readonly setNextTimestamp: (timestamp: number) => Effect.Effect<void, InvalidRequest>
  /** How many seconds each block comes after the one before, if that was set. */
  readonly timestampInterval: Effect.Effect<number | undefined>
  /** Sets how many seconds each block comes after the one before; undefined returns to the chain's clock. */
  readonly setTimestampInterval: (seconds: number | undefined) => Effect.Effect<void, InvalidRequest>
  /** The fields of the block that is built next. A transaction needs at least its base fee as its gas price. */
  readonly nextBlock: Effect.Effect<BlockFields>
  /** What to offer for a unit of gas: 1.1 times the base fee of the next block, so that it may rise until then. */
  readonly gasPrice: Effect.Effect<bigint>
  /** What to offer for a unit of gas to pay a tip too: 1.15 times the base fee of the next block, and the tip. In peb. */
  readonly gasPriceWith: (tip: bigint) => Effect.Effect<bigint>
  /** Whether tips are worth paying: the base fee of the next block is above the lowest. */
  readonly takesTips: Effect.Effect<boolean>
  /**
   * Sets fields of the blocks to come. `miner` and `gasLimit` hold for all of them, `baseFeePerGas` and `mixHash` for the
   * next one alone. A waiting transaction that offers less than the base fee, or has more gas than the gas limit, goes on
   * waiting. Everything that was set is forgotten by `reset` and ends with the process; the blocks keep it.
   */
  readonly setNextBlock: (fields: Partial<BlockFields>) => Effect.Effect<void, InvalidRequest | StoreFailure>
  /** Whether a transaction is in a block when `submit` returns. */
  readonly automine: Effect.Effect<boolean>
  /** Turns automatic mining on or off. When it is turned on, the waiting transactions that can run are mined. */
  readonly setAutomine: (isAutomatic: boolean) => Effect.Effect<void, StoreFailure>
  /**
   * Sets parts of an account without a transaction or a block: the state after the newest block changes, that after
   * earlier ones does not. The storage gets an edit with the next block; until then a process that ends loses it.
   */
  readonly edit: (address: Hex, edit: AccountEdit) => Effect.Effect<void, InvalidRequest | StoreFailure>
  /**
   * Like `submit`, for a transaction whose sender need not have signed it. Its signatures must be well-formed; they are
   * not checked.
   */
  readonly submitAs: (transaction: Transaction, from: Hex) => Effect.Effect<Hex, TransactionRejected | StoreFailure>
  /** Removes a waiting transaction from the pool; false if none of this hash waits. */
  readonly dropTransaction: (hash: Hex) => Effect.Effect<boolean>
  /**
   * Keeps the waiting transactions in the storage, as the last thing before the chain ends: the next chain of the storage begins
   * with them. Returns how many. What a chain gets after that, or without it, ends with the process.
   */
  readonly keepPool: Effect.Effect<number, StoreFailure>
  /** Removes every waiting transaction from the pool, as the end of a node without a journal does. Returns how many. */
  readonly emptyPool: Effect.Effect<number>
  /**
   * Takes a snapshot of the chain, its pool, its clock and the fields of the blocks to come. It lasts until it is reverted
   * to or the process ends.
   */
  readonly snapshot: Effect.Effect<number>
  /** Undoes everything since a snapshot but `setAutomine`. The snapshot and all later ones are used up. */
  readonly revert: (snapshot: number) => Effect.Effect<void, SnapshotNotFound | StoreFailure>
  /**
   * Takes back the newest `depth` blocks and builds as many others, which have other hashes, as a node does that follows another
   * branch. With automatic mining, what waits then is mined in the blocks that follow. Snapshots that were taken at a block that
   * is taken back are used up, and edits of the state since the last block that stays are undone. Fails if the chain has no
   * more blocks than that.
   */
  readonly reorg: (depth: number, reorg?: Reorg) => Effect.Effect<void, InvalidRequest | StoreFailure>
  /**
   * Undoes everything since the genesis block but `setAutomine`. The genesis block gets another hash, so that whoever keeps
   * something about the chain can tell that it began anew.
   */
  readonly reset: Effect.Effect<void, StoreFailure>
}

/**
 * What the transactions of a chain pay and may execute. A chain has the rules that it was made with, also after
 * {@link LocalChain.reset}, so that its blocks can be traced.
 *
 * - `kaiaExecution`: every new chain, and the rules of the network. A transaction pays what it offers, dynamic fees the base fee
 *   and the tip up to the cap, and may execute 150,000,000 of computation cost. Contracts run as on Kaia 2.2 where that is not as on
 *   Ethereum.
 * - `offeredPrice`: the same payment, with contracts that run as on Ethereum.
 * - `constantPrice`: a storage that was made before storages kept rules. A transaction pays the base fee alone where that is fixed,
 *   and may execute 30,000,000 gas.
 *
 * @category models
 */
export type ChainRules = "constantPrice" | "offeredPrice" | "kaiaExecution"

/**
 * The rules of a chain in a sentence, to show.
 *
 * @category models
 */
export const describeRules = (rules: ChainRules): string => chainRules.rulesOf(rules).description

/**
 * Options of a chain. All but the chain's ID have defaults.
 *
 * @category models
 */
export interface LocalChainOptions {
  readonly chainId: number
  /** The account that {@link LocalChain.fund} pays from. Default: one that everybody can derive. */
  readonly faucet?: DevAccount.DevAccount
  /**
   * Accounts of the genesis block besides the faucet: balances in peb, and the code of contracts. A storage keeps the
   * genesis block that it has.
   */
  readonly accounts?: ReadonlyArray<{ readonly address: Hex; readonly balance: bigint; readonly code?: Hex }>
  /** The lowest base fee, in peb for one unit of gas. Default: 25 gpeb. */
  readonly unitPrice?: bigint
  /** The highest base fee, in peb for one unit of gas; `unitPrice` if it is less. Default: 30 times `unitPrice`. */
  readonly highestUnitPrice?: bigint
  /**
   * `moving` (default): by KIP-71 the base fee rises after a block that used more than 30,000,000 gas and falls after one that
   * used less, by at most a twentieth, from `unitPrice` to `highestUnitPrice`. `fixed`: every block has `unitPrice` as its base fee.
   * A storage does not keep it; the default for a chain with the rules `constantPrice` is `fixed`.
   */
  readonly baseFee?: "fixed" | "moving"
  /** The rules of transactions and execution. Default: `osaka`. A storage does not keep them. */
  readonly hardfork?: Hardfork
  /**
   * `system` (default): blocks carry the time of the runtime's clock. Otherwise the genesis block has second `start` and
   * every block comes `step` seconds after the one before, so that equal calls make equal blocks.
   */
  readonly clock?: BlockClock
  /** The address that proposes the blocks, which COINBASE gives. Default: one that everybody can derive. */
  readonly proposer?: Hex
  /** `auto` (default): a block with every transaction. `onDemand`: only when asked. */
  readonly mining?: "auto" | "onDemand"
  /** How many transactions may wait; more are refused with `txpool is full`. Default: 5,120, the node's. */
  readonly poolSize?: number
  /**
   * Whether transactions that anchor data are taken. Default: yes, as by a node that was started so; a node refuses them otherwise,
   * with `locally anchoring chaindata tx is not allowed in this node`.
   */
  readonly anchoring?: boolean
  /**
   * Whether the transactions that the storage gets list the coin that contracts moved. Default: false. A storage does not
   * keep the option.
   */
  readonly internalTransfers?: boolean
  /** Curve operations. Default: pure JavaScript. */
  readonly curve?: Secp256k1
  /**
   * What becomes of the next transaction that {@link LocalChain.submit} and its likes get, if not what becomes of it on its
   * own; asked once for each. A transaction that is not valid is refused for that. Default: nothing.
   */
  readonly submitFault?: () => SubmitFault | undefined
}

/** Ten billion KLAY. */
const faucetBalance = 10n ** 28n

/**
 * Loads a chain from a storage, with the transactions that waited if {@link LocalChain.keepPool} kept them, or writes its genesis
 * block there.
 *
 * @category constructors
 */
export const makeWith = <R extends ChainRecords>(
  storage: ChainStorage<R>,
  options: LocalChainOptions
): Effect.Effect<LocalChain<R>, StoreFailure> =>
  Effect.gen(function*() {
    const {
      accounts = [],
      anchoring = true,
      chainId,
      clock = "system",
      curve = noble,
      hardfork = latest,
      internalTransfers = false,
      mining = "auto",
      poolSize = 5120,
      submitFault = () => undefined,
      unitPrice = 25_000_000_000n
    } = options
    const faucet = options.faucet ?? DevAccount.derive("local chain", "faucet", curve)
    const proposer = options.proposer ?? DevAccount.derive("local chain", "validator", curve).address
    const time = new ChainTime(clock)
    const chainState = yield* ChainState.open({
      chainId,
      storage,
      unitPrice,
      highestUnitPrice: options.highestUnitPrice,
      baseFee: options.baseFee,
      anchoring,
      hardfork,
      curve,
      internalTransfers,
      poolSize,
      proposer,
      genesis: [{ address: faucet.address, balance: faucetBalance }, ...accounts],
      genesisTimestamp: yield* time.genesis,
      genesisMixHash: clock === "system" ? fromBytes(crypto.getRandomValues(new Uint8Array(32))) : undefined
    })
    const chain = new ChainService({ chainState, time, faucet, curve, mining, submitFault })
    yield* chain.takePool
    return chain
  })

/**
 * A chain in memory, which ends with the process.
 *
 * @example
 * ```ts
 * import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
 * import * as LocalChain from "@effect-klaytn/local-chain/LocalChain"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const chain = yield* LocalChain.make({ chainId: 1001 })
 *   const alice = DevAccount.derive("my tests", "alice")
 *   const { blockNumber } = yield* chain.fund(alice.address, 10n ** 18n)
 *   return blockNumber // 1
 * })
 * ```
 *
 * @category constructors
 */
export const make = (options: LocalChainOptions): Effect.Effect<LocalChain, StoreFailure> =>
  Effect.suspend(() => makeWith(memory(), options))
