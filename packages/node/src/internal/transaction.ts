/** The fields of every transaction type, and their union. */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import { AccessList, AuthorizationList } from "../AccessList.js"
import * as field from "./field.js"

/** A signature: `{V, R, S}` on the wire, lower case in the domain. */
export const Signature = Schema.Struct({
  v: Schema.propertySignature(BigIntFromQuantity).pipe(Schema.fromKey("V")),
  r: Schema.propertySignature(BigIntFromQuantity).pipe(Schema.fromKey("R")),
  s: Schema.propertySignature(BigIntFromQuantity).pipe(Schema.fromKey("S"))
})

const ethereum = {
  to: field.absent(Address.FromWire),
  value: PebFromQuantity,
  input: HexDataFromWire,
  chainId: field.absent(BigIntFromQuantity),
  accessList: field.absent(AccessList)
}

const feeMarket = {
  ...ethereum,
  maxFeePerGas: field.absent(PebFromQuantity),
  maxPriorityFeePerGas: field.absent(PebFromQuantity)
}

const delegated = {
  feePayer: Address.FromWire,
  feePayerSignatures: Schema.Array(Signature)
}

const shared = { ...delegated, feeRatio: field.SmallQuantity }

const bodies = {
  LegacyTransaction: { to: field.absent(Address.FromWire), value: PebFromQuantity, input: HexDataFromWire },
  ValueTransfer: { to: Address.FromWire, value: PebFromQuantity },
  ValueTransferMemo: { to: Address.FromWire, value: PebFromQuantity, input: HexDataFromWire },
  AccountUpdate: { key: HexDataFromWire },
  SmartContractDeploy: {
    to: field.absent(Address.FromWire),
    value: PebFromQuantity,
    input: HexDataFromWire,
    humanReadable: Schema.Boolean,
    codeFormat: field.SmallQuantity
  },
  SmartContractExecution: { to: Address.FromWire, value: PebFromQuantity, input: HexDataFromWire },
  Cancel: {},
  ChainDataAnchoring: { input: HexDataFromWire, inputJSON: field.absent(Schema.Unknown) },
  EthereumAccessList: ethereum,
  EthereumDynamicFee: feeMarket,
  EthereumBlob: {
    ...feeMarket,
    maxFeePerBlobGas: field.absent(PebFromQuantity),
    blobVersionedHashes: field.absent(Schema.Array(Hash.FromWire))
  },
  EthereumSetCode: { ...feeMarket, authorizationList: field.absent(AuthorizationList) }
}

const single = <const Name extends string, Common extends Schema.Struct.Fields, Body extends Schema.Struct.Fields>(
  name: Name,
  common: Common,
  body: Body
) => Schema.Struct({ _tag: field.tagged(`TxType${name}`, name), ...common, ...body }).annotations({ identifier: name })

const family = <const Name extends string, Common extends Schema.Struct.Fields, Body extends Schema.Struct.Fields>(
  name: Name,
  common: Common,
  body: Body
) =>
  [
    single(name, common, body),
    single(`FeeDelegated${name}`, common, { ...body, ...delegated }),
    single(`FeeDelegated${name}WithRatio`, common, { ...body, ...shared })
  ] as const

const singles = [
  "LegacyTransaction",
  "EthereumAccessList",
  "EthereumDynamicFee",
  "EthereumBlob",
  "EthereumSetCode"
] as const

const families = [
  "ValueTransfer",
  "ValueTransferMemo",
  "AccountUpdate",
  "SmartContractDeploy",
  "SmartContractExecution",
  "Cancel",
  "ChainDataAnchoring"
] as const

const known: ReadonlySet<unknown> = new Set([
  ...singles.map((name) => `TxType${name}`),
  ...families.flatMap((name) => [`TxType${name}`, `TxTypeFeeDelegated${name}`, `TxTypeFeeDelegated${name}WithRatio`])
])

const nowhere = /^0x0{64}$/

/** Drops the zeros or nulls that stand for the position of a pending transaction. */
const unplaced = (record: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } => {
  const hash = record["blockHash"]
  if (typeof hash === "string" && !nowhere.test(hash)) return record
  const { blockHash: _hash, blockNumber: _number, transactionIndex: _index, ...rest } = record
  return rest
}

/** An unknown type becomes `UnknownTransaction`, which keeps the record; `chainID` is an early spelling. */
const prepare = (record: { readonly [key: string]: unknown }): unknown => {
  const placed = unplaced("chainID" in record ? { chainId: record["chainID"], ...record } : record)
  return known.has(record["type"])
    ? placed
    : { ...placed, type: "Unknown", typeName: String(record["type"]), record }
}

/** The union of all types; each member includes the common fields. */
export const union = <Common extends Schema.Struct.Fields>(common: Common) => {
  const members = Schema.Union(
    single("LegacyTransaction", common, bodies.LegacyTransaction),
    ...family("ValueTransfer", common, bodies.ValueTransfer),
    ...family("ValueTransferMemo", common, bodies.ValueTransferMemo),
    ...family("AccountUpdate", common, bodies.AccountUpdate),
    ...family("SmartContractDeploy", common, bodies.SmartContractDeploy),
    ...family("SmartContractExecution", common, bodies.SmartContractExecution),
    ...family("Cancel", common, bodies.Cancel),
    ...family("ChainDataAnchoring", common, bodies.ChainDataAnchoring),
    single("EthereumAccessList", common, bodies.EthereumAccessList),
    single("EthereumDynamicFee", common, bodies.EthereumDynamicFee),
    single("EthereumBlob", common, bodies.EthereumBlob),
    single("EthereumSetCode", common, bodies.EthereumSetCode),
    Schema.Struct({
      _tag: field.tagged("Unknown", "UnknownTransaction"),
      ...common,
      typeName: Schema.String,
      record: Schema.Record({ key: Schema.String, value: Schema.Unknown })
    }).annotations({ identifier: "UnknownTransaction" })
  )
  return field.prepared(members, prepare)
}

/** The fields of every type, both in a transaction and in a receipt. */
export const common = {
  senderTxHash: field.absent(Hash.FromWire),
  typeInt: Schema.Int,
  from: Address.FromWire,
  nonce: BigIntFromQuantity,
  gas: BigIntFromQuantity,
  gasPrice: field.absent(PebFromQuantity),
  signatures: field.absent(Schema.Array(Signature)),
  blockHash: field.absent(Hash.FromWire),
  blockNumber: field.absent(BigIntFromQuantity),
  transactionIndex: field.absent(BigIntFromQuantity)
}
