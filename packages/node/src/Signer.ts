/**
 * Signs transactions for an account, sends them, and follows each to its receipt.
 *
 * **Details**
 *
 * A {@link Signer} is one account with one way to sign: keys in this process ({@link fromKeys}: one key, the keys of a
 * weighted or role-based account, and those of a fee payer), a wallet with an EIP-1193 provider ({@link fromProvider}), the
 * hosted wallet (`HostedSigner` of `@effect-klaytn/wallet`), or anything else that submits transactions ({@link make}).
 * Whatever the request leaves out is filled in: the nonce, the gas, its price, and the type of the transaction.
 *
 * `send` succeeds with the receipt of a successful execution. The errors say what is known otherwise:
 *
 * - `NotSent`, `SigningFailed`: nothing was sent, and nothing will be.
 * - `FailedInBlock`: it is in a block, and its execution failed.
 * - `Superseded`: a block holds another transaction with its nonce. Blocks are final, so it is never executed.
 * - `SendUnknown`: none of this is known. A refusal that depends on state, such as a lack of funds or a full pool, ends
 *   here too: another copy of the request may have been accepted.
 *
 * **Example** (sends from a key and waits)
 *
 * ```ts
 * import * as Signer from "@effect-klaytn/node/Signer"
 * import * as Effect from "effect/Effect"
 * import type * as Redacted from "effect/Redacted"
 *
 * export const pay = (key: Redacted.Redacted<string>, to: string) =>
 *   Effect.gen(function*() {
 *     const signer = yield* Signer.fromKeys({ privateKeys: [key] })
 *     const { receipt } = yield* signer.send({ to, value: 10n ** 18n })
 *     return receipt.blockNumber
 *   }).pipe(
 *     Effect.catchTag("SendUnknown", (unknown) => Signer.reconcile(unknown))
 *   )
 * ```
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { HexData } from "@effect-klaytn/core/HexEncoding"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as local from "./internal/signing/localSigner.js"
import * as provided from "./internal/signing/providerSigner.js"
import * as settling from "./internal/signing/settling.js"
import type { KlaytnNode } from "./KlaytnNode.js"
import type { Receipt } from "./Receipt.js"
import type { FailedInBlock, NotSent, SendUnknown, SigningFailed, Superseded } from "./SignerError.js"

export { FailedInBlock, NotSent, PriceTooHigh, SendUnknown, SigningFailed, Superseded } from "./SignerError.js"

/**
 * What to send. Amounts and prices are in peb.
 *
 * @category models
 */
export interface Request {
  /** The receiver; leave it out to create a contract with the code in `input`. */
  readonly to?: string | undefined
  readonly value?: bigint | undefined
  /** The call data, or the code of a contract. */
  readonly input?: string | undefined
  /** Defaults to the account's next nonce, with the transactions that wait. */
  readonly nonce?: bigint | undefined
  /** Defaults to an estimate, with what the signatures and the fee payer cost. */
  readonly gas?: bigint | undefined
  /** Defaults to the price that the node suggests, within the signer's {@link PriceBound}. One that is named is not bounded. */
  readonly gasPrice?: bigint | undefined
  /** Not here: see {@link Cancellation}. */
  readonly cancel?: never
  /** Not here: see {@link KeyUpdate}. */
  readonly accountKey?: never
}

/**
 * Takes a nonce away from a transaction that waits: whichever of the two gets into a block first is the only one that is
 * executed. If that is the other one, the cancellation is `Superseded`. A node's pool replaces a waiting transaction by any
 * cancellation, and a waiting cancellation by a transaction at a higher price: only a block decides.
 *
 * @category models
 */
export interface Cancellation extends Pick<Request, "gas" | "gasPrice" | "accountKey"> {
  /** The nonce of the transaction that waits. */
  readonly cancel: bigint
}

/**
 * Gives the account another key, signed with its present one. The signer keeps its keys: make another one for the new key.
 *
 * @category models
 */
export interface KeyUpdate extends Pick<Request, "nonce" | "gas" | "gasPrice" | "cancel"> {
  /** The new key, see `AccountKey` of `@effect-klaytn/transaction`. */
  readonly accountKey: AccountKey
}

