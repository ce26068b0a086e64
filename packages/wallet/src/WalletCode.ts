/**
 * The wallet's own error codes: one table that both this client and the sandbox use.
 *
 * **Details**
 *
 * The API document shows no codes; all of these were seen in the specifications, examples and tests of the service's
 * public clients, each with HTTP status 400, "not found" included. The part of the message after `; ` names the field
 * or the ID.
 */
import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import type { Answered } from "@effect-klaytn/core/ServiceError"
import * as Option from "effect/Option"
import * as Record from "effect/Record"

/** The codes that {@link permanent} has: a code that is added here tells that a refused send was not made. */
const permanentCodes = {
  /** `account is invalid to sign the transaction`: no signer of this multisig transaction. */
  notASigner: 1061512,
  /** `it has to start with '0x' and allows [0-9a-fA-F]`. */
  notHex: 1061607,
  /** `cannot be empty or zero value`. */
  empty: 1061608,
  /** `it just allow Klaytn address form`. */
  notAnAddress: 1061609,
  /** `its value is out of range`. */
  outOfRange: 1061615,
  /** `fee ratio must be between 1 and 99`. */
  feeRatioOutOfRange: 1061616,
  /** `failed to decode account keys`. */
  badAccountKey: 1061903,
  /** `failed to get feepayer`: unknown user fee payer. */
  unknownFeePayer: 1061905,
  /** `rlp value and request value are not same`. */
  rlpDiffers: 1061912,
  /** `AccountKeyLegacy type is not supported in AccountKeyRoleBased type`. */
  legacyInRoleBased: 1061917,
  /** `it just allow (Partial)FeeDelegation transaction type`. */
  notFeeDelegated: 1061918,
  /** `PartialFeeDelegation transaction must set fee ratio to non-zero value`. */
  feeRatioMissing: 1061919,
  /** `FeeDelegation transaction cannot set fee ratio`. */
  feeRatioUnwanted: 1061920,
  /** `it just allow Basic transaction type`. */
  notBasic: 1061921,
  /** `failed to get an account`: the signing account is unknown, disabled or corrupted. */
  unusableAccount: 1065100,
  /** `account key corrupted. can not use this account`. */
  corruptedAccount: 1065102,
  /**
   * Ours: the `Idempotency-Key` of a request was used for another request, or is malformed. A gateway of your own answers it; the
   * hosted service was never seen to.
   */
  keyReused: 1069400
} as const

/**
 * The codes by name.
 *
 * @category codes
 */
export const codes = {
  ...permanentCodes,
  /** `data don't exist`: nothing found. An empty list is answered this way too. */
  noData: 1061010,
  /** `account has been already deleted or disabled`, also for an unknown account. */
  alreadyDisabled: 1061510,
  /** `account has been already deleted or enabled`, also for an unknown account. */
  alreadyEnabled: 1061511,
  /** `the requested account must be a legacy account`. */
  notLegacyAccount: 1061515,
  /** `already submitted transaction. Confirm transaction hash`. */
  alreadySubmitted: 1061914,
  /** `failed to retrieve a transaction from klaytn node`: unknown transaction hash. */
  unknownTransaction: 1065000,
  /** `failed to send a raw transaction to klaytn node`, with the node's own message behind `-32000::`. */
  nodeRefused: 1065001,
  /** Ours: a gateway of your own does not sign what a limit of the caller forbids, or does not show a pool. */
  notPermitted: 1069403,
  /** Ours: a gateway of your own deletes an account that has coin, or its key, only by a request with `withCoin=true`. */
  hasCoin: 1069410,
  /**
   * Ours: a gateway of your own does not know the `Idempotency-Key`, and takes no new keys: its wallet was restored, or is an older copy,
   * so that the key may have paid before. `klaytn gateway wallet accept-keys` ends this.
   */
  keyUnknown: 1069409,
  /**
   * Ours: too many transactions of the caller are under way, or wait for signatures, in the wallet of a gateway of your own. Nothing was
   * signed, and the same request is taken once some of those have run.
   */
  tooMany: 1069429,
  /** Ours: the wallet of a gateway of your own is frozen, and signs nothing until its owner unfreezes the wallet. */
  frozen: 1069423
} as const

