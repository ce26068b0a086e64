/**
 * Who asks a wallet for something, and what the caller may do.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

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
  /** The ID of its credential, which no other caller has or had, also under the same name. Default: it has none. */
  readonly accessKeyId?: string | undefined
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
   * Defined once the rights of a caller of this name were taken away: sends of other credentials than that of `caller` are those of a caller
   * that was revoked. Sends of older versions name no credential: of these, those that were stored before this time, in Unix seconds.
   * `Infinity` if no caller of this name was added since.
   */
  readonly revokedBefore?: number | undefined
}

/**
 * Whose request something is, as it is stored.
 *
 * @category models
 */
export interface Origin {
  /** The name of the caller; undefined for the wallet itself, for sandboxes, and for rows of older versions. */
  readonly caller: string | undefined
  /** The ID of the credential that the caller had; undefined for rows of older versions, too. */
  readonly credential?: string | undefined
}

/**
 * Whether the caller was revoked whose request something was. The order of two credentials is known without a clock, and the clocks of two
 * machines differ.
 *
 * @category reading
 */
export const wasRevoked = (
  { caller, revokedBefore }: NamedCaller,
  { createdAt, credential }: Pick<Origin, "credential"> & { readonly createdAt: number }
): boolean =>
  revokedBefore !== undefined &&
  (credential === undefined ? createdAt < revokedBefore : caller?.accessKeyId !== credential)

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
 * Whose request a fiber works for.
 *
 * @category reading
 */
export const currentOrigin: Effect.Effect<Origin> = Effect.map(CurrentCaller, (request) => ({
  caller: request?.caller.name,
  credential: request?.caller.accessKeyId
}))

/**
 * A caller with all rights, all pools and no limits.
 *
 * @category constructors
 */
export const unlimited = (name: string): WalletCaller => ({ name, rights, pools: undefined, limits: {} })
