import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { BlockRecord } from "../../BlockRecord.js"
import type { StoreFailure, TransactionRejected } from "../../ChainError.js"
import { Evm } from "../evm/Evm.js"
import type { BlockEnvironment, EvmFault, Message, Outcome } from "../evm/Message.js"
import { hasCode } from "../state/AccountRecord.js"
import { JournalState } from "../state/JournalState.js"
import type { ExecutedTransaction } from "../store/ExecutedBlock.js"
import type { ChainId } from "../store/Schema.js"
import type { ChainStore } from "../store/Store.js"
import { Executor } from "./Executor.js"
import { sealHeader } from "./Header.js"
import { Pool } from "./Pool.js"
import { attempt, catchThrown } from "./reads.js"
import { readTokens, type TokenChanges } from "./tokenIndex.js"
import {
  alreadyKnown,
  refuse,
  revalidate,
  unexecutable,
  validate,
  type ValidationContext,
  type ValidTransaction
} from "./validation.js"
import type { Viewer } from "./Viewer.js"

/** What a chain is made of. */
export interface ChainStateOptions {
  readonly chainId: ChainId
  readonly store: ChainStore
  /** peb for one unit of gas. */
  readonly unitPrice: bigint
  readonly curve: Secp256k1
  /** Balances of the genesis block, peb. */
  readonly genesis: ReadonlyArray<{ readonly address: Hex; readonly balance: bigint }>
  /** Unix seconds of the genesis block. */
  readonly genesisTimestamp: number
}

const transactionsPerBlock = 2_000

const noTokens: TokenChanges = {
  contracts: [],
  answers: { balances: [], owners: [], supplies: [], tokenSupplies: [] },
  uris: []
}

const noBytes = new Uint8Array(0)

const nobody: Hex = "0x0000000000000000000000000000000000000000"

/** How contracts refuse, by compilers old and new. */
const refusals: ReadonlySet<EvmFault> = new Set<EvmFault>(["revert", "invalid opcode", "invalid JUMP"])

/**
 * A block takes no further transaction once it has used this much gas, or holds this many bytes of transactions. The
 * rest waits for the next block. This limits a block to seconds, and its logs and transfers to the keys of the store.
 */
const fullAt = { gas: 100_000_000n, bytes: 8 * 1024 * 1024 }

/**
 * One chain: world state, pool and head in memory, everything else in the store. Methods that change something must
 * be called one at a time; the caller holds the lock.
 */
export class ChainState {
  readonly chainId: ChainId
  readonly unitPrice: bigint
  readonly store: ChainStore
  readonly state: JournalState
  readonly pool = new Pool()
  readonly #context: ValidationContext
  readonly #machine: Evm
  readonly #executor: Executor
  #head: BlockRecord

  private constructor(options: ChainStateOptions, state: JournalState, machine: Evm, head: BlockRecord) {
    this.chainId = options.chainId
    this.unitPrice = options.unitPrice
    this.store = options.store
    this.state = state
    this.#context = { chainId: options.chainId, unitPrice: options.unitPrice, curve: options.curve, state }
    this.#machine = machine
    this.#executor = new Executor(state, machine, (admitted) => revalidate(admitted, this.#context))
    this.#head = head
  }

  /** Loads a chain from its store, or writes its genesis block. */
  static async open(options: ChainStateOptions): Promise<ChainState> {
    const { store } = options
    const state = new JournalState()
    const machine = await Evm.make({
      chainId: options.chainId,
      state,
      curve: options.curve,
      blockHash: (number) =>
        Effect.runSync(Effect.either(attempt("blockHash", () => store.reader.blockByNumber(number)?.hash)))
    })
    const latest = store.reader.latestBlock()
    if (latest !== undefined) {
      store.state.load(state)
      return new ChainState(options, state, machine, latest)
    }
    for (const { address, balance } of options.genesis) state.update(address, { balance })
    const changes = state.changes()
    const block = sealHeader(options.chainId, undefined, options.genesisTimestamp, [], changes)
    store.blocks.write({
      block,
      transactions: [],
      changes,
      codes: new Map(),
      ...noTokens
    })
    state.seal()
    return new ChainState(options, state, machine, block)
  }

