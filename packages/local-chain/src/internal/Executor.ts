import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as ExecutedTransaction from "@effect-klaytn/transaction/ExecutedTransaction"
import type { InternalTransfer, Place, StorageWrite } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { floorGas, intrinsicGas } from "@effect-klaytn/transaction/Transaction"
import { splitFee, type TransactionView } from "@effect-klaytn/transaction/TransactionView"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import { keyOf } from "../AccountRecord.js"
import type { StoreFailure, TransactionRejected } from "../ChainError.js"
import { delegate } from "./delegations.js"
import type { Evm } from "./Evm.js"
import type { JournalState } from "./JournalState.js"
import { type BlockEnvironment, type Message, type Outcome, txError, txErrorOf } from "./Message.js"
import { checkFunds, refuse, unexecutable, type ValidationContext, type ValidTransaction } from "./validation.js"

/**
 * The most gas that the execution of one transaction may use. It stands for the node's limit on computation cost, which
 * stops a loop long before its gas runs out; the failure is the same: `txError` 0xa, and all gas used.
 */
export const executionGasLimit = 30_000_000n

const nothing: Outcome = {
  gasUsed: 0n,
  gasRefund: 0n,
  fault: undefined,
  returnValue: new Uint8Array(0),
  logs: [],
  created: undefined
}

/** Executes checked transactions on the state of a chain. */
export class Executor {
  constructor(
    readonly state: JournalState,
    readonly machine: Evm,
    readonly rules: Pick<ValidationContext, "chainId" | "curve" | "hardfork">,
    /** Whether the signers of a transaction still satisfy the keys of its accounts. */
    readonly revalidate: (transaction: ValidTransaction) => Either.Either<void, TransactionRejected>,
    /** Whether receipts say what contracts moved of coin. */
    readonly internalTransfers: boolean
  ) {}

  /**
   * Executes a transaction, unless it can't be in this block: its nonce is not the next one, its sender or fee
   * payer can no longer pay or has another key now, or it breaks the EVM. A failed execution is in the block:
   * its fee is taken, its nonce used, and nothing else stays.
   */
  execute(
    transaction: ValidTransaction,
    block: BlockEnvironment,
    position: Omit<Place, "block">
  ): Effect.Effect<ExecutedTransaction.ExecutedTransaction, TransactionRejected | StoreFailure> {
    return Effect.gen(this, function*() {
      const { state } = this
      const { view } = transaction
      const { depth } = state
      if (state.accountOrEmpty(view.from).nonce !== view.nonce) return yield* Effect.fail(refuse("NonceTooLow"))
      yield* this.revalidate(transaction)
      yield* checkFunds(view, state, block.baseFeePerGas)
      yield* Effect.promise(() => state.checkpoint())
      const executed = yield* this.#execute(transaction, block, position).pipe(
        Effect.tapErrorCause(() => Effect.promise(() => state.unwind(depth))),
        Effect.catchAllDefect((cause) => Effect.fail(unexecutable(cause)))
      )
      yield* Effect.promise(() => state.commit())
      return executed
    })
  }

  #execute(
    transaction: ValidTransaction,
    block: BlockEnvironment,
    position: Omit<Place, "block">
  ): Effect.Effect<ExecutedTransaction.ExecutedTransaction, StoreFailure> {
    return Effect.gen(this, function*() {
      const { view } = transaction
      const { state } = this
      const sender = state.accountOrEmpty(view.from)
      this.#pay(view, view.gas * block.baseFeePerGas)
      state.update(view.from, { nonce: sender.nonce + 1n })
      const intrinsic = intrinsicGas(view.transaction, this.rules.hardfork)
      const available = view.gas - intrinsic
      const writes: Array<StorageWrite> = []
      const internalTransfers: Array<InternalTransfer> | undefined = this.internalTransfers ? [] : undefined
      const delegated = delegate(view.authorizationList, { ...this.rules, state })
      const accessList = [...view.accessList, ...delegated.warm]
      const { limited, outcome } = yield* this.#run({ ...view, accessList }, block, available, {
        writes,
        internalTransfers
      })
      const halted = limited && outcome.fault === "out of gas"
      const spent = intrinsic + (halted ? available : outcome.gasUsed)
      const refunds = delegated.refund + (outcome.fault === undefined ? outcome.gasRefund : 0n)
      const refund = min(refunds, spent / 5n)
      const gasUsed = max(spent - refund, floorGas(view.transaction, this.rules.hardfork))
      this.#refund(view, (view.gas - gasUsed) * block.baseFeePerGas)
      return ExecutedTransaction.make(transaction, {
        status: outcome.fault === undefined ? 1 : 0,
        txError: outcome.fault === undefined ? undefined : halted ? txError.computationLimit : txErrorOf(outcome.fault),
        gasUsed,
        gasPrice: block.baseFeePerGas,
        contractAddress: outcome.created,
        logs: outcome.logs,
        writes,
        ...(outcome.fault === undefined && { internalTransfers })
      }, { block, ...position })
    })
  }

  #run(
    view: TransactionView,
    block: BlockEnvironment,
    available: bigint,
    records: Pick<Message, "writes" | "internalTransfers">
  ): Effect.Effect<{ readonly limited: boolean; readonly outcome: Outcome }, StoreFailure> {
    const { action } = view
    if (action.kind === "none") return Effect.succeed({ limited: false, outcome: nothing })
    if (action.kind === "updateKey") {
      this.#updateKey(view.from, action.key)
      return Effect.succeed({ limited: false, outcome: nothing })
    }
    const limited = available > executionGasLimit
    const outcome = this.machine.run({
      from: view.from,
      to: "to" in action ? action.to : undefined,
      value: view.value,
      data: action.kind === "transfer" ? nothing.returnValue : Buffer.from(view.input.slice(2), "hex"),
      gasLimit: limited ? executionGasLimit : available,
      gasPrice: block.baseFeePerGas,
      feePayer: view.feePayer ?? view.from,
      accessList: view.accessList,
      ...records
    }, block)
    return Effect.map(outcome, (outcome) => ({ limited, outcome }))
  }

  /** Validation has tried the same update. Roles that the new key leaves out keep their key. */
  #updateKey(address: Hex, key: AccountKey.AccountKey): void {
    const updated = AccountKey.update(keyOf(this.state.accountOrEmpty(address)), key)
    const encoded = updated.ok ? AccountKey.encode(updated.value) : updated
    if (encoded.ok) this.state.update(address, { key: encoded.value })
  }

  #pay(view: TransactionView, fee: bigint): void {
    const { byFeePayer, bySender } = splitFee(view, fee)
    this.#add(view.from, -bySender)
    if (view.feePayer !== undefined) this.#add(view.feePayer, -byFeePayer)
  }

  #refund(view: TransactionView, rest: bigint): void {
    const { byFeePayer, bySender } = splitFee(view, rest)
    this.#add(view.from, bySender)
    if (view.feePayer !== undefined) this.#add(view.feePayer, byFeePayer)
  }

  #add(address: Hex, amount: bigint): void {
    if (amount !== 0n) this.state.update(address, { balance: this.state.accountOrEmpty(address).balance + amount })
  }
}

const min = (a: bigint, b: bigint): bigint => a < b ? a : b

const max = (a: bigint, b: bigint): bigint => a > b ? a : b
