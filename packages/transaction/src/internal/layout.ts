import type { AccountKey } from "../AccountKey.js"
import type { Hex } from "../Hex.js"
import type { Signature } from "../Signature.js"
import type { AccessListEntry } from "../TransactionBody.js"
import type { TransactionType } from "../TransactionType.js"

/** Every field of every type, as the codec over the layouts reads and writes them. */
export interface Fields {
  chainId?: number
  nonce?: bigint
  gasPrice?: bigint
  maxPriorityFeePerGas?: bigint
  maxFeePerGas?: bigint
  gas?: bigint
  to?: Hex
  value?: bigint
  from?: Hex
  input?: Hex
  key?: AccountKey
  humanReadable?: boolean
  feeRatio?: number
  codeFormat?: number
  accessList?: ReadonlyArray<AccessListEntry>
  signatures?: ReadonlyArray<Signature>
  feePayer?: Hex
  feePayerSignatures?: ReadonlyArray<Signature>
}

/** `creation` is `to` where it may be empty. */
export type Field = Exclude<keyof Fields, "signatures" | "feePayer" | "feePayerSignatures"> | "creation"

type Layout = ReadonlyArray<Field>

const cancel: Layout = ["nonce", "gasPrice", "gas", "from"]
const transfer: Layout = ["nonce", "gasPrice", "gas", "to", "value", "from"]
const withInput: Layout = [...transfer, "input"]
const update: Layout = [...cancel, "key"]
const code: Layout = ["nonce", "gasPrice", "gas", "creation", "value", "from", "input", "humanReadable"]
const deploy: Layout = [...code, "codeFormat"]
const anchoring: Layout = [...cancel, "input"]
const ratio = (layout: Layout): Layout => [...layout, "feeRatio"]

/** The fields between the type byte and the signatures, in order. */
export const layouts: Record<TransactionType, Layout> = {
  LegacyTransaction: ["nonce", "gasPrice", "gas", "creation", "value", "input"],
  ValueTransfer: transfer,
  FeeDelegatedValueTransfer: transfer,
  FeeDelegatedValueTransferWithRatio: ratio(transfer),
  ValueTransferMemo: withInput,
  FeeDelegatedValueTransferMemo: withInput,
  FeeDelegatedValueTransferMemoWithRatio: ratio(withInput),
  AccountUpdate: update,
  FeeDelegatedAccountUpdate: update,
  FeeDelegatedAccountUpdateWithRatio: ratio(update),
  SmartContractDeploy: deploy,
  FeeDelegatedSmartContractDeploy: deploy,
  // The one type whose ratio is not the last field.
  FeeDelegatedSmartContractDeployWithRatio: [...ratio(code), "codeFormat"],
  SmartContractExecution: withInput,
  FeeDelegatedSmartContractExecution: withInput,
  FeeDelegatedSmartContractExecutionWithRatio: ratio(withInput),
  Cancel: cancel,
  FeeDelegatedCancel: cancel,
  FeeDelegatedCancelWithRatio: ratio(cancel),
  ChainDataAnchoring: anchoring,
  FeeDelegatedChainDataAnchoring: anchoring,
  FeeDelegatedChainDataAnchoringWithRatio: ratio(anchoring),
  EthereumAccessList: ["chainId", "nonce", "gasPrice", "gas", "creation", "value", "input", "accessList"],
  EthereumDynamicFee: [
    "chainId",
    "nonce",
    "maxPriorityFeePerGas",
    "maxFeePerGas",
    "gas",
    "creation",
    "value",
    "input",
    "accessList"
  ]
}
