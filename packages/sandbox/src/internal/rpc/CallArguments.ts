import type { AccessList, AccountOverride, BlockOverride } from "@effect-klaytn/local-chain/Call"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { SignedAuthorization } from "@effect-klaytn/transaction/TransactionBody"
import * as Either from "effect/Either"
import type * as Param from "./ParamDecoder.js"
import {
  address,
  big,
  data,
  fail,
  fieldsOf,
  hash,
  isRecord,
  list,
  make,
  nameOf,
  type ParamDecoder,
  present,
  uint64,
  wrongType
} from "./ParamDecoder.js"

type Fields = { readonly [field: string]: unknown }

type Decoded<Decoders> = { readonly [K in keyof Decoders]?: Decoders[K] extends ParamDecoder<infer A> ? A : never }

/** Decodes the fields of an object, in its order, each of which may be missing or null. */
export const decodeFields = <const Decoders extends { readonly [name: string]: ParamDecoder<unknown> }>(
  fields: Fields,
  decoders: Decoders,
  /** The struct, or the name of a field with its struct. */
  owner: string | ((name: string) => string)
): Param.Decoded<Decoded<Decoders>> => {
  const found: Record<string, unknown> = {}
  const names = Object.keys(decoders)
  for (const [key, value] of Object.entries(fields)) {
    const name = nameOf(key, names)
    const decoder = name === undefined ? undefined : decoders[name]
    if (name === undefined || decoder === undefined || value === undefined) continue
    if (value === null && decoder.isPresent !== true) continue
    const decoded = decoder.decode(value)
    if (Either.isLeft(decoded)) {
      return Either.left(decoded.left.inField(typeof owner === "string" ? `${owner}.${name}` : owner(name)))
    }
    found[name] = decoded.right
  }
  // A cast: every field came from the decoder of its name.
  return Either.right(found as Decoded<Decoders>)
}

const accessTuple = make((value): Param.Decoded<AccessList[number]> => {
  if (!isRecord(value)) return wrongType(value, "types.AccessTuple")
  const fields = fieldsOf(value, "address", "storageKeys")
  const owner = Either.mapLeft(address.decode(fields.address), (error) => error.inField("AccessTuple.address"))
  const storageKeys = Either.mapLeft(
    list(hash, "[]common.Hash").decode(fields.storageKeys ?? null),
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
  chainId: big
}

/** `klay` takes a fee payer too. Some of its fields may be left out, and are not null. */
const klayFields = {
  ...callFields,
  from: present(address),
  value: present(big),
  data: present(data),
  input: present(data),
  feePayer: address
}

/**
 * `eth` takes the nonce too, and what sets code. What runs here has the nonce that is next, whatever it says: a node has it in hashes
 * alone.
 */
export const ethFields = {
  ...callFields,
  nonce: uint64,
  authorizationList: list(authorization, "[]types.SetCodeAuthorization")
}

/** The arguments of a call. */
export type CallArguments = Decoded<typeof klayFields & typeof ethFields>

/** Decodes the object of a call; `owner` is what a node calls it. */
const argumentsOf = (owner: string, fields: typeof callFields): ParamDecoder<CallArguments> =>
  make((value) => {
    if (value === null) return Either.right({})
    return isRecord(value) ? decodeFields(value, fields, owner) : wrongType(value, `api.${owner}`)
  })

/** A call as `klay` takes it. */
export const klayCall = argumentsOf("CallArgs", klayFields)

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
      account === null
        ? Either.right({})
        : isRecord(account)
        ? decodeFields(account, overrideFields, "EthOverrideAccount")
        : wrongType(account, "api.EthOverrideAccount"))
    : wrongType(value, "api.EthStateOverride")
)

/** A number of up to 64 bits as far as a JavaScript number is exact. */
const height = make((value): Param.Decoded<number> =>
  Either.flatMap(
    big.decode(value),
    (found) =>
      found <= BigInt(Number.MAX_SAFE_INTEGER)
        ? Either.right(Number(found))
        : fail("hex number > 53 bits", "*hexutil.Big")
  )
)

/** The fields that override a block, by the names of Ethereum's nodes; older names of two of them are taken too. */
const blockFields = {
  number: height,
  time: height,
  gasLimit: uint64,
  feeRecipient: address,
  coinbase: address,
  prevRandao: hash,
  random: hash,
  baseFeePerGas: big,
  baseFee: big,
  // Blocks of this chain have no difficulty, and blobs cost no more than the base fee says.
  difficulty: big,
  blobBaseFee: big
}

/** Decodes what the block is for the time of a call. */
export const blockOverrides = make((value): Param.Decoded<BlockOverride> => {
  if (!isRecord(value)) return wrongType(value, "api.BlockOverrides")
  return Either.map(decodeFields(value, blockFields, "BlockOverrides"), (fields) => {
    const { baseFee, baseFeePerGas = baseFee, coinbase, feeRecipient = coinbase, gasLimit, number } = fields
    const { random, prevRandao = random, time } = fields
    return {
      ...(number !== undefined && { number }),
      ...(time !== undefined && { timestamp: time }),
      ...(feeRecipient !== undefined && { miner: feeRecipient }),
      ...(gasLimit !== undefined && { gasLimit }),
      ...(baseFeePerGas !== undefined && { baseFeePerGas }),
      ...(prevRandao !== undefined && { mixHash: prevRandao })
    }
  })
})
