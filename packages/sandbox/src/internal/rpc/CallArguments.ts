import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { AccessList, AccountOverride } from "../../Call.js"
import { address, big, data, hash, isRecord, kindOf, type Reader, reader, uint64, Unreadable } from "./Reader.js"

type Fields = { readonly [field: string]: unknown }

/** A field that may be missing or null. */
const field = <A>(fields: Fields, name: string, { read }: Reader<A>, owner: string): A | undefined | Unreadable => {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  const found = read(value)
  return found instanceof Unreadable ? new Unreadable(found.text(`${owner}.${name}`)) : found
}

/** All fields, or what is wrong with the first that does not read. */
const fieldsOf = <const Readers extends { readonly [name: string]: Reader<unknown> }>(
  fields: Fields,
  readers: Readers,
  owner: string
): { readonly [K in keyof Readers]?: Readers[K] extends Reader<infer A> ? A : never } | Unreadable => {
  const found: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(readers)) {
    const value = field(fields, name, one, owner)
    if (value instanceof Unreadable) return value
    if (value !== undefined) found[name] = value
  }
  // Every field came from the reader of its name.
  return found as { readonly [K in keyof Readers]?: Readers[K] extends Reader<infer A> ? A : never }
}

const accessList = reader((value): AccessList | Unreadable => {
  if (!Array.isArray(value)) return new Unreadable(kindOf(value), "types.AccessList")
  const list: Array<{ readonly address: Hex; readonly storageKeys: ReadonlyArray<Hex> }> = []
  for (const item of value) {
    if (!isRecord(item)) return new Unreadable(kindOf(item), "types.AccessTuple")
    const owner = address.read(item["address"])
    if (owner instanceof Unreadable) return new Unreadable(owner.text("AccessTuple.address"))
    const keys = item["storageKeys"] ?? []
    if (!Array.isArray(keys)) {
      return new Unreadable(new Unreadable(kindOf(keys), "[]common.Hash").text("AccessTuple.storageKeys"))
    }
    const storageKeys: Array<Hex> = []
    for (const key of keys) {
      const slot = hash.read(key)
      if (slot instanceof Unreadable) return new Unreadable(slot.text("AccessTuple.storageKeys"))
      storageKeys.push(slot)
    }
    list.push({ address: owner, storageKeys })
  }
  return list
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

/** `eth` takes the nonce too. What runs here has the nonce that is next, whatever it says. */
const ethFields = { ...callFields, nonce: uint64 }

/** What a call is given as. */
export interface CallArguments {
  readonly from?: Hex
  readonly to?: Hex
  readonly gas?: bigint
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly value?: bigint
  readonly data?: Hex
  readonly input?: Hex
  readonly accessList?: AccessList
}

/** Reads the object of a call; `owner` is what a node calls it. */
const argumentsOf = (owner: string, fields: typeof callFields): Reader<CallArguments> =>
  reader((value) => {
    if (value === null) return {}
    return isRecord(value) ? fieldsOf(value, fields, owner) : new Unreadable(kindOf(value), `api.${owner}`)
  })

/** A call as `klay` takes it. */
export const klayCall = argumentsOf("CallArgs", callFields)

/** A call as `eth` takes it, and `createAccessList` of all namespaces. */
export const ethCall = argumentsOf("EthTransactionArgs", ethFields)

const slots = reader((value): ReadonlyMap<Hex, Hex> | Unreadable => {
  if (!isRecord(value)) return new Unreadable(kindOf(value), "map[common.Hash]common.Hash")
  const map = new Map<Hex, Hex>()
  for (const [name, content] of Object.entries(value)) {
    const slot = hash.read(name)
    if (slot instanceof Unreadable) return slot
    const word = hash.read(content)
    if (word instanceof Unreadable) return word
    map.set(slot, word)
  }
  return map
})

const overrideFields = { nonce: uint64, code: data, balance: big, state: slots, stateDiff: slots }

/** Reads what accounts are for the time of a call. */
export const stateOverrides = reader((value): ReadonlyMap<Hex, AccountOverride> | Unreadable => {
  if (!isRecord(value)) return new Unreadable(kindOf(value), "api.EthStateOverride")
  const overrides = new Map<Hex, AccountOverride>()
  for (const [name, account] of Object.entries(value)) {
    const owner = address.read(name)
    if (owner instanceof Unreadable) return owner
    if (!isRecord(account)) return new Unreadable(kindOf(account), "api.EthOverrideAccount")
    const fields = fieldsOf(account, overrideFields, "EthOverrideAccount")
    if (fields instanceof Unreadable) return fields
    overrides.set(owner, fields)
  }
  return overrides
})
