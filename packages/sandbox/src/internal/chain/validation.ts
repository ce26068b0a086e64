import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import { type RejectReason, TransactionRejected } from "../../ChainError.js"
import { blockGasLimit } from "../evm/Evm.js"
import { hasCode } from "../state/AccountRecord.js"
import type { JournalState } from "../state/JournalState.js"
import { keyOf, speaksFor } from "../state/KeyRules.js"
import { type HashedTransaction, hashTransaction, splitFee, type TransactionView, viewOf } from "./TransactionView.js"

/** A transaction that was checked. */
export interface ValidTransaction extends HashedTransaction {
  /** The encoded keys of sender and fee payer that its signatures were judged by. */
  readonly keys: string
}

/** What a check looks at. */
export interface ValidationContext {
  readonly chainId: number
  readonly unitPrice: bigint
  readonly state: JournalState
  readonly curve: Secp256k1
}

const maxDataSize = 128 * 1024
const maxInitcodeSize = 49_152

/** The chain's precompiles and what it keeps free for more. The zero address is not among them: coin is burnt there. */
const isReserved = (address: Hex): boolean => {
  const number = BigInt(address)
  return number > 0n && number <= 0x3ffn
}

const rejected = (reason: RejectReason, message: string): TransactionRejected =>
  new TransactionRejected({ reason, message })

/** Texts of the node since September 2023, by reason; what the node has no text for says itself. */
const texts = {
  WrongChain: "invalid chain id",
  InvalidSenderSignature: "invalid sender: invalid account key",
  InvalidFeePayerSignature: "invalid fee payer: invalid account key",
  LegacyKeyRequired: "invalid sender: a legacy transaction must be with a legacy account key",
  NonceTooLow: "nonce too low",
  NonceTaken: "there is another tx which has the same nonce in the tx pool",
  GasPriceTooLow: "invalid gas price. It must be set to value greater than or equal to baseFee",
  IntrinsicGasTooLow: "intrinsic gas too low",
  OversizedData: "oversized data",
  InsufficientFundsOfSender: "insufficient funds of the sender for value ",
  InsufficientFundsOfFeePayer: "insufficient funds of the fee payer for gas * price",
  NotForContract: "this type transaction cannot be sent to contract addresses",
  NotAContract: "not a program account (e.g., an account having code and storage)",
  ReservedAddress: "the address is reserved for pre-compiled contracts",
  BlockFull: "there is no room for it in the block"
} as const

/** The rejection that a node words in one fixed way. */
export const refuse = (reason: keyof typeof texts): TransactionRejected => rejected(reason, texts[reason])

/** The rejection of bytes that are in the pool already. */
export const alreadyKnown = (hash: Hex): TransactionRejected =>
  rejected("AlreadyKnown", `known transaction: ${hash.slice(2)}`)

/** The rejection of a transaction that no block can be built with. */
export const unexecutable = (cause: unknown): TransactionRejected =>
  rejected(
    "Unexecutable",
    `the sandbox can't build a block with it: ${cause instanceof Error ? cause.message : "unknown cause"}`
  )

/** What a node says of numbers that no key can have made. */
const noSignature = "invalid transaction v, r, s values"

const unreadable = (error: TransactionError): TransactionRejected => {
  if (error.reason === "WrongChain") return refuse("WrongChain")
  if (error.reason === "UnknownType") return rejected("Undecodable", "undefined tx type")
  if (error.path.startsWith("feePayerSignatures")) return rejected("InvalidFeePayerSignature", noSignature)
  if (error.path.startsWith("signatures")) return rejected("InvalidSenderSignature", noSignature)
  return rejected("Undecodable", error.message)
}

/** Reads raw bytes of a transaction for this chain, or for all: the chain takes legacy ones that name none. */
export const decode = (raw: Hex | Uint8Array, chainId: number): Transaction.Transaction | TransactionRejected => {
  const decoded = Transaction.decode(raw, { chainId, unprotected: true })
  return decoded.ok ? decoded.value : unreadable(decoded.error)
}

