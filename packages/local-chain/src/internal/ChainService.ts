import type { Hardfork } from "@effect-klaytn/transaction/Hardfork"
import { fromBytes, type Hex, lowerCase, zeroAddress } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { hashTransaction } from "@effect-klaytn/transaction/TransactionView"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import type { CallRequest } from "../Call.js"
import {
  attempt,
  ExecutionFailed,
  InvalidRequest,
  type SendFailure,
  SnapshotNotFound,
  type StoreFailure,
  TransactionRejected
} from "../ChainError.js"
import type { ChainRecords } from "../ChainStorage.js"
import type { DevAccount } from "../DevAccount.js"
import type { BlockFields } from "../Execution.js"
import type { LocalChain, Reorg, SubmitFault } from "../LocalChain.js"
import type { SendRequest } from "../SendRequest.js"
import { Announcements } from "./Announcements.js"
import { retention, sentOf, sidecarOf } from "./blobs.js"
import type { ChainTime, TimeSettings } from "./BlockClock.js"
import { BuildHealth } from "./BuildHealth.js"
import { accessList, call, estimateGas, measure, traceCall } from "./calls.js"
import type { ChainState } from "./ChainState.js"
import { edit } from "./edits.js"
import type { StateEdits } from "./JournalState.js"
import { loadFor } from "./kzg.js"
import * as reads from "./reads.js"
import { sign, type SignedTransaction } from "./SignedTransaction.js"
import { rootOf } from "./storageRoot.js"
import { alreadyKnown, poolFull, receive, type Signers, underpriced, type ValidTransaction } from "./validation.js"

/** The parts of a chain service. */
export interface ChainParts<R extends ChainRecords> {
  readonly chainState: ChainState<R>
  readonly time: ChainTime
  readonly faucet: DevAccount
  readonly curve: Secp256k1
  /** When blocks are built at first: with every transaction, or only when asked (an interval asks too). */
  readonly mining: "auto" | "onDemand"
  /** What becomes of the next submitted transaction in place of the pool, if anything. */
  readonly submitFault: () => SubmitFault | undefined
}

interface Snapshot {
  readonly height: number
  readonly time: TimeSettings
  readonly fields: Partial<BlockFields>
  readonly pool: ReadonlyArray<ValidTransaction>
  readonly edits: StateEdits
}

const maxBlocksAtOnce = 10_000

/** The chain as a service: one change at a time, failures as values. */
export class ChainService<R extends ChainRecords> implements LocalChain<R> {
  readonly #state: ChainState<R>
  readonly #parts: ChainParts<R>
  readonly #turn = Effect.unsafeMakeSemaphore(1).withPermits(1)
  readonly #health: BuildHealth
  readonly #snapshots = new Map<number, Snapshot>()
  readonly #heights = Effect.runSync(PubSub.sliding<number>(16))
  readonly #announcements = new Announcements()
  #lastSnapshot = 0
  #isAutomatic: boolean
  /** Whether the state in memory may belong to no block. */
  #isBusy = false

  constructor(parts: ChainParts<R>) {
    this.#parts = parts
    this.#state = parts.chainState
    this.#isAutomatic = parts.mining === "auto"
    this.#health = new BuildHealth(parts.chainState.chainId)
    this.chainId = parts.chainState.chainId
    this.hardfork = parts.chainState.hardfork
    this.unitPrice = parts.chainState.unitPrice
    this.feeBounds = parts.chainState.nextBlock.bounds
    this.rules = parts.chainState.rulesName
    this.faucet = parts.faucet
    this.stuck = this.#health.state
  }

  // Fields rather than methods, so that a service that adds to this one can be made with a spread.

  readonly chainId: number
  readonly hardfork: Hardfork
  readonly unitPrice: bigint
  readonly feeBounds: LocalChain["feeBounds"]
  readonly rules: LocalChain["rules"]
  readonly faucet: DevAccount
  readonly stuck: LocalChain["stuck"]

