/**
 * Receipts as `klay_` and `kaia_` methods return them.
 *
 * **Details**
 *
 * A receipt holds the whole transaction with its type-specific fields (see `Transaction`; its hash is called
 * `transactionHash` here) and its result. There is no cumulative gas: only `eth_` methods return that.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as field from "./internal/field.js"
import * as internal from "./internal/transaction.js"
import { errorTexts } from "./internal/txError.js"
import { Log } from "./Log.js"

const schema = internal.union({
  transactionHash: Hash.FromWire,
  ...internal.common,
  /** 1 for success, 0 for failure: a failed transaction moved nothing but the fee. */
  status: field.SmallQuantity,
  /** Why it failed, see {@link txErrorText}. */
  txError: field.absent(field.SmallQuantity),
  gasUsed: BigIntFromQuantity,
  /** In peb; nodes before v1.8 leave it out. */
  effectiveGasPrice: field.absent(PebFromQuantity),
  logsBloom: field.absent(HexDataFromWire),
  logs: Schema.Array(Log),
  /** Set when a contract was created. */
  contractAddress: field.absent(Address.FromWire),
  blobGasUsed: field.absent(BigIntFromQuantity),
  blobGasPrice: field.absent(PebFromQuantity)
})

type Member<Tag> = Extract<typeof schema.Type, { readonly _tag: Tag }>

// Interfaces, so that types show the name of a receipt instead of its fields.
interface LegacyTransaction extends Member<"LegacyTransaction"> {}
interface ValueTransfer extends Member<"ValueTransfer"> {}
interface FeeDelegatedValueTransfer extends Member<"FeeDelegatedValueTransfer"> {}
interface FeeDelegatedValueTransferWithRatio extends Member<"FeeDelegatedValueTransferWithRatio"> {}
interface ValueTransferMemo extends Member<"ValueTransferMemo"> {}
interface FeeDelegatedValueTransferMemo extends Member<"FeeDelegatedValueTransferMemo"> {}
interface FeeDelegatedValueTransferMemoWithRatio extends Member<"FeeDelegatedValueTransferMemoWithRatio"> {}
interface AccountUpdate extends Member<"AccountUpdate"> {}
interface FeeDelegatedAccountUpdate extends Member<"FeeDelegatedAccountUpdate"> {}
interface FeeDelegatedAccountUpdateWithRatio extends Member<"FeeDelegatedAccountUpdateWithRatio"> {}
interface SmartContractDeploy extends Member<"SmartContractDeploy"> {}
interface FeeDelegatedSmartContractDeploy extends Member<"FeeDelegatedSmartContractDeploy"> {}
interface FeeDelegatedSmartContractDeployWithRatio extends Member<"FeeDelegatedSmartContractDeployWithRatio"> {}
interface SmartContractExecution extends Member<"SmartContractExecution"> {}
interface FeeDelegatedSmartContractExecution extends Member<"FeeDelegatedSmartContractExecution"> {}
interface FeeDelegatedSmartContractExecutionWithRatio extends Member<"FeeDelegatedSmartContractExecutionWithRatio"> {}
interface Cancel extends Member<"Cancel"> {}
interface FeeDelegatedCancel extends Member<"FeeDelegatedCancel"> {}
interface FeeDelegatedCancelWithRatio extends Member<"FeeDelegatedCancelWithRatio"> {}
interface ChainDataAnchoring extends Member<"ChainDataAnchoring"> {}
interface FeeDelegatedChainDataAnchoring extends Member<"FeeDelegatedChainDataAnchoring"> {}
interface FeeDelegatedChainDataAnchoringWithRatio extends Member<"FeeDelegatedChainDataAnchoringWithRatio"> {}
interface EthereumAccessList extends Member<"EthereumAccessList"> {}
interface EthereumDynamicFee extends Member<"EthereumDynamicFee"> {}
interface EthereumBlob extends Member<"EthereumBlob"> {}
interface EthereumSetCode extends Member<"EthereumSetCode"> {}
interface UnknownTransaction extends Member<"UnknownTransaction"> {}

/**
 * The receipt of a transaction of any type.
 *
 * @since 0.1.0
 * @category models
 */
export type Receipt =
  | LegacyTransaction
  | ValueTransfer
  | FeeDelegatedValueTransfer
  | FeeDelegatedValueTransferWithRatio
  | ValueTransferMemo
  | FeeDelegatedValueTransferMemo
  | FeeDelegatedValueTransferMemoWithRatio
  | AccountUpdate
  | FeeDelegatedAccountUpdate
  | FeeDelegatedAccountUpdateWithRatio
  | SmartContractDeploy
  | FeeDelegatedSmartContractDeploy
  | FeeDelegatedSmartContractDeployWithRatio
  | SmartContractExecution
  | FeeDelegatedSmartContractExecution
  | FeeDelegatedSmartContractExecutionWithRatio
  | Cancel
  | FeeDelegatedCancel
  | FeeDelegatedCancelWithRatio
  | ChainDataAnchoring
  | FeeDelegatedChainDataAnchoring
  | FeeDelegatedChainDataAnchoringWithRatio
  | EthereumAccessList
  | EthereumDynamicFee
  | EthereumBlob
  | EthereumSetCode
  | UnknownTransaction

/**
 * The receipt of one transaction type, by its tag.
 *
 * @since 0.1.0
 * @category models
 */
export type Of<Tag extends Receipt["_tag"]> = Extract<Receipt, { readonly _tag: Tag }>

/**
 * The receipt of a transaction of any type, discriminated by `_tag`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Receipt: Schema.Schema<Receipt, unknown> = schema

/**
 * Whether the transaction succeeded.
 *
 * @since 0.1.0
 * @category guards
 */
export const isSuccess = (receipt: Receipt): boolean => receipt.status === 1

/**
 * The meaning of a `txError`, from the node's code; `undefined` for an unknown number.
 *
 * @example
 * ```ts
 * import * as Receipt from "@effect-klaytn/node/Receipt"
 *
 * console.log(Receipt.txErrorText(9)) // "execution reverted"
 * ```
 *
 * @since 0.1.0
 * @category formatting
 */
export const txErrorText = (code: number): string | undefined => errorTexts.get(code)
