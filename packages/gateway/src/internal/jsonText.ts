import { randomUUID } from "node:crypto"
import { RawResult } from "./rawResults.js"

/** Random, so that no answer can contain it. */
const mark = `integer ${randomUUID()} `
const marked = new RegExp(`"${mark}(-?\\d+)"`, "g")

const withLong = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => typeof inner === "bigint" ? `${mark}${inner}` : inner)
    .replace(marked, "$1")

/** Writes a value from `JsonRpc.parse` as JSON. Whole numbers that it read as `bigint` are written with all digits; a result that is written stays so. */
export const write = (value: unknown): string => {
  if (value instanceof RawResult) return value.json
  try {
    // Without a function for each value, which takes five times as long. Throws at a `bigint`.
    return JSON.stringify(value)
  } catch {
    return withLong(value)
  }
}
