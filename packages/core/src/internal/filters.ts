/** The fingerprint of a list's filters, independent of the order of their fields. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Predicate from "effect/Predicate"

const list = (values: Iterable<unknown>): ReadonlyArray<string> => Array.from(values, canonical)

const canonical = (value: unknown): string => {
  if (typeof value === "bigint") return `${value}n`
  if (Array.isArray(value)) return `[${list(value).join(",")}]`
  if (value instanceof Set || value instanceof Map) return `{${list(value).toSorted().join(",")}}`
  // Options, dates and the like have no own fields that distinguish them.
  if (Predicate.hasProperty(value, "toJSON") && Predicate.isFunction(value.toJSON)) {
    return `json(${canonical(value.toJSON())})`
  }
  if (!Predicate.isRecord(value)) return JSON.stringify(value) ?? "null"
  const fields = Object.keys(value).filter((name) => value[name] !== undefined).toSorted()
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`
}

/** The fingerprint of an input without its cursor. */
export const fingerprint = (input: object): string =>
  bytesToHex(sha256(utf8ToBytes(canonical({ ...input, cursor: undefined })))).slice(0, 32)
