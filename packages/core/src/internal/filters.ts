/** A fingerprint of the filters of a list, whatever the order of their fields. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Predicate from "effect/Predicate"

const canonical = (value: unknown): string => {
  if (typeof value === "bigint") return `${value}n`
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (value instanceof Date) return `Date(${value.getTime()})`
  if (Predicate.isIterable(value) && typeof value === "object") {
    return `{${Array.from(value, canonical).sort().join(",")}}`
  }
  if (!Predicate.isRecord(value)) return JSON.stringify(value) ?? "null"
  const fields = Object.keys(value).filter((name) => value[name] !== undefined).sort()
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`
}

/** Of an input without its cursor. */
export const fingerprint = (input: object): string =>
  bytesToHex(sha256(utf8ToBytes(canonical({ ...input, cursor: undefined })))).slice(0, 32)
