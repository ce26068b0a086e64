/**
 * Runs code without a transaction.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { SignedAuthorization } from "@effect-klaytn/transaction/TransactionBody"

/**
 * The addresses and 32-byte slots that a transaction declares in advance.
 *
 * @category models
 */
export type AccessList = ReadonlyArray<{ readonly address: Hex; readonly storageKeys: ReadonlyArray<Hex> }>

/**
 * A message to run and roll back. It costs nothing, and the sender needs no balance for its value.
 *
 * @category models
 */
export interface CallRequest {
  /** Default: the zero address. */
  readonly from?: Hex | undefined
  /** If absent, the data is the code of a contract to create. */
  readonly to?: Hex | undefined
  /** peb */
  readonly value?: bigint | undefined
  readonly data?: Hex | undefined
  /** Gas for the execution. Default and maximum: 500,000,000. After 20 seconds it fails, with the fault `time limit`. */
  readonly gas?: bigint | undefined
  /** The block after which it runs. Default: the newest. */
  readonly block?: number | undefined
  /** Addresses and slots that are warm from the start. Default: none. */
  readonly accessList?: AccessList | undefined
  /** Accounts that run the code of a contract during the call. Default: none. */
  readonly authorizationList?: ReadonlyArray<SignedAuthorization> | undefined
  /** The gas price that the code sees, in peb: at least the base fee of the block. Default: twice that, as a node has it. */
  readonly gasPrice?: bigint | undefined
  /** Whether the value is really moved, for which the sender must have it. Default: false. */
  readonly movesValue?: boolean | undefined
  /** State overrides of accounts for the duration of the call. */
  readonly overrides?: ReadonlyMap<Hex, AccountOverride> | undefined
  /** Fields of the block that the code sees. Default: those of the block after which it runs. */
  readonly blockOverride?: BlockOverride | undefined
}

/**
 * Overrides the block that a call runs in. Fields that are left out stay unchanged.
 *
 * @category models
 */
export interface BlockOverride {
  readonly number?: number
  /** Unix seconds. */
  readonly timestamp?: number
  /** The address that COINBASE gives. */
  readonly miner?: Hex
  readonly gasLimit?: bigint
  /** peb */
  readonly baseFeePerGas?: bigint
  /** The 32 bytes that PREVRANDAO gives. */
  readonly mixHash?: Hex
}

/**
 * Overrides the state of an account for the duration of a call. Fields that are left out stay unchanged.
 *
 * @category models
 */
export interface AccountOverride {
  readonly nonce?: bigint
  /** peb */
  readonly balance?: bigint
  readonly code?: Hex
  /** Replaces the whole storage. */
  readonly state?: ReadonlyMap<Hex, Hex>
  /** Replaces these slots only. */
  readonly stateDiff?: ReadonlyMap<Hex, Hex>
}

/**
 * The result of a call.
 *
 * @category models
 */
export interface CallResult {
  /** Absent if it succeeded; otherwise the node's code, such as 0x9 for a revert. */
  readonly txError: number | undefined
  /** The EVM's own error message, or `time limit`; absent if the call succeeded. */
  readonly fault: string | undefined
  /** The returned data; for a revert, the reason as the contract encoded it. */
  readonly data: Hex
  /** Gas of the execution alone. */
  readonly gasUsed: bigint
}

/**
 * The result of a call with its cost in the chain's count of computation.
 *
 * @category models
 */
export interface MeasuredCall extends CallResult {
  readonly computationCost: bigint
}

/**
 * How much gas a transaction with this message needs, including the intrinsic cost.
 *
 * - `enough`: it succeeds with `gas` and fails with less.
 * - `fails`: it fails however much gas it has.
 * - `tooLittle`: the gas limit of the request, or the maximum, is not enough.
 *
 * @category models
 */
export type GasEstimate =
  | { readonly kind: "enough"; readonly gas: bigint }
  | { readonly kind: "fails"; readonly result: CallResult }
  | { readonly kind: "tooLittle"; readonly limit: bigint }

/**
 * The addresses and slots that a message touches.
 *
 * - `listed`: the access list of a transaction with this message, and the result of executing it with that list.
 *   `gasUsed` is all gas that the transaction is charged: the intrinsic cost, the list and the execution, less refunds.
 * - `tooLittle`: the gas limit of the request does not cover the intrinsic cost of a transaction with the list.
 *
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
