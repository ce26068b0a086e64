import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as ExecutedTransaction from "@effect-klaytn/transaction/ExecutedTransaction"
import type { InternalTransfer, Place, StorageWrite } from "@effect-klaytn/transaction/ExecutedTransaction"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import { floorGas, intrinsicGas } from "@effect-klaytn/transaction/Transaction"
import { splitFee, type TransactionView } from "@effect-klaytn/transaction/TransactionView"
import * as BigInteger from "effect/BigInt"
import * as Effect from "effect/Effect"
import { keyOf } from "../AccountRecord.js"
import type { StoreFailure, TransactionRejected } from "../ChainError.js"
import { feeOf } from "./blobs.js"
import { delegate } from "./delegations.js"
import type { Evm } from "./Evm.js"
import { type BlockEnvironment, type Message, type Outcome, txErrorOf } from "./Message.js"
import type { Tracer } from "./Tracer.js"
import {
  checkFunds,
  checkOffer,
  refuse,
  revalidate,
  unexecutable,
  type ValidationContext,
  type ValidTransaction
} from "./validation.js"

const nothing: Outcome = {
  messages: 0,
  gasUsed: 0n,
  gasRefund: 0n,
  fault: undefined,
  returnValue: new Uint8Array(0),
  logs: [],
  created: undefined
}

/**
 * The gas that a transaction is charged: the gas spent less refunds, which are a fifth of it at most, and not less than the
 * floor.
 */
export const charge = (
  { gasRefund, gasUsed }: Pick<Outcome, "gasRefund" | "gasUsed">,
  { floor, intrinsic }: { readonly floor: bigint; readonly intrinsic: bigint }
): bigint => {
  const spent = intrinsic + gasUsed
  return BigInteger.max(spent - BigInteger.min(gasRefund, spent / 5n), floor)
}

/** Where a transaction is in its block. */
type Position = Omit<Place, "block">

/** Executes checked transactions on the state of a chain. */
export class Executor {
  constructor(
    readonly machine: Evm,
    readonly context: ValidationContext,
    /** Whether receipts list the coin that contracts moved. */
    readonly internalTransfers: boolean
  ) {}

  /**
   * Executes a transaction, unless it can't be in this block: its nonce is not the next one, its sender or fee
   * payer can no longer pay the most it offers or has another key now, or it breaks the EVM. A failed execution is in the block:
   * its fee is taken, its nonce used, and nothing else stays. A transaction of an older block pays the price that it paid.
   */
  execute(
    transaction: ValidTransaction,
    block: BlockEnvironment,
    position: Position & { readonly gasPrice?: bigint },
    tracer?: Tracer
  ): Effect.Effect<ExecutedTransaction.ExecutedTransaction, TransactionRejected | StoreFailure> {
    return Effect.gen(this, function*() {
      const { state } = this.context
      const { view } = transaction
      const { depth } = state
      const { gasBefore, gasPrice = this.context.nextBlock.priceOf(view, block.baseFeePerGas), index } = position
      const { nonce } = state.accountOrEmpty(view.from)
      if (view.nonce !== nonce) return yield* refuse(view.nonce < nonce ? "NonceTooLow" : "NonceTooHigh")
      yield* revalidate(transaction, this.context)
      yield* checkOffer(view, block.baseFeePerGas, this.context.hardfork)
      yield* checkFunds(view, state, position.gasPrice ?? view.gasPriceCap, { withBlobs: true })
      yield* Effect.promise(() => state.checkpoint())
      const executed = yield* this.#execute(transaction, block, { index, gasBefore }, gasPrice, tracer).pipe(
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
    position: Position,
    gasPrice: bigint,
    tracer: Tracer | undefined
  ): Effect.Effect<ExecutedTransaction.ExecutedTransaction, StoreFailure> {
    return Effect.gen(this, function*() {
      const { view } = transaction
      const { hardfork, state } = this.context
      const blobFee = feeOf(view, block.baseFeePerGas, hardfork)
      this.#pay(view, view.gas * gasPrice + blobFee)
      state.update(view.from, { nonce: view.nonce + 1n })
      const intrinsic = intrinsicGas(view.transaction, hardfork)
      const available = view.gas - intrinsic
      const writes: Array<StorageWrite> = []
      const internalTransfers: Array<InternalTransfer> | undefined = this.internalTransfers ? [] : undefined
      const delegated = delegate(view.authorizationList, this.context)
      const accessList = [...view.accessList, ...delegated.warm]
      const outcome = yield* this.#run({ ...view, accessList }, block, {
        gasPrice,
        gasLimit: available,
        writes,
        internalTransfers,
        tracer
      })
      const { fault } = outcome
      const gasRefund = delegated.refund + outcome.gasRefund
      const floor = floorGas(view.transaction, hardfork)
      const gasUsed = charge({ ...outcome, gasRefund }, { floor, intrinsic })
      this.#pay(view, (gasUsed - view.gas) * gasPrice)
      return ExecutedTransaction.make(transaction, {
        status: fault === undefined ? 1 : 0,
        txError: fault && txErrorOf(fault),
        gasUsed,
        gasPrice,
        blobFee,
        contractAddress: outcome.created,
        logs: outcome.logs,
        writes,
        ...(fault === undefined && { internalTransfers })
      }, { block, ...position })
    })
  }

  #run(
    view: TransactionView,
    block: BlockEnvironment,
    run: Pick<Message, "gasPrice" | "gasLimit" | "writes" | "internalTransfers" | "tracer">
  ): Effect.Effect<Outcome, StoreFailure> {
    const { action } = view
    const { computationCost, executionGas = run.gasLimit } = this.context.rules
    if (action.kind === "updateKey") this.#updateKey(view.from, action.key)
    if (action.kind === "none" || action.kind === "updateKey") return Effect.succeed(nothing)
    const gasLimit = BigInteger.min(run.gasLimit, executionGas)
    const outcome = this.machine.run({
      from: view.from,
      to: "to" in action ? action.to : undefined,
      value: view.value,
      data: action.kind === "transfer" ? nothing.returnValue : bytesOf(view.input),
      feePayer: view.feePayer ?? view.from,
      accessList: view.accessList,
      blobHashes: view.blobVersionedHashes,
      computationLimit: computationCost,
      ...run,
      gasLimit
    }, block)
    // Rules that limit the gas of an execution fail it as the limit of its cost would: all gas of the transaction is used.
    return gasLimit === run.gasLimit ?
      outcome :
      Effect.map(
        outcome,
        (limited) =>
          limited.fault === "out of gas" ? { ...limited, fault: "computation limit", gasUsed: run.gasLimit } : limited
      )
  }

  /** Validation has tried the same update. Roles that the new key leaves out keep their key. */
  #updateKey(address: Hex, key: AccountKey.AccountKey): void {
    const updated = AccountKey.update(keyOf(this.context.state.accountOrEmpty(address)), key)
    const encoded = updated.ok ? AccountKey.encode(updated.value) : updated
    if (encoded.ok) this.context.state.update(address, { key: encoded.value })
  }

  #pay(view: TransactionView, fee: bigint): void {
    const { byFeePayer, bySender } = splitFee(view, fee)
    this.#add(view.from, -bySender)
    if (view.feePayer !== undefined) this.#add(view.feePayer, -byFeePayer)
  }

  #add(address: Hex, amount: bigint): void {
    const { state } = this.context
    if (amount !== 0n) state.update(address, { balance: state.accountOrEmpty(address).balance + amount })
  }
}
