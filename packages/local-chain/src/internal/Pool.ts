import type { Hex } from "@effect-klaytn/transaction/Hex"
import { typeInts } from "@effect-klaytn/transaction/TransactionType"
import * as Either from "effect/Either"
import type { TransactionRejected } from "../ChainError.js"
import type { DroppedTransaction } from "../LocalChain.js"
import { refuse, type ValidTransaction } from "./validation.js"

const cancelTypes: ReadonlySet<number> = new Set([
  typeInts.Cancel,
  typeInts.FeeDelegatedCancel,
  typeInts.FeeDelegatedCancelWithRatio
])

const isCancel = ({ view }: ValidTransaction): boolean => cancelTypes.has(view.typeInt)

/** How many transactions a block may have. */
const transactionsPerBlock = 2_000

/** How many dropped transactions are remembered. */
const memory = 1_000

/** Valid transactions that wait for a block. Those of one sender run in the order of their nonces, without gaps. */
export class Pool {
  readonly #waiting = new Map<Hex, ValidTransaction>()
  readonly #bySender = new Map<string, Map<bigint, ValidTransaction>>()
  /** Those that set code. */
  readonly #setters = new Set<ValidTransaction>()
  readonly #dropped = new Map<Hex, DroppedTransaction>()

  /** Everything that waits, in the order it came. */
  all(): ReadonlyArray<ValidTransaction> {
    return [...this.#waiting.values()]
  }

  /** One that waits. */
  get(hash: Hex): ValidTransaction | undefined {
    return this.#waiting.get(hash)
  }

  /**
   * Adds a transaction that is not there yet. Of two with one nonce the first stays, unless the second cancels it.
   */
  add(transaction: ValidTransaction): Either.Either<void, TransactionRejected> {
    const { from, nonce } = transaction.view
    const queue = this.#bySender.get(from) ?? new Map<bigint, ValidTransaction>()
    const rival = queue.get(nonce)
    if (rival !== undefined) {
      if (!isCancel(transaction) || isCancel(rival)) return Either.left(refuse("NonceTaken"))
      this.drop(rival, `transaction ${transaction.hash} cancels it`)
    }
    queue.set(nonce, transaction)
    this.#bySender.set(from, queue)
    this.#waiting.set(transaction.hash, transaction)
    if (transaction.authorities.length > 0) this.#setters.add(transaction)
    this.#dropped.delete(transaction.hash)
    return Either.void
  }

  /** A sender's transactions by their nonces; undefined if there are none. */
  of(sender: Hex): ReadonlyMap<bigint, ValidTransaction> | undefined {
    return this.#bySender.get(sender)
  }

  /** Whether one of them sets the code of this account. */
  isAuthority(address: Hex): boolean {
    for (const { authorities } of this.#setters) if (authorities.includes(address)) return true
    return false
  }

  /** The next free nonce of a sender whose account has this one. */
  nextNonce(sender: Hex, nonce: bigint): bigint {
    const queue = this.#bySender.get(sender)
    let next = nonce
    while (queue?.has(next)) next++
    return next
  }

  /**
   * The transactions that can run now, as many as fit in a block, in the order they came, given the account nonces. A transaction that
   * came before an earlier nonce of its sender runs right after it. One that the block does not allow waits, and so do
   * the later ones of its sender.
   */
  ready({ isAllowed, nonceOf }: {
    readonly nonceOf: (sender: Hex) => bigint
    readonly isAllowed: (transaction: ValidTransaction) => boolean
  }): ReadonlyArray<ValidTransaction> {
    const ready: Array<ValidTransaction> = []
    const next = new Map<Hex, bigint>()
    const early = new Set<ValidTransaction>()
    for (const transaction of this.#waiting.values()) {
      const { from } = transaction.view
      let nonce = next.get(from) ?? nonceOf(from)
      if (transaction.view.nonce !== nonce || !isAllowed(transaction)) early.add(transaction)
      else {
        let one: ValidTransaction | undefined = transaction
        do {
          if (ready.length >= transactionsPerBlock) return ready
          ready.push(one)
          one = this.#bySender.get(from)?.get(++nonce)
        } while (one !== undefined && early.has(one) && isAllowed(one))
      }
      next.set(from, nonce)
    }
    return ready
  }

  /** A sender's transactions with a nonce below this one: they can never run. */
  below(sender: string, nonce: bigint): ReadonlyArray<ValidTransaction> {
    return [...this.#bySender.get(sender)?.values() ?? []].filter(({ view }) => view.nonce < nonce)
  }

  /** Removes one transaction. */
  remove(transaction: ValidTransaction): void {
    this.#waiting.delete(transaction.hash)
    this.#setters.delete(transaction)
    const { from, nonce } = transaction.view
    const queue = this.#bySender.get(from)
    queue?.delete(nonce)
    if (queue?.size === 0) this.#bySender.delete(from)
  }

  /** Removes one transaction that is in no block and will be in none, and remembers why. */
  drop(transaction: ValidTransaction, reason: string): void {
    this.remove(transaction)
    const { hash, view: { from, nonce } } = transaction
    this.#dropped.set(hash, { hash, from, nonce, reason })
    const [oldest] = this.#dropped.keys()
    if (oldest !== undefined && this.#dropped.size > memory) this.#dropped.delete(oldest)
  }

  /** Transactions that left without a block, newest last. */
  dropped(): ReadonlyArray<DroppedTransaction> {
    return [...this.#dropped.values()]
  }

  /** Why a transaction left without a block; undefined if it did not. */
  whyDropped(hash: Hex): string | undefined {
    return this.#dropped.get(hash)?.reason
  }

  /** Removes everything. */
  clear(): void {
    this.#waiting.clear()
    this.#setters.clear()
    this.#bySender.clear()
  }
}
