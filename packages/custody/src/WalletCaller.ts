/**
 * Who asks a wallet for something, and what the caller may do.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Context from "effect/Context"

/**
 * All rights. `read`: history, tokens and the node. `wallet`: accounts, keys and sends. `destroy`: beside `wallet`, delete and disable
 * accounts and keys; a caller without limits needs only `wallet` for that.
 *
 * @category constants
 */
export const rights = ["read", "wallet", "destroy"] as const

/**
 * A right of a caller.
 *
 * @category models
 */
export type Right = typeof rights[number]

/**
 * What a caller may sign with the accounts of its pools. A limit that is left out does not limit.
 *
 * **Details**
 *
 * Limits are about coin: tokens are moved by calls of contracts, which `receivers` and `contractCalls` limit. Each signature of an
 * account counts, whether or not the transaction is sent afterwards.
 *
 * @category models
 */
export interface Limits {
  /** The largest value of a transaction, in peb. */
  readonly largestValue?: bigint | undefined
  /** The largest sum of values of a day (UTC) in each pool, in peb. */
  readonly dailySum?: bigint | undefined
  /**
   * The largest fee that a transaction may cost an account or fee payer of the wallet, in peb: gas times gas price. Default: 1 KLAY for a
   * caller with `largestValue` or `dailySum`, none for any other.
   */
  readonly largestFee?: bigint | undefined
  /** The only addresses that transactions may go to, in lower case. */
  readonly receivers?: ReadonlyArray<Hex> | undefined
  /**
   * Whether contracts may be called and created. Default: true. Without it, the node is asked for the code of the receiver where a
   * transaction without input would run it.
   */
  readonly contractCalls?: boolean | undefined
  /**
   * Whether the caller may give accounts other keys, and sign 32 bytes whose meaning the wallet can't see: both go around every
   * other limit. Default: true for a caller without other limits, and false for any other.
   */
  readonly blindSigning?: boolean | undefined
}

/**
 * A caller of a wallet.
 *
 * @category models
 */
export interface WalletCaller {
  readonly name: string
  readonly rights: ReadonlyArray<Right>
  /** The names of the pools that the caller sees; undefined for all. */
  readonly pools: ReadonlyArray<string> | undefined
  readonly limits: Limits
}

/**
 * What a name stands for that a send was stored under. That a caller is not there proves nothing: neither it nor a record that its rights
 * were taken is in a wallet that was restored from a backup.
 *
 * @category models
 */
export interface NamedCaller {
  /** The caller of this name as it may act now, if there is one. */
  readonly caller: WalletCaller | undefined
  /**
   * Sends that were stored before this time, in Unix seconds, are those of a caller whose rights were taken away; `Infinity` if no caller
   * of this name was added since, and undefined if none was revoked.
   */
  readonly revokedBefore?: number | undefined
}

/**
 * A request of a caller, as the audit log names it.
 *
 * @category models
 */
export interface CallerRequest {
  readonly caller: WalletCaller
  /** The name of the operation, such as `wallet.sendValue`. */
  readonly operation: string
  readonly requestId: string
}

/**
 * The request that a fiber works for. Default: undefined, the wallet itself, which cancels sends, or the command of its owner.
 *
 * @category references
 */
export class CurrentCaller extends Context.Reference<CurrentCaller>()("@effect-klaytn/custody/CurrentCaller", {
  defaultValue: (): CallerRequest | undefined => undefined
}) {}

/**
 * A caller with all rights, all pools and no limits.
 *
 * @category constructors
 */
export const unlimited = (name: string): WalletCaller => ({ name, rights, pools: undefined, limits: {} })
