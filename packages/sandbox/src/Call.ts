/**
 * Running code without a transaction.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

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
  /** What it returned; for a revert the reason as the contract encoded it. */
  readonly data: Hex
  /** Gas of the execution alone. */
  readonly gasUsed: bigint
}
