/**
 * The body and the signatures of each transaction type.
 *
 * Units everywhere: amounts and gas prices in peb (10^-18 KLAY), gas in units of gas, nonces as counts, all `bigint`;
 * addresses and data as hexadecimal text. Field lists are those of the chain's documentation.
 */
import type { AccountKey } from "./AccountKey.js"
import type { Hex } from "./Hex.js"
import type { Signature } from "./Signature.js"
import type { FeeDelegatedType, TransactionType } from "./TransactionType.js"

/**
 * The fields of every body. `nonce`: how many transactions the sender has sent before (64 bits). `gas`: the gas limit
 * (64 bits).
 *
 * @category models
 */
export interface Body {
  readonly nonce: bigint
  readonly gas: bigint
}

/**
 * The fields of all Klaytn types: the price of a unit of gas in peb, and the sender's address, which is explicit
 * because it can't be derived from a key that was changed.
 *
 * @category models
 */
export interface Klaytn extends Body {
  readonly gasPrice: bigint
  readonly from: Hex
}

/**
 * Moves `value` peb to `to`.
 *
 * @category models
 */
export interface ValueTransfer extends Klaytn {
  readonly to: Hex
  readonly value: bigint
}

/**
 * A value transfer with a message, or a contract call with its call data, in `input`.
 *
 * @category models
 */
export interface WithInput extends ValueTransfer {
  readonly input: Hex
}

/**
 * Replaces the sender's account key with `key`.
 *
 * @category models
 */
export interface AccountUpdate extends Klaytn {
  readonly key: AccountKey
}

/**
 * Creates a contract from the code in `input`. `to` is left out (the chain refuses it today, though old examples have
 * one), `humanReadable` is false, `codeFormat` is 0 (EVM).
 *
 * @category models
 */
export interface SmartContractDeploy extends Klaytn {
  readonly to?: Hex
  readonly value: bigint
  readonly input: Hex
  readonly humanReadable: boolean
  readonly codeFormat: number
}

/**
 * Anchors the data in `input`.
 *
 * @category models
 */
export interface ChainDataAnchoring extends Klaytn {
  readonly input: Hex
}

/**
 * The oldest form: no sender, and no `to` if it creates a contract. Accepted only from accounts with
 * `AccountKeyLegacy`.
 *
 * @category models
 */
export interface Legacy extends Body {
  readonly gasPrice: bigint
  readonly to?: Hex
  readonly value: bigint
  readonly input: Hex
}

/**
 * An address and the storage slots (32 bytes each) that a transaction declares it will access.
 *
 * @category models
 */
export interface AccessListEntry {
  readonly address: Hex
  readonly storageKeys: ReadonlyArray<Hex>
}

/**
 * A transaction with an access list. Accepted only from accounts with `AccountKeyLegacy`.
 *
 * @category models
 */
export interface EthereumAccessList extends Legacy {
  readonly chainId: number
  readonly accessList: ReadonlyArray<AccessListEntry>
}

/**
 * Like `EthereumAccessList`, with a fee cap and a tip in peb per unit of gas instead of a gas price.
 *
 * @category models
 */
export interface EthereumDynamicFee extends Body {
  readonly chainId: number
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly to?: Hex
  readonly value: bigint
  readonly input: Hex
  readonly accessList: ReadonlyArray<AccessListEntry>
}

/**
 * The blobs of a transaction, which travel beside it and are neither signed nor hashed: the chain keeps them for 21 days.
 *
 * `blobs` have 131,072 bytes each, a `commitment` and each of the `proofs` 48. Version 1 has 128 proofs for each blob, one for
 * each of its cells (EIP-7594); the chain refuses version 0, which has one proof for a whole blob.
 *
 * @category models
 */
export interface BlobSidecar {
  readonly version: 0 | 1
  readonly blobs: ReadonlyArray<Hex>
  readonly commitments: ReadonlyArray<Hex>
  readonly proofs: ReadonlyArray<Hex>
}

/**
 * Like `EthereumDynamicFee`, for a call with blobs (EIP-4844), which the chain takes since its Osaka upgrade. It names their
 * hashes of 32 bytes, and the most that it pays for a unit of blob gas, in peb. A blob takes 131,072 units. It is sent
 * with its `sidecar`; blocks have it without.
 *
 * @category models
 */
