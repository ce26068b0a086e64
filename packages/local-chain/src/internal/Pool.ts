import type { Hex } from "@effect-klaytn/transaction/Hex"
import { typeInts } from "@effect-klaytn/transaction/TransactionType"
import type { HashedTransaction } from "@effect-klaytn/transaction/TransactionView"
import * as Either from "effect/Either"
import type { TransactionRejected } from "../ChainError.js"
import type { DroppedTransaction } from "../LocalChain.js"
import { sizeOf } from "./blobs.js"
import { poolFull, refuse, type ValidTransaction } from "./validation.js"

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

/** After how many seconds transactions leave that can't run: the node's default. */
const lifetime = 300

/** How many bytes of a transaction count as one of the pool's places: a constant of the node. */
const bytesPerPlace = 32 * 1024

const placesOf = (transaction: ValidTransaction): number => Math.ceil(sizeOf(transaction) / bytesPerPlace)

/** What the pool asks about the newest block and the next one. */
export interface PoolContext {
  /** How many transactions may wait. */
  readonly limit: number
  /** The nonce of an account at the end of the newest block. */
  readonly nonceOf: (sender: Hex) => bigint
  /** Whether the next block may have a transaction, by its price and its gas. */
  readonly isAllowed: (transaction: ValidTransaction) => boolean
  /** What a transaction would pay for a unit of gas in the next block. */
  readonly priceOf: (transaction: ValidTransaction) => bigint
}

interface Waiting {
  readonly transaction: ValidTransaction
  readonly arrival: number
}

/** The waiting transactions of one sender. Those with the nonces from `first` to before `next` can run, the others are queued. */
interface Account {
  readonly waiting: Map<bigint, Waiting>
  first: bigint
  next: bigint
}

/** A place in the order of a block. */
interface Place {
  readonly transaction: ValidTransaction
  readonly price: bigint
  readonly arrival: number
}

/**
 * Valid transactions that wait for a block, kept as a node of the chain keeps those that it gets over JSON-RPC. It has no limits by
 * account for them, only one for all.
 */
export class Pool {
  readonly #waiting = new Map<Hex, ValidTransaction>()
  readonly #accounts = new Map<Hex, Account>()
  /** How many waiting transactions set the code of an account. */
  readonly #authorities = new Map<Hex, number>()
  readonly #dropped = new Map<Hex, DroppedTransaction>()
  /** When the last transaction of an account could run, or else its first one was queued, in Unix seconds. */
  readonly #active = new Map<Hex, number>()
  /** Nothing in `#active` is older. */
  #oldest = Infinity
  /** The newest time that the pool was told. */
  #now = 0
  /** Which of those that wait could run at some time, and the hashes of those that nobody has taken since. */
  readonly #told = new Set<Hex>()
  #runnable: Array<Hex> = []
  #arrivals = 0
  #places = 0

  constructor(private readonly context: PoolContext) {}

  get limit(): number {
    return this.context.limit
  }

