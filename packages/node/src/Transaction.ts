/**
 * Transactions as `klay_` and `kaia_` methods answer them.
 *
 * **Details**
 *
 * A tagged union with one member for each type of the chain, `ValueTransfer` to `EthereumSetCode`, named as in the
 * chain's documentation without `TxType`, and `UnknownTransaction` for types this SDK does not know, which keeps the
 * record. Fields as in the node's code:
 *
 * - every type has `hash`, `typeInt`, `from`, `nonce`, `gas` (the limit), `gasPrice` in peb, `signatures`;
 * - fee-delegated types add `feePayer` and `feePayerSignatures`; those with a ratio also `feeRatio`, the percentage
 *   that the fee payer pays;
 * - `senderTxHash` equals `hash` unless the fee is delegated.
 *
 * The three fields of the place (`blockHash`, `blockNumber`, `transactionIndex`) are absent while the transaction is
 * pending: the node writes zeros then, its documentation says null, and both are read.
 *
 * @since 0.1.0
 */
import * as Hash from "@effect-klaytn/core/Hash"
import type * as Schema from "effect/Schema"
import * as internal from "./internal/transaction.js"

const schema = internal.union({ hash: Hash.FromWire, ...internal.common })

type Member<Tag> = Extract<typeof schema.Type, { readonly _tag: Tag }>

// Interfaces, so that a type that mentions a transaction names it and does not spell it out.
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
 * That of one type, by its tag.
 *
 * @since 0.1.0
 * @category models
 */
export type Of<Tag extends Transaction["_tag"]> = Extract<Transaction, { readonly _tag: Tag }>

/**
 * A transaction of any type, told apart by `_tag`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Transaction: Schema.Schema<Transaction, unknown> = schema

/**
 * Whether the transaction waits in the pool, so that it has no place in a block yet.
 *
 * @since 0.1.0
 * @category guards
 */
export const isPending = (transaction: Transaction): boolean => transaction.blockHash === undefined

/**
 * One signature of a sender or of a fee payer, as whole numbers. On the wire its parts are named `V`, `R` and `S` and
 * have no leading zeros.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Signature = internal.Signature

/**
 * One signature of a sender or of a fee payer, as whole numbers.
 *
 * @since 0.1.0
 * @category models
 */
export type Signature = typeof Signature.Type
