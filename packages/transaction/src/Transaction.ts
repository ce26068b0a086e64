/**
 * Transactions of the chain as plain values: build, encode, sign, decode, recover.
 *
 * **When to use**
 *
 * To prepare raw transactions for registration and for nodes, to check transactions from a service or a peer, and to
 * compute hashes before sending. Everything is synchronous and pure, and nothing throws: fallible functions return a
 * `Result`.
 *
 * **Details**
 *
 * A `Transaction` is a union discriminated by `type`. It has what the raw bytes contain: the chain is not part of it
 * (except for Ethereum types), so functions that sign or recover take `chainId`. Field orders, payloads and encodings
 * are those of the chain's documentation.
 */
import type { Role } from "./AccountKey.js"
import { type Hardfork, latest } from "./Hardfork.js"
import { fromBytes, type Hex } from "./Hex.js"
import * as internal from "./internal/checkedTransaction.js"
import { holds } from "./internal/faults.js"
import * as gas from "./internal/intrinsicGas.js"
import { map, type Result } from "./Result.js"
import type { Secp256k1 } from "./Secp256k1.js"
import { chainIdOf, type Signer } from "./Signature.js"
import type { Bodies, FeePayer, FeeRatio, Signatures, Transactions } from "./TransactionBody.js"
import { type FeeDelegatedType, isAccountUpdate, isFeeDelegated, type TransactionType } from "./TransactionType.js"

/**
 * The transaction of a given type, for example `Of<"FeeDelegatedAccountUpdate">`.
 *
 * @category models
 */
export type Of<T extends TransactionType> = Transactions[T]

/**
 * Any transaction, discriminated by `type`.
 *
 * @category models
 */
export type Transaction = Of<TransactionType>

/**
 * Any transaction with a fee payer.
 *
 * @category models
 */
export type FeeDelegatedTransaction = Of<FeeDelegatedType>

/**
 * The input of `make`: the fields of a type; signatures may be left out.
 *
 * @category models
 */
export type Input<T extends TransactionType> =
  & { readonly type: T }
  & Bodies[T]
  & { readonly [K in T]: Partial<Signatures[K]> }[T]

/**
 * How the raw bytes represented the fee payer.
 *
 * - `NotDelegated`: a type without a fee payer
 * - `Signed`: the fee payer has signed
 * - `Placeholder`: an empty, zero or known fee payer, and one placeholder signature (`c4c3018080`); `encode` writes
 *   this form and the service's own clients send it
 * - `EmptySignatures`: a fee payer and an empty list of signatures; a node's signing methods return this form
 * - `SenderOnly`: the bytes end after the sender's signatures; newer web libraries send this form to fee-paying
 *   services
 *
 * @category models
 */
export type FeePayerForm = "NotDelegated" | "Signed" | "Placeholder" | "EmptySignatures" | "SenderOnly"

/**
 * A decoded transaction and the form of its bytes. `wrapped` says whether they started with 0x78.
 *
 * @category models
 */
export interface Inspected<T extends TransactionType> {
  readonly transaction: Of<T>
  readonly feePayerForm: FeePayerForm
  readonly wrapped: boolean
}

/**
 * `chainId`, if given, is the chain that the transaction must be for. `unprotected` also accepts a legacy transaction
 * that names no chain (V is 27 or 28), which is otherwise refused with `WrongChain` because it is valid on all chains.
 *
 * @category models
 */
export interface DecodeOptions {
  readonly chainId?: number | undefined
  readonly unprotected?: boolean | undefined
}

/**
 * `chainId` is 8217 on mainnet and 1001 on testnet. `curve` replaces the curve operations; the default is
 * `Secp256k1.noble`.
 *
 * @category models
 */
export interface RecoverOptions {
  readonly chainId: number
  readonly curve?: Secp256k1 | undefined
}

/**
 * `RecoverOptions` and the private key to sign with.
 *
 * @category models
 */
export interface SignOptions extends RecoverOptions {
  readonly privateKey: Hex | Uint8Array
}

/**
 * Builds a transaction: checks every field, converts hexadecimal text to lower case, compresses public keys, and fills
 * in empty lists of signatures.
 *
 * **Example** (an account update with a delegated fee)
 *
 * ```ts
 * import * as Transaction from "@effect-klaytn/transaction/Transaction"
 *
 * const update = Transaction.make({
 *   type: "FeeDelegatedAccountUpdate",
 *   nonce: 0n,
 *   gasPrice: 25_000_000_000n,
 *   gas: 1_000_000n,
 *   from: "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b",
 *   key: { type: "AccountKeyLegacy" }
 * })
 * console.log(update.ok && update.value.feePayerSignatures.length) // 0
 * ```
 *
 * @category constructors
 */
