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
import { keccak_256 } from "@noble/hashes/sha3.js"
import type { Role } from "./AccountKey.js"
import { type Hardfork, latest } from "./Hardfork.js"
import { fromBytes, type Hex, toBytes } from "./Hex.js"
import * as envelope from "./internal/envelope.js"
import { catchThrown, holds } from "./internal/faults.js"
import * as gas from "./internal/intrinsicGas.js"
import * as signing from "./internal/signing.js"
import * as PrivateKey from "./PrivateKey.js"
import { fail, flatMap, map, type Result, succeed } from "./Result.js"
import type { Secp256k1 } from "./Secp256k1.js"
import { chainIdOf, namesNoChain, type Signer } from "./Signature.js"
import type { Bodies, FeePayer, FeeRatio, Signatures, Transactions } from "./TransactionBody.js"
import { TransactionError } from "./TransactionError.js"
import {
  type FeeDelegatedType,
  isAccountUpdate,
  isFeeDelegated,
  isTransactionType,
  type TransactionType,
  withFeePayer as withFeePayerType
} from "./TransactionType.js"

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
 * `form` is `klay` by default: Ethereum types start with 0x78, as `klay_` methods expect. `eth` leaves that byte out for
 * `eth_` methods.
 *
 * @category models
 */
export interface EncodeOptions {
  readonly form?: "klay" | "eth" | undefined
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

const keccak = (bytes: Uint8Array): Hex => fromBytes(keccak_256(bytes))

/** Continues with a value that has a known `type`. */
const withType = <A>(value: { readonly type: TransactionType }, next: () => Result<A>): Result<A> =>
  catchThrown(() =>
    typeof value !== "object" || value === null
      ? fail(new TransactionError("WrongShape", "", "is not a transaction"))
      : isTransactionType(value.type)
      ? next()
      : fail(new TransactionError("UnknownType", "type", "is not the name of a transaction type"))
  )

/** Like `withType`, for types with a fee payer. */
const withFeePayer = <A>(value: FeeDelegatedTransaction, next: () => Result<A>): Result<A> =>
  withType(value, () =>
    isFeeDelegated(value.type)
      ? next()
      : fail(new TransactionError("WrongShape", "type", "is not a type with a fee payer")))

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
export const make = <T extends TransactionType>(input: Input<T>): Result<Of<T>> =>
  withType(input, () =>
    flatMap(
      envelope.encode(input.type, input, "complete"),
      (bytes) => map(envelope.decodeAs(input.type, bytes, {}), (inspected) => inspected.transaction)
    ))

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
export const delegate = (
  transaction: Transaction,
  payer: FeePayer & Partial<FeeRatio>
): Result<FeeDelegatedTransaction> =>
  withType(transaction, () => {
    const type = withFeePayerType(transaction.type, payer.feeRatio !== undefined)
    if (type === undefined) return fail(new TransactionError("WrongShape", "type", "is not a type with a fee payer"))
    const { signatures: _, ...body } = transaction
    // A type with a fee payer has the fields of the plain type beside its own; `make` checks them.
    return make({ ...body, ...payer, type, feePayerSignatures: [] } as Input<FeeDelegatedType>)
  })

/**
 * Encodes a transaction as it is sent and hashed.
 *
 * **Details**
 *
 * A fee-delegated transaction that no fee payer has signed is written in full, with its fee payer (the zero address if
 * none is known) and a placeholder signature, which is the form that registration expects.
 *
 * Fails if a field is missing or out of range, or if a signature could not have been made by any key.
 *
 * @category encoding
 */
export const encode = (transaction: Transaction, options?: EncodeOptions): Result<Hex> =>
  map(encodeBytes(transaction, options), fromBytes)

/**
 * Like `encode`, but returns bytes.
 *
 * @category encoding
 */
export const encodeBytes = (transaction: Transaction, options?: EncodeOptions): Result<Uint8Array> =>
  withType(transaction, () => envelope.encode(transaction.type, transaction, "complete", options?.form !== "eth"))

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
export const inspect = (
  raw: Hex | Uint8Array,
  options: DecodeOptions = {}
): Result<Inspected<TransactionType>> =>
  catchThrown(() => flatMap(toBytes(raw), (bytes) => envelope.decode(bytes, options)))

/**
 * The same transaction without its blobs, as it is signed, hashed and kept in a block.
 *
 * @category getters
 */
export const withoutSidecar = <T extends Transaction>(transaction: T): T => {
  if (!holds(() => "sidecar" in transaction)) return transaction
  // A cast: it has one.
  const { sidecar: _, ...signed } = transaction as T & { readonly sidecar: unknown }
  // A cast: its type may lack it.
  return signed as unknown as T
}

const unsigned = (path: string): Result<never> =>
  fail(new TransactionError("Unsigned", path, "is empty, so the transaction has no final hash yet; sign first"))

/**
 * The transaction hash. Fails with `Unsigned` while a signature of the sender or of the fee payer is missing.
 *
 * @category hashing
 */
export const hash = (transaction: Transaction): Result<Hex> =>
  catchThrown(() =>
    flatMap(encodeBytes(withoutSidecar(transaction), { form: "eth" }), (bytes) =>
      transaction.signatures.length === 0
        ? unsigned("signatures")
        : "feePayerSignatures" in transaction && transaction.feePayerSignatures.length === 0
        ? unsigned("feePayerSignatures")
        : succeed(keccak(bytes)))
  )

/**
 * The sender transaction hash, which is known as soon as the sender has signed, whoever pays the fee. For types without
 * a fee payer it is the transaction hash. Fails with `Unsigned` while the sender's signature is missing.
 *
 * @category hashing
 */
export const senderHash = (transaction: Transaction): Result<Hex> =>
  withType(
    transaction,
    () =>
      flatMap(envelope.encode(transaction.type, transaction, "sender"), (bytes) =>
        transaction.signatures.length === 0 ? unsigned("signatures") : succeed(keccak(bytes)))
  )

const senderBytes = (transaction: Transaction, chainId: number | undefined): Result<Uint8Array> =>
  withType(transaction, () => signing.senderPayload(transaction.type, transaction, chainId))

/**
 * The bytes whose Keccak-256 hash the sender signs.
 *
 * @category signing
 */
export const senderPayload = (transaction: Transaction, chainId: number): Result<Hex> =>
  map(senderBytes(transaction, chainId), fromBytes)

/**
 * The Keccak-256 hash that the sender signs.
 *
 * @category signing
 */
export const senderDigest = (transaction: Transaction, chainId: number): Result<Hex> =>
  map(senderBytes(transaction, chainId), keccak)

const feePayerBytes = (transaction: FeeDelegatedTransaction, chainId: number): Result<Uint8Array> =>
  withFeePayer(transaction, () => signing.feePayerPayload(transaction.type, transaction, transaction.feePayer, chainId))

/**
 * The bytes whose Keccak-256 hash the fee payer signs. `transaction.feePayer` must be known.
 *
 * @category signing
 */
export const feePayerPayload = (transaction: FeeDelegatedTransaction, chainId: number): Result<Hex> =>
  map(feePayerBytes(transaction, chainId), fromBytes)

/**
 * The Keccak-256 hash that the fee payer signs. `transaction.feePayer` must be known.
 *
 * @category signing
 */
export const feePayerDigest = (transaction: FeeDelegatedTransaction, chainId: number): Result<Hex> =>
  map(feePayerBytes(transaction, chainId), keccak)

/**
 * Adds a signature of the sender. An account with several keys signs once with each, all for one chain; signing twice
 * with one key changes nothing. Sender and fee payer may sign in either order.
 *
 * @category signing
 */
export const signAsSender = <T extends Transaction>(transaction: T, options: SignOptions): Result<T> =>
  catchThrown(() =>
    flatMap(senderBytes(transaction, options.chainId), (payload) =>
      map(
        signing.sign(transaction.type, payload, transaction.signatures, "signatures", options),
        (signatures) => ({ ...transaction, signatures })
      ))
  )

const sameAddress = (left: Hex | undefined, right: Hex): boolean => left?.toLowerCase() === right.toLowerCase()

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
export const signAsFeePayer = <T extends FeeDelegatedTransaction>(
  transaction: T,
  options: SignOptions & { readonly feePayer?: Hex | undefined }
): Result<T> =>
  withFeePayer(transaction, () => {
    const named = options.feePayer ?? transaction.feePayer
    const address = named === undefined
      ? PrivateKey.toAddress(options.privateKey, options.curve)
      : map(toBytes(named), fromBytes)
    return flatMap(address, (feePayer) =>
      flatMap(
        signing.feePayerPayload(transaction.type, transaction, feePayer, options.chainId),
        (payload) =>
          transaction.feePayerSignatures.length > 0 && !sameAddress(transaction.feePayer, feePayer)
            ? fail(new TransactionError("FeePayerMismatch", "feePayer", "another fee payer has already signed"))
            : map(
              signing.sign(transaction.type, payload, transaction.feePayerSignatures, "feePayerSignatures", options),
              (feePayerSignatures) => ({ ...transaction, feePayer, feePayerSignatures })
            )
      ))
  })

/** Whether a transaction names no chain and is allowed not to. */
const isUnprotected = ({ signatures }: Transaction, allowed: boolean | undefined): boolean =>
  allowed === true && signatures.length === 1 && signatures.every(namesNoChain)

/**
 * The most bytes that a node takes of one transaction, without blobs: 128 KiB, as in the public source of the node's pool.
 *
 * @category constants
 */
export const largestSize: number = 128 * 1024

/**
 * The blob gas of a blob: as many units as it has bytes.
 *
 * @category constants
 */
export const gasPerBlob: bigint = 131_072n

/**
 * The largest gas limit that a node takes: 500,000,000, a constant of the node since its version 2.2.1.
 *
 * @category constants
 */
export const largestGas: bigint = 500_000_000n

/**
 * Recovers who signed as sender, one entry per signature, in order. Fails with `WrongChain`, `HighS`,
 * `InvalidSignature`, or `Unsigned` if nobody did. `unprotected` also accepts a legacy transaction that names no chain.
 *
 * Whether they may act for `from` depends on the account's key: see `AccountKey.isSatisfiedBy`.
 *
 * @category recovery
 */
export const recoverSenders = (
  transaction: Transaction,
  options: RecoverOptions & Pick<DecodeOptions, "unprotected">
): Result<ReadonlyArray<Signer>> =>
  catchThrown(() => {
    const chainId = isUnprotected(transaction, options.unprotected) ? undefined : options.chainId
    return flatMap(senderBytes(transaction, chainId), (payload) =>
      signing.recover(transaction.type, payload, transaction.signatures, "signatures", { ...options, chainId }))
  })

/**
 * Recovers who signed as fee payer, one entry per signature, in order. Fails like `recoverSenders`.
 *
 * @category recovery
 */
export const recoverFeePayers = (
  transaction: FeeDelegatedTransaction,
  options: RecoverOptions
): Result<ReadonlyArray<Signer>> =>
  catchThrown(() =>
    flatMap(
      feePayerBytes(transaction, options.chainId),
      (payload) =>
        signing.recover(transaction.type, payload, transaction.feePayerSignatures, "feePayerSignatures", options)
    )
  )

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
  if ("chainId" in transaction) return transaction.chainId
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