/** Checks the sender's signatures against the account key and gives the sender. */
const authenticateSender = (
  transaction: Transaction.Transaction,
  { chainId, curve, state }: ValidationContext
): Hex | TransactionRejected => {
  const senders = Transaction.recoverSenders(transaction, { chainId, curve, unprotected: true })
  if (!senders.ok) {
    return senders.error.reason === "WrongChain"
      ? refuse("WrongChain")
      : rejected("InvalidSenderSignature", `invalid sender: ${noSignature} of the sender`)
  }
  const first = senders.value[0]
  if (first === undefined) return refuse("InvalidSenderSignature")
  const from = "from" in transaction ? transaction.from : first.address
  const account = state.accountOrEmpty(from)
  if (!("from" in transaction) && keyOf(account).type !== "AccountKeyLegacy") return refuse("LegacyKeyRequired")
  return speaksFor(account, from, Transaction.senderRole(transaction), senders.value)
    ? from
    : refuse("InvalidSenderSignature")
}

const authenticateFeePayer = (
  transaction: Transaction.Transaction,
  { chainId, curve, state }: ValidationContext
): TransactionRejected | undefined => {
  if (!Transaction.isFeeDelegatedTransaction(transaction)) return undefined
  const payers = Transaction.recoverFeePayers(transaction, { chainId, curve })
  if (!payers.ok || transaction.feePayer === undefined) {
    return rejected("InvalidFeePayerSignature", `invalid fee payer: ${noSignature} of the fee payer`)
  }
  const account = state.accountOrEmpty(transaction.feePayer)
  return speaksFor(account, transaction.feePayer, "feePayer", payers.value)
    ? undefined
    : refuse("InvalidFeePayerSignature")
}

/**
 * Checks a transaction as a node's pool does. `signers` is given for a transaction that this process has just signed
 * with keys it holds: they are checked against the account key, but not recovered from the signature once more.
 */
export const admit = (
  transaction: Transaction.Transaction,
  context: ValidationContext,
  signers?: { readonly sender: Signer; readonly feePayer?: Signer }
): ValidTransaction | TransactionRejected => {
  const encoded = Transaction.encodeBytes(transaction, { form: "eth" })
  if (!encoded.ok) return unreadable(encoded.error)
  const misshapen = checkShape(transaction, encoded.value, context)
  if (misshapen !== undefined) return misshapen
  const from = signers === undefined
    ? authenticateSender(transaction, context)
    : authenticateKnownSender(transaction, context, signers.sender)
  if (from instanceof TransactionRejected) return from
  const hashed = hashTransaction(transaction, from)
  if (!hashed.ok) return unreadable(hashed.error)
  const { view } = hashed.value
  return checkNonce(view, context.state) ??
    (signers === undefined
      ? authenticateFeePayer(transaction, context)
      : authenticateKnownFeePayer(transaction, context, signers.feePayer)) ??
    // At the price it offers, whatever it will pay.
    checkFunds(view, context.state, view.gasPriceCap) ??
    checkRest(view, context.state) ??
    { ...hashed.value, keys: keysOf(view, context.state) }
}

const keysOf = ({ feePayer, from }: TransactionView, state: JournalState): string =>
  state.accountOrEmpty(from).key + (feePayer === undefined ? "" : state.accountOrEmpty(feePayer).key)

/** Judges the signatures of a transaction that has waited, if the accounts have other keys now. */
export const recheck = (
  { keys, view }: ValidTransaction,
  context: ValidationContext
): TransactionRejected | undefined => {
  if (keys === keysOf(view, context.state)) return undefined
  const from = authenticateSender(view.transaction, context)
  return from instanceof TransactionRejected ? from : authenticateFeePayer(view.transaction, context)
}

const authenticateKnownSender = (
  transaction: Transaction.Transaction,
  { state }: ValidationContext,
  signer: Signer
): Hex | TransactionRejected => {
  const from = "from" in transaction ? transaction.from : signer.address
  return speaksFor(state.accountOrEmpty(from), from, Transaction.senderRole(transaction), [signer])
    ? from
    : refuse("InvalidSenderSignature")
}

