/**
 * Where a local chain keeps its blocks and its state.
 */
import type {
  BlockHeader,
  ExecutedTransaction,
  TransactionResult
} from "@effect-klaytn/transaction/ExecutedTransaction"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { AccountRecord } from "./AccountRecord.js"
import type { StoreFailure } from "./ChainError.js"

/**
 * An account, or a storage slot, with its value. In an account's entry `slot` is empty; otherwise it has 64 hex digits
 * and the value 32 bytes at most.
 *
 * @category models
 */
export interface StateEntry {
  readonly address: string
  readonly slot: string
  /** Undefined: there is none. */
  readonly value: AccountRecord | Uint8Array | undefined
}

/**
 * An account or a slot that a block changed.
 *
 * @category models
 */
export interface StateChange extends Pick<StateEntry, "address" | "slot"> {
  readonly before: StateEntry["value"]
  readonly after: StateEntry["value"]
}

/**
 * A call of a contract without value, from the zero address.
 *
 * @category models
 */
export interface ContractCall {
  readonly to: Hex
  readonly data: Uint8Array
  /** Gas for the execution itself, without the intrinsic gas of a transaction. */
  readonly gas: bigint
}

/**
 * The state at the end of the block that is being stored.
 *
 * @category models
 */
export interface BlockState {
  /** Runs a call and undoes it. `fault` is the EVM's own word for a failure. */
  readonly call: (
    call: ContractCall
  ) => Effect.Effect<
    { readonly fault: string | undefined; readonly returnValue: Uint8Array; readonly gasUsed: bigint },
    StoreFailure
  >
  /** The code of a contract; empty for any other address. */
  readonly code: (address: Hex) => Effect.Effect<Uint8Array>
}

/**
 * Everything that a block adds.
 *
 * @category models
 */
export interface ExecutedBlock {
  readonly header: BlockHeader
  readonly transactions: ReadonlyArray<ExecutedTransaction>
  /** The bytes of those that have blobs, with them, by hash: as they were sent, without the envelope byte 0x78. */
  readonly withBlobs: ReadonlyMap<Hex, Uint8Array>
  readonly changes: ReadonlyArray<StateChange>
  /** New contract code by its Keccak-256 hash, hex without 0x. */
  readonly codes: ReadonlyMap<string, Uint8Array>
  readonly state: BlockState
}

/**
 * A transaction that waits for a block.
 *
 * @category models
 */
export interface WaitingTransaction {
  /** The signed bytes, with blobs; Ethereum types without the envelope byte 0x78. */
  readonly raw: Hex
  readonly from: Hex
  /** Whether its sender did not sign it, and need not. */
  readonly isUnsigned: boolean
}

/**
 * The records of blocks and transactions that a storage returns: at least the header and the result.
 *
 * @category models
 */
export interface ChainRecords {
  readonly block: BlockHeader
  readonly transaction: TransactionResult
}

/**
 * The storage of a chain. The reads are synchronous, as the EVM asks for block hashes while it runs; they may
 * throw, and the chain fails with a `StoreFailure` then. A storage belongs to one chain.
 *
 * @category models
 */
