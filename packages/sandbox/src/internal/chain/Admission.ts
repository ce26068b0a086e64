import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import { type RejectReason, TransactionRejected } from "../../ChainError.js"
import { blockGasLimit } from "../evm/Machine.js"
import { hasCode } from "../state/AccountRecord.js"
import type { JournalState } from "../state/JournalState.js"
import { keyOf, speaksFor } from "./KeyRules.js"
import { splitFee, type TransactionView, viewOf } from "./TransactionView.js"

/** A transaction that was checked, with its hashes and bytes. */
export interface Admitted {
  readonly view: TransactionView
  readonly hash: Hex
  readonly senderTxHash: Hex
  /** As it is hashed: Ethereum types without 0x78. */
  readonly raw: Uint8Array
  /** The encoded keys of sender and fee payer that its signatures were judged by. */
  readonly keys: string
}

/** What a check looks at. */
export interface AdmissionContext {
  readonly chainId: number
  readonly unitPrice: bigint
  readonly state: JournalState
  readonly curve: Secp256k1
}

const maxDataSize = 128 * 1024
const reservedAddresses = 0x3ffn

const rejected = (reason: RejectReason, message: string): TransactionRejected =>
  new TransactionRejected({ reason, message })

/** Texts of the node, by reason; what the node has no text for says itself. */
const texts = {
  WrongChain: "invalid chain id",
  InvalidSenderSignature: "invalid transaction v, r, s values of the sender",
  InvalidFeePayerSignature: "invalid transaction v, r, s values of the fee payer",
  LegacyKeyRequired: "a legacy transaction must be with a legacy account key",
  NonceTooLow: "nonce too low",
  NonceTaken: "there is another tx which has the same nonce in the tx pool",
  GasPriceTooLow: "invalid gas price. It must be set to value greater than or equal to baseFee",
  IntrinsicGasTooLow: "intrinsic gas too low",
  GasLimitTooHigh: "exceeds block gas limit",
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

const unreadable = (error: TransactionError): TransactionRejected => {
  if (error.reason === "WrongChain") return refuse("WrongChain")
  if (error.reason === "UnknownType") return rejected("Undecodable", "undefined tx type")
  if (error.path.startsWith("feePayerSignatures")) return refuse("InvalidFeePayerSignature")
  if (error.path.startsWith("signatures")) return refuse("InvalidSenderSignature")
  return rejected("Undecodable", error.message)
}

/** Reads raw bytes of a transaction for this chain. */
export const decode = (raw: Hex | Uint8Array, chainId: number): Transaction.Transaction | TransactionRejected => {
  const decoded = Transaction.decode(raw, { chainId })
  return decoded.ok ? decoded.value : unreadable(decoded.error)
}

/** Checks the signatures against the account keys and gives the sender. */
const authenticate = (transaction: Transaction.Transaction, context: AdmissionContext): Hex | TransactionRejected => {
  const { chainId, curve, state } = context
  const senders = Transaction.recoverSenders(transaction, { chainId, curve })
  if (!senders.ok) {
    return senders.error.reason === "WrongChain" ? refuse("WrongChain") : refuse("InvalidSenderSignature")
  }
  const first = senders.value[0]
  if (first === undefined) return refuse("InvalidSenderSignature")
  const from = "from" in transaction ? transaction.from : first.address
  const account = state.accountOrEmpty(from)
  if (!("from" in transaction) && keyOf(account).type !== "AccountKeyLegacy") return refuse("LegacyKeyRequired")
  if (!speaksFor(account, from, Transaction.senderRole(transaction), senders.value)) {
    return refuse("InvalidSenderSignature")
  }
  return Transaction.isFeeDelegatedTransaction(transaction)
    ? authenticateFeePayer(transaction, context) ?? from
    : from
}

const authenticateFeePayer = (
  transaction: Transaction.FeeDelegatedTransaction,
  { chainId, curve, state }: AdmissionContext
): TransactionRejected | undefined => {
  const payers = Transaction.recoverFeePayers(transaction, { chainId, curve })
  if (!payers.ok || transaction.feePayer === undefined) return refuse("InvalidFeePayerSignature")
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
  context: AdmissionContext,
  signers?: { readonly sender: Signer; readonly feePayer?: Signer }
): Admitted | TransactionRejected => {
  const from = signers === undefined
    ? authenticate(transaction, context)
    : authenticateKnown(transaction, context, signers)
  if (from instanceof TransactionRejected) return from
  const encoded = Transaction.encodeBytes(transaction, { form: "eth" })
  if (!encoded.ok) return unreadable(encoded.error)
  const hash = Transaction.hash(transaction)
  if (!hash.ok) return unreadable(hash.error)
  const senderTxHash = Transaction.isFeeDelegatedTransaction(transaction) ? Transaction.senderHash(transaction) : hash
  if (!senderTxHash.ok) return unreadable(senderTxHash.error)
  const view = viewOf(transaction, from)
  return checkRules(view, encoded.value, context) ?? checkFunds(view, context.state, context.unitPrice) ??
    {
      view,
      hash: hash.value,
      senderTxHash: senderTxHash.value,
      raw: encoded.value,
      keys: keysOf(view, context.state)
    }
}

const keysOf = ({ feePayer, from }: TransactionView, state: JournalState): string =>
  state.accountOrEmpty(from).key + (feePayer === undefined ? "" : state.accountOrEmpty(feePayer).key)

/** Judges the signatures of a transaction that has waited, if the accounts have other keys now. */
export const recheck = ({ keys, view }: Admitted, context: AdmissionContext): TransactionRejected | undefined => {
  if (keys === keysOf(view, context.state)) return undefined
  const from = authenticate(view.transaction, context)
  return from instanceof TransactionRejected ? from : undefined
}

const authenticateKnown = (
  transaction: Transaction.Transaction,
  { state }: AdmissionContext,
  signers: { readonly sender: Signer; readonly feePayer?: Signer }
): Hex | TransactionRejected => {
  const from = "from" in transaction ? transaction.from : signers.sender.address
  if (!speaksFor(state.accountOrEmpty(from), from, Transaction.senderRole(transaction), [signers.sender])) {
    return refuse("InvalidSenderSignature")
  }
  if (!Transaction.isFeeDelegatedTransaction(transaction)) return from
  const { feePayer } = transaction
  return feePayer !== undefined && signers.feePayer !== undefined &&
      speaksFor(state.accountOrEmpty(feePayer), feePayer, "feePayer", [signers.feePayer])
    ? from
    : refuse("InvalidFeePayerSignature")
}

/** Rules that do not change while the transaction waits in the pool, except for contracts that appear meanwhile. */
const checkRules = (
  view: TransactionView,
  raw: Uint8Array,
  { state, unitPrice }: AdmissionContext
): TransactionRejected | undefined => {
  if (raw.length > maxDataSize) return refuse("OversizedData")
  if (view.gasPriceCap < unitPrice) return refuse("GasPriceTooLow")
  if (view.tipCap > view.gasPriceCap) {
    return rejected("GasPriceTooLow", "max fee per gas higher than max priority fee per gas")
  }
  if (view.gas > blockGasLimit) return refuse("GasLimitTooHigh")
  if (view.gas < Transaction.intrinsicGas(view.transaction)) return refuse("IntrinsicGasTooLow")
  if (view.nonce > BigInt(Number.MAX_SAFE_INTEGER)) return rejected("Undecodable", "nonce too high")
  if (view.nonce < state.accountOrEmpty(view.from).nonce) return refuse("NonceTooLow")
  return checkAction(view, state)
}

const checkAction = (view: TransactionView, state: JournalState): TransactionRejected | undefined => {
  const { action, transaction } = view
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
  if (action.kind === "transfer" || action.kind === "execute") {
    if (BigInt(action.to) <= reservedAddresses) return refuse("ReservedAddress")
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