  get head(): BlockRecord {
    return this.#head
  }

  /** Addresses of the precompiles. */
  get precompiles(): ReadonlyArray<Hex> {
    return this.#machine.precompiles
  }

  /** Checks a transaction. `signers` is present for one that this process has just signed. */
  validate(
    transaction: Transaction.Transaction,
    signers?: { readonly sender: Signer; readonly feePayer?: Signer }
  ): Either.Either<ValidTransaction, TransactionRejected> {
    return validate(transaction, this.#context, signers)
  }

  /** Checks a transaction and puts it into the pool. */
  submit(
    transaction: Transaction.Transaction,
    signers?: { readonly sender: Signer; readonly feePayer?: Signer }
  ): Either.Either<ValidTransaction, TransactionRejected> {
    const hash = Transaction.hash(transaction)
    if (hash.ok && this.pool.get(hash.value) !== undefined) return Either.left(alreadyKnown(hash.value))
    return Either.flatMap(
      this.validate(transaction, signers),
      (admitted) => Either.map(this.pool.add(admitted), () => admitted)
    )
  }

  /**
   * Builds the next block of what can run now. A transaction with which no block can be stored leaves the pool: it is
   * found by halving, and blamed only if an empty block can be stored. Otherwise the database is at fault, and all wait.
   */
  advance(timestamp: number): Effect.Effect<BlockRecord, StoreFailure> {
    const buildMost = (candidates: ReadonlyArray<ValidTransaction>): Effect.Effect<BlockRecord, StoreFailure> =>
      Effect.catchAll(this.build(timestamp, candidates), (failure) => {
        const [first] = candidates
        if (first === undefined) return Effect.fail(failure)
        return candidates.length > 1
          ? buildMost(candidates.slice(0, Math.ceil(candidates.length / 2)))
          : Effect.tap(this.build(timestamp, []), () => {
            this.pool.drop(first, unexecutable(failure.cause).message)
          })
      })
    return Effect.suspend(() => buildMost(this.ready()))
  }

  /** The transactions of the pool that can run now. */
  ready(): ReadonlyArray<ValidTransaction> {
    return this.pool.ready((sender) => this.state.accountOrEmpty(sender).nonce, transactionsPerBlock)
  }

  /**
   * Builds the next block of these transactions, stores it and makes it the head. Transactions that can't be in it
   * leave the pool, those it has no room for stay. If the store fails, the chain is as it was before.
   */
  build(timestamp: number, candidates: ReadonlyArray<ValidTransaction>): Effect.Effect<BlockRecord, StoreFailure> {
    return this.#build(timestamp, candidates, () => Effect.void)
  }

  /** The same with all of these transactions, or not at all. */
  buildWhole(
    timestamp: number,
    candidates: ReadonlyArray<ValidTransaction>
  ): Effect.Effect<BlockRecord, StoreFailure | TransactionRejected> {
    return this.#build(timestamp, candidates, Effect.fail)
  }

  /** Builds a block, asking `allow` before each transaction that it leaves out. */
  #build<E>(
    timestamp: number,
    candidates: ReadonlyArray<ValidTransaction>,
    allow: (refusal: TransactionRejected) => Effect.Effect<void, E>
  ): Effect.Effect<BlockRecord, StoreFailure | E> {
    return Effect.gen(this, function*() {
      const environment = this.#next(timestamp)
      const transactions: Array<ExecutedTransaction> = []
      const refused: Array<readonly [ValidTransaction, TransactionRejected]> = []
      let gasBefore = 0n
      let bytes = 0
      for (const admitted of candidates) {
        if (gasBefore >= fullAt.gas || (bytes > 0 && bytes + admitted.raw.length > fullAt.bytes)) {
          yield* allow(refuse("BlockFull"))
          break
        }
        const position = { index: transactions.length, gasBefore }
        const result = yield* this.#executor.execute(admitted, environment, position).pipe(
          Effect.map(Either.right),
          Effect.catchTag("TransactionRejected", (refusal) => Effect.as(allow(refusal), Either.left(refusal)))
        )
        if (Either.isLeft(result)) {
          refused.push([admitted, result.left])
          continue
        }
        const executed = result.right
        transactions.push(executed)
        gasBefore = executed.cumulativeGasUsed
        bytes += admitted.raw.length
      }
      const tokens = yield* readTokens(this.store.tokens, transactions, this.#viewer(environment))
      const changes = this.state.changes()
      const block = sealHeader(this.chainId, this.#head, timestamp, transactions, changes)
      this.store.blocks.write({
        block,
        transactions,
        changes,
        codes: this.state.freshCodes(),
        ...tokens
      })
      this.state.seal()
      this.#head = block
      for (const [admitted, { message }] of refused) this.pool.drop(admitted, message)
      this.#prune(transactions)
      return block
    }).pipe(
      catchThrown("build"),
      Effect.tapError(() => Effect.sync(() => this.state.discard()))
    )
  }

  /** Runs messages on the state at the end of a block, one after the other, and undoes each. */
  views<A, E>(
    height: number,
    use: (
      view: (
        message: Message,
        prepare?: (state: JournalState) => Promise<void>
      ) => Effect.Effect<Outcome, StoreFailure>
    ) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const block = height === this.#head.number ? this.#head : this.store.reader.blockByNumber(height) ?? this.#head
      const environment = { ...this.#next(block.timestamp), number: block.number, parentHash: block.parentHash }
      return this.#at(height, use((message, prepare) => this.#machine.view(message, environment, prepare)))
    })
  }