/**
 * Everything that a signer may be asked to send. Those of EIP-1193 wallets take a {@link Request} only.
 *
 * @category models
 */
export type AnyRequest = Request | Cancellation | KeyUpdate

/**
 * How to wait for the receipt.
 *
 * @category models
 */
export interface Options {
  /** Defaults to one minute. */
  readonly within?: Duration.DurationInput | undefined
  /** Defaults to one second, the time of one block. */
  readonly pollInterval?: Duration.DurationInput | undefined
}

/**
 * A transaction that was executed successfully.
 *
 * @category models
 */
export interface Sent {
  readonly transactionHash: Hash
  readonly receipt: Receipt
}

/**
 * Everything that may become of a send that did not succeed.
 *
 * @category errors
 */
export type SendError = SigningFailed | NotSent | SendUnknown | Superseded | FailedInBlock

/**
 * An account that can send requests of type `R`. A signer that takes more is one that takes less.
 *
 * @category models
 */
export interface Signer<in R extends AnyRequest = Request> {
  readonly address: Address
  /** Fills in what the request leaves out, signs, submits, and follows the transaction to its receipt. */
  readonly send: (request: R, options?: Options) => Effect.Effect<Sent, SendError, KlaytnNode>
}

/**
 * What is known of a transaction that was submitted. With a nonce, a block that gives it to another transaction ends the wait
 * with `Superseded`.
 *
 * @category models
 */
export interface Submitted {
  readonly transactionHash: Hash
  readonly nonce?: bigint | undefined
  /** The hash of the sender's part, by which the transaction is recognised if a fee payer signs it anew. */
  readonly senderTransactionHash?: Hash | undefined
  /** The block from which on it may be. */
  readonly since?: bigint | undefined
  /** What a service that signs needs to look for it, as JSON. */
  readonly record?: unknown
}

/**
 * A signed transaction, and from which block on to look for it. Store it before it is submitted if it must not be lost.
 *
 * @category models
 */
export interface Prepared extends Submitted {
  readonly from: Address
  readonly nonce: bigint
  readonly raw: HexData
  readonly since: bigint
}

/**
 * A signer with keys in this process.
 *
 * @category models
 */
export interface LocalSigner<in R extends AnyRequest = AnyRequest> extends Signer<R> {
  /** Fills in and signs, and sends nothing. */
  readonly prepare: (request: R) => Effect.Effect<Prepared, SigningFailed | NotSent, KlaytnNode>
  /** Submits a prepared transaction and follows it. The same bytes may be submitted any number of times. */
  readonly submit: (prepared: Prepared, options?: Options) => Effect.Effect<Sent, SendError, KlaytnNode>
}

/**
 * The keys of an account: each signs. The address may be left out for one key that was never changed.
 *
 * @category models
 */
export interface Keys {
  readonly address?: string | undefined
  /** One key; or enough of a weighted account, or of the role of an account with roles. */
  readonly privateKeys: ReadonlyArray<Redacted.Redacted<string>>
}

/**
 * The keys of an account that pays fees.
 *
 * @category models
 */
export interface FeePayerKeys extends Keys {
  /** The percentage of the fee that it pays, 1 to 99; the sender pays the rest. Defaults to all of it. */
  readonly ratio?: number | undefined
}

/**
 * What a price that the node says may be at most. A node that lies about it, or suggests what strangers pay, would have a signer pay any fee.
 *
 * @category models
 */
export interface PriceBound {
  /** Peb for a unit of gas, above 0. Defaults to {@link defaultMaxGasPrice}. */
  readonly maxGasPrice?: bigint | undefined
}

/**
 * The bound of a signer that has none of its own: 750 gkei, the upper bound of the base fee on the chain's networks. In peb.
 *
 * @category constants
 */
export const defaultMaxGasPrice: bigint = local.defaultMaxGasPrice

