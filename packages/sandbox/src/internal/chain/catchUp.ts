import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../ChainError.js"
import type { ExecutedTransaction } from "../store/ExecutedBlock.js"
import type { ChainStore } from "../store/Store.js"
import type { BlockSource, SourceBlock } from "./BlockSource.js"
import { attempt, catchThrown } from "./reads.js"
import { readTokens } from "./tokenIndex.js"
import { executedTransaction, hashTransaction } from "./TransactionView.js"

/** A source whose blocks don't fit together or don't fit the store. Nothing of the block was stored. */
export class SourceMismatch extends Data.TaggedError("SourceMismatch")<{
  readonly height: number
  readonly problem: string
}> {
  override get message(): string {
    return `block ${this.height} of the source: ${this.problem}`
  }
}

/** The changes of a chain since the last look: blocks that were reverted, and blocks that were added. */
export interface Progress {
  readonly reverted: number
  readonly indexed: number
}

const readTransactions = <E>(
  { header, transactions }: SourceBlock<E>
): Effect.Effect<ReadonlyArray<ExecutedTransaction>, SourceMismatch> =>
  Effect.gen(function*() {
    const executed: Array<ExecutedTransaction> = []
    for (const [index, { from, raw, receipt }] of transactions.entries()) {
      const decoded = Transaction.decode(raw, { unprotected: true })
      const hashed = decoded.ok ? hashTransaction(decoded.value, from) : decoded
      if (!hashed.ok) {
        const problem = `transaction ${index} can't be read: ${hashed.error.message}`
        return yield* new SourceMismatch({ height: header.number, problem })
      }
      const gasBefore = executed.at(-1)?.cumulativeGasUsed ?? 0n
      executed.push(executedTransaction(hashed.value, receipt, { block: header, index, gasBefore }))
    }
    return executed
  })

/** Stores a block with what it means for tokens, but without any state. */
const index = <E>(
  store: ChainStore,
  block: SourceBlock<E>
): Effect.Effect<void, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    const transactions = yield* readTransactions(block)
    const tokens = yield* readTokens(store.tokens, transactions, block.viewer).pipe(catchThrown("index"))
    const transferCount = transactions.reduce((count, { transfers }) => count + transfers.length, 0)
    yield* attempt("index", () =>
      store.blocks.write({
        block: { ...block.header, transactionCount: transactions.length, transferCount },
        transactions,
        changes: [],
        codes: new Map(),
        ...tokens
      }))
  })

/** Reverts the blocks that the source no longer has, and returns how many they were. */
const revert = <E>(
  store: ChainStore,
  source: BlockSource<E>,
  head: { readonly number: number; readonly hash: Hex }
): Effect.Effect<number, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    for (let height = head.number; height >= 0; height--) {
      const stored = yield* attempt("block", () => store.reader.blockByNumber(height))
      if (stored === undefined || stored.hash !== (yield* source.headerHash(height))) continue
      if (height < head.number) yield* attempt("revert", () => store.blocks.revert(height))
      return head.number - height
    }
    return yield* new SourceMismatch({ height: 0, problem: "it is not the genesis block of the store" })
  })

/**
 * Brings the store of a chain to the newest block of a source: takes back what the source has no longer, told by the
 * hashes, and adds what is new. Call it whenever there may be more. After a failure, everything up to the block before
 * is stored, and the next call goes on from there.
 */
export const catchUp = <E>(
  store: ChainStore,
  source: BlockSource<E>
): Effect.Effect<Progress, E | SourceMismatch | StoreFailure> =>
  Effect.gen(function*() {
    const newest = attempt("head", () => store.reader.latestBlock())
    const before = yield* newest
    let reverted = before === undefined ? 0 : yield* revert(store, source, before)
    let indexed = 0
    for (;;) {
      const head = yield* newest
      const height = head === undefined ? 0 : head.number + 1
      const block = yield* source.block(height)
      if (block === undefined) return { reverted, indexed }
      if (head === undefined || block.header.parentHash === head.hash) {
        yield* index(store, block)
        indexed++
        continue
      }
      const count = yield* revert(store, source, head)
      if (count === 0) return yield* new SourceMismatch({ height, problem: "its parent is not the block before it" })
      reverted += count
    }
  })
