/**
 * Transactions that the chain signs itself, for accounts whose keys it has.
 */
import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { DevAccount } from "./DevAccount.js"

/**
 * A transaction to sign and send. With a fee payer it is fee-delegated, with a ratio (1 to 99 percent, paid by the fee
 * payer) partially.
 *
 * @category models
 */
export type SendRequest =
  & {
    readonly from: DevAccount
    readonly feePayer?: DevAccount | undefined
    readonly feeRatio?: number | undefined
    /** Default: the sender's next nonce, including transactions in the pool. */
    readonly nonce?: bigint | undefined
    /** Gas limit. Default: 10,000,000, or 1,000,000 for a transfer. */
    readonly gas?: bigint | undefined
  }
  & (
    | { readonly kind: "transfer"; readonly to: Hex; readonly value: bigint; readonly memo?: Hex | undefined }
    | { readonly kind: "execute"; readonly to: Hex; readonly data: Hex; readonly value?: bigint }
    | { readonly kind: "deploy"; readonly code: Hex; readonly value?: bigint }
    | { readonly kind: "updateKey"; readonly key: AccountKey }
    | { readonly kind: "cancel" }
    | { readonly kind: "anchor"; readonly data: Hex }
  )