/**
 * Makes a signer with keys in this process. The keys appear in no error and no log.
 *
 * **Details**
 *
 * The transactions are of the chain's own types, with the types of a fee payer if one is given; every kind of account key
 * may send them. An account with roles sends and cancels with the keys of its role for transactions, updates its key with
 * those for account updates, and pays fees with those for fee payers. Sends of one signer take their nonces one after the
 * other and wait for their receipts together. Two signers of one account, or two processes, may take the same nonce: one of
 * the two transactions is then `Superseded`.
 *
 * A price that the node says and that is above `maxGasPrice` is not paid: the send fails as `NotSent`, whose `reason` is a `PriceTooHigh` with
 * the price, the bound and the base fee of the newest block, before anything is signed.
 *
 * **Example** (a bound of 100 gkei)
 *
 * ```ts
 * import * as Signer from "@effect-klaytn/node/Signer"
 * import type * as Redacted from "effect/Redacted"
 *
 * export const of = (key: Redacted.Redacted<string>) =>
 *   Signer.fromKeys({ privateKeys: [key], maxGasPrice: 100_000_000_000n })
 * ```
 *
 * @category constructors
 */
export const fromKeys: (
  keys: Keys & PriceBound & { readonly feePayer?: FeePayerKeys | undefined }
) => Effect.Effect<LocalSigner, InvalidInput> = local.make

/**
 * Makes a signer that sends transactions of Ethereum's type 2 (EIP-1559). The account is the key's own, and its key was never
 * changed; it has no fee payer. `gasPrice` of a request is the most that is paid for a unit of gas. Without one it is what the node suggests,
 * within the bound of the options, as for {@link fromKeys}.
 *
 * @category constructors
 */
export const fromEthereumKey: (
  privateKey: Redacted.Redacted<string>,
  options?: PriceBound
) => Effect.Effect<LocalSigner<Request>, InvalidInput> = local.makeEthereum

/**
 * A wallet as EIP-1193 describes it.
 *
 * @category models
 */
export interface Wallet {
  readonly request: (request: { readonly method: string; readonly params?: ReadonlyArray<unknown> }) => Promise<unknown>
}

/**
 * Makes a signer of a wallet's account. The wallet fills in what it wants to, asks its user, and submits the transaction to
 * its own node. A transaction that its user declines fails with `SigningFailed`. Interrupting a send does not take
 * back what the wallet was asked for.
 *
 * @category constructors
 */
export const fromProvider: (wallet: Wallet, address: string) => Effect.Effect<Signer, InvalidInput> = provided.make

/**
 * Makes a signer of anything that submits transactions: `submit` returns the hash of the transaction and whatever else is
 * known of it. It fails with `SendUnknown` unless it knows that nothing was sent, and with `Superseded` only if a block holds
 * another transaction with the nonce.
 *
 * **Example** (a service that signs)
 *
 * ```ts
 * import type { Address } from "@effect-klaytn/core/Address"
 * import type { Hash } from "@effect-klaytn/core/Hash"
 * import * as Signer from "@effect-klaytn/node/Signer"
 * import * as Effect from "effect/Effect"
 *
 * declare const sign: (request: Signer.Request) => Effect.Effect<Hash, Error>
 *
 * export const of = (address: Address) =>
 *   Signer.make({
 *     address,
 *     submit: (request: Signer.Request) =>
 *       sign(request).pipe(
 *         Effect.map((transactionHash) => ({ transactionHash })),
 *         Effect.mapError(() => new Signer.SendUnknown({ from: address, reason: "answer" }))
 *       )
 *   })
 * ```
 *
 * @category constructors
 */
export const make = <R extends AnyRequest>(options: {
  readonly address: Address
  readonly submit: (request: R) => Effect.Effect<Submitted, Exclude<SendError, FailedInBlock>, KlaytnNode>
}): Signer<R> => provided.fromSubmit(options)

/**
 * Looks again for a transaction whose outcome was unknown: for its receipt, and for a block that gives its nonce to another
 * transaction. It waits as `send` does, and fails with `SendUnknown` again if neither is found, or at once if the error
 * has no hash to look for.
 *
 * @category combinators
 */
export const reconcile: (
  unknown: SendUnknown,
  options?: Options
) => Effect.Effect<Sent, InvalidInput | Exclude<SendError, SigningFailed | NotSent>, KlaytnNode> = settling.reconcile
