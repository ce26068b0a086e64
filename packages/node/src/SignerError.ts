/**
 * The errors of a send: nothing was sent, it failed in its block, or the outcome is not known. `Signer` has these errors too.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"
import { txErrorText } from "./Receipt.js"
import { RpcError } from "./RpcError.js"

const id = (name: string) => `@effect-klaytn/node/${name}`

/** What is known of a send. */
const common = {
  from: Address.Address,
  /** The nonce, if it is known. */
  nonce: Schema.optional(Schema.BigInt),
  /** The hash, if it is known. */
  transactionHash: Schema.optional(Hash.Hash),
  /** The hash of the sender's part, if a fee payer signs too. */
  senderTransactionHash: Schema.optional(Hash.Hash),
  /** The block from which on it may be, if that is known. */
  since: Schema.optional(Schema.BigInt)
}

/** The failure that a send ended with. */
const Cause = Schema.Union(RpcError, ServiceError.ServiceError)

/**
 * The transaction could not be signed. Nothing was sent.
 *
 * @category errors
 */
export class SigningFailed extends Schema.TaggedError<SigningFailed>(id("SigningFailed"))("SigningFailed", {
  from: Address.Address,
  problem: Schema.String
}) {
  override get message(): string {
    return `nothing was sent from ${this.from}: ${this.problem}`
  }
}

const gkei = (peb: bigint): string => {
  const [whole, fraction = ""] = [peb / 10n ** 9n, `${peb % 10n ** 9n}`.padStart(9, "0").replace(/0+$/, "")]
  return `${whole}${fraction === "" ? "" : `.${fraction}`} gkei`
}

/**
 * The node says a price for a unit of gas that is above the signer's bound, `maxGasPrice`: its answer is not believed without a word of yours.
 * All in peb. `baseFee` is that of the newest block, if the node shows it: what a transaction has to pay at least. Nothing was signed.
 *
 * @category errors
 */
export class PriceTooHigh extends Schema.TaggedError<PriceTooHigh>(id("PriceTooHigh"))("PriceTooHigh", {
  gasPrice: Schema.BigInt,
  maxGasPrice: Schema.BigInt,
  baseFee: Schema.optional(Schema.BigInt)
}) {
  override get message(): string {
    const beside = this.baseFee === undefined ? "" : `, at a base fee of ${gkei(this.baseFee)} in the newest block`
    return `the node's gas price of ${gkei(this.gasPrice)} is above the bound of ${gkei(this.maxGasPrice)}${beside}: ` +
      "name a gasPrice, or give the signer a higher maxGasPrice"
  }

  override toJSON(): unknown {
    return schemas.errorToJson(this)
  }
}

/**
 * The transaction was not sent, and never will be: nothing left this process, or every copy of the same bytes is refused
 * for what they are. `reason` is the failure.
 *
 * @category errors
 */
export class NotSent extends Schema.TaggedError<NotSent>(id("NotSent"))("NotSent", {
  ...common,
  reason: Schema.Union(Cause, PriceTooHigh)
}) {
  override get message(): string {
    return `nothing was sent from ${this.from}: ${this.reason.message}`
  }

  override toJSON(): unknown {
    return schemas.errorToJson(this)
  }
}

const unknownBecause = {
  answer: "the answer does not say",
  receipt: "no receipt came in time",
  signatures: "other signers of the account have to sign first"
}

/**
 * It is not known what became of the transaction: no answer came, or a refusal that depends on the state of the chain or
 * the node, or no receipt in time. A copy of it may still be executed. `Signer.reconcile` looks again.
 *
 * **Details**
 *
 * `reason` says what happened last: `answer` for a failed or refused submission, with the failure as `failure` (so an
 * `InsufficientFunds` is one that the node reported, which does not prove that no other copy was accepted); `receipt` for a
 * submission that was accepted, and no receipt in time; `signatures` for one that waits for the other signers of the account
 * at the service that signs. `record` is what that service needs to look for a transaction without a hash. Don't send the same content again before a look-up has shown what
 * became of this transaction: with another nonce, both may be executed.
 *
 * @category errors
 */
export class SendUnknown extends Schema.TaggedError<SendUnknown>(id("SendUnknown"))("SendUnknown", {
  ...common,
  reason: Schema.Literal("answer", "receipt", "signatures"),
  failure: Schema.optional(Cause),
  record: Schema.optional(schemas.Data)
}) {
  override get message(): string {
    const what = this.transactionHash ?? `a transaction from ${this.from}`
    const why = this.failure?.message ?? unknownBecause[this.reason]
    return `it is not known what became of ${what}: ${why}`
  }

  override toJSON(): unknown {
    return schemas.errorToJson(this)
  }
}

/**
 * A block holds another transaction of the sender with this nonce, so this one is never executed. Blocks are final. The hash
 * is absent if a service was to sign the transaction, and the block's number if the service did not name it.
 *
 * @category errors
 */
export class Superseded extends Schema.TaggedError<Superseded>(id("Superseded"))("Superseded", {
  from: Address.Address,
  nonce: Schema.BigInt,
  transactionHash: Schema.optional(Hash.Hash),
  /** The transaction that took the nonce. */
  by: Hash.Hash,
  /** The block that holds it. */
  blockNumber: Schema.optional(Schema.BigInt)
}) {
  override get message(): string {
    const what = this.transactionHash ?? `the transaction from ${this.from}`
    const where = this.blockNumber === undefined ? "" : ` in block ${this.blockNumber}`
    return `${what} is never executed: ${this.by} took nonce ${this.nonce}${where}`
  }

  override toJSON(): unknown {
    return schemas.errorToJson(this)
  }
}

/**
 * The transaction is in a block, and its execution failed. The fee was paid. `txError` is the number in its receipt, see
 * `Receipt.txErrorText`.
 *
 * @category errors
 */
export class FailedInBlock extends Schema.TaggedError<FailedInBlock>(id("FailedInBlock"))("FailedInBlock", {
  transactionHash: Hash.Hash,
  blockNumber: Schema.optional(Schema.BigInt),
  txError: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    const why = this.txError === undefined ? undefined : txErrorText(this.txError)
    return `${this.transactionHash} failed: ${why ?? "the receipt does not say why"}`
  }

  override toJSON(): unknown {
    return schemas.errorToJson(this)
  }
}