/**
 * A name of {@link codes}.
 *
 * @category models
 */
export type WalletCode = keyof typeof codes

/**
 * The name of a failure's code, if it is one of the wallet's.
 *
 * @example
 * ```ts
 * import * as WalletCode from "@effect-klaytn/wallet/WalletCode"
 *
 * console.log(WalletCode.name({ code: 1061905 })) // "unknownFeePayer"
 * ```
 *
 * @category accessors
 */
export const name = (error: Pick<Answered, "code">): WalletCode | undefined =>
  Option.getOrUndefined(Option.map(Record.findFirst(codes, (code) => code === error.code), ([name]) => name))

/**
 * The codes with which every copy of the same request must be refused: the request is malformed, its account or fee
 * payer is unknown, or its credential is wrong.
 *
 * **Details**
 *
 * With any other code, also one that this table has never heard of, the refusal depends on state (nonce, funds, rate,
 * availability): another copy of the same request may be accepted, so the refusal does not prove that nothing happened.
 *
 * **Gotchas**
 *
 * An account can be disabled and enabled, and an access key blocked and unblocked. If that is done between two copies
 * of one request, one copy is refused with a code of this table and the other one is accepted.
 *
 * @category codes
 */
export const permanent: ReadonlySet<number> = new Set([
  ...Object.values(ServiceCode.gateway),
  ...Object.values(permanentCodes)
])

/**
 * Whether a refusal has one of the {@link permanent} codes.
 *
 * @example
 * ```ts
 * import * as WalletCode from "@effect-klaytn/wallet/WalletCode"
 *
 * console.log(WalletCode.isPermanent({ code: WalletCode.codes.notAnAddress })) // true
 * console.log(WalletCode.isPermanent({ code: WalletCode.codes.nodeRefused })) // false
 * ```
 *
 * @category guards
 */
export const isPermanent = (error: Pick<Answered, "code">): boolean =>
  error.code !== undefined && permanent.has(error.code)

/**
 * The message of a node that refused a transaction: the text after `-32000::` (or any other JSON-RPC error number) in
 * the message of `nodeRefused`. A message without it says nothing about the node: the transaction may have been
 * accepted.
 *
 * @category accessors
 */
export const nodeMessage = (error: Pick<Answered, "code" | "serviceMessage">): string | undefined =>
  error.code === codes.nodeRefused ? /-3\d{4}::\s*([^]*)$/.exec(error.serviceMessage ?? "")?.[1]?.trim() : undefined

/**
 * Whether a node refused a transaction because of too little funds, and whose they are: `insufficient funds of the sender` or
 * `of the fee payer`, as nodes of the chain say; `unclear` for the message of other nodes, `insufficient funds for gas *
 * price + value`.
 *
 * @category accessors
 */
export const insufficientFunds = (
  error: Pick<Answered, "code" | "serviceMessage">
): "sender" | "feePayer" | "unclear" | undefined => {
  const message = nodeMessage(error) ?? ""
  if (!/^insufficient funds\b/i.test(message)) return undefined
  return /of the fee payer/i.test(message) ? "feePayer" : /of the sender/i.test(message) ? "sender" : "unclear"
}

/**
 * Whether a refusal says that the nonce is already taken, possibly by this very transaction.
 *
 * Recognises `already submitted`, `known transaction`, `nonce too low` and `another tx which has the same nonce`, the
 * messages of the service and of nodes, as seen.
 *
 * @category guards
 */
export const saysTaken = (error: Pick<Answered, "code" | "serviceMessage">): boolean =>
  error.code === codes.alreadySubmitted ||
  /already submitted|known transaction|nonce too low|same nonce/i.test(error.serviceMessage ?? "")

/**
 * The transaction hash that a refusal names, as in `known transaction: 0x...`; nodes leave the `0x` out.
 *
 * @category accessors
 */
export const namedHash = (error: Pick<Answered, "serviceMessage">): string | undefined => {
  const digits = /(?<![0-9a-z])(?:0x)?([0-9a-f]{64})(?![0-9a-z])/i.exec(error.serviceMessage ?? "")?.[1]
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`
}
