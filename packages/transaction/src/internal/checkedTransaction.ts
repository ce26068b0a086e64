/**
 * The fallible functions of `Transaction`. They accept any value: one of the wrong kind is refused without throwing.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { fromBytes, type Hex, toBytes } from "../Hex.js"
import * as PrivateKey from "../PrivateKey.js"
import { fail, flatMap, map, type Result, succeed } from "../Result.js"
import { namesNoChain, type Signer } from "../Signature.js"
import type {
  DecodeOptions,
  FeeDelegatedTransaction,
  Input,
  Inspected,
  Of,
  RecoverOptions,
  SignOptions,
  Transaction
} from "../Transaction.js"
import type { FeePayer, FeeRatio } from "../TransactionBody.js"
import { TransactionError } from "../TransactionError.js"
import {
  type FeeDelegatedType,
  isFeeDelegated,
  isTransactionType,
  type TransactionType,
  withFeePayer as withFeePayerType
} from "../TransactionType.js"
import * as envelope from "./envelope.js"
import { catchThrown } from "./faults.js"
import * as signing from "./signing.js"

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

export const make = <T extends TransactionType>(input: Input<T>): Result<Of<T>> =>
  withType(input, () =>
    flatMap(
      envelope.encode(input.type, input, "complete"),
      (bytes) => map(envelope.decodeAs(input.type, bytes, {}), (inspected) => inspected.transaction)
    ))

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

type Form = { readonly form?: "klay" | "eth" | undefined } | undefined

export const encodeBytes = (transaction: Transaction, options?: Form): Result<Uint8Array> =>
  withType(transaction, () => envelope.encode(transaction.type, transaction, "complete", options?.form !== "eth"))

export const inspect = (
  raw: Hex | Uint8Array,
  options: DecodeOptions = {}
): Result<Inspected<TransactionType>> =>
  catchThrown(() => flatMap(toBytes(raw), (bytes) => envelope.decode(bytes, options)))

const unsigned = (path: string): Result<never> =>
  fail(new TransactionError("Unsigned", path, "is empty, so the transaction has no final hash yet; sign first"))

export const hash = (transaction: Transaction): Result<Hex> =>
  catchThrown(() =>
    flatMap(encodeBytes(transaction, { form: "eth" }), (bytes) =>
      transaction.signatures.length === 0
        ? unsigned("signatures")
        : "feePayerSignatures" in transaction && transaction.feePayerSignatures.length === 0
        ? unsigned("feePayerSignatures")
        : succeed(keccak(bytes)))
  )

export const senderHash = (transaction: Transaction): Result<Hex> =>
  withType(
    transaction,
    () =>
      flatMap(envelope.encode(transaction.type, transaction, "sender"), (bytes) =>
        transaction.signatures.length === 0 ? unsigned("signatures") : succeed(keccak(bytes)))
  )

const senderBytes = (transaction: Transaction, chainId: number | undefined): Result<Uint8Array> =>
  withType(transaction, () => signing.senderPayload(transaction.type, transaction, chainId))

export const senderPayload = (transaction: Transaction, chainId: number): Result<Hex> =>
  map(senderBytes(transaction, chainId), fromBytes)

export const senderDigest = (transaction: Transaction, chainId: number): Result<Hex> =>
  map(senderBytes(transaction, chainId), keccak)

const feePayerBytes = (transaction: FeeDelegatedTransaction, chainId: number): Result<Uint8Array> =>
  withFeePayer(transaction, () => signing.feePayerPayload(transaction.type, transaction, transaction.feePayer, chainId))

export const feePayerPayload = (transaction: FeeDelegatedTransaction, chainId: number): Result<Hex> =>
  map(feePayerBytes(transaction, chainId), fromBytes)

export const feePayerDigest = (transaction: FeeDelegatedTransaction, chainId: number): Result<Hex> =>
  map(feePayerBytes(transaction, chainId), keccak)

export const signAsSender = <T extends Transaction>(transaction: T, options: SignOptions): Result<T> =>
  catchThrown(() =>
    flatMap(senderBytes(transaction, options.chainId), (payload) =>
      map(
        signing.sign(transaction.type, payload, transaction.signatures, "signatures", options),
        (signatures) => ({ ...transaction, signatures })
      ))
  )

const sameAddress = (left: Hex | undefined, right: Hex): boolean => left?.toLowerCase() === right.toLowerCase()

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

export const recoverSenders = (
  transaction: Transaction,
  options: RecoverOptions & Pick<DecodeOptions, "unprotected">
): Result<ReadonlyArray<Signer>> =>
  catchThrown(() => {
    const chainId = isUnprotected(transaction, options.unprotected) ? undefined : options.chainId
    return flatMap(senderBytes(transaction, chainId), (payload) =>
      signing.recover(transaction.type, payload, transaction.signatures, "signatures", { ...options, chainId }))
  })

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
