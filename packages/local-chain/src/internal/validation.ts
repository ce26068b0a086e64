import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as Authorization from "@effect-klaytn/transaction/Authorization"
import { type Hardfork, includes } from "@effect-klaytn/transaction/Hardfork"
import { type Hex, toBytes, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { type Result, succeed } from "@effect-klaytn/transaction/Result"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import type { TransactionType } from "@effect-klaytn/transaction/TransactionType"
import {
  type HashedTransaction,
  hashTransaction,
  splitFee,
  type TransactionView,
  viewOf
} from "@effect-klaytn/transaction/TransactionView"
import * as Either from "effect/Either"
import { hasCode, isContract, keyOf, speaksFor } from "../AccountRecord.js"
import { type RejectReason, TransactionRejected } from "../ChainError.js"
import { blobFault, mostOf } from "./blobs.js"
import { decodingText } from "./decodingTexts.js"
import type { JournalState } from "./JournalState.js"
import { isReserved } from "./kaiaMachine.js"
import { keyTexts, readKey, updateFault } from "./keyRules.js"
import { blobFeeOf, type NextBlock } from "./NextBlock.js"
import type { Pool } from "./Pool.js"
import { keyOfAccount, refusalOfKey } from "./refusedKeys.js"
import type { Rules } from "./rules.js"

/** A transaction that was checked. */
export interface ValidTransaction extends HashedTransaction {
  /** The encoded keys of sender and fee payer that its signatures were checked against. */
  readonly keys: string
  /** Whether its sender did not sign it, and need not. */
  readonly isUnsigned: boolean
  /** The accounts whose code it sets, by the signatures of its authorizations. */
  readonly authorities: ReadonlyArray<Hex>
}

/** The signers of a transaction, if they need not be recovered from its signatures. */
export interface Signers {
  readonly sender: Signer
  readonly feePayer?: Signer
  /** Whether the sender is taken for granted: its account key is not asked. */
  readonly isUnsigned?: boolean
}

/** The inputs of the checks besides the transaction. */
export interface ValidationContext {
  readonly chainId: number
  /** The limits of the next block. */
  readonly nextBlock: Pick<NextBlock, "baseFeePerGas" | "gasLimit" | "priceOf">
  readonly hardfork: Hardfork
  readonly rules: Rules
  readonly state: JournalState
  readonly pool: Pool
  readonly curve: Secp256k1
  /** Whether anchoring transactions are taken. */
  readonly anchors: boolean
}

const maxInitcodeSize = 49_152

/** The result of a check: a value, or the rejection of the transaction. */
type Check<A = void> = Either.Either<A, TransactionRejected>

const rejection = (reason: RejectReason, message: string): TransactionRejected =>
  new TransactionRejected({ reason, message })

const reject = (reason: RejectReason, message: string): Check<never> => Either.left(rejection(reason, message))

/** The texts of the chain's software 2.2.1, by reason; the last one is the sandbox's. */
const texts = {
  UnsupportedType: "transaction type not supported",
  WrongChain: "invalid chain id",
  InvalidSenderSignature: "invalid sender: invalid account key",
  InvalidFeePayerSignature: "invalid fee payer: invalid account key",
  LegacyKeyRequired: "invalid sender: a legacy transaction must be with a legacy account key",
  NonceTooLow: "nonce too low",
  NonceTooHigh: "nonce too high",
  NonceMax: "nonce has max value",
  NonceTaken: "there is another tx which has the same nonce in the tx pool",
  GasPriceTooLow: "invalid gas price. It must be set to value greater than or equal to baseFee",
  IntrinsicGasTooLow: "intrinsic gas too low",
  OversizedData: "oversized data",
  InsufficientFundsOfSender: "insufficient funds of the sender for value ",
  InsufficientFundsOfFeePayer: "insufficient funds of the fee payer for gas * price",
  NotForContract: "recipient must be an EOA without code",
  NotAContract: "recipient must be an EOA with code or an SCA",
  NoProgram: "not a program account (e.g., an account having code and storage)",
  ReservedAddress: "the address is reserved for pre-compiled contracts",
  DelegatedLimit: "in-flight transaction limit reached for delegated accounts",
  DelegatedGap: "gapped-nonce tx from delegated accounts",
  AuthorityReserved: "authority already reserved",
  AnchoringOff: "locally anchoring chaindata tx is not allowed in this node",
  BlockFull: "there is no room for it in the block"
} as const

/** The rejection that a node words in one fixed way. */
export const refuse = (reason: keyof typeof texts): TransactionRejected => rejection(reason, texts[reason])

/** The rejection of bytes that are in the pool already. */
export const alreadyKnown = (hash: Hex): TransactionRejected =>
  rejection("AlreadyKnown", `known transaction: ${hash.slice(2)}`)

/** The rejection of what comes while this many wait; `NoGap` for a sender whose later transactions wait for an earlier one. */
export const poolFull = (count: number, reason?: "NoGap"): TransactionRejected =>
  rejection(
    "PoolFull",
    reason === undefined
      ? `txpool is full: ${count}`
      : `txpool is full and the new tx does not have missing nonce: ${count}`
  )

/** Why a transaction leaves the pool that can't be in a block any more, as text to read. */
export const whyDropped = ({ message, reason }: TransactionRejected): string => {
  if (reason === "NonceTooHigh") return `the transaction before it could not be in the block: ${message}`
  return reason === "InsufficientFundsOfSender" || reason === "InsufficientFundsOfFeePayer"
    ? `short of funds at the price that it offers: ${message.trimEnd()}`
    : message
}

/** The rejection of a transaction that offers less than the base fee. */
export const underpriced = (transaction: Transaction.Transaction): TransactionRejected =>
  "gasPrice" in transaction || transaction.type === "EthereumBlob"
    ? refuse("GasPriceTooLow")
    : rejection("GasPriceTooLow", "invalid gas fee cap. It must be set to value greater than or equal to baseFee")

/** The rejection of a transaction that no block can be built with. */
export const unexecutable = (cause: unknown): TransactionRejected =>
  rejection(
    "Unexecutable",
    `the sandbox can't build a block with it: ${cause instanceof Error ? cause.message : "unknown cause"}`
  )

/** The node's text for a signature that no key can have made. */
const noSignature = "invalid transaction v, r, s values"

const toRejection = (error: TransactionError, raw?: Uint8Array): TransactionRejected => {
  const { message, path, reason } = error
  const isOfNoChain = reason === "OutOfRange" && path === "chainId" && message.includes("from 1")
  if (isOfNoChain || (reason === "WrongChain" && !path.startsWith("feePayerSignatures"))) return refuse("WrongChain")
  if (reason === "UnknownType" && path === "type") {
    return rejection("Undecodable", (raw && decodingText(error, raw)) ?? "undefined tx type")
  }
  // A node reads numbers of any size here, which no balance comes to.
  if (reason === "OutOfRange" && (path === "gasPrice" || path === "value")) return refuse("InsufficientFundsOfSender")
  if (path === "sidecar.version" && message.endsWith("instead of 1")) {
    return rejection("Undecodable", `unsupported blob tx version ${/is (\d+) /.exec(message)?.[1]}`)
  }
  if (path === "feeRatio") return rejection("Undecodable", "fee ratio is out of range [1, 99]")
  if (path.startsWith("key")) return rejection("InvalidAccountKey", keyTexts.unserializable)
  if (path.startsWith("feePayerSignatures[")) {
    return rejection("InvalidFeePayerSignature", `invalid fee payer: ${noSignature}`)
  }
  if (path.startsWith("signatures[")) {
    return rejection("InvalidSenderSignature", reason === "HighS" ? `invalid sender: ${noSignature}` : noSignature)
  }
  return rejection("Undecodable", (raw && decodingText(error, raw)) ?? message)
}

const accept = <A>(result: Result<A>, raw?: Uint8Array): Check<A> =>
  result.ok ? Either.right(result.value) : Either.left(toRejection(result.error, raw))

const passWhen = (condition: boolean, reason: keyof typeof texts): Check =>
  condition ? Either.void : Either.left(refuse(reason))

/** Decodes a raw transaction for this chain, or for any: the chain accepts legacy ones that name no chain. */
const decode = (raw: Hex | Uint8Array, chainId: number): Check<Transaction.Transaction> => {
  const bytes = toBytes(raw)
  return accept(Transaction.decode(raw, { chainId, unprotected: true }), bytes.ok ? bytes.value : undefined)
}

/** Whether the first byte of a transaction says that it anchors data. */
const isAnchoring = (raw: Hex | Uint8Array): boolean => {
  const bytes = toBytes(raw)
  return bytes.ok && [0x48, 0x49, 0x4a].includes(bytes.value[0] ?? 0)
}

/** Decodes a transaction that somebody sent. One whose account key breaks the rules is refused when a node refuses it. */
export const receive = (raw: Hex | Uint8Array, context: ValidationContext): Check<Transaction.Transaction> =>
  Either.mapLeft(
    decode(raw, context.chainId),
    (refused) =>
      refused.reason !== "Undecodable" && !context.anchors && isAnchoring(raw)
        ? refuse("AnchoringOff")
        : refused.reason === "InvalidAccountKey"
        ? refusalOfKey(raw, context, {
          shape: (transaction, bytes) => leftOf(checkShape(transaction, bytes, context)),
          afterSignature: (transaction) => {
            const view = viewOf(transaction, zeroAddress)
            return leftOf(Either.andThen(
              checkNonce(view, context.state),
              () => checkFunds(view, context.state, view.gasPriceCap)
            ))
          },
          wrongSigner: refuse("InvalidSenderSignature"),
          tooLittleGas: refuse("IntrinsicGasTooLow"),
          key: (message) => rejection("InvalidAccountKey", message)
        }) ?? refused
        : refused
  )

const leftOf = (check: Check): TransactionRejected | undefined => Either.isLeft(check) ? check.left : undefined

/** The signers for the sender, recovered unless they are known. */
const sendersOf = (
  transaction: Transaction.Transaction,
  { chainId, curve }: ValidationContext,
  known: Signers | undefined
): Check<ReadonlyArray<Signer>> => {
  if (known !== undefined) return Either.right([known.sender])
  const senders = Transaction.recoverSenders(transaction, { chainId, curve, unprotected: true })
  if (senders.ok) return Either.right(senders.value)
  if (transaction.signatures.length === 0) return reject("InvalidSenderSignature", noSignature)
  return Either.left(
    senders.error.reason === "WrongChain"
      ? refuse("WrongChain")
      : rejection("InvalidSenderSignature", "invalid sender: recovery failed")
  )
}

/** Checks the sender's signatures against the account key and gives the sender. */
const authenticateSender = (
  transaction: Transaction.Transaction,
  context: ValidationContext,
  known?: Signers
): Check<Hex> => {
  if (known?.isUnsigned === true) return Either.right(known.sender.address)
  return Either.flatMap(sendersOf(transaction, context, known), (senders) => {
    const [first] = senders
    if (first === undefined) return Either.left(refuse("InvalidSenderSignature"))
    const from = "from" in transaction ? transaction.from : first.address
    const account = context.state.accountOrEmpty(from)
    if (!("from" in transaction) && keyOf(account).type !== "AccountKeyLegacy") {
      return Either.left(refuse("LegacyKeyRequired"))
    }
    const isAuthentic = speaksFor(account, from, Transaction.senderRole(transaction), senders)
    return Either.map(passWhen(isAuthentic, "InvalidSenderSignature"), () => from)
  })
}

const authenticateFeePayer = (
  transaction: Transaction.Transaction,
  { chainId, curve, state }: ValidationContext,
  known?: Signers
): Check => {
  if (!Transaction.isFeeDelegatedTransaction(transaction)) return Either.void
  const { feePayer } = transaction
  const payers: Result<ReadonlyArray<Signer>> = known === undefined
    ? Transaction.recoverFeePayers(transaction, { chainId, curve })
    : succeed(known.feePayer === undefined ? [] : [known.feePayer])
  if (!payers.ok && payers.error.reason === "InvalidSignature") {
    return reject("InvalidFeePayerSignature", "invalid fee payer: recovery failed")
  }
  if (!payers.ok || feePayer === undefined) return Either.left(refuse("InvalidFeePayerSignature"))
  return passWhen(
    speaksFor(state.accountOrEmpty(feePayer), feePayer, "feePayer", payers.value),
    "InvalidFeePayerSignature"
  )
}

/**
 * Validates a transaction as a node's pool does. `signers` is present for one that this process has just signed
 * itself: they are checked against the account key, but not recovered from the signatures again.
 */
export const validate = (
  transaction: Transaction.Transaction,
  context: ValidationContext,
  signers?: Signers
): Check<ValidTransaction> =>
  Either.gen(function*() {
    const raw = yield* accept(Transaction.encodeBytes(Transaction.withoutSidecar(transaction), { form: "eth" }))
    yield* checkShape(transaction, raw, context)
    const from = yield* authenticateSender(transaction, context, signers)
    const hashed = yield* accept(hashTransaction(transaction, from))
    const { view } = hashed
    yield* checkNonce(view, context.state)
    yield* authenticateFeePayer(transaction, context, signers)
    // At the price that it offers, though it may pay less.
    yield* checkFunds(view, context.state, view.gasPriceCap)
    yield* checkGas(view, context.hardfork)
    yield* checkBlobs(view, context)
    const authorities = authoritiesOf(view, context.curve)
    yield* checkDelegated(view, authorities, context)
    yield* checkRest(view, context.state)
    return { ...hashed, keys: keysOf(view, context.state), isUnsigned: signers?.isUnsigned ?? false, authorities }
  })

/** A transaction of a block, to be executed again: its sender is known, and its signatures were checked before. */
export const replayed = (raw: Hex, from: Hex, { chainId, curve }: ValidationContext): Check<ValidTransaction> =>
  Either.gen(function*() {
    const transaction = yield* decode(raw, chainId)
    const hashed = yield* accept(hashTransaction(transaction, from))
    return { ...hashed, keys: "", isUnsigned: true, authorities: authoritiesOf(hashed.view, curve) }
  })

const keysOf = ({ feePayer, from }: TransactionView, state: JournalState): string =>
  state.accountOrEmpty(from).key + (feePayer === undefined ? "" : state.accountOrEmpty(feePayer).key)

/** Checks the signatures of a transaction that has waited, if the accounts have other keys now. */
export const revalidate = ({ isUnsigned, keys, view }: ValidTransaction, context: ValidationContext): Check =>
  isUnsigned || keys === keysOf(view, context.state)
    ? Either.void
    : Either.andThen(authenticateSender(view.transaction, context), authenticateFeePayer(view.transaction, context))

/** The upgrades that brought types. */
const typesSince: { readonly [type in TransactionType]?: Hardfork } = {
  EthereumBlob: "osaka",
  EthereumSetCode: "prague"
}

const isSupported = ({ type }: Transaction.Transaction, hardfork: Hardfork): boolean =>
  includes(hardfork, typesSince[type] ?? hardfork)

/** Checks that the rules in force have the type of a transaction. */
export const checkType = ({ view: { transaction } }: ValidTransaction, hardfork: Hardfork): Check =>
  passWhen(isSupported(transaction, hardfork), "UnsupportedType")

/** The checks that a node makes before it looks at signatures. */
const checkShape = (
  transaction: Transaction.Transaction,
  raw: Uint8Array,
  { hardfork, nextBlock }: ValidationContext
): Check => {
  if (!isSupported(transaction, hardfork)) return Either.left(refuse("UnsupportedType"))
  const { action, gas, gasPriceCap, input, tipCap } = viewOf(transaction, zeroAddress)
  const size = input.length / 2 - 1
  if (action.kind === "create" && size > maxInitcodeSize) {
    return reject("OversizedInitcode", `max initcode size exceeded: code size ${size}, limit ${maxInitcodeSize}`)
  }
  if (gas > nextBlock.gasLimit) {
    return reject("GasLimitTooHigh", `tx gas limit exceeds the upper limit: gas ${gas}, limit ${nextBlock.gasLimit}`)
  }
  // A node's pool does not compare them for blobs, its blocks do.
  if (transaction.type !== "EthereumBlob" && tipCap > gasPriceCap) return Either.left(tipTooHigh)
  if (gasPriceCap < nextBlock.baseFeePerGas) return Either.left(underpriced(transaction))
  return passWhen(raw.length <= Transaction.largestSize, "OversizedData")
}

const tipTooHigh = rejection("GasPriceTooLow", "max fee per gas higher than max priority fee per gas")

/** Checks the sidecar of a transaction with blobs. */
const checkBlobs = ({ transaction }: TransactionView, { hardfork, nextBlock }: ValidationContext): Check => {
  if (transaction.type !== "EthereumBlob") return Either.void
  const fault = blobFault(transaction, blobFeeOf(nextBlock.baseFeePerGas, hardfork))
  return fault === undefined ? Either.void : reject("InvalidBlobs", fault)
}

/** Checks what a block with this base fee asks of a transaction with blobs, and a pool does not. */
export const checkOffer = (view: TransactionView, baseFeePerGas: bigint, hardfork: Hardfork): Check => {
  if (view.blobVersionedHashes.length === 0) return Either.void
  if (view.tipCap > view.gasPriceCap) return Either.left(tipTooHigh)
  const blobFee = blobFeeOf(baseFeePerGas, hardfork)
  return view.blobFeeCap >= blobFee
    ? Either.void
    : reject("GasPriceTooLow", `max fee per blob gas less than block blob gas fee: ${view.blobFeeCap} of ${blobFee}`)
}

/** Checks that a nonce is not used. */
const checkNonce = (view: TransactionView, state: JournalState): Check => {
  if (view.nonce >= 2n ** 64n - 1n) return Either.left(refuse("NonceMax"))
  return passWhen(view.nonce >= state.accountOrEmpty(view.from).nonce, "NonceTooLow")
}

const checkGas = ({ gas, transaction }: TransactionView, hardfork: Hardfork): Check => {
  // A name in place of an address costs more gas than a transaction may have.
  if ("humanReadable" in transaction && transaction.humanReadable) return Either.left(refuse("IntrinsicGasTooLow"))
  if (gas < Transaction.intrinsicGas(transaction, hardfork)) return Either.left(refuse("IntrinsicGasTooLow"))
  const least = Transaction.floorGas(transaction, hardfork)
  return gas >= least
    ? Either.void
    : reject("IntrinsicGasTooLow", `insufficient gas for floor data gas cost: gas ${gas}, minimum needed ${least}`)
}

const authoritiesOf = ({ authorizationList }: TransactionView, curve: Secp256k1): ReadonlyArray<Hex> =>
  authorizationList.flatMap((authorization) => {
    const signer = Authorization.recover(authorization, { curve })
    return signer.ok ? [signer.value.address] : []
  })

/**
 * The rules of EIP-7702 for the pool. An account that runs a contract's code, or will because of a waiting transaction, may
 * have one transaction that can run, which another may replace, and queues none. An account with two waiting transactions can't be
 * given code.
 */
const checkDelegated = (
  { authorizationList, from, nonce, transaction }: TransactionView,
  authorities: ReadonlyArray<Hex>,
  { pool, state }: ValidationContext
): Check => {
  if (transaction.type === "EthereumSetCode" && authorizationList.length === 0) {
    return reject("InvalidAuthorization", "set code tx must have at least one authorization tuple")
  }
  const account = state.accountOrEmpty(from)
  if ((hasCode(account) && !isContract(account)) || pool.isAuthority(from)) {
    const { first, next } = pool.of(from)
    if (first === next && nonce !== next) return Either.left(refuse("DelegatedGap"))
    if (first < next && nonce >= next) return Either.left(refuse("DelegatedLimit"))
  }
  return passWhen(authorities.every((authority) => pool.of(authority).count <= 1), "AuthorityReserved")
}

/** Checks again, after a block has changed accounts, what can have changed about a transaction that waits. */
export const recheck = (valid: ValidTransaction, context: ValidationContext): Check =>
  Either.gen(function*() {
    yield* revalidate(valid, context)
    yield* checkFunds(valid.view, context.state, valid.view.gasPriceCap)
    yield* checkRest(valid.view, context.state)
  })

const checkRest = (view: TransactionView, state: JournalState): Check => {
  const { action, transaction } = view
  if (action.kind === "create" && "codeFormat" in transaction) {
    if (transaction.to !== undefined) {
      return reject("InvalidDeploy", "contract deploy transaction can't have a recipient address")
    }
    if (transaction.codeFormat !== 0) {
      return reject("InvalidDeploy", "smart contract code format is invalid")
    }
  }
  if (action.kind === "updateKey") {
    const account = state.accountOrEmpty(view.from)
    const key = AccountKey.encodeBytes(action.key)
    const wanted = key.ok ? readKey(key.value) : undefined
    const fault = wanted === undefined ? keyTexts.unserializable : updateFault(keyOfAccount(account.key), wanted)
    if (fault !== undefined) return reject("InvalidAccountKey", fault)
    if (hasCode(account)) return reject("InvalidAccountKey", "sender must be an EOA without code")
    return Either.void
  }
  if ("to" in action) {
    const receiver = state.accountOrEmpty(action.to)
    const isProgram = hasCode(receiver)
    if (action.kind === "execute") {
      return isProgram ? Either.void : Either.left(refuse(isContract(receiver) ? "NoProgram" : "NotAContract"))
    }
    if (isReserved(action.to)) return Either.left(refuse("ReservedAddress"))
    if (action.kind === "transfer" && (isProgram || isContract(receiver))) return Either.left(refuse("NotForContract"))
  }
  return Either.void
}

/** Checks that sender and fee payer can afford the most it may cost. A pool does not count what blobs cost. */
export const checkFunds = (
  view: TransactionView,
  state: JournalState,
  unitPrice: bigint,
  { withBlobs = false } = {}
): Check => {
  const { byFeePayer, bySender } = splitFee(view, view.gas * unitPrice + (withBlobs ? mostOf(view) : 0n))
  const balance = state.accountOrEmpty(view.from).balance
  if (balance < view.value + bySender) return Either.left(refuse("InsufficientFundsOfSender"))
  if (view.feePayer === undefined) return Either.void
  if (state.accountOrEmpty(view.feePayer).balance < byFeePayer) {
    return Either.left(refuse("InsufficientFundsOfFeePayer"))
  }
  const isBoth = view.feePayer === view.from
  return passWhen(!isBoth || balance >= view.value + bySender + byFeePayer, "InsufficientFundsOfSender")
}
