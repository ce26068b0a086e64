import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { SignedAuthorization } from "@effect-klaytn/transaction/TransactionBody"
import * as Either from "effect/Either"
import type { AccessList, AccountOverride } from "../../Call.js"
import type * as Param from "./ParamDecoder.js"
import {
  address,
  big,
  data,
  fail,
  hash,
  isRecord,
  list,
  make,
  type ParamDecoder,
  uint64,
  wrongType
} from "./ParamDecoder.js"

type Fields = { readonly [field: string]: unknown }

type Decoded<Decoders> = { readonly [K in keyof Decoders]?: Decoders[K] extends ParamDecoder<infer A> ? A : never }

/** Decodes the fields of an object, each of which may be missing or null. */
export const decodeFields = <const Decoders extends { readonly [name: string]: ParamDecoder<unknown> }>(
  fields: Fields,
  decoders: Decoders,
  owner: string
): Param.Decoded<Decoded<Decoders>> => {
  const found: Record<string, unknown> = {}
  for (const [name, { decode }] of Object.entries(decoders)) {
    const value = fields[name]
    if (value === undefined || value === null) continue
    const decoded = decode(value)
    if (Either.isLeft(decoded)) return Either.left(decoded.left.inField(`${owner}.${name}`))
    found[name] = decoded.right
  }
  // A cast: every field came from the decoder of its name.
  return Either.right(found as Decoded<Decoders>)
}

const accessTuple = make((value): Param.Decoded<AccessList[number]> => {
  if (!isRecord(value)) return wrongType(value, "types.AccessTuple")
  const owner = Either.mapLeft(address.decode(value["address"]), (error) => error.inField("AccessTuple.address"))
  const storageKeys = Either.mapLeft(
    list(hash, "[]common.Hash").decode(value["storageKeys"] ?? null),
    (error) => error.inField("AccessTuple.storageKeys")
  )
  return Either.all({ address: owner, storageKeys })
})

const accessList = make((value): Param.Decoded<AccessList> =>
  Array.isArray(value) ? list(accessTuple, "types.AccessList").decode(value) : wrongType(value, "types.AccessList")
)

const authorizationFields = { chainId: big, address, nonce: uint64, yParity: uint64, r: big, s: big }

const authorization = make((value): Param.Decoded<SignedAuthorization> => {
  if (!isRecord(value)) return wrongType(value, "types.SetCodeAuthorization")
  return Either.flatMap(decodeFields(value, authorizationFields, "SetCodeAuthorization"), (fields) => {
    const { address: code, chainId, nonce, r, s, yParity } = fields
    return chainId === undefined || code === undefined || nonce === undefined || yParity === undefined ||
        r === undefined || s === undefined
      ? fail("missing required field for SetCodeAuthorization")
      : Either.right({ chainId, address: code, nonce, yParity: Number(yParity), r, s })
  })
})

const callFields = {
  from: address,
  to: address,
  gas: uint64,
  gasPrice: big,
  maxFeePerGas: big,
  maxPriorityFeePerGas: big,
  value: big,
  data,
  input: data,
  accessList,
  authorizationList: list(authorization, "[]types.SetCodeAuthorization"),
  chainId: big
}

/** `eth` takes the nonce too. What runs here has the nonce that is next, whatever it says. */
export const ethFields = { ...callFields, nonce: uint64 }

/** The arguments of a call. */
export type CallArguments = Omit<Decoded<typeof callFields>, "chainId">

/** Decodes the object of a call; `owner` is what a node calls it. */
const argumentsOf = (owner: string, fields: typeof callFields): ParamDecoder<CallArguments> =>
  make((value) => {
    if (value === null) return Either.right({})
    return isRecord(value) ? decodeFields(value, fields, owner) : wrongType(value, `api.${owner}`)
  })

/** A call as `klay` takes it. */
export const klayCall = argumentsOf("CallArgs", callFields)

/** A call as `eth` takes it, and `createAccessList` of all namespaces. */
export const ethCall = argumentsOf("EthTransactionArgs", ethFields)

/** Decodes an object whose keys and values are all of one kind. */
const decodeMap = <K, V>(value: Fields, key: ParamDecoder<K>, item: (value: unknown) => Param.Decoded<V>) =>
  Either.map(
    Either.all(Object.entries(value).map(([name, content]) => Either.all([key.decode(name), item(content)]))),
    (entries) => new Map(entries)
  )

const slots = make((value) =>
  isRecord(value) ? decodeMap(value, hash, hash.decode) : wrongType(value, "map[common.Hash]common.Hash")
)

const overrideFields = { nonce: uint64, code: data, balance: big, state: slots, stateDiff: slots }

const sendFields = { ...ethFields, type: uint64 }

/** A transaction that the sender leaves to the node to fill in and sign. */
export type SendArguments = Decoded<typeof sendFields>

/** A transaction to send, as `eth` takes it. */
export const ethSend: ParamDecoder<SendArguments> = make((value) =>
  isRecord(value) ? decodeFields(value, sendFields, "SendTxArgs") : wrongType(value, "api.SendTxArgs")
)

/** Decodes what accounts are for the time of a call. */
export const stateOverrides = make((value): Param.Decoded<ReadonlyMap<Hex, AccountOverride>> =>
  isRecord(value)
    ? decodeMap(value, address, (account) =>
      isRecord(account)
        ? decodeFields(account, overrideFields, "EthOverrideAccount")
        : wrongType(account, "api.EthOverrideAccount"))
    : wrongType(value, "api.EthStateOverride")
)