const authenticateKnownFeePayer = (
  transaction: Transaction.Transaction,
  { state }: ValidationContext,
  signer: Signer | undefined
): TransactionRejected | undefined => {
  if (!Transaction.isFeeDelegatedTransaction(transaction)) return undefined
  const { feePayer } = transaction
  return feePayer !== undefined && signer !== undefined &&
      speaksFor(state.accountOrEmpty(feePayer), feePayer, "feePayer", [signer])
    ? undefined
    : refuse("InvalidFeePayerSignature")
}

/** What a node looks at before it asks who has signed. */
const checkShape = (
  transaction: Transaction.Transaction,
  raw: Uint8Array,
  { unitPrice }: ValidationContext
): TransactionRejected | undefined => {
  const { action, gas, gasPriceCap, input, tipCap } = viewOf(transaction, nobody)
  const size = input.length / 2 - 1
  if (action.kind === "create" && size > maxInitcodeSize) {
    return rejected(
      "OversizedInitcode",
      `max initcode size exceeded: code size ${size}, limit ${maxInitcodeSize}`
    )
  }
  if (gas > blockGasLimit) {
    return rejected("GasLimitTooHigh", `exceeds block gas limit: gas ${gas}, limit ${blockGasLimit}`)
  }
  if (tipCap > gasPriceCap) {
    return rejected("GasPriceTooLow", "max fee per gas higher than max priority fee per gas")
  }
  if (gasPriceCap < unitPrice) {
    return "gasPrice" in transaction
      ? refuse("GasPriceTooLow")
      : rejected(
        "GasPriceTooLow",
        "invalid gas fee cap. It must be set to value greater than or equal to baseFee"
      )
  }
  return raw.length > maxDataSize ? refuse("OversizedData") : undefined
}

const nobody: Hex = "0x0000000000000000000000000000000000000000"

const checkNonce = (view: TransactionView, state: JournalState): TransactionRejected | undefined => {
  if (view.nonce > BigInt(Number.MAX_SAFE_INTEGER)) return rejected("Undecodable", "nonce too high")
  return view.nonce < state.accountOrEmpty(view.from).nonce ? refuse("NonceTooLow") : undefined
}

const checkRest = (view: TransactionView, state: JournalState): TransactionRejected | undefined => {
  const { action, gas, transaction } = view
  if (gas < Transaction.intrinsicGas(transaction)) return refuse("IntrinsicGasTooLow")
  if (action.kind === "create" && "codeFormat" in transaction) {
    if (transaction.to !== undefined) {
      return rejected("InvalidDeploy", "contract deploy transaction can't have a recipient address")
    }
    if (transaction.humanReadable) return rejected("InvalidDeploy", "Human-readable address is not supported now")
    if (transaction.codeFormat !== 0) return rejected("InvalidDeploy", "smart contract code format is invalid")
  }
  if (action.kind === "updateKey") {
    const updated = AccountKey.update(keyOf(state.accountOrEmpty(view.from)), action.key)
    return updated.ok ? undefined : rejected("InvalidAccountKey", updated.error.message)
  }
  if ("to" in action) {
    if (isReserved(action.to)) return refuse("ReservedAddress")
    const isContract = hasCode(state.accountOrEmpty(action.to))
    if (action.kind === "transfer" && isContract) return refuse("NotForContract")
    if (action.kind === "execute" && !isContract) return refuse("NotAContract")
  }
  return undefined
}

/** Can sender and fee payer afford the most it may cost? */
export const checkFunds = (
  view: TransactionView,
  state: JournalState,
  unitPrice: bigint
): TransactionRejected | undefined => {
  const { byFeePayer, bySender } = splitFee(view, view.gas * unitPrice)
  const balance = state.accountOrEmpty(view.from).balance
  if (balance < view.value + bySender) return refuse("InsufficientFundsOfSender")
  if (view.feePayer === undefined) return undefined
  if (state.accountOrEmpty(view.feePayer).balance < byFeePayer) return refuse("InsufficientFundsOfFeePayer")
  return view.feePayer === view.from && balance < view.value + bySender + byFeePayer
    ? refuse("InsufficientFundsOfSender")
    : undefined
}
