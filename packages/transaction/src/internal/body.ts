import type { AccountKey } from "../AccountKey.js"
import type { Hex } from "../Hex.js"
import type { Signature } from "../Signature.js"
import type { AccessListEntry, BlobSidecar, SignedAuthorization } from "../TransactionBody.js"
import type { TransactionType } from "../TransactionType.js"
import * as accountKey from "./accountKeyRules.js"
import type { Faults } from "./faults.js"
import * as fields from "./fields.js"
import type { Encodable, Item } from "./rlp.js"

const rejectNil = (type: string | undefined, faults: Faults): void => {
  if (type === "AccountKeyNil") {
    faults.add(
      "InvalidKey",
      "key",
      "AccountKeyNil is only allowed in a role of a role-based key; give another kind of key"
    )
  }
}

const key: fields.Field<AccountKey> = {
  read: (item, path, faults) => {
    const value = accountKey.read(fields.readBytes(item, path, faults), path, faults)
    rejectNil(value.type, faults)
    return value
  },
  write: (value, path, faults) => {
    rejectNil(value?.type, faults)
    return accountKey.write(value, path, faults)
  }
}

const accessList = fields.list(fields.record<AccessListEntry>({
  address: fields.address,
  storageKeys: fields.list(fields.fixed(32))
}))

const authorizationParts = { chainId: fields.uint256, address: fields.address, nonce: fields.uint64 }

/** The part of an authorization that is signed. */
export const authorization = fields.record<Pick<SignedAuthorization, "chainId" | "address" | "nonce">>(
  authorizationParts
)

const authorizationList = fields.list(fields.record<SignedAuthorization>({
  ...authorizationParts,
  yParity: fields.integer(0, 255),
  r: fields.uint256,
  s: fields.uint256
}))

export const chainId = fields.integer(1, Number.MAX_SAFE_INTEGER)

/** The fields of a body, each with its one form. */
const bodyFields = {
  chainId,
  nonce: fields.uint64,
  gasPrice: fields.uint256,
  maxPriorityFeePerGas: fields.uint256,
  maxFeePerGas: fields.uint256,
  gas: fields.uint64,
  to: fields.address,
  value: fields.uint256,
  from: fields.address,
  input: fields.hex,
  key,
  humanReadable: fields.boolean,
  feeRatio: fields.integer(1, 99),
  codeFormat: fields.integer(0, 255),
  accessList,
  maxFeePerBlobGas: fields.uint256,
  blobVersionedHashes: fields.list(fields.fixed(32)),
  authorizationList
}

type Values = {
  readonly [K in keyof typeof bodyFields]: ReturnType<(typeof bodyFields)[K]["read"]>
}

const forms: { readonly [K in keyof Values]: fields.Field<Values[K], Encodable> } = bodyFields

/** Every field of every type, and the signatures. */
export type Fields = { -readonly [K in keyof Values]?: Values[K] } & {
  signatures?: ReadonlyArray<Signature>
  feePayer?: Hex
  feePayerSignatures?: ReadonlyArray<Signature>
  sidecar?: BlobSidecar | undefined
}

/** `creation` is `to` where it may be empty. */
type Name = keyof Values | "creation"

type Layout = ReadonlyArray<Name>

const cancel: Layout = ["nonce", "gasPrice", "gas", "from"]
const transfer: Layout = ["nonce", "gasPrice", "gas", "to", "value", "from"]
const withInput: Layout = [...transfer, "input"]
const update: Layout = [...cancel, "key"]
const code: Layout = ["nonce", "gasPrice", "gas", "creation", "value", "from", "input", "humanReadable"]
const deploy: Layout = [...code, "codeFormat"]
const anchoring: Layout = [...cancel, "input"]
const dynamicFee: Layout = ["chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas"]
const ratio = (layout: Layout): Layout => [...layout, "feeRatio"]

/** The fields between the type byte and the signatures, in order. */
const layouts: Record<TransactionType, Layout> = {
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
  EthereumDynamicFee: [...dynamicFee, "creation", "value", "input", "accessList"],
  EthereumBlob: [
    ...dynamicFee,
    "to",
    "value",
    "input",
    "accessList",
    "maxFeePerBlobGas",
    "blobVersionedHashes"
  ],
  EthereumSetCode: [...dynamicFee, "to", "value", "input", "accessList", "authorizationList"]
}

const writeField = <K extends keyof Values>(
  name: K,
  source: { readonly [N in K]?: Values[N] },
  faults: Faults
): Encodable => forms[name].write(source[name], name, faults)

/** Writes the fields between the type byte and the signatures. */
export const write = (type: TransactionType, source: Fields, faults: Faults): Array<Encodable> =>
  layouts[type].map((name) =>
    name !== "creation"
      ? writeField(name, source, faults)
      : source.to === undefined
      ? new Uint8Array(0)
      : writeField("to", source, faults)
  )

const readField = <K extends keyof Values>(
  name: K,
  item: Item | undefined,
  target: { [N in K]?: Values[N] },
  faults: Faults
): void => {
  target[name] = forms[name].read(item, name, faults)
}

/** Reads those fields from the start of `items` and returns how many items they took. */
export const read = (type: TransactionType, items: ReadonlyArray<Item>, target: Fields, faults: Faults): number => {
  const layout = layouts[type]
  for (const [i, name] of layout.entries()) {
    const item = items[i]
    if (name !== "creation") {
      readField(name, item, target, faults)
    } else if (fields.readBytes(item, "to", faults).length > 0) {
      readField("to", item, target, faults)
    }
  }
  return layout.length
}
