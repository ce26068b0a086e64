import type { ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import { type Hardfork, includes } from "@effect-klaytn/transaction/Hardfork"
import { type Hex, lowerCase, zeroAddress } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { hexToBytes } from "@ethereumjs/util"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { failKey } from "../AccountRecord.js"
import type { BlockOverride } from "../Call.js"
import { attempt, catchThrown, NotTraceable, type StoreFailure, type TransactionRejected } from "../ChainError.js"
import type {
  BlockState,
  ChainRecords,
  ChainStorage,
  StateChange,
  StateEntry,
  WaitingTransaction
} from "../ChainStorage.js"
import type { Trace, TracedTransaction, TraceOptions } from "../Trace.js"
import { sentOf } from "./blobs.js"
import * as blockHashes from "./blockHashes.js"
import { BlockRoom } from "./BlockRoom.js"
import { Evm, type Prepare } from "./Evm.js"
import { Executor } from "./Executor.js"
import { noHash, sealHeader } from "./Header.js"
import { JournalState, type StateEdits } from "./JournalState.js"
import type { BlockEnvironment, Message, Outcome } from "./Message.js"
import { fieldsOf, NextBlock } from "./NextBlock.js"
import { Pool } from "./Pool.js"
import * as chainRules from "./rules.js"
import { Tracer } from "./Tracer.js"
import * as validation from "./validation.js"

/** The parts of a chain. */
export interface ChainStateOptions<R extends ChainRecords> {
  readonly chainId: number
  readonly storage: ChainStorage<R>
  /** peb for one unit of gas. */
  readonly unitPrice: bigint
  /** The highest base fee. Undefined: as the chain has it. */
  readonly highestUnitPrice: bigint | undefined
  /** Whether the base fee moves. Undefined: as the rules have it. */
  readonly baseFee: "fixed" | "moving" | undefined
  readonly hardfork: Hardfork
  readonly curve: Secp256k1
  readonly internalTransfers: boolean
  /** Whether anchoring transactions are taken. */
  readonly anchoring: boolean
  /** How many transactions may wait. */
  readonly poolSize: number
  /** The miner of a block unless another one was set. */
  readonly proposer: Hex
  /** Balances of the genesis block, peb, and code. */
  readonly genesis: ReadonlyArray<{ readonly address: Hex; readonly balance: bigint; readonly code?: Hex }>
  /** Unix seconds of the genesis block. */
  readonly genesisTimestamp: number
  /** The mix hash of the genesis block. Undefined: equal in all chains. */
  readonly genesisMixHash: Hex | undefined
}

/** How many blocks keep the edits that came before them. */
const mostEdited = 10_000

/** How many transactions are remembered whose senders need not have signed them. */
const mostImpersonated = 10_000

const notTraceable = (height: number) =>
  new NotTraceable({
    message: `block ${height} can't be traced: the state that its transactions met is not known any more`
  })

/**
 * One chain: world state, pool and head in memory, everything else in the store. Methods that change something must
 * be called one at a time; the caller holds the lock.
 */
export class ChainState<R extends ChainRecords = ChainRecords> implements validation.ValidationContext {
  readonly chainId: number
  readonly unitPrice: bigint
  readonly rules: chainRules.Rules
  readonly hardfork: Hardfork
  readonly curve: Secp256k1
  readonly storage: ChainStorage<R>
  readonly state: JournalState
  readonly pool: Pool
  readonly nextBlock: NextBlock
  readonly setBacks = new SetBacks()
  readonly #machine: Evm
  readonly #executor: Executor
  readonly #editsBefore = new Map<number, StateEdits>()
  /** The newest transactions of blocks whose senders need not have signed them, for a reorganisation. */
  readonly #impersonated = new Set<Hex>()
  #head: R["block"]
  readonly anchors: boolean

  private constructor(
    options: ChainStateOptions<R>,
    readonly rulesName: chainRules.RulesName,
    state: JournalState,
    machine: Evm,
    head: R["block"]
  ) {
    this.chainId = options.chainId
    this.rules = chainRules.rulesOf(rulesName)
    this.unitPrice = options.unitPrice
    this.hardfork = options.hardfork
    this.curve = options.curve
    this.storage = options.storage
    this.anchors = options.anchoring
    this.state = state
    this.nextBlock = nextBlockOf(options, this.rules)
    this.nextBlock.follow(head)
    this.pool = new Pool({
      limit: options.poolSize,
      nonceOf: (sender) => this.state.accountOrEmpty(sender).nonce,
      isAllowed: ({ view }) => view.gasPriceCap >= this.nextBlock.baseFeePerGas && view.gas <= this.nextBlock.gasLimit,
      priceOf: ({ view }) => this.nextBlock.priceOf(view, this.nextBlock.baseFeePerGas)
    })
    this.#machine = machine
    this.#executor = new Executor(machine, this, options.internalTransfers)
    this.#head = head
  }

  /** Loads a chain from its storage, or writes its genesis block. */
  static open<R extends ChainRecords>(options: ChainStateOptions<R>): Effect.Effect<ChainState<R>, StoreFailure> {
    return Effect.gen(function*() {
      const { chainId, curve, hardfork, storage } = options
      const state = new JournalState()
      const rulesName = yield* attempt("rules", () => rulesFor(storage))
      const rules = chainRules.rulesOf(rulesName)
      const machine = yield* Effect.promise(() =>
        Evm.make({
          chainId,
          hardfork,
          isKaia: rules.isKaia,
          state,
          curve,
          blockHash: (number) => storage.blockByNumber(number)?.hash
        })
      )
      const latest = yield* attempt("load", () => {
        const head = storage.latestBlock()
        if (head === undefined) return undefined
        for (const [hash, code] of storage.codes()) state.restoreCode(hash, code)
        for (const entry of storage.entries()) state.restore(entry)
        return head
      })
      if (latest !== undefined) return new ChainState(options, rulesName, state, machine, latest)
      for (const { address, balance, code } of options.genesis) {
        state.update(lowerCase(address), {
          balance,
          ...(code !== undefined && { codeHash: state.editCode(hexToBytes(code)), key: failKey })
        })
      }
      if (includes(hardfork, "prague")) blockHashes.deploy(state)
      const environment: BlockEnvironment = {
        number: 0,
        timestamp: options.genesisTimestamp,
        parentHash: noHash,
        ...nextBlockOf(options, rules).after(noHash),
        // Nobody proposed it.
        miner: zeroAddress,
        ...(options.genesisMixHash !== undefined && { mixHash: options.genesisMixHash })
      }
      const changes = state.changes()
      const header = sealHeader(chainId, undefined, environment, [], changes)
      const ended = blockState(state, machine, environment)
      const block = yield* storage.write({
        header,
        transactions: [],
        withBlobs: new Map(),
        changes,
        codes: state.freshCodes(),
        state: ended
      })
      state.seal()
      return new ChainState(options, rulesName, state, machine, block)
    }).pipe(catchThrown("load"))
  }

  get head(): R["block"] {
    return this.#head
  }

  /** Addresses of the precompiles. */
  get precompiles(): ReadonlyArray<Hex> {
    return this.#machine.precompiles
  }

  /** Checks a transaction. `signers` is present for one that this process has just signed. */
  validate(transaction: Transaction.Transaction, signers?: validation.Signers) {
    return validation.validate(transaction, this, signers)
  }

  /** Checks a transaction and puts it into the pool. Returns what was added, and what it replaced. */
  submit(
    transaction: Transaction.Transaction,
    now: number,
    signers?: validation.Signers
  ): Either.Either<
    { readonly valid: validation.ValidTransaction; readonly replaced: validation.ValidTransaction | undefined },
    TransactionRejected
  > {
    return Either.gen(this, function*() {
      if (!this.anchors && transaction.type.includes("ChainDataAnchoring")) {
        return yield* Either.left(validation.refuse("AnchoringOff"))
      }
      yield* this.pool.admit()
      const hash = Transaction.hash(transaction)
      if (hash.ok && this.pool.get(hash.value) !== undefined) {
        return yield* Either.left(validation.alreadyKnown(hash.value))
      }
      const valid = yield* this.validate(transaction, signers)
      return { valid, replaced: yield* this.pool.add(valid, now) }
    })
  }

  /**
   * Puts a transaction into the pool that was there when the chain ended, or in a block that is gone. It was checked then; its
   * signatures are checked again when it runs. By default they need not be the sender's if they did not have to be in that block.
   */
  takeBack(
    { from, isUnsigned, raw }: Omit<WaitingTransaction, "isUnsigned"> & Partial<Pick<WaitingTransaction, "isUnsigned">>,
    now: number
  ): Either.Either<void, TransactionRejected> {
    return Either.flatMap(
      validation.replayed(raw, from, this),
      (valid) => this.giveBack({ ...valid, isUnsigned: isUnsigned ?? this.#impersonated.has(valid.hash) }, now)
    )
  }

  /** Puts a transaction into the pool that has waited before, also if it is full; one that can't wait any more is remembered. */
  giveBack(valid: validation.ValidTransaction, now: number): Either.Either<void, TransactionRejected> {
    const added = Either.flatMap(
      validation.checkType(valid, this.hardfork),
      () => this.pool.add(valid, now, { isReturning: true })
    )
    if (Either.isLeft(added)) this.pool.refuse(valid, validation.whyDropped(added.left))
    return Either.map(added, () => undefined)
  }

  /**
   * Builds the next block of the transactions that can run now. A transaction leaves the pool if no block with it can be
   * stored: it is found by halving, and blamed only if an empty block can be stored. Otherwise the database has failed, and
   * all transactions wait.
   */
  advance(timestamp: number): Effect.Effect<R["block"], StoreFailure> {
    const buildMost = (
      candidates: ReadonlyArray<validation.ValidTransaction>
    ): Effect.Effect<R["block"], StoreFailure> =>
      Effect.catchAll(this.build(timestamp, candidates), (failure) => {
        const [first] = candidates
        if (first === undefined) return Effect.fail(failure)
        return candidates.length > 1
          ? buildMost(candidates.slice(0, Math.ceil(candidates.length / 2)))
          : Effect.tap(this.build(timestamp, []), () => {
            this.pool.drop(first, validation.unexecutable(failure.cause).message)
          })
      })
    return Effect.suspend(() => buildMost(this.pool.ready()))
  }

  /**
   * Builds the next block of these transactions, stores it and makes it the head. Transactions that can't be in it
   * leave the pool, and the next one of the same sender with them. Those that it has no room for, or that come later, stay. If the store
   * fails, the chain is as it was before. `allow` may fail for a transaction that is left out: then there is no block.
   */
  build<E = never>(
    timestamp: number,
    candidates: Iterable<validation.ValidTransaction>,
    allow: (refusal: TransactionRejected) => Effect.Effect<void, E> = () => Effect.void
  ): Effect.Effect<R["block"], StoreFailure | E> {
    return Effect.gen(this, function*() {
      const environment: BlockEnvironment = {
        number: this.#head.number + 1,
        timestamp,
        parentHash: this.#head.hash,
        ...this.nextBlock.after(this.#head.hash)
      }
      const transactions: Array<ExecutedTransaction> = []
      const refused: Array<readonly [validation.ValidTransaction, TransactionRejected]> = []
      const edits = this.state.edits()
      if (includes(this.hardfork, "prague")) blockHashes.record(this.state, environment)
      const withBlobs = new Map<Hex, Uint8Array>()
      const room = new BlockRoom(this.nextBlock.fields.gasLimit)
      for (const candidate of candidates) {
        if (room.isFullFor(candidate)) {
          yield* allow(validation.refuse("BlockFull"))
          break
        }
        if (room.skips(candidate)) {
          yield* allow(validation.refuse("BlockFull"))
          continue
        }
        const position = { index: transactions.length, gasBefore: room.gas }
        const executed = yield* this.#executor.execute(candidate, environment, position).pipe(
          Effect.catchTag("TransactionRejected", (refusal) => {
            refused.push([candidate, refusal])
            return Effect.as(allow(refusal), undefined)
          })
        )
        if (executed === undefined) continue
        if (candidate.isUnsigned) this.#keepImpersonated(candidate.hash)
        transactions.push(executed)
        room.take(candidate, executed)
        const sent = sentOf(candidate)
        if (sent !== candidate.raw) withBlobs.set(candidate.hash, sent)
      }
      const changes = this.state.changes()
      const block = yield* this.storage.write({
        header: sealHeader(this.chainId, this.#head, environment, transactions, changes),
        transactions,
        withBlobs,
        changes,
        codes: this.state.freshCodes(),
        state: blockState(this.state, this.#machine, environment)
      })
      this.state.seal()
      this.#keepEdits(block.number, edits)
      this.nextBlock.built()
      this.nextBlock.follow(block)
      this.#head = block
      // As in a node, the one behind one that can't be in the block is tried, too, and leaves; those behind it wait.
      const tried = new Set<Hex>()
      for (const [candidate, refusal] of refused) {
        const { from } = candidate.view
        if (refusal.reason === "NonceTooHigh" && tried.has(from)) continue
        if (refusal.reason === "NonceTooHigh") tried.add(from)
        this.pool.drop(candidate, validation.whyDropped(refusal))
      }
      this.#settle(timestamp, transactions, changes)
      return block
    }).pipe(
      catchThrown("build"),
      Effect.tapError(() => Effect.sync(() => this.state.discard()))
    )
  }

  /** Runs messages on the state at the end of a block, one after the other, and undoes each. */
  views<A, E>(
    height: number,
    override: BlockOverride,
    use: (
      view: (message: Message, prepare: Prepare) => Effect.Effect<Outcome, StoreFailure>,
      environment: BlockEnvironment
    ) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const block = height === this.#head.number ? this.#head : this.storage.blockByNumber(height) ?? this.#head
      const { number, parentHash, timestamp } = block
      const environment = { number, timestamp, parentHash, ...fieldsOf(block, this.unitPrice), ...override }
      return this.#at(height, use((message, prepare) => this.#machine.view(message, environment, prepare), environment))
    })
  }

  /**
   * Executes the transactions of a stored block again, on the state before it and with the edits that came between, and
   * traces those from `first` to `last`. Undone at the end. Fails if one comes to something else than it did: edits
   * before a block are forgotten when the process ends.
   */
  traces(
    height: number,
    transactions: ReadonlyArray<TracedTransaction>,
    { first, last, ...options }: TraceOptions & { readonly first: number; readonly last: number }
  ): Effect.Effect<ReadonlyArray<Trace>, StoreFailure | NotTraceable> {
    const block = this.storage.blockByNumber(height)
    if (block === undefined || height === 0) return Effect.succeed([])
    const { number, parentHash, timestamp } = block
    const environment = { number, timestamp, parentHash, ...fieldsOf(block, this.unitPrice) }
    const run = Effect.gen(this, function*() {
      const { codes, entries } = this.#editsBefore.get(height) ?? { codes: [], entries: [] }
      for (const code of codes) this.state.addCode(code)
      for (const entry of entries) this.state.put(entry)
      if (includes(this.hardfork, "prague")) blockHashes.record(this.state, environment)
      const found: Array<Trace> = []
      let gasBefore = 0n
      for (const [index, { from, gasPrice, gasUsed, raw }] of transactions.slice(0, last + 1).entries()) {
        // Nobody looks at the ones before the first.
        const tracer = index < first ? undefined : new Tracer(this.state, options)
        const candidate = yield* validation.replayed(raw, from, this)
        const { action } = candidate.view
        for (const address of [from, "to" in action ? action.to : from]) {
          if (address !== undefined) tracer?.touch(address)
        }
        const executed = yield* this.#executor.execute(candidate, environment, { index, gasBefore, gasPrice }, tracer)
        if (tracer?.hasGivenUp !== true && executed.gasUsed !== gasUsed) return yield* notTraceable(height)
        gasBefore = executed.cumulativeGasUsed
        if (tracer === undefined) continue
        found.push(tracer.trace())
        // The state that the next ones met is not there.
        if (tracer.hasGivenUp) break
      }
      return found
    })
    return this.#at(height - 1, run).pipe(
      Effect.catchTag("TransactionRejected", () => notTraceable(height))
    )
  }

  #keepImpersonated(hash: Hex): void {
    this.#impersonated.add(hash)
    const [oldest] = this.#impersonated
    if (oldest !== undefined && this.#impersonated.size > mostImpersonated) this.#impersonated.delete(oldest)
  }

  /** Keeps what was edited before a block, for the traces of its transactions. */
  #keepEdits(height: number, edits: StateEdits): void {
    if (edits.entries.length === 0) return
    this.#editsBefore.set(height, edits)
    for (const [oldest] of this.#editsBefore) {
      if (this.#editsBefore.size <= mostEdited) break
      this.#editsBefore.delete(oldest)
    }
  }

  /** Repeats edits that were undone. */
  repeatEdits({ codes, entries }: StateEdits): void {
    for (const code of codes) this.state.editCode(code)
    for (const entry of entries) this.state.edit(entry)
  }

  /** Reverts every block above a height, and empties the pool. */
  revert(height: number): void {
    this.setBacks.add(height)
    const entries = this.storage.revert(height)
    this.state.dropEdits()
    this.#restore(entries)
    for (const edited of this.#editsBefore.keys()) if (edited > height) this.#editsBefore.delete(edited)
    this.pool.clear()
    this.#head = this.storage.latestBlock() ?? this.#head
    this.nextBlock.follow(this.#head)
  }

  /** Reverts every block but the genesis block, which gets another hash: the one before is its mix hash. */
  restart(): Effect.Effect<void, StoreFailure> {
    return Effect.gen(this, function*() {
      yield* attempt("reset", () => this.revert(0))
      const { hash, number, parentHash, timestamp } = this.#head
      const fields = { ...fieldsOf(this.#head, this.unitPrice), mixHash: hash }
      const environment: BlockEnvironment = { number, timestamp, parentHash, ...fields }
      const changes = Array.from(
        this.storage.entries(),
        ({ address, slot, value }) => ({ address, slot, before: undefined, after: value })
      )
      this.#head = yield* this.storage.restart({
        header: sealHeader(this.chainId, undefined, environment, [], changes),
        transactions: [],
        withBlobs: new Map(),
        changes,
        codes: new Map(),
        state: blockState(this.state, this.#machine, environment)
      })
    }).pipe(catchThrown("reset"))
  }

  /** Runs with the state of an earlier block in place. */
  #at<A, E>(height: number, run: Effect.Effect<A, E>): Effect.Effect<A, E> {
    if (height >= this.#head.number) return Effect.ensuring(run, Effect.sync(() => this.state.discard()))
    const past = [...this.state.beforeEdits(), ...this.storage.changedSince(height)]
    const present = this.state.present(past)
    this.#restore(past)
    return Effect.ensuring(
      run,
      Effect.sync(() => {
        this.state.discard()
        this.#restore(present)
      })
    )
  }

  #restore(entries: ReadonlyArray<StateEntry>): void {
    for (const entry of entries) this.state.restore(entry)
  }

  /**
   * Removes from the pool the transactions of a block, others whose nonce the block used, and those that can't run any more because
   * the block changed their sender, fee payer or receiver.
   */
  #settle(
    timestamp: number,
    transactions: ReadonlyArray<ExecutedTransaction>,
    changes: ReadonlyArray<StateChange>
  ): void {
    const minedAt = new Map(transactions.map(({ from, hash, nonce }) => [`${from} ${nonce}`, hash]))
    this.pool.settle(timestamp, (sender, nonce) => minedAt.get(`${sender} ${nonce}`))
    const waiting = this.pool.all()
    if (waiting.length === 0) return
    const changed = new Set(changes.flatMap(({ address, slot }) => slot === "" ? [address] : []))
    for (const one of waiting) {
      const { action, feePayer, from } = one.view
      if (![from, feePayer, "to" in action ? action.to : undefined].some((address) => changed.has(address ?? ""))) {
        continue
      }
      const checked = validation.recheck(one, this)
      if (Either.isLeft(checked)) this.pool.drop(one, validation.whyDropped(checked.left))
    }
  }
}

/** How often a chain was set back, and to which heights. */
class SetBacks {
  #times = 0
  /** The heights that no later one is below, lowest first, each with how often the chain had been set back then. */
  readonly #lowest: Array<{ readonly height: number; readonly time: number }> = []

  add(height: number): void {
    while ((this.#lowest.at(-1)?.height ?? -1) >= height) this.#lowest.pop()
    this.#lowest.push({ height, time: ++this.#times })
  }

  /** The lowest height of those after the first `times`. */
  since(times: number): { readonly times: number; readonly lowest: number | undefined } {
    return { times: this.#times, lowest: this.#lowest.find(({ time }) => time > times)?.height }
  }
}

/** The rules of a storage's chain; a storage without one keeps those of today. */
const rulesFor = (storage: ChainStorage): chainRules.RulesName => {
  if (storage.latestBlock() === undefined) storage.keepRules(chainRules.newest)
  return Option.getOrThrowWith(
    chainRules.named(storage.rules()),
    () => new Error(`its rules "${storage.rules()}" are those of a later version`)
  )
}

const nextBlockOf = (
  { baseFee, highestUnitPrice, proposer, unitPrice }: ChainStateOptions<ChainRecords>,
  rules: chainRules.Rules
): NextBlock => new NextBlock(unitPrice, rules, (baseFee ?? rules.baseFee) === "moving", proposer, highestUnitPrice)

/** The state as it is now, for the storage: the block of the environment has run. */
const blockState = (state: JournalState, machine: Evm, environment: BlockEnvironment): BlockState => ({
  call: ({ data, gas, to }) =>
    machine.view({
      from: zeroAddress,
      to,
      value: 0n,
      data,
      gasLimit: gas,
      gasPrice: 0n,
      feePayer: zeroAddress,
      accessList: []
    }, environment),
  code: (address) => Effect.sync(() => state.code(state.accountOrEmpty(address).codeHash))
})
