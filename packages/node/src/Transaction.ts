/**
 * Transactions as `klay_` and `kaia_` methods return them.
 *
 * **Details**
 *
 * A tagged union with one member for each type of the chain, `ValueTransfer` to `EthereumSetCode`, named as in the
 * chain's documentation without `TxType`. A type that this SDK does not know becomes `UnknownTransaction`, which keeps
 * the record. The fields follow the node's code:
 *
 * - every type has `hash`, `typeInt`, `from`, `nonce`, `gas` (the limit), `gasPrice` in peb, `signatures`;
 * - fee-delegated types add `feePayer` and `feePayerSignatures`; those with a ratio also `feeRatio`, the percentage
 *   that the fee payer pays;
 * - `senderTxHash` equals `hash` unless the fee is delegated.
 *
 * `blockHash`, `blockNumber` and `transactionIndex` are absent while the transaction is pending: the node then sends
 * zeros, its documentation says null, and both are read.
 *
 * @since 0.1.0
 */
import * as Hash from "@effect-klaytn/core/Hash"
import type * as Schema from "effect/Schema"
import * as internal from "./internal/transaction.js"

const schema = internal.union({ hash: Hash.FromWire, ...internal.common })

type Member<Tag> = Extract<typeof schema.Type, { readonly _tag: Tag }>

// Interfaces, so that types show the name of a transaction instead of its fields.
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
 * A transaction of any type.
 *
 * @since 0.1.0
 * @category models
 */
export type Transaction =
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
 * A transaction of one type, by its tag.
 *
 * @since 0.1.0
 * @category models
 */
export type Of<Tag extends Transaction["_tag"]> = Extract<Transaction, { readonly _tag: Tag }>

/**
 * A transaction of any type, discriminated by `_tag`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Transaction: Schema.Schema<Transaction, unknown> = schema

/**
 * Whether the transaction is still in the pool and not in a block.
 *
 * @since 0.1.0
 * @category guards
 */
export const isPending = (transaction: Transaction): boolean => transaction.blockHash === undefined

/**
 * A signature of a sender or fee payer, as integers. On the wire its parts are named `V`, `R` and `S` and have no
 * leading zeros.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Signature = internal.Signature

/**
 * A signature of a sender or fee payer, as integers.
 *
 * @since 0.1.0
 * @category models
 */
export type Signature = typeof Signature.Type