export interface ChainStorage<R extends ChainRecords = ChainRecords> {
  /** The name of the chain's rules; undefined if the storage has no chain, or one that was made before rules had names. */
  readonly rules: () => string | undefined
  /** Keeps the name of the rules, before the genesis block is written. It stays through {@link ChainStorage.restart}. */
  readonly keepRules: (name: string) => void
  readonly latestBlock: () => R["block"] | undefined
  readonly blockByNumber: (height: number) => R["block"] | undefined
  readonly transactionByHash: (hash: Hex) => R["transaction"] | undefined
  /** The bytes of a transaction with its blobs. A storage may forget those of a block that has 1,814,400 after it. */
  readonly withBlobs: (hash: Hex) => Uint8Array | undefined
  /** The transactions of a block, in their order, with the blobs that are kept. */
  readonly transactionsOf: (height: number) => ReadonlyArray<Omit<WaitingTransaction, "isUnsigned">>
  /** All code, as hex hashes without 0x and bytes. The chain stores code once: the code of reverted blocks must stay. */
  readonly codes: () => Iterable<readonly [hash: string, code: Uint8Array]>
  /** The state at the end of the newest block. */
  readonly entries: () => Iterable<StateEntry>
  /** Everything that changed after a block, with the value at the end of that block. */
  readonly changedSince: (height: number) => ReadonlyArray<StateEntry>
  /** An entry at the end of a block; undefined if no later block changed it. */
  readonly before: (height: number, address: Hex, slot: string) => StateEntry | undefined
  /** Stores the whole block, or fails and stores nothing. Returns its record. */
  readonly write: (block: ExecutedBlock) => Effect.Effect<R["block"], StoreFailure>
  /** Removes every block above a height. Returns what {@link ChainStorage.changedSince} returned before. */
  readonly revert: (height: number) => ReadonlyArray<StateEntry>
  /**
   * Puts a genesis block in the place of all blocks, or fails and changes nothing. Returns its record. Its `changes` are the
   * whole state. All code stays.
   */
  readonly restart: (genesis: ExecutedBlock) => Effect.Effect<R["block"], StoreFailure>
  /** Keeps the waiting transactions, in their order, in place of those that it has. */
  readonly keepPool: (waiting: ReadonlyArray<WaitingTransaction>) => void
  /** Returns the waiting transactions that were kept last, and forgets them. */
  readonly takePool: () => ReadonlyArray<WaitingTransaction>
}

/**
 * A storage that lives in memory and ends with its chain.
 *
 * @category constructors
 */
export const memory = (): ChainStorage => {
  const blocks: Array<ExecutedBlock> = []
  const codes = new Map<string, Uint8Array>()
  const blobs = new Map<Hex, Uint8Array>()
  const entries = new Map<string, StateEntry>()
  let kept: ReadonlyArray<WaitingTransaction> = []
  let rules: string | undefined
  const keyOf = ({ address, slot }: Pick<StateEntry, "address" | "slot">) => address + slot
  const changedSince = (height: number): ReadonlyArray<StateEntry> => {
    const changes = blocks.slice(height + 1).flatMap(({ changes }) => changes)
    // The oldest change of an entry has its value at the end of the block.
    const oldestLast = changes.toReversed().map(({ address, before, slot }) => ({ address, slot, value: before }))
    return [...new Map(oldestLast.map((entry) => [keyOf(entry), entry])).values()]
  }
  const write = (block: ExecutedBlock): BlockHeader => {
    blocks.push(block)
    for (const [hash, code] of block.codes) codes.set(hash, code)
    for (const [hash, raw] of block.withBlobs) blobs.set(hash, raw)
    for (const { address, after, slot } of block.changes) entries.set(address + slot, { address, slot, value: after })
    return block.header
  }
  return {
    rules: () => rules,
    keepRules: (name) => void (rules = name),
    latestBlock: () => blocks.at(-1)?.header,
    blockByNumber: (height) => blocks[height]?.header,
    transactionByHash: (hash) =>
      blocks.flatMap(({ transactions }) => transactions).find((transaction) => transaction.hash === hash),
    withBlobs: (hash) => blobs.get(hash),
    transactionsOf: (height) =>
      (blocks[height]?.transactions ?? []).map(({ from, hash, raw }) => ({
        from,
        raw: fromBytes(blobs.get(hash) ?? raw)
      })),
    codes: () => codes,
    entries: () => entries.values(),
    changedSince,
    before: (height, address, slot) => changedSince(height).find((entry) => keyOf(entry) === address + slot),
    write: (block) => Effect.sync(() => write(block)),
    revert: (height) => {
      const restored = changedSince(height)
      for (const { withBlobs } of blocks.slice(height + 1)) for (const hash of withBlobs.keys()) blobs.delete(hash)
      blocks.length = height + 1
      for (const entry of restored) entries.set(keyOf(entry), entry)
      return restored
    },
    restart: (genesis) =>
      Effect.sync(() => {
        blocks.length = 0
        blobs.clear()
        entries.clear()
        return write(genesis)
      }),
    keepPool: (waiting) => void (kept = waiting),
    takePool: () => {
      const waiting = kept
      kept = []
      return waiting
    }
  }
}