export const make: <T extends TransactionType>(input: Input<T>) => Result<Of<T>> = internal.make

/**
 * The same transaction with a fee payer, unsigned: the type is part of what is signed. Fails for legacy and Ethereum types,
 * which have no fee payer.
 *
 * **Example** (the fee payer pays 30 percent)
 *
 * ```ts
 * import { flatMap } from "@effect-klaytn/transaction/Result"
 * import * as Transaction from "@effect-klaytn/transaction/Transaction"
 *
 * const from = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"
 * const cancel = Transaction.make({ type: "Cancel", nonce: 7n, gasPrice: 25_000_000_000n, gas: 36_000n, from })
 * const shared = flatMap(cancel, (plain) => Transaction.delegate(plain, { feeRatio: 30 }))
 * console.log(shared.ok && shared.value.type) // "FeeDelegatedCancelWithRatio"
 * ```
 *
 * @category constructors
 */
export const delegate: (
  transaction: Transaction,
  options: FeePayer & Partial<FeeRatio>
) => Result<FeeDelegatedTransaction> = internal.delegate

/**
 * Encodes a transaction as it is sent and hashed.
 *
 * **Details**
 *
 * A fee-delegated transaction that no fee payer has signed is written in full, with its fee payer (the zero address if
 * none is known) and a placeholder signature, which is the form that registration expects. Ethereum types start with
 * 0x78, as `klay_` methods expect; `form: "eth"` leaves that byte out for `eth_` methods.
 *
 * Fails if a field is missing or out of range, or if a signature could not have been made by any key.
 *
 * @category encoding
 */
export const encode = (
  transaction: Transaction,
  options?: { readonly form?: "klay" | "eth" | undefined }
): Result<Hex> => map(encodeBytes(transaction, options), fromBytes)

/**
 * Like `encode`, but returns bytes.
 *
 * @category encoding
 */
export const encodeBytes: (
  transaction: Transaction,
  options?: { readonly form?: "klay" | "eth" | undefined }
) => Result<Uint8Array> = internal.encodeBytes

/**
 * Decodes a raw transaction, with or without 0x78, signed or not, in any form listed at `FeePayerForm`.
 *
 * **Details**
 *
 * Only the canonical encoding of each transaction is accepted: leading zeros, overlong lengths, trailing bytes and high
 * S are refused, and so is a V or chain ID of a chain other than `chainId`, if that is given. Whether a signature
 * belongs to the sender is not checked here: see `recoverSenders`.
 *
 * @category decoding
 */
export const decode = (raw: Hex | Uint8Array, options?: DecodeOptions): Result<Transaction> =>
  map(inspect(raw, options), (inspected): Transaction => inspected.transaction)

/**
 * Like `decode`, and also returns the form of the bytes.
 *
 * @category decoding
 */
export const inspect: (raw: Hex | Uint8Array, options?: DecodeOptions) => Result<Inspected<TransactionType>> =
  internal.inspect

/**
 * The transaction hash. Fails with `Unsigned` while a signature of the sender or of the fee payer is missing.
 *
 * @category hashing
 */
export const hash: (transaction: Transaction) => Result<Hex> = internal.hash

/**
 * The sender transaction hash, which is known as soon as the sender has signed, whoever pays the fee. For types without
 * a fee payer it is the transaction hash. Fails with `Unsigned` while the sender's signature is missing.
 *
 * @category hashing
 */
export const senderHash: (transaction: Transaction) => Result<Hex> = internal.senderHash

/**
 * The bytes whose Keccak-256 hash the sender signs.
 *
 * @category signing
 */
export const senderPayload: (transaction: Transaction, chainId: number) => Result<Hex> = internal.senderPayload

/**
 * The Keccak-256 hash that the sender signs.
 *
 * @category signing
 */
export const senderDigest: (transaction: Transaction, chainId: number) => Result<Hex> = internal.senderDigest

/**
 * The bytes whose Keccak-256 hash the fee payer signs. `transaction.feePayer` must be known.
 *
 * @category signing
 */
export const feePayerPayload: (transaction: FeeDelegatedTransaction, chainId: number) => Result<Hex> =
  internal.feePayerPayload

/**
 * The Keccak-256 hash that the fee payer signs. `transaction.feePayer` must be known.
 *
 * @category signing
 */
export const feePayerDigest: (transaction: FeeDelegatedTransaction, chainId: number) => Result<Hex> =
  internal.feePayerDigest

/**
 * Adds a signature of the sender. An account with several keys signs once with each, all for one chain; signing twice
 * with one key changes nothing. Sender and fee payer may sign in either order.
 *
 * @category signing
 */
export const signAsSender: <T extends Transaction>(transaction: T, options: SignOptions) => Result<T> =
  internal.signAsSender

