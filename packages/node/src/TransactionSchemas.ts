/**
 * The types of transactions, described once for transactions and receipts: `Transaction` and `Receipt` are made of them.
 */
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"
import { Log } from "./Log.js"

/**
 * A signature of a sender or fee payer: `{V, R, S}` on the wire, lower case in the domain.
 *
 * @category schemas
 */
export const Signature = Schema.Struct({
  v: Schema.propertySignature(schemas.Quantity).pipe(Schema.fromKey("V")),
  r: Schema.propertySignature(schemas.Quantity).pipe(Schema.fromKey("R")),
  s: Schema.propertySignature(schemas.Quantity).pipe(Schema.fromKey("S"))
})

/**
 * The addresses and storage slots that a transaction declares in advance.
 *
 * @category schemas
 */
export const AccessList = Schema.Array(
  Schema.Struct({ address: schemas.Address, storageKeys: Schema.Array(schemas.Hash) })
).annotations({ identifier: "AccessList" })

/**
 * Authorizations of a set-code transaction.
 *
 * @category schemas
 */
export const AuthorizationList = Schema.Array(
  Schema.Struct({
    chainId: schemas.Quantity,
    address: schemas.Address,
    nonce: schemas.Quantity,
    yParity: schemas.Quantity,
    r: schemas.Quantity,
    s: schemas.Quantity
  })
).annotations({ identifier: "AuthorizationList" })

/** The content of a type whose transactions may create a contract: those have no receiver. */
const legacy = { to: schemas.optional(schemas.Address), value: schemas.Peb, input: schemas.Bytes }

const ethereum = {
  ...legacy,
  chainId: schemas.optional(schemas.Quantity),
  accessList: schemas.optional(AccessList)
}

const feeMarket = {
  ...ethereum,
  maxFeePerGas: schemas.optional(schemas.Peb),
  maxPriorityFeePerGas: schemas.optional(schemas.Peb)
}

const delegated = {
  feePayer: schemas.Address,
  feePayerSignatures: Schema.Array(Signature)
}

const shared = { ...delegated, feeRatio: schemas.SmallQuantity }

/** The fields of every type, both in a transaction and in a receipt. */
const common = {
  senderTxHash: schemas.optional(schemas.Hash),
  typeInt: Schema.Int,
  from: schemas.Address,
  nonce: schemas.Quantity,
  gas: schemas.Quantity,
  gasPrice: schemas.optional(schemas.Peb),
  signatures: schemas.optional(Schema.Array(Signature)),
  blockHash: schemas.optional(schemas.Hash),
  blockNumber: schemas.optional(schemas.Quantity),
  transactionIndex: schemas.optional(schemas.Quantity)
}

const transfer = { to: schemas.Address, value: schemas.Peb }

const call = { ...transfer, input: schemas.Bytes }

const single = <const Name extends string, Common extends Schema.Struct.Fields, Body extends Schema.Struct.Fields>(
  name: Name,
  common: Common,
  body: Body
) => Schema.Struct({ _tag: schemas.tag(`TxType${name}`, name), ...common, ...body }).annotations({ identifier: name })

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

const known: ReadonlySet<unknown> = new Set(TransactionType.all.map(TransactionType.wireName))

const nowhere = /^0x0{64}$/

/** Drops the zeros or nulls that stand for the position of a pending transaction. */
const dropPosition = (record: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } => {
  const hash = record["blockHash"]
  if (typeof hash === "string" && !nowhere.test(hash)) return record
  const { blockHash: _hash, blockNumber: _number, transactionIndex: _index, ...rest } = record
  return rest
}

/** An unknown type becomes `UnknownTransaction`, which keeps the record; `chainID` is an early spelling. */
const prepare = (record: { readonly [key: string]: unknown }): unknown => {
  const placed = schemas.dropUncreated(
    dropPosition("chainID" in record ? { chainId: record["chainID"], ...record } : record)
  )
  return known.has(record["type"])
    ? placed
    : { ...placed, type: "Unknown", typeName: String(record["type"]), record }
}

/** The union of all types; each member has these fields too. */
const union = <Fields extends Schema.Struct.Fields>(fields: Fields) => {
  const all = { ...common, ...fields }
  const members = Schema.Union(
    single("LegacyTransaction", all, legacy),
    ...family("ValueTransfer", all, transfer),
    ...family("ValueTransferMemo", all, call),
    ...family("AccountUpdate", all, { key: schemas.Bytes }),
    ...family("SmartContractDeploy", all, {
      ...legacy,
      humanReadable: Schema.Boolean,
      codeFormat: schemas.SmallQuantity
    }),
    ...family("SmartContractExecution", all, call),
    ...family("Cancel", all, {}),
    ...family("ChainDataAnchoring", all, { input: schemas.Bytes, inputJSON: schemas.optional(Schema.Unknown) }),
    single("EthereumAccessList", all, ethereum),
    single("EthereumDynamicFee", all, feeMarket),
    single("EthereumBlob", all, {
      ...feeMarket,
      maxFeePerBlobGas: schemas.optional(schemas.Peb),
      blobVersionedHashes: schemas.optional(Schema.Array(schemas.Hash))
    }),
    single("EthereumSetCode", all, { ...feeMarket, authorizationList: schemas.optional(AuthorizationList) }),
    Schema.Struct({
      _tag: schemas.tag("Unknown", "UnknownTransaction"),
      ...all,
      typeName: Schema.String,
      record: Schema.Record({ key: Schema.String, value: Schema.Unknown })
    }).annotations({ identifier: "UnknownTransaction" })
  )
  return schemas.prepare(members, prepare)
}

type Member<Tag> = Extract<Schema.Schema.Type<ReturnType<typeof union<Record<never, never>>>>, { readonly _tag: Tag }>

// Interfaces, so that types show the name of a transaction type instead of its fields.
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
 * A transaction of any type, with the fields that transactions and receipts share.
 *
 * @category models
 */
export type AnyType =
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

const transactionFields = { hash: schemas.Hash }

/**
 * What only a transaction has: its hash.
 *
 * @category models
 */
export interface TransactionFields extends Schema.Struct.Type<typeof transactionFields> {}

/**
 * Transactions of any type.
 *
 * @category schemas
 */
export const transactions: Schema.Schema<AnyType & TransactionFields, unknown> = union(transactionFields)

const receiptFields = {
  transactionHash: schemas.Hash,
  /** 1 for success, 0 for failure: a failed transaction moved nothing but the fee. */
  status: schemas.SmallQuantity,
  /** Why it failed, see `Receipt.txErrorText`. */
  txError: schemas.optional(schemas.SmallQuantity),
  gasUsed: schemas.Quantity,
  /** In peb; nodes before v1.8 leave it out. */
  effectiveGasPrice: schemas.optional(schemas.Peb),
  logsBloom: schemas.optional(schemas.Bytes),
  logs: Schema.Array(Log),
  /**
   * The contract that was created: of a creation that succeeded only. Kaia names an address for cancellations, updates of accounts,
   * anchored data and failed creations too, where no contract is.
   */
  contractAddress: schemas.optional(schemas.Address),
  blobGasUsed: schemas.optional(schemas.Quantity),
  blobGasPrice: schemas.optional(schemas.Peb)
}

/**
 * What only a receipt has: the result of the transaction.
 *
 * @category models
 */
export interface ReceiptFields extends Schema.Struct.Type<typeof receiptFields> {}

/**
 * Receipts of any type.
 *
 * @category schemas
 */
export const receipts: Schema.Schema<AnyType & ReceiptFields, unknown> = union(receiptFields)