export interface EthereumBlob extends EthereumDynamicFee {
  readonly to: Hex
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: ReadonlyArray<Hex>
  readonly sidecar?: BlobSidecar
}

/**
 * The permission of an account to run the code of `address` as its own from then on (EIP-7702); the zero address removes
 * that code. `chainId` 0 stands for every chain. `nonce` is the account's at that moment. The signature names the account.
 *
 * @category models
 */
export interface SignedAuthorization {
  readonly chainId: bigint
  readonly address: Hex
  readonly nonce: bigint
  /** 0 or 1 in a valid signature. The chain passes over an authorization that is not valid. */
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

/**
 * Like `EthereumDynamicFee`, for a call that first sets the code of the accounts that have signed `authorizationList`.
 *
 * @category models
 */
export interface EthereumSetCode extends EthereumDynamicFee {
  readonly to: Hex
  readonly authorizationList: ReadonlyArray<SignedAuthorization>
}

/**
 * The account that pays the fee. Absent until a fee payer is known.
 *
 * @category models
 */
export interface FeePayer {
  readonly feePayer?: Hex
}

/**
 * A shared fee: the fee payer pays `feeRatio` percent (1 to 99), the sender the rest.
 *
 * @category models
 */
export interface FeeRatio extends FeePayer {
  readonly feeRatio: number
}

/**
 * The body of every type.
 *
 * @category models
 */
export interface Bodies extends Record<TransactionType, Body> {
  readonly LegacyTransaction: Legacy
  readonly ValueTransfer: ValueTransfer
  readonly FeeDelegatedValueTransfer: ValueTransfer & FeePayer
  readonly FeeDelegatedValueTransferWithRatio: ValueTransfer & FeeRatio
  readonly ValueTransferMemo: WithInput
  readonly FeeDelegatedValueTransferMemo: WithInput & FeePayer
  readonly FeeDelegatedValueTransferMemoWithRatio: WithInput & FeeRatio
  readonly AccountUpdate: AccountUpdate
  readonly FeeDelegatedAccountUpdate: AccountUpdate & FeePayer
  readonly FeeDelegatedAccountUpdateWithRatio: AccountUpdate & FeeRatio
  readonly SmartContractDeploy: SmartContractDeploy
  readonly FeeDelegatedSmartContractDeploy: SmartContractDeploy & FeePayer
  readonly FeeDelegatedSmartContractDeployWithRatio: SmartContractDeploy & FeeRatio
  readonly SmartContractExecution: WithInput
  readonly FeeDelegatedSmartContractExecution: WithInput & FeePayer
  readonly FeeDelegatedSmartContractExecutionWithRatio: WithInput & FeeRatio
  readonly Cancel: Klaytn
  readonly FeeDelegatedCancel: Klaytn & FeePayer
  readonly FeeDelegatedCancelWithRatio: Klaytn & FeeRatio
  readonly ChainDataAnchoring: ChainDataAnchoring
  readonly FeeDelegatedChainDataAnchoring: ChainDataAnchoring & FeePayer
  readonly FeeDelegatedChainDataAnchoringWithRatio: ChainDataAnchoring & FeeRatio
  readonly EthereumAccessList: EthereumAccessList
  readonly EthereumDynamicFee: EthereumDynamicFee
  readonly EthereumBlob: EthereumBlob
  readonly EthereumSetCode: EthereumSetCode
}

/**
 * The signatures of each type: the sender's, and for fee-delegated types the fee payer's. An empty list means that
 * nobody has signed yet. Legacy and Ethereum types have at most one.
 *
 * @category models
 */
export type Signatures = {
  readonly [T in TransactionType]: T extends FeeDelegatedType
    ? { readonly signatures: ReadonlyArray<Signature>; readonly feePayerSignatures: ReadonlyArray<Signature> }
    : { readonly signatures: ReadonlyArray<Signature> }
}

/**
 * The transaction of each type, by its name.
 *
 * @category models
 */
export type Transactions = {
  readonly [T in TransactionType]: { readonly type: T } & Bodies[T] & Signatures[T]
}