/**
 * Adds a signature of the fee payer.
 *
 * **Details**
 *
 * The fee payer is `feePayer`, else the one the transaction names, else the address that belongs to the key. Pass
 * `feePayer` for an account whose key was changed. Fails with `FeePayerMismatch` if another fee payer has already
 * signed.
 *
 * @category signing
 */
export const signAsFeePayer: <T extends FeeDelegatedTransaction>(
  transaction: T,
  options: SignOptions & { readonly feePayer?: Hex | undefined }
) => Result<T> = internal.signAsFeePayer

/**
 * Recovers who signed as sender, one entry per signature, in order. Fails with `WrongChain`, `HighS`,
 * `InvalidSignature`, or `Unsigned` if nobody did. `unprotected` also accepts a legacy transaction that names no chain.
 *
 * Whether they may act for `from` depends on the account's key: see `AccountKey.isSatisfiedBy`.
 *
 * @category recovery
 */
export const recoverSenders: (
  transaction: Transaction,
  options: RecoverOptions & Pick<DecodeOptions, "unprotected">
) => Result<ReadonlyArray<Signer>> = internal.recoverSenders

/**
 * Recovers who signed as fee payer, one entry per signature, in order. Fails like `recoverSenders`.
 *
 * @category recovery
 */
export const recoverFeePayers: (
  transaction: FeeDelegatedTransaction,
  options: RecoverOptions
) => Result<ReadonlyArray<Signer>> = internal.recoverFeePayers

/**
 * Checks whether a transaction has a fee payer.
 *
 * @category guards
 */
export const isFeeDelegatedTransaction = (transaction: Transaction): transaction is FeeDelegatedTransaction =>
  holds(() => isFeeDelegated(transaction.type))

/**
 * The role in which the sender signs: `accountUpdate` for account updates, else `transaction`.
 *
 * @category getters
 */
export const senderRole = (transaction: Transaction): Role =>
  isAccountUpdate(transaction.type) ? "accountUpdate" : "transaction"

/**
 * The chain that a transaction is for: its chain ID field, or the chain that the first V names; `undefined` if it has
 * neither.
 *
 * @category getters
 */
export const chainId = (transaction: Transaction): number | undefined => {
  if ("chainId" in transaction) {
    return transaction.chainId
  }
  const [signature] = transaction.signatures
  return signature === undefined ? undefined : chainIdOf(signature)
}

/**
 * The gas that is used before execution starts; a transaction with less `gas` is refused.
 *
 * **Details**
 *
 * 21,000, or 53,000 if a contract is created; 10,000 more for a fee payer, 15,000 with a ratio; 16 per byte of `input` that
 * is not zero and 4 for a zero, or 100 per byte by the rules of `cancun`; 2 per word of code; 20,000 for every key that is
 * registered; 15,000 for each signature after the first, counted separately for sender and fee payer; 2,400 for each
 * address and 1,900 for each slot of an access list; 25,000 for each authorization. These are the numbers of the chain's source (v2.2.1). `hardfork` is
 * `osaka` if it is left out.
 *
 * A transaction also needs the {@link floorGas}.
 *
 * @category getters
 */
export const intrinsicGas = (transaction: Transaction, hardfork: Hardfork = latest): bigint =>
  gas.intrinsicGas(transaction, hardfork)

/**
 * The least gas that a transaction is charged for its input (EIP-7623), however little its execution uses; one with less
 * `gas` is refused.
 *
 * **Details**
 *
 * 10 for each zero byte of `input` and 40 for each other one, and what the type and its signatures cost in
 * {@link intrinsicGas}; for Ethereum's types the base is 21,000 even if they create a contract. Before `prague` there is no
 * floor: 0. `hardfork` is `osaka` if it is left out.
 *
 * **Example** (the least gas limit of a transfer with a memo)
 *
 * ```ts
 * import * as Transaction from "@effect-klaytn/transaction/Transaction"
 *
 * const memo = Transaction.make({
 *   type: "ValueTransferMemo",
 *   nonce: 0n,
 *   gasPrice: 25_000_000_000n,
 *   gas: 0n,
 *   from: "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b",
 *   to: "0x7b65b75d204abed71587c9e519a89277766ee1d0",
 *   value: 1n,
 *   input: "0x68656c6c6f"
 * })
 * if (memo.ok) {
 *   console.log(Transaction.intrinsicGas(memo.value)) // 21080n
 *   console.log(Transaction.floorGas(memo.value)) // 21200n
 * }
 * ```
 *
 * @category getters
 */
export const floorGas = (transaction: Transaction, hardfork: Hardfork = latest): bigint =>
  gas.floorGas(transaction, hardfork)