  readonly head: LocalChain<R>["head"] = Effect.sync(() => this.#state.head)

  readonly newBlocks: LocalChain["newBlocks"] = PubSub.subscribe(this.#heights)

  readonly newTransactions: LocalChain["newTransactions"] = this.#announcements.subscribe

  readonly now: LocalChain["now"] = Effect.suspend(() => this.#parts.time.now(this.#state.head.timestamp))

  readonly account: LocalChain["account"] = (address, block) =>
    this.#whenIdle(() => reads.account(this.#state, lowerCase(address), block))
  readonly coin: LocalChain["coin"] = (block) => this.#whenIdle(() => reads.coin(this.#state, block))
  readonly code: LocalChain["code"] = (address, block) =>
    this.#whenIdle(() => reads.code(this.#state, lowerCase(address), block))
  readonly storageRoot: LocalChain["storageRoot"] = (address, block) =>
    Effect.flatMap(this.#whenIdle(() => reads.storage(this.#state, lowerCase(address), block)), rootOf)
  readonly storageAt: LocalChain["storageAt"] = (address, slot, block) =>
    this.#whenIdle(() => reads.storageAt(this.#state, lowerCase(address), slot, block))
  readonly pendingNonce: LocalChain["pendingNonce"] = (address) =>
    this.#whenIdle(() => Either.right(this.#nextNonce(lowerCase(address))))

  readonly freeNonce: LocalChain["freeNonce"] = (address) =>
    this.#whenIdle(() => Either.right(this.#state.pool.freeNonce(lowerCase(address))))

  readonly blobs: LocalChain["blobs"] = (hash) =>
    Effect.map(
      attempt("blobs", () => {
        const mined = this.#state.storage.transactionByHash(lowerCase(hash))
        const isKept = mined !== undefined && mined.blockNumber + retention > this.#state.head.number
        return isKept ? this.#state.storage.withBlobs(mined.hash) : undefined
      }),
      (sent) => Option.flatMap(Option.fromNullable(sent), sidecarOf)
    )

  readonly setBacks: LocalChain["setBacks"] = (since) => Effect.sync(() => this.#state.setBacks.since(since))

  readonly pending: LocalChain["pending"] = Effect.map(
    Effect.suspend(() => this.#expire),
    () => this.#state.pool.all().map(({ hash }) => hash)
  )

  readonly dropped: LocalChain["dropped"] = Effect.map(
    Effect.suspend(() => this.#expire),
    () => this.#state.pool.dropped()
  )

  readonly pendingTransaction: LocalChain["pendingTransaction"] = (named) =>
    Effect.map(
      this.#expire,
      () =>
        Option.map(Option.fromNullable(this.#state.pool.get(lowerCase(named))), (waiting) => ({
          hash: waiting.hash,
          senderTxHash: waiting.senderTxHash,
          typeInt: waiting.view.typeInt,
          from: waiting.view.from,
          raw: fromBytes(sentOf(waiting)),
          isQueued: this.#state.pool.isQueued(waiting)
        }))
    )

  readonly submitRaw: LocalChain["submitRaw"] = (raw) =>
    Effect.flatMap(Effect.suspend(() => receive(raw, this.#state)), this.submit)

  readonly submit: LocalChain["submit"] = (transaction) => this.#turn(this.#receive(transaction))

  readonly submitNext: LocalChain["submitNext"] = (from, make, { isUnsigned = false } = {}) =>
    this.#turn(Effect.flatMap(
      Effect.suspend(() => make(this.#nextNonce(lowerCase(from)))),
      (transaction) => this.#receive(transaction, isUnsigned ? takenFor(from) : undefined)
    ))

  readonly send: LocalChain["send"] = (request) => this.#turn(this.#send(request))

  readonly sign: LocalChain["sign"] = (request) =>
    this.#whenIdle(() =>
      Either.flatMap(this.#sign(request), ({ transaction }) => {
        const raw = Transaction.encode(transaction)
        return raw.ok ? Either.right(raw.value) : Either.left(new InvalidRequest({ message: raw.error.message }))
      })
    )

  readonly execute: LocalChain<R>["execute"] = (request) =>
    this.#turn(Effect.gen(this, function*(): Effect.fn.Return<R["transaction"], SendFailure> {
      const hash = yield* this.#send(request)
      if (!this.#isAutomatic) {
        yield* Effect.zipRight(this.#buildUntilSettled(hash), this.#unlessDropped(hash))
      }
      const record = yield* attempt("transaction", () => this.#state.storage.transactionByHash(hash))
      if (record === undefined) {
        this.#drop(hash, "it had to wait for an earlier nonce")
        return yield* new InvalidRequest({ message: `transaction ${hash} has to wait for an earlier nonce` })
      }
      return record.txError === undefined
        ? record
        : yield* new ExecutionFailed({ transactionHash: hash, txError: record.txError })
    }))

  readonly sendBlock: LocalChain<R>["sendBlock"] = (requests) =>
    this.#turn(Effect.suspend(() => {
      const nonces = new Map<Hex, bigint>()
      const nonceOf = (address: Hex): bigint => {
        const nonce = nonces.get(address) ?? this.#state.state.accountOrEmpty(address).nonce
        nonces.set(address, nonce + 1n)
        return nonce
      }
      const signed = Effect.forEach(requests, (request) =>
        Either.flatMap(
          this.#sign(request, nonceOf),
          ({ signers, transaction }) => this.#state.validate(transaction, signers)
        ))
      return Effect.flatMap(
        signed,
        (valid) => this.#buildOf((timestamp) => this.#state.build(timestamp, valid, Effect.fail))
      )
    }))

  readonly fund: LocalChain<R>["fund"] = (address, peb) =>
    this.execute({ kind: "transfer", from: this.faucet, to: address, value: peb })

  readonly call: LocalChain["call"] = (request) =>
    this.#turn(this.#markBusy(call(this.#state, callInLowerCase(request))))

  readonly measure: LocalChain["measure"] = (request) =>
    this.#turn(this.#markBusy(measure(this.#state, callInLowerCase(request))))

  readonly estimateGas: LocalChain["estimateGas"] = (request) =>
    this.#turn(this.#markBusy(estimateGas(this.#state, callInLowerCase(request))))

  readonly accessList: LocalChain["accessList"] = (request) =>
    accessList(this.#state, callInLowerCase(request), (round) => this.#turn(this.#markBusy(round)))

  readonly traceBlock: LocalChain["traceBlock"] = (
    block,
    transactions,
    { first = 0, last = transactions.length, ...options } = {}
  ) =>
    this.#turn(this.#markBusy(Effect.uninterruptible(
      Effect.suspend(() => this.#state.traces(block, transactions, { first, last, ...options }))
    )))

  readonly traceCall: LocalChain["traceCall"] = (request, options = {}) =>
    this.#turn(this.#markBusy(traceCall(this.#state, callInLowerCase(request), options)))

  readonly mine: LocalChain<R>["mine"] = (blocks = 1) =>
    Number.isInteger(blocks) && blocks > 0 && blocks <= maxBlocksAtOnce
      ? this.#turn(Effect.replicateEffect(this.#build(), blocks))
      : invalid(`mine 1 to ${maxBlocksAtOnce} blocks, not ${blocks}`)

  readonly advanceTime: LocalChain["advanceTime"] = (seconds) =>
    isSeconds(seconds)
      ? this.#turn(this.#setTime(({ ahead, ...settings }) => ({ ...settings, ahead: ahead + seconds })))
      : invalid(`time moves forward by whole seconds, not by ${seconds}`)

  readonly setNextTimestamp: LocalChain["setNextTimestamp"] = (nextAt) =>
    this.#turn(Effect.suspend(() => {
      const { timestamp: newest } = this.#state.head
      return Number.isInteger(nextAt) && nextAt >= newest && nextAt < 2 ** 40
        ? this.#setTime((settings) => ({ ...settings, nextAt }))
        : invalid(`the next block can't have the time ${nextAt}: the newest has ${newest}`)
    }))

  readonly timestampInterval: LocalChain["timestampInterval"] = Effect.sync(() => this.#parts.time.settings.interval)

  readonly setTimestampInterval: LocalChain["setTimestampInterval"] = (interval) =>
    interval === undefined || isSeconds(interval)
      ? this.#turn(this.#setTime((settings) => ({ ...settings, interval })))
      : invalid(`blocks can't be ${interval} seconds apart`)

  readonly nextBlock: LocalChain["nextBlock"] = Effect.sync(() => this.#state.nextBlock.after(this.#state.head.hash))

  readonly gasPrice: LocalChain["gasPrice"] = Effect.sync(() => this.#state.nextBlock.suggestion(0n))

  readonly takesTips: LocalChain["takesTips"] = Effect.sync(() => this.#state.nextBlock.isBusy)

  readonly gasPriceWith: LocalChain["gasPriceWith"] = (tip) => Effect.sync(() => this.#state.nextBlock.suggestion(tip))

  readonly setNextBlock: LocalChain["setNextBlock"] = (fields) =>
    this.#turn(Effect.zipRight(
      Effect.suspend(() => this.#state.nextBlock.set(fields)),
      Effect.zipRight(this.#settle(), this.#drain())
    ))

  readonly automine: LocalChain["automine"] = Effect.sync(() => this.#isAutomatic)

  readonly setAutomine: LocalChain["setAutomine"] = (isAutomatic) =>
    this.#turn(Effect.suspend(() => {
      this.#isAutomatic = isAutomatic
      return this.#drain()
    }))

  readonly edit: LocalChain["edit"] = (address, fields) =>
    this.#turn(Effect.zipRight(
      Effect.suspend(() => edit(this.#state, lowerCase(address), fields)),
      Effect.zipRight(this.#settle(), this.#drain())
    ))

  readonly submitAs: LocalChain["submitAs"] = (transaction, from) =>
    this.#turn(this.#receive(transaction, takenFor(from)))

  readonly dropTransaction: LocalChain["dropTransaction"] = (hash) =>
    this.#turn(Effect.sync(() => this.#drop(lowerCase(hash), "it was dropped by request")))

  readonly keepPool: LocalChain["keepPool"] = this.#turn(attempt("keepPool", () => {
    const waiting = this.#state.pool.all()
    this.#state.storage.keepPool(
      waiting.map((one) => ({ raw: fromBytes(sentOf(one)), from: one.view.from, isUnsigned: one.isUnsigned }))
    )
    return waiting.length
  }))

  /** Takes the transactions that the storage has kept into the pool, and builds blocks of them where every transaction is mined. */
  readonly takePool: Effect.Effect<void, StoreFailure> = this.#turn(Effect.gen(this, function*() {
    const kept = yield* attempt("takePool", () => this.#state.storage.takePool())
    const now = yield* this.now
    for (const one of kept) {
      const taken = this.#state.takeBack(one, now)
      if (Either.isLeft(taken)) {
        yield* Effect.logWarning(`a transaction of ${one.from} that waited is dropped: ${taken.left.message}`)
      }
    }
    yield* this.#drain()
  }))

  readonly emptyPool: LocalChain["emptyPool"] = this.#turn(Effect.sync(() => {
    const waiting = this.#state.pool.all()
    for (const transaction of waiting) this.#state.pool.drop(transaction, "the pool was emptied by request")
    return waiting.length
  }))

  readonly snapshot: LocalChain["snapshot"] = this.#turn(Effect.sync(() => {
    const { head, nextBlock, pool } = this.#state
    this.#snapshots.set(++this.#lastSnapshot, {
      height: head.number,
      time: this.#parts.time.settings,
      fields: nextBlock.fields,
      pool: pool.all(),
      edits: this.#state.state.edits()
    })
    return this.#lastSnapshot
  }))

  readonly revert: LocalChain["revert"] = (id) =>
    this.#turn(Effect.suspend((): Effect.Effect<void, SnapshotNotFound | StoreFailure> => {
      const snapshot = this.#snapshots.get(id)
      if (snapshot === undefined) return Effect.fail(new SnapshotNotFound({ snapshot: id }))
      return attempt("revert", () => {
        this.#state.revert(snapshot.height)
        this.#state.repeatEdits(snapshot.edits)
        this.#parts.time.settings = snapshot.time
        this.#state.nextBlock.fields = snapshot.fields
        for (const other of this.#snapshots.keys()) if (other >= id) this.#snapshots.delete(other)
      }).pipe(
        Effect.zipRight(Effect.map(this.now, (now) => {
          for (const transaction of snapshot.pool) this.#state.giveBack(transaction, now)
        })),
        Effect.zipRight(this.#drain())
      )
    }))

  readonly reorg: LocalChain["reorg"] = (depth, { blocks = [], transactions = "return" } = {}) =>
    this.#turn(Effect.uninterruptible(Effect.gen(this, function*() {
      const { number } = this.#state.head
      if (!Number.isInteger(depth) || depth < 1 || depth > number) {
        return yield* invalid(`a chain of height ${number} can't be set back by ${depth} blocks`)
      }
      if (blocks.length > depth) {
        return yield* invalid(`there are transactions for ${blocks.length} blocks, of ${depth}`)
      }
      yield* Effect.forEach(blocks.flat(), ({ transaction }) => loadFor(transaction))
      const waiting = this.#state.pool.all()
      const taken = yield* attempt("reorg", () => {
        const { storage } = this.#state
        const found = Array.from({ length: depth }, (_, index) => storage.transactionsOf(number - depth + 1 + index))
        // Another mix hash, and so another hash, also if the blocks are empty.
        const mixHash = storage.blockByNumber(number - depth + 1)?.hash
        this.#state.revert(number - depth)
        if (mixHash !== undefined) this.#state.nextBlock.fields = { ...this.#state.nextBlock.fields, mixHash }
        return found.flat()
      })
      for (const [id, { height }] of this.#snapshots) if (height > number - depth) this.#snapshots.delete(id)
      const build = (content: NonNullable<Reorg["blocks"]>[number]) =>
        this.#buildOf((timestamp) => this.#state.build(timestamp, this.#eachValid(content)))
      yield* Effect.forEach(Array.from({ length: depth }, (_, index) => blocks[index] ?? []), build).pipe(
        Effect.ensuring(Effect.map(this.now, (now) => {
          for (const one of transactions === "return" ? taken : []) {
            this.#state.takeBack(one, now)
          }
          for (const transaction of waiting) this.#state.giveBack(transaction, now)
        }))
      )
      yield* Effect.zipRight(this.#settle(), this.#drain())
    })))

  readonly reset: LocalChain["reset"] = this.#turn(
    Effect.zipRight(
      Effect.suspend(() => this.#state.restart()),
      Effect.sync(() => {
        this.#state.nextBlock.fields = {}
        this.#parts.time.settings = { ahead: 0 }
        this.#snapshots.clear()
      })
    )
  )

  /** Marks the chain busy. */
  #markBusy<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.#isBusy = true
      return Effect.ensuring(work, Effect.sync(() => void (this.#isBusy = false)))
    })
  }

  /** Checks transactions one after the other, each on the state that those before have left. One that is refused is remembered. */
  *#eachValid(content: NonNullable<Reorg["blocks"]>[number]): Generator<ValidTransaction> {
    for (const { from, transaction } of content) {
      const valid = this.#state.validate(transaction, from && takenFor(from))
      if (Either.isRight(valid)) yield valid.right
      else {
        const sender = from ?? ("from" in transaction ? transaction.from : zeroAddress)
        const hashed = hashTransaction(transaction, lowerCase(sender))
        if (hashed.ok) this.#state.pool.refuse(hashed.value, valid.left.message)
      }
    }
  }

  /** Reads the state when no work on it is in progress: at once, as none can begin between the check and the reading. */
  #whenIdle<A, E>(look: () => Either.Either<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => this.#isBusy ? this.#turn(Effect.suspend(look)) : look())
  }

  #setTime(change: (settings: TimeSettings) => TimeSettings): Effect.Effect<void> {
    const { time } = this.#parts
    return Effect.sync(() => void (time.settings = change(time.settings)))
  }

  /** Drops what has waited too long by the chain's clock. */
  get #expire(): Effect.Effect<number> {
    return Effect.tap(this.now, (now) => this.#state.pool.expire(now))
  }

  /** Finds out again what can run. */
  #settle(): Effect.Effect<void> {
    return Effect.map(this.now, (now) => this.#state.pool.settle(now))
  }

  /** Drops a waiting transaction; false if none of this hash waits. */
  #drop(hash: Hex, reason: string): boolean {
    const waiting = this.#state.pool.get(hash)
    if (waiting !== undefined) this.#state.pool.drop(waiting, reason)
    return waiting !== undefined
  }

  /** Builds one block. Uninterruptible: the block is stored, or the chain is as it was. */
  #buildOf<E>(block: (timestamp: number) => Effect.Effect<R["block"], E>): Effect.Effect<R["block"], E> {
    return Effect.uninterruptible(Effect.suspend(() => {
      const { time } = this.#parts
      const { settings } = time
      return time.next(this.#state.head.timestamp).pipe(
        Effect.tap((timestamp) => this.#state.pool.expire(timestamp)),
        Effect.flatMap((timestamp) => this.#markBusy(block(timestamp))),
        Effect.tapErrorCause(() => Effect.sync(() => time.settings = settings)),
        Effect.tap(({ number }) => PubSub.publish(this.#heights, number)),
        Effect.tap(() => this.#tellRunnable)
      )
    }))
  }

  /** Builds one block of the transactions that can run now. */
  #build(): Effect.Effect<R["block"], StoreFailure> {
    return this.#health.watch(this.#buildOf((timestamp) => this.#state.advance(timestamp)))
  }

  /** Builds blocks until nothing in the pool can run, where every transaction is mined at once. */
  #drain(): Effect.Effect<void, StoreFailure> {
    return Effect.suspend(() =>
      this.#isAutomatic && this.#state.pool.hasReady
        ? Effect.flatMap(this.#build(), () => this.#drain())
        : Effect.void
    )
  }

  /** Submits what others send, which may meet a fault. */
  #receive(
    transaction: Transaction.Transaction,
    signers?: Signers
  ): Effect.Effect<Hex, TransactionRejected | StoreFailure> {
    return Effect.zipRight(
      loadFor(transaction),
      Effect.suspend(() => {
        const fault = this.#parts.submitFault()
        if (fault === undefined) return this.#submit(transaction, signers)
        return Effect.flatMap(this.#state.validate(transaction, signers), ({ hash }) => {
          switch (fault) {
            case "known":
              return Effect.fail(alreadyKnown(hash))
            case "full":
              return Effect.fail(poolFull(this.#state.pool.limit))
            case "underpriced":
              return Effect.fail(underpriced(transaction))
            case "forgotten":
              return Effect.as(this.#announcements.tell([hash]), hash)
          }
        })
      })
    )
  }

  #submit(
    transaction: Transaction.Transaction,
    signers?: Signers
  ): Effect.Effect<Hex, TransactionRejected | StoreFailure> {
    return Effect.gen(this, function*() {
      const now = yield* this.#expire
      const { replaced, valid } = yield* this.#state.submit(transaction, now, signers)
      yield* Effect.tapError(this.#drain(), () =>
        Effect.sync(() => {
          this.#state.pool.remove(valid)
          if (replaced !== undefined) this.#state.pool.add(replaced, now)
        }))
      yield* this.#unlessDropped(valid.hash)
      yield* this.#tellRunnable
      return valid.hash
    })
  }

  /** Tells who follows the pool which transactions can run now that could not before. */
  get #tellRunnable(): Effect.Effect<void> {
    return Effect.suspend(() => this.#announcements.tell(this.#state.pool.takeRunnable()))
  }

  readonly told: LocalChain["told"] = (after) => Effect.sync(() => this.#announcements.since(after))

  /** Fails if a transaction left the pool without a block. */
  #unlessDropped(hash: Hex): Effect.Effect<void, TransactionRejected> {
    return Effect.suspend(() => {
      const message = this.#state.pool.leaver(hash)?.reason
      return message === undefined
        ? Effect.void
        : Effect.fail(new TransactionRejected({ reason: "Unexecutable", message }))
    })
  }

  /** Builds blocks until a transaction is in one, or can't be. */
  #buildUntilSettled(hash: Hex): Effect.Effect<void, StoreFailure> {
    return Effect.flatMap(
      this.#build(),
      ({ transactionCount }) =>
        transactionCount > 0 && this.#state.pool.get(hash) !== undefined ? this.#buildUntilSettled(hash) : Effect.void
    )
  }

  #nextNonce(address: Hex): bigint {
    return this.#state.pool.of(address).next
  }

  #sign(
    request: SendRequest,
    nonceOf: (address: Hex) => bigint = (address) => this.#state.pool.freeNonce(address)
  ): Either.Either<SignedTransaction, InvalidRequest> {
    const gasPrice = this.#state.nextBlock.suggestion(0n)
    const nonce = nonceOf(request.from.address)
    return sign(request, { chainId: this.chainId, gasPrice, curve: this.#parts.curve, nonce })
  }

  #send(request: SendRequest): Effect.Effect<Hex, TransactionRejected | InvalidRequest | StoreFailure> {
    return Effect.flatMap(
      Effect.suspend(() => this.#sign(request)),
      ({ signers, transaction }) => this.#submit(transaction, signers)
    )
  }
}

/** The signers of a transaction that an address sends without a signature. */
const takenFor = (from: Hex): Signers => ({ sender: { address: lowerCase(from), publicKey: "0x" }, isUnsigned: true })

/** Whether a number can be a span of time. */
const isSeconds = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < 2 ** 32

const invalid = (message: string): Effect.Effect<never, InvalidRequest> => Effect.fail(new InvalidRequest({ message }))

/** The addresses and slots of a call in lower case. */
const callInLowerCase = (request: CallRequest): CallRequest => {
  const { accessList, blockOverride, from, overrides, to } = request
  return {
    ...request,
    blockOverride: blockOverride && {
      ...blockOverride,
      ...(blockOverride.miner !== undefined && { miner: lowerCase(blockOverride.miner) })
    },
    from: from && lowerCase(from),
    to: to && lowerCase(to),
    accessList: accessList?.map(({ address, storageKeys }) => ({
      address: lowerCase(address),
      storageKeys: storageKeys.map(lowerCase)
    })),
    overrides: overrides && new Map(Array.from(overrides, ([address, account]) => [lowerCase(address), account]))
  }
}
