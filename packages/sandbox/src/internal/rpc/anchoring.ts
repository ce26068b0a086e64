import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { RLP } from "@ethereumjs/rlp"

/** The two forms of anchored data: a list of digests, and JSON of any form. */
const listForm = ""
const jsonForm = 128

const digests = ["blockHash", "transactionsRoot", "parentHash", "receiptsRoot", "stateRoot"] as const
const counts = ["blockNumber", "blockCount", "txCount"] as const

type Anchored = { readonly [field: string]: unknown }

const isObject = (value: unknown): value is Anchored =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const readDigests = (bytes: Uint8Array): Anchored | undefined => {
  const items = RLP.decode(bytes)
  if (!Array.isArray(items) || items.length !== digests.length + counts.length) return undefined
  const fields: Array<readonly [string, unknown]> = []
  for (const [position, item] of items.entries()) {
    if (!(item instanceof Uint8Array)) return undefined
    const digest = digests[position]
    if (digest !== undefined && item.length !== 32) return undefined
    const count = counts[position - digests.length]
    // A count that no JSON number holds exactly could only be written wrong.
    if (count !== undefined && item.length > 6) return undefined
    const hex = fromBytes(item)
    fields.push(digest === undefined ? [String(count), hex === "0x" ? 0 : Number(hex)] : [digest, hex])
  }
  return Object.fromEntries(fields)
}

/** The data in the input of an anchoring transaction; nothing if it is in none of the two forms. */
export const anchoringOf = (input: Hex): Anchored | undefined => {
  try {
    const [form, data, ...rest] = RLP.decode(input)
    if (!(form instanceof Uint8Array) || !(data instanceof Uint8Array) || rest.length > 0) return undefined
    if (Buffer.from(form).toString("hex") === listForm) return readDigests(data)
    const json: unknown = form[0] === jsonForm ? JSON.parse(new TextDecoder().decode(data)) : undefined
    return isObject(json) ? json : undefined
  } catch {
    return undefined
  }
}
