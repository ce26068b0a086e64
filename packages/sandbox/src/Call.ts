/**
 * Running code without a transaction.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * Addresses and slots of 32 bytes that a transaction announces.
 *
 * @since 0.1.0
 * @category models
 */
export type AccessList = ReadonlyArray<{ readonly address: Hex; readonly storageKeys: ReadonlyArray<Hex> }>

/**
 * A message to run and take back. Nobody pays for it, and the sender needs no balance for its value.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallRequest {
  /** Default: the zero address. */
  readonly from?: Hex
  /** Absent: the data is the code of a contract to create. */
  readonly to?: Hex
  /** peb */
  readonly value?: bigint
  readonly data?: Hex
  /** Gas for the execution. Default and maximum: 30,000,000. */
  readonly gas?: bigint
  /** Block at whose end it runs. Default: the newest. */
  readonly block?: number
  /** Addresses and slots that are warm from the beginning. Default: none. */
  readonly accessList?: AccessList
  /** What the code sees as the price of gas, in peb. Default: the chain's. */
  readonly gasPrice?: bigint
  /** Whether the value moves, for which the sender must have it. Default: false. */
  readonly movesValue?: boolean
  /** What accounts are for the time of the call. */
  readonly overrides?: ReadonlyMap<Hex, AccountOverride>
}

/**
 * What an account is for the time of a call. What is left out stays as it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountOverride {
  readonly nonce?: bigint
  /** peb */
  readonly balance?: bigint
  readonly code?: Hex
  /** All slots that there are. */
  readonly state?: ReadonlyMap<Hex, Hex>
  /** Slots that differ. */
  readonly stateDiff?: ReadonlyMap<Hex, Hex>
}

/**
 * What a call gave.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallResult {
  /** Absent when it succeeded; else the node's code, 0x9 for a revert. */
  readonly txError: number | undefined
  /** What the EVM gave up with, in its own words; absent when it succeeded. */
  readonly fault: string | undefined
  /** What it returned; for a revert the reason as the contract encoded it. */
  readonly data: Hex
  /** Gas of the execution alone. */
  readonly gasUsed: bigint
}

/**
 * How much gas a transaction with this message needs, what every transaction pays before it runs included.
 *
 * - `enough`: with `gas` it succeeds, and with less it does not.
 * - `fails`: it fails however much gas it has.
 * - `tooLittle`: the gas limit of the request, or the most there is, does not suffice.
 *
 * @since 0.1.0
 * @category models
 */
export type GasEstimate =
  | { readonly kind: "enough"; readonly gas: bigint }
  | { readonly kind: "fails"; readonly result: CallResult }
  | { readonly kind: "tooLittle"; readonly limit: bigint }

/**
 * What a message touches.
 *
 * - `listed`: the list that a transaction with this message would announce, and what came of the execution with it.
 *   `gasUsed` is all that the transaction is charged for: before it runs, for the list, and for running, less refunds.
 * - `tooLittle`: the gas limit of the request does not pay for what a transaction with the list pays before it runs.
 *
 * @since 0.1.0
 * @category models
 */
export type CallAccess =
  | {
    readonly kind: "listed"
    readonly accessList: AccessList
    readonly gasUsed: bigint
    readonly result: CallResult
  }
  | { readonly kind: "tooLittle"; readonly limit: bigint }
