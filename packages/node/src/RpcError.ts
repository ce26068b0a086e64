/**
 * The errors that a node returns: one class for each case that a caller can handle differently.
 *
 * **Details**
 *
 * Every member carries the method, the node's `code`, its message (`serviceMessage`, cleaned of control characters and
 * of the credential) and its `data`. Most errors of a node share the code -32000 and are distinguished by their
 * message, which may change with the node's version: an unrecognised one becomes `RpcFailed`. Failures on the way to
 * the node are members of core's `ServiceError`.
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
 */
import { HexData } from "@effect-klaytn/core/HexEncoding"
import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"
import * as reverts from "./internal/errors/reverts.js"
import * as schemas from "./internal/records/schemas.js"

const common = {
  /** The operation, such as `node.klay_call`. */
  operation: Schema.String,
  /** The method's wire name, such as `klay_call`. */
  method: Schema.String,
  /** The node's code. */
  code: Schema.Number,
  /** The node's own message. */
  serviceMessage: Schema.String,
  /** The data that came with the error, if any. */
  data: Schema.optional(schemas.Data),
  /** Whether the same call can be repeated without doing something twice. */
  retrySafe: Schema.Boolean,
  /** A suggestion of this SDK, if it has one. */
  hint: Schema.optional(Schema.String)
}

const id = (name: string) => `@effect-klaytn/node/${name}`

const sentence = (
  error: { readonly operation: string; readonly code: number; readonly hint?: string | undefined },
  text: string
): string => `${error.operation}: ${text} (code ${error.code})${error.hint === undefined ? "" : `; ${error.hint}`}`

/**
 * The node does not have the method, or it is switched off (-32601). The hosted service does not say which methods it
 * has.
 *
 * @category errors
 */
export class MethodNotFound extends Schema.TaggedError<MethodNotFound>(id("MethodNotFound"))("MethodNotFound", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `the node does not have this method: ${this.serviceMessage}`)
  }
}

/**
 * Too many or too few parameters, or a malformed one (-32602).
 *
 * @category errors
 */
export class InvalidParams extends Schema.TaggedError<InvalidParams>(id("InvalidParams"))("InvalidParams", common) {
  readonly category = "caller" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `the node refused the parameters: ${this.serviceMessage}`)
  }
}

/**
 * The execution was reverted (3). `reason` is the text of `Error(string)`, `panic` the number of `Panic(uint256)`.
 * `revertData` is the raw data, from which `Contract.decodeError` decodes custom errors.
 *
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
    return sentence(this, reverts.sentence(reverts.why(this, this.serviceMessage)))
  }
}

/**
 * The pool already has this transaction. `sendRawTransaction` looks up its hash and returns that instead.
 *
 * @category errors
 */
export class KnownTransaction
  extends Schema.TaggedError<KnownTransaction>(id("KnownTransaction"))("KnownTransaction", common)
{
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, this.serviceMessage)
  }
}

/**
 * The nonce was used by a transaction of the sender, mined or in the pool: by another one, or by another copy of the same
 * one. `sendRawTransaction` never fails with this error: it looks up the hash, and returns that or fails with
 * `OutcomeUnknown`. Other methods, such as those of an unlocked account, do.
 *
 * @category errors
 */
export class NonceTooLow extends Schema.TaggedError<NonceTooLow>(id("NonceTooLow"))("NonceTooLow", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `the nonce is taken: ${this.serviceMessage}`)
  }
}

/**
 * The sender or the fee payer does not have enough funds; `who` says which, if the node's message does.
 *
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
}

/**
 * The node refuses this transaction; `reason` says why.
 *
 * - `signature`: wrong key, wrong chain ID or wrong payload, of the sender or of the fee payer.
 * - `chain`: signed for another chain.
 * - `gas`: not enough gas for the intrinsic cost, or too much for a block.
 * - `price`: not the gas price that the chain requires.
 * - `size`: too large.
 * - `pool`: the pool is full, or has a transaction with which this one can't wait: one waits at a time from an account that
 *   runs a contract's code, and none from an account whose code this one sets.
 * - `type`: a type that this upgrade or this method does not know, that lacks something it needs, or that the sender can't
 *   send while it has code.
 * - `receiver`: not an address that a transaction of this type can be sent to.
 *
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
    return sentence(this, `the node refused the transaction: ${this.serviceMessage}`)
  }
}

/**
 * The block does not exist, or this node has no pending block. `eth` methods return none instead.
 *
 * @category errors
 */
export class BlockNotFound extends Schema.TaggedError<BlockNotFound>(id("BlockNotFound"))("BlockNotFound", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, this.serviceMessage)
  }
}

/**
 * The node no longer has the state of this block. Ask an archive node, or read a newer block.
 *
 * @category errors
 */
export class StatePruned extends Schema.TaggedError<StatePruned>(id("StatePruned"))("StatePruned", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, `the node no longer has this state: ${this.serviceMessage}`)
  }
}

/**
 * The log search found too many logs or took too long: ask for fewer blocks, and for the receipts of a block that is too much
 * alone. `LogRange` does both.
 *
 * @category errors
 */
export class LogLimitExceeded
  extends Schema.TaggedError<LogLimitExceeded>(id("LogLimitExceeded"))("LogLimitExceeded", common)
{
  readonly category = "caller" satisfies ServiceError.Category
  override get message() {
    return sentence(
      this,
      `ask for fewer blocks, or for the receipts of one that is too much alone: ${this.serviceMessage}`
    )
  }
}

/**
 * Any other error of the node.
 *
 * @category errors
 */
export class RpcFailed extends Schema.TaggedError<RpcFailed>(id("RpcFailed"))("RpcFailed", common) {
  readonly category = "refused" satisfies ServiceError.Category
  override get message() {
    return sentence(this, this.serviceMessage)
  }
}

/**
 * All errors of a node as a schema, so that they can be sent and stored as JSON.
 *
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

for (const { prototype } of RpcError.members) {
  Object.defineProperty(prototype, "toJSON", {
    value(this: RpcError): unknown {
      return schemas.errorToJson(this)
    }
  })
}

/**
 * Any error that a node returns.
 *
 * @category errors
 */
export type RpcError = typeof RpcError.Type

/**
 * Whether a value is an {@link RpcError}.
 *
 * @category guards
 */
export const isRpcError: (u: unknown) => u is RpcError = Schema.is(RpcError)
