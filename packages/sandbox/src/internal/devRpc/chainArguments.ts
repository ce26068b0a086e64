import type { Signature } from "@effect-klaytn/transaction/Signature"
import { fromTypeInt, type TransactionType, wireName } from "@effect-klaytn/transaction/TransactionType"
import * as Either from "effect/Either"
import { decodeFields, ethFields } from "../rpc/CallArguments.js"
import { Numeral } from "../rpc/Json.js"
import { address, big, bool, data, type Decoded, isRecord, list, make, wrongType } from "../rpc/ParamDecoder.js"
import { count } from "./devRpcParams.js"

/** The number of a transaction type: a JSON number of 16 bits. */
const typeInt = make((value): Decoded<number> => {
  const text = value instanceof Numeral ? value.text : `${value}`
  if (typeof value !== "number" && !(value instanceof Numeral)) return wrongType(value, "types.TxType")
  return /^\d{1,5}$/.test(text) && Number(text) < 2 ** 16
    ? Either.right(Number(text))
    : wrongType(value, "types.TxType")
})

const signature = make((value): Decoded<Signature> => {
  if (!isRecord(value)) return wrongType(value, "types.TxSignatureJSON")
  return Either.map(
    decodeFields(value, { V: big, R: big, S: big }, "TxSignatureJSON"),
    ({ R: r = 0n, S: s = 0n, V: v = 0n }) => ({ v, r, s })
  )
})

const fields = {
  ...ethFields,
  typeInt,
  codeFormat: count,
  humanReadable: bool,
  key: data,
  feePayer: address,
  feeRatio: count,
  signatures: list(signature, "types.TxSignaturesJSON")
}

/** A transaction of any type, as `kaia` takes it. */
export const chainSend = make((value) =>
  isRecord(value) ? decodeFields(value, fields, "SendTxArgs") : wrongType(value, "api.SendTxArgs")
)

/** A transaction that a node of the chain is to fill in and sign. */
export type ChainArguments = Either.Either.Right<ReturnType<typeof chainSend.decode>>

type Field = Exclude<keyof ChainArguments, "from" | "signatures">

/** The fields in the order in which a node checks them, and its names for them. */
const checked: ReadonlyArray<readonly [Field, tag: string]> = [
  ["typeInt", "typeInt"],
  ["to", "to"],
  ["gas", "gas"],
  ["gasPrice", "gasPrice"],
  ["maxPriorityFeePerGas", "maxPriorityFeePerGas"],
  ["maxFeePerGas", "maxFeePerGas"],
  ["value", "value"],
  ["nonce", "nonce"],
  ["data", "data"],
  ["input", "input"],
  ["codeFormat", "codeFormat"],
  ["humanReadable", "humanReadable"],
  ["key", "key"],
  ["accessList", "accessList,omitempty"],
  ["chainId", "chainId,omitempty"],
  ["authorizationList", "authorizationList,omitempty"],
  ["feePayer", "feePayer"],
  ["feeRatio", "feeRatio"]
]

const own: Readonly<Record<string, ReadonlyArray<Field>>> = {
  ValueTransfer: ["to", "value"],
  ValueTransferMemo: ["to", "value", "input"],
  AccountUpdate: ["key"],
  SmartContractDeploy: ["to", "value", "input", "codeFormat", "humanReadable"],
  SmartContractExecution: ["to", "value", "input"],
  Cancel: [],
  ChainDataAnchoring: ["input"]
}

const fieldsOf = (type: TransactionType): ReadonlySet<Field> => {
  const plain = type.replace(/^FeeDelegated|WithRatio$/g, "")
  return new Set<Field>([
    ...["typeInt", "gas", "gasPrice", "nonce"] as const,
    ...own[plain] ?? [],
    ...(type.startsWith("FeeDelegated") ? ["feePayer"] as const : []),
    ...(type.endsWith("WithRatio") ? ["feeRatio"] as const : [])
  ])
}

/** What a node says of a field that is missing or is not one of the type; undefined if there is none. */
export const fieldFault = (args: ChainArguments): string | undefined => {
  const type = fromTypeInt(args.typeInt ?? 0)
  const fields = type === undefined ? new Set<Field>() : fieldsOf(type)
  const name = type === undefined ? "UndefinedTxType" : wireName(type)
  for (const [field, tag] of checked) {
    const isGiven = args[field] !== undefined
    const mayLack = field === "to" && type?.includes("SmartContractDeploy") === true
    if (!isGiven && fields.has(field) && !mayLack) return `json:"${tag}" is required for ${name}`
    if (isGiven && !fields.has(field)) return `json:"${tag}" is not a field of ${name}`
  }
  return undefined
}
