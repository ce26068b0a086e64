/**
 * How a wallet answers where the service leaves a choice.
 */
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"

/**
 * What a KLAY costs, in thousandths of KRW and USD.
 *
 * @category models
 */
export interface Rates {
  readonly krwPerMille: bigint
  readonly usdPerMille: bigint
}

/**
 * The settings of a wallet's operations.
 *
 * @category models
 */
export interface WalletSettings {
  /** Who pays for a value transfer that names no fee payer. */
  readonly style: FeePayerStyle
  /** Whether a fee payer that has signed a raw transaction signs it again. */
  readonly signsAnew: boolean
  /** Whether an account that has coin is deleted only by a request that says so. */
  readonly keepsCoin: boolean
  /** What the fees of the global fee payer are worth. */
  readonly rates: Rates
  /** Call data of a method; undefined if a value does not fit its type. */
  readonly encodeMethod: (
    method: string,
    values: ReadonlyArray<{ readonly type: string; readonly value: unknown }>
  ) => Uint8Array | undefined
}
