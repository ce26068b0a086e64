/**
 * The state of accounts on the chain.
 */
import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * An account at the end of a block.
 *
 * @category models
 */
export interface AccountState {
  readonly address: Hex
  readonly nonce: bigint
  /** peb */
  readonly balance: bigint
  /** AccountKeyLegacy until an account update installs another; AccountKeyFail for a contract. */
  readonly key: AccountKey
  /** Keccak-256 of the code; for an account without code, the hash of no bytes. */
  readonly codeHash: Hex
  readonly isContract: boolean
}