  /** Everything that waits, in the order it came. */
  all(): ReadonlyArray<ValidTransaction> {
    return [...this.#waiting.values()]
  }

  /** One that waits. */
  get(hash: Hex): ValidTransaction | undefined {
    return this.#waiting.get(hash)
  }

  /** Refuses everything while the pool is full, known transactions and replacements too. */
  admit(): Either.Either<void, TransactionRejected> {
    return this.#waiting.size < this.context.limit ? Either.void : Either.left(poolFull(this.#waiting.size))
  }

  /**
   * Adds a transaction that is not there yet, and returns the one that it replaces. One with a nonce that is taken needs a higher
   * price, unless it cancels. One that returns was accepted before: it needs no room.
   */
  add(
    transaction: ValidTransaction,
    now: number,
    { isReturning = false } = {}
  ): Either.Either<ValidTransaction | undefined, TransactionRejected> {
    this.#now = now
    const { from, gasPriceCap, nonce } = transaction.view
    const account = this.#accounts.get(from) ?? this.#open(from)
    if (nonce < account.first) return Either.left(refuse("NonceTooLow"))
    const room = isReturning ? Either.void : this.#makeRoom(transaction, account)
    if (Either.isLeft(room)) return Either.left(room.left)
    const rival = account.waiting.get(nonce)?.transaction
    if (rival !== undefined) {
      if (!isCancel(transaction) && gasPriceCap <= rival.view.gasPriceCap) return Either.left(refuse("NonceTaken"))
      this.#forget(rival)
      this.#remember(rival, replaced(transaction), transaction.hash)
    }
    account.waiting.set(nonce, { transaction, arrival: this.#arrivals++ })
    this.#accounts.set(from, account)
    this.#waiting.set(transaction.hash, transaction)
    this.#places += placesOf(transaction)
    for (const authority of transaction.authorities) {
      this.#authorities.set(authority, (this.#authorities.get(authority) ?? 0) + 1)
    }
    this.#dropped.delete(transaction.hash)
    if (!this.#active.has(from)) this.#setActive(from, now)
    this.#promote(from, account, now)
    // One that replaces another that could run.
    if (nonce < account.next) this.#tell(transaction)
    return Either.right(rival)
  }

  /** The transactions that could run for the first time since the last call, in their order. */
  takeRunnable(): ReadonlyArray<Hex> {
    const taken = this.#runnable
    this.#runnable = []
    return taken
  }

  /** Which nonces of a sender can run, from `first` to before `next`, and how many of its transactions wait. */
  of(sender: Hex): { readonly first: bigint; readonly next: bigint; readonly count: number } {
    const { first, next, waiting } = this.#accounts.get(sender) ?? this.#open(sender)
    return { first, next, count: waiting.size }
  }

  /** The first nonce of a sender that neither a block nor a waiting transaction has. */
  freeNonce(sender: Hex): bigint {
    const { next, waiting } = this.#accounts.get(sender) ?? this.#open(sender)
    let nonce = next
    while (waiting.has(nonce)) nonce++
    return nonce
  }

  /** Whether one of them sets the code of this account. */
  isAuthority(address: Hex): boolean {
    return this.#authorities.has(address)
  }

  /** Whether a waiting transaction can't run yet: an earlier nonce is missing, or the next block does not allow it. */
  isQueued({ view: { from, nonce } }: ValidTransaction): boolean {
    return nonce >= this.of(from).next
  }

  /** Whether one can run now. */
  get hasReady(): boolean {
    for (const { first, next } of this.#accounts.values()) if (first < next) return true
    return false
  }

  /**
   * The transactions that can run now, as many as fit in a block: by the price that they pay, then as they came. Those of a sender
   * keep the order of their nonces.
   */
  ready(): ReadonlyArray<ValidTransaction> {
    const places: Array<Place> = []
    for (const { first, next, waiting } of this.#accounts.values()) {
      let before: Place | undefined
      for (let nonce = first; nonce < next; nonce++) {
        const one = waiting.get(nonce)
        if (one === undefined) break
        before = placeAfter(before, { ...one, price: this.context.priceOf(one.transaction) })
        places.push(before)
      }
    }
    places.sort((one, other) =>
      one.price === other.price ? one.arrival - other.arrival : one.price > other.price ? -1 : 1
    )
    return places.slice(0, transactionsPerBlock).map(({ transaction }) => transaction)
  }

  /**
   * Finds out again which transactions can run, after a block or anything else that changes nonces or prices. Those with a used nonce
   * leave; `minedAt` is the transaction of the block that used it, if it is known.
   */
  settle(now: number, minedAt: (sender: Hex, nonce: bigint) => Hex | undefined = () => undefined): void {
    this.#now = now
    for (const [sender, account] of this.#accounts) {
      const { first, next, waiting } = account
      account.first = this.context.nonceOf(sender)
      account.next = account.first
      if (account.first > first) {
        for (const [nonce, { transaction }] of waiting) {
          if (nonce >= account.first) continue
          waiting.delete(nonce)
          this.#forget(transaction)
          const mined = minedAt(sender, nonce)
          if (mined !== transaction.hash) this.#remember(transaction, used(nonce, mined), mined)
        }
      }
      if (waiting.size === 0) this.#accounts.delete(sender)
      else {
        this.#promote(sender, account, now, next)
        this.#timeQueued(sender, account)
      }
    }
  }

  /** Drops the queued transactions of the senders that have had none that could run, and queued none first, for five minutes. */
  expire(now: number): void {
    this.#now = now
    if (now - this.#oldest <= lifetime) return
    this.#oldest = Infinity
    for (const [sender, since] of this.#active) {
      if (now - since <= lifetime) this.#oldest = Math.min(this.#oldest, since)
      else {
        const { next, waiting } = this.#accounts.get(sender) ?? { next: 0n, waiting: new Map<bigint, Waiting>() }
        for (const [nonce, { transaction }] of [...waiting]) {
          if (nonce >= next) this.drop(transaction, expired(nonce, next))
        }
        // The last, so that those that are still queued while the others leave do not begin a time of their own.
        this.#active.delete(sender)
      }
    }
  }

  /** Removes one transaction; the later ones of its sender are queued then. */
  remove(transaction: ValidTransaction): void {
    this.#forget(transaction)
    const { from, nonce } = transaction.view
    const account = this.#accounts.get(from)
    if (account === undefined) return
    account.waiting.delete(nonce)
    if (nonce >= account.first && nonce < account.next) account.next = nonce
    if (account.waiting.size === 0) this.#accounts.delete(from)
    else this.#timeQueued(from, account)
  }

  /**
   * Removes one transaction that is in no block and will be in none, and remembers why, and which transaction has its nonce
   * instead.
   */
  drop(transaction: ValidTransaction, reason: string, replacedBy?: Hex): void {
    this.remove(transaction)
    this.#remember(transaction, reason, replacedBy)
  }

  /** Remembers why one is neither in the pool nor in a block that was asked for. */
  refuse(transaction: HashedTransaction, reason: string): void {
    this.#remember(transaction, reason, undefined)
  }

  /** Transactions that left without a block, newest last. */
  dropped(): ReadonlyArray<DroppedTransaction> {
    return [...this.#dropped.values()]
  }

  /** A transaction that left without a block; undefined if it did not. */
  leaver(hash: Hex): DroppedTransaction | undefined {
    return this.#dropped.get(hash)
  }

  /** Removes everything. */
  clear(): void {
    this.#waiting.clear()
    this.#told.clear()
    this.#authorities.clear()
    this.#accounts.clear()
    this.#active.clear()
    this.#oldest = Infinity
    this.#places = 0
  }

  #open(sender: Hex): Account {
    const nonce = this.context.nonceOf(sender)
    return { waiting: new Map(), first: nonce, next: nonce }
  }

  /** Counts those that can run, and notes when the account was active if there are more than before. */
  #promote(sender: Hex, account: Account, now: number, before = account.next): void {
    let { next } = account
    for (let one = account.waiting.get(next); one !== undefined; one = account.waiting.get(++next)) {
      if (!this.context.isAllowed(one.transaction)) break
      this.#tell(one.transaction)
    }
    account.next = next
    if (next > before) this.#setActive(sender, now)
  }

  #tell({ hash }: ValidTransaction): void {
    if (this.#told.has(hash)) return
    this.#told.add(hash)
    this.#runnable.push(hash)
  }

  /** Begins the time of an account whose transactions could run, and now are queued, unless it runs. */
  #timeQueued(sender: Hex, { first, next, waiting }: Account): void {
    if (waiting.size > Number(next - first) && !this.#active.has(sender)) this.#setActive(sender, this.#now)
  }

  #setActive(sender: Hex, now: number): void {
    this.#active.set(sender, now)
    this.#oldest = Math.min(this.#oldest, now)
  }

  /**
   * Large transactions take more than one place. Where they fill the pool, one that closes a gap takes the place of its sender's last
   * one; any other is refused.
   */
  #makeRoom(transaction: ValidTransaction, { next, waiting }: Account): Either.Either<void, TransactionRejected> {
    if (this.#places + placesOf(transaction) <= this.context.limit) return Either.void
    const queued = [...waiting.values()].filter(({ transaction: { view } }) => view.nonce >= next)
    if (queued.length === 0) return Either.left(poolFull(this.#waiting.size))
    const { nonce } = transaction.view
    const last = queued.reduce((one, other) => one.transaction.view.nonce > other.transaction.view.nonce ? one : other)
    if ((nonce >= next && waiting.has(nonce)) || last.transaction.view.nonce <= nonce) {
      return Either.left(poolFull(this.#waiting.size, "NoGap"))
    }
    this.drop(last.transaction, `the pool was full, and transaction ${transaction.hash} closed a gap before it`)
    return Either.void
  }

  #forget(transaction: ValidTransaction): void {
    if (!this.#waiting.delete(transaction.hash)) return
    this.#told.delete(transaction.hash)
    this.#places -= placesOf(transaction)
    for (const authority of transaction.authorities) {
      const count = this.#authorities.get(authority) ?? 0
      if (count > 1) this.#authorities.set(authority, count - 1)
      else this.#authorities.delete(authority)
    }
  }

  #remember({ hash, view: { from, nonce } }: HashedTransaction, reason: string, replacedBy: Hex | undefined): void {
    this.#dropped.set(hash, { hash, from, nonce, reason, ...(replacedBy !== undefined && { replacedBy }) })
    const [oldest] = this.#dropped.keys()
    if (oldest !== undefined && this.#dropped.size > memory) this.#dropped.delete(oldest)
  }
}

/**
 * Where a transaction comes after the one before it of its sender: it is offered once that one has run, so it is never before it, and
 * right behind it if it pays more than it.
 */
const placeAfter = (before: Place | undefined, { arrival, price, transaction }: Place): Place => {
  if (before === undefined || price < before.price) return { transaction, price, arrival }
  const waits = price === before.price && arrival > before.arrival
  return { transaction, price: before.price, arrival: waits ? arrival : before.arrival }
}

const replaced = (by: ValidTransaction): string =>
  isCancel(by) ? `transaction ${by.hash} cancels it` : `transaction ${by.hash} replaced it at a higher price`

const used = (nonce: bigint, by: Hex | undefined): string =>
  by === undefined ? `its nonce ${nonce} is used` : `transaction ${by} has its nonce ${nonce}`

const expired = (nonce: bigint, next: bigint): string =>
  nonce === next
    ? "for five minutes no block could have it: it offers less than the base fee, or has more gas than a block"
    : `it waited five minutes for nonce ${next} of its sender`
