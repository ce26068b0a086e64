/**
 * What the node said no with: one class for each thing a caller can do differently.
 *
 * **Details**
 *
 * Every member tells the method, the node's `code`, its own words (`serviceMessage`, cleaned of control characters and
 * of the credential) and its `data`. Most errors of a node share the code -32000; those are told apart by the
 * words, which are the node's and may change with its version: what is not recognised arrives as `RpcFailed`. Failures
 * on the way to the node are members of core's `ServiceError`.
 *
 * **Example** (a call that may be reverted)
 *
 * ```ts
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function*() {
 *   const node = yield* KlaytnNode.KlaytnNode
 *   return yield* node.klay.call({ to: "0x1111111111111111111111111111111111111111", input: "0x18160ddd" })
 * }).pipe(Effect.catchTag("ExecutionReverted", (error) => Effect.succeed(error.reason ?? "reverted")))
 * ```
 *
 * @since 0.1.0
 */
import { HexData } from "@effect-klaytn/core/Hex"
import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"
import * as printed from "./internal/printed.js"

const common = {
  /** As in `node.klay_call`. */
  operation: Schema.String,
  /** The method's name on the wire, as in `klay_call`. */
  method: Schema.String,
  /** The node's code. */
  code: Schema.Number,
  /** The node's own words. */
  serviceMessage: Schema.String,
  /** What came with it, if anything did. */
  data: Schema.optional(printed.Data),
  /** Whether the same call may be made again without doing something twice. */
  retrySafe: Schema.Boolean,
  /** What may help, if this SDK has a guess. */
  hint: Schema.optional(Schema.String)
}

const id = (name: string) => `@effect-klaytn/node/${name}`

const sentence = (
  error: { readonly operation: string; readonly code: number; readonly hint?: string | undefined },
  text: string
): string => `${error.operation}: ${text} (code ${error.code})${error.hint === undefined ? "" : `; ${error.hint}`}`

/**
 * The node has no such method, or it is switched off (-32601). The hosted service does not say which methods it has.
 *
 * @since 0.1.0
 * @category errors
 */
export class MethodNotFound extends Schema.TaggedError<MethodNotFound>(id("MethodNotFound"))("MethodNotFound", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `the node does not have this method: ${this.serviceMessage}`)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * Too many or too few parameters, or one of the wrong form (-32602).
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidParams extends Schema.TaggedError<InvalidParams>(id("InvalidParams"))("InvalidParams", common) {
  readonly category = "caller" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `the node does not take these parameters: ${this.serviceMessage}`)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * The execution was reverted (3). `reason` is the text of `Error(string)`, `panic` the number of `Panic(uint256)`;
 * `revertData` are the bytes, from which `Contract` reads errors of the contract's own.
 *
 * @since 0.1.0
 * @category errors
 */
export class ExecutionReverted
  extends Schema.TaggedError<ExecutionReverted>(id("ExecutionReverted"))("ExecutionReverted", {
    ...common,
    reason: Schema.optional(Schema.String),
    panic: Schema.optional(Schema.BigInt),
    revertData: Schema.optional(HexData)
  })
{
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    const why = this.reason ?? (this.panic === undefined ? this.serviceMessage : `panic 0x${this.panic.toString(16)}`)
    return sentence(this, `execution reverted: ${why}`)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * The pool has this transaction already. `sendRawTransaction` looks its hash up and answers with it instead.
 *
 * @since 0.1.0
 * @category errors
 */
export class KnownTransaction
  extends Schema.TaggedError<KnownTransaction>(id("KnownTransaction"))("KnownTransaction", common)
{
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, this.serviceMessage)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * A transaction of the sender used the nonce, or waits in the pool with it, and the node does not know this one: it is
 * another, or this one from an earlier call of which this node has not heard. Look at
 * `getTransactionCount(sender, "pending")` before building another transaction.
 *
 * @since 0.1.0
 * @category errors
 */
export class NonceTooLow extends Schema.TaggedError<NonceTooLow>(id("NonceTooLow"))("NonceTooLow", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `the nonce is taken: ${this.serviceMessage}`)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * The sender or the fee payer does not have enough: `who` says which, if the node's words do.
 *
 * @since 0.1.0
 * @category errors
 */
export class InsufficientFunds
  extends Schema.TaggedError<InsufficientFunds>(id("InsufficientFunds"))("InsufficientFunds", {
    ...common,
    who: Schema.optional(Schema.Literal("sender", "feePayer"))
  })
{
  readonly category = "caller" satisfies ServiceError.Category
  override get message() {
    return sentence(this, this.serviceMessage)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * The node does not take this transaction: `reason` says why.
 *
 * - `signature`: wrong key, wrong chain ID or wrong payload, of the sender or of the fee payer.
 * - `chain`: signed for another chain.
 * - `gas`: less gas than it needs before anything runs.
 * - `price`: not the price that the chain asks for.
 * - `size`: too large.
 * - `pool`: the pool is full.
 * - `type`: a type that is unknown at this upgrade or by this method, or without what it needs.
 * - `receiver`: not an address that a transaction of this type can be sent to.
 *
 * @since 0.1.0
 * @category errors
 */
export class TransactionRefused
  extends Schema.TaggedError<TransactionRefused>(id("TransactionRefused"))("TransactionRefused", {
    ...common,
    reason: Schema.Literal("signature", "chain", "gas", "price", "size", "pool", "type", "receiver")
  })
{
  readonly category = "caller" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `the transaction is refused: ${this.serviceMessage}`)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * There is no such block, or no pending one at this node. `eth` methods answer none instead.
 *
 * @since 0.1.0
 * @category errors
 */
export class BlockNotFound extends Schema.TaggedError<BlockNotFound>(id("BlockNotFound"))("BlockNotFound", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, this.serviceMessage)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * The node no longer has the state of this block. Ask an archive node, or for a newer block.
 *
 * @since 0.1.0
 * @category errors
 */
export class StatePruned extends Schema.TaggedError<StatePruned>(id("StatePruned"))("StatePruned", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `the node no longer has this state: ${this.serviceMessage}`)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * The search for logs found or took too much: ask for fewer blocks. `LogRange` does so by itself.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogLimitExceeded
  extends Schema.TaggedError<LogLimitExceeded>(id("LogLimitExceeded"))("LogLimitExceeded", common)
{
  readonly category = "caller" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `ask for fewer blocks: ${this.serviceMessage}`)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * Any other error of the node.
 *
 * @since 0.1.0
 * @category errors
 */
export class RpcFailed extends Schema.TaggedError<RpcFailed>(id("RpcFailed"))("RpcFailed", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, this.serviceMessage)
  }
  override toJSON(): unknown {
    return printed.error(this)
  }
}

/**
 * The whole family, as a schema: errors can be sent and stored as JSON.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RpcError = Schema.Union(
  MethodNotFound,
  InvalidParams,
  ExecutionReverted,
  KnownTransaction,
  NonceTooLow,
  InsufficientFunds,
  TransactionRefused,
  BlockNotFound,
  StatePruned,
  LogLimitExceeded,
  RpcFailed
)

/**
 * What a node can say no with.
 *
 * @since 0.1.0
 * @category errors
 */
export type RpcError = typeof RpcError.Type

/**
 * Whether a value is a member of the family.
 *
 * @since 0.1.0
 * @category guards
 */
export const isRpcError: (u: unknown) => u is RpcError = Schema.is(RpcError)
