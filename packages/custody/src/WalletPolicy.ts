/**
 * May this caller do this? Decided from data alone: no database, no HTTP.
 */
import * as Amount from "@effect-klaytn/core/Amount"
import { type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { priceOf } from "./TransactionFields.js"
import type { Limits, Right, WalletCaller } from "./WalletCaller.js"
import { operations } from "./WalletRoutes.js"

/**
 * Why something is refused. `rights`: the caller lacks the right. `pool`: the caller may not use the pool. `limit`: a limit of the
 * caller forbids what would be signed. `frozen`: nothing is signed or changed until the wallet is unfrozen.
 *
 * @category models
 */
export type Reason = "rights" | "pool" | "limit" | "frozen"

/**
 * A refusal, in words.
 *
 * @category models
 */
export interface Denial {
  readonly reason: Reason
  readonly message: string
}

/**
 * An operation that a caller asks for.
 *
 * @category models
 */
export interface OperationRequest {
  readonly caller: WalletCaller
  /** The name of the operation, such as `wallet.sendValue`. */
  readonly operation: string
  /** The names of the pools that the request names, of any type. */
  readonly pools: ReadonlyArray<string>
  readonly isFrozen: boolean
}

const deny = (reason: Reason, message: string): Denial => ({ reason, message })

/** What a caller without a right is told. */
const withoutRight = (right: Right): Denial => deny("rights", `the caller has no right "${right}"`)

/** The operations that only read, though they are no GET. */
const reads: ReadonlySet<string> = new Set(["wallet.callContract"])

/** The operations that answer with what all pools have. */
const ofAllPools: ReadonlySet<string> = new Set([
  "wallet.countAccounts",
  "wallet.getChargedFees",
  "wallet.getChargedFee"
])

/** The operations after which an account or key can't sign any more. */
const destroying: ReadonlySet<string> = new Set([
  "wallet.deleteAccount",
  "wallet.deleteFeePayer",
  "wallet.deleteKey",
  "wallet.disableAccount",
  // Who may not disable an account may not take that back either.
  "wallet.enableAccount"
])

/** Whether a caller may delete and disable: by a right of its own, or if nothing limits the caller. */
const mayDestroy = ({ limits, rights }: WalletCaller): boolean => rights.includes("destroy") || !isLimited(limits)

/**
 * Whether an operation signs or changes something.
 *
 * @category guards
 */
export const isChange = (operation: string): boolean => {
  const method = operations.find(({ name }) => name === operation)?.method
  return method !== "GET" && !reads.has(operation)
}

/**
 * The denial of a frozen wallet.
 *
 * @category constants
 */
export const frozen: Denial = deny("frozen", "the wallet is frozen: nothing is signed or changed")

/**
 * Whether a caller has a right.
 *
 * @category decisions
 */
export const ofRight = (caller: WalletCaller, right: Right): Denial | undefined =>
  caller.rights.includes(right) ? undefined : withoutRight(right)

/**
 * Whether a caller may do an operation of the wallet with the pools that the request names; undefined if so. What is signed in the
 * operation is decided by {@link ofSignature}.
 *
 * @category decisions
 */
export const ofOperation = ({ caller, isFrozen, operation, pools }: OperationRequest): Denial | undefined => {
  const missing = ofRight(caller, "wallet")
  if (missing !== undefined) return missing
  const allowed = caller.pools
  const foreign = allowed && pools.find((pool) => !allowed.includes(pool))
  if (foreign !== undefined) return deny("pool", `the caller may not use the pool ${foreign}`)
  if (allowed !== undefined && ofAllPools.has(operation)) {
    return deny("pool", "the operation answers for all pools, and the caller has some of them")
  }
  if (destroying.has(operation) && !mayDestroy(caller)) return withoutRight("destroy")
  return isFrozen && isChange(operation) ? frozen : undefined
}

/**
 * A signature that is about to be made.
 *
 * @category models
 */
export type SignatureRequest =
  & {
    /** The name of the pool of the account or key that signs; undefined for the service's own fee payer. */
    readonly pool: string | undefined
  }
  & (
    | {
      readonly role: "sender" | "feePayer"
      readonly address: Hex
      readonly transaction: Transaction.Transaction
      /** The transaction of the same nonce that it takes the place of: what that one moves is counted already. */
      readonly replaces?: Transaction.Transaction | undefined
      /** Whether the receiver has code; needed where {@link needsCode} says so. */
      readonly hasCode?: boolean | undefined
    }
    /** Bytes whose meaning the wallet can't see. */
    | { readonly role: "bytes"; readonly address?: undefined; readonly transaction?: undefined }
  )

/**
 * What a signature is judged by.
 *
 * @category models
 */
export interface SignatureContext {
  readonly caller: WalletCaller
  readonly operation: string
  readonly isFrozen: boolean
}

/** The largest fee of a caller with a limit of value that names none: 1 KLAY. */
const defaultFee = 10n ** 18n

/**
 * The largest fee that a transaction may cost by the limits of a caller, in peb; undefined if nothing limits it.
 *
 * @category reading
 */
export const largestFeeOf = ({ dailySum, largestFee, largestValue }: Limits): bigint | undefined =>
  largestFee ?? (dailySum === undefined && largestValue === undefined ? undefined : defaultFee)

const isLimited = ({ contractCalls, dailySum, largestFee, largestValue, receivers }: Limits): boolean =>
  contractCalls === false ||
  [dailySum, largestFee, largestValue, receivers].some((limit) => limit !== undefined)

const mayBlindly = (limits: Limits): boolean => limits.blindSigning ?? !isLimited(limits)

const isEmpty = (input: Hex | undefined): boolean => input === undefined || input === "0x"

/** Whether a transaction calls or creates a contract. */
const isContractCall = (transaction: Transaction.Transaction): boolean => {
  if (/^(?:FeeDelegated)?SmartContract/.test(transaction.type)) return true
  if (!isOfEthereum(transaction)) return false
  return !("to" in transaction) || transaction.to === undefined || !isEmpty(transaction.input)
}

/** Whether a transaction without input runs the code of its receiver, if that has any. The types of Klaytn are refused by the chain. */
const runsReceiver = (transaction: Transaction.Transaction): boolean =>
  isOfEthereum(transaction) && "to" in transaction && transaction.to !== undefined && isEmpty(transaction.input)

/**
 * Whether a signature can be decided only if it is known whether the receiver has code.
 *
 * @category guards
 */
export const needsCode = ({ limits }: WalletCaller, { role, transaction }: SignatureRequest): boolean =>
  limits.contractCalls === false && role === "sender" && runsReceiver(transaction)

type OfEthereum = Extract<Transaction.Transaction, { readonly type: "LegacyTransaction" | `Ethereum${string}` }>

/** The types whose `input` is the call of a contract. */
const isOfEthereum = (transaction: Transaction.Transaction): transaction is OfEthereum =>
  transaction.type === "LegacyTransaction" || transaction.type.startsWith("Ethereum")

/**
 * The value that a transaction moves, in peb.
 *
 * @category reading
 */
export const valueOf = (transaction: Transaction.Transaction): bigint => "value" in transaction ? transaction.value : 0n

/** The most that a transaction can cost, in peb. */
const feeOf = (transaction: Transaction.Transaction): bigint => transaction.gas * priceOf(transaction)

/**
 * The most that a transaction may pay for a unit of gas by the limits of a caller, in peb; undefined if nothing limits it.
 *
 * @category reading
 */
export const dearestPrice = (limits: Limits, { gas }: Transaction.Transaction): bigint | undefined => {
  const largestFee = largestFeeOf(limits)
  return largestFee === undefined || gas === 0n ? undefined : largestFee / gas
}

/** Whether a transaction gives an account, or code that acts for the account, to another key. */
const handsOver = (transaction: Transaction.Transaction): boolean =>
  "key" in transaction || "authorizationList" in transaction

/** Whether the signer pays the fee: a sender whose transaction has a fee payer does not, or in part. */
const paysFee = ({ role, transaction }: Exclude<SignatureRequest, { readonly role: "bytes" }>): boolean =>
  role === "feePayer" || !Transaction.isFeeDelegatedTransaction(transaction) || "feeRatio" in transaction

const limit = (message: string): Denial => deny("limit", message)

const ofSender = (
  limits: Limits,
  operation: string,
  { hasCode, transaction }: Exclude<SignatureRequest, { readonly role: "bytes" }>
): Denial | undefined => {
  const { contractCalls = true, largestValue, receivers } = limits
  const to = "to" in transaction ? transaction.to : undefined
  // A new fee payer gets a key of the wallet that can only pay fees.
  if (handsOver(transaction) && operation !== "wallet.createFeePayer" && !mayBlindly(limits)) {
    return limit("a caller with limits may not give an account other keys")
  }
  if (!contractCalls && isContractCall(transaction)) return limit("the caller may not call or create contracts")
  if (!contractCalls && hasCode !== false && runsReceiver(transaction)) {
    return limit(`the caller may not call contracts, and ${to} is one: its code would run`)
  }
  if (largestValue !== undefined && valueOf(transaction) > largestValue) {
    return limit(`the value is larger than ${Amount.format(largestValue)}, the largest that the caller may send`)
  }
  if (receivers !== undefined && to === undefined && isContractCall(transaction)) {
    return limit("the caller may send to some receivers only, and can't create a contract")
  }
  return receivers !== undefined && to !== undefined && !receivers.includes(lowerCase(to))
    ? limit(`the caller may not send to ${to}`)
    : undefined
}

/**
 * Whether a caller may have something signed; undefined if so. The sum of a day is not looked at, see `WalletGuard`.
 *
 * @category decisions
 */
export const ofSignature = (
  { caller: { limits, pools }, isFrozen, operation }: SignatureContext,
  request: SignatureRequest
): Denial | undefined => {
  if (isFrozen) return frozen
  const { pool, role } = request
  if (pool !== undefined && pools?.includes(pool) === false) {
    return deny("pool", `the caller may not use the pool ${pool}`)
  }
  if (role === "bytes") {
    return mayBlindly(limits) ? undefined : limit("a caller with limits may not have bytes signed that say nothing")
  }
  const { transaction } = request
  const largestFee = largestFeeOf(limits)
  if (largestFee !== undefined && paysFee(request) && feeOf(transaction) > largestFee) {
    return limit(`the fee may be larger than ${Amount.format(largestFee)}, the largest that the caller may cause`)
  }
  return role === "sender" ? ofSender(limits, operation, request) : undefined
}

/**
 * The denial of a value that would make the sum of a day larger than the limit, in peb.
 *
 * @category constructors
 */
export const overDailySum = (dailySum: bigint): Denial =>
  limit(
    `the sum of the day would be larger than ${Amount.format(dailySum)}, the largest that the caller may send in a pool`
  )