  /** Reverts every block above a height, and empties the pool. */
  revert(height: number): void {
    const restore = this.store.blocks.revert(height)
    restore(this.state)
    this.pool.clear()
    this.#head = this.store.reader.latestBlock() ?? this.#head
  }

  /** The state as it is now, for the token index: the block of the environment has run. */
  #viewer(environment: BlockEnvironment): Viewer<StoreFailure> {
    return {
      ask: ({ data, gas, to }) =>
        Effect.map(
          this.#machine.view({
            from: nobody,
            to,
            value: 0n,
            data,
            gasLimit: gas,
            gasPrice: 0n,
            feePayer: nobody,
            accessList: []
          }, environment),
          ({ fault, gasUsed, returnValue }) =>
            fault === undefined
              ? { kind: "returned", data: returnValue, gasUsed }
              : { kind: refusals.has(fault) ? "refused" : "failed", data: noBytes, gasUsed }
        ),
      code: (address) =>
        Effect.sync(() => {
          const account = this.state.accountOrEmpty(address)
          return hasCode(account) ? this.state.code(account.codeHash) : noBytes
        })
    }
  }

  /** Runs with the state of an earlier block in place. */
  #at<A, E>(height: number, run: Effect.Effect<A, E>): Effect.Effect<A, E> {
    if (height >= this.#head.number) return Effect.ensuring(run, Effect.sync(() => this.state.discard()))
    const past = this.store.state.changedSince(height)
    const present = past.map(({ address, slot }) => ({
      address,
      slot,
      value: slot === "" ? this.state.account(address) : this.state.slot(address, slot)
    }))
    for (const { address, slot, value } of past) this.state.restore(address, slot, value)
    return Effect.ensuring(
      run,
      Effect.sync(() => {
        this.state.discard()
        for (const { address, slot, value } of present) this.state.restore(address, slot, value)
      })
    )
  }

  #next(timestamp: number): BlockEnvironment {
    return {
      number: this.#head.number + 1,
      timestamp,
      parentHash: this.#head.hash,
      unitPrice: this.unitPrice
    }
  }

  /** Removes from the pool what is in a block now, and other transactions with the same nonces. */
  #prune(transactions: ReadonlyArray<ExecutedTransaction>): void {
    const mined = new Set(transactions.map(({ hash }) => hash))
    for (const from of new Set(transactions.map(({ from }) => from))) {
      for (const admitted of this.pool.below(from, this.state.accountOrEmpty(from).nonce)) {
        if (mined.has(admitted.hash)) this.pool.remove(admitted)
        else this.pool.drop(admitted, `another transaction has its nonce ${admitted.view.nonce}`)
      }
    }
  }
}
