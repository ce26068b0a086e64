import { randomUUID } from "node:crypto"

/** Random, so that no answer can contain it. */
const mark = `integer ${randomUUID()} `
const marked = new RegExp(`"${mark}(-?\\d+)"`, "g")

/** Writes a value from `JsonRpc.parse` as JSON. Whole numbers that it read as `bigint` are written with all digits. */
export const write = (value: unknown): string => {
  let hasLong = false
  const text = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "bigint") return inner
    hasLong = true
    return `${mark}${inner}`
  })
  return hasLong ? text.replace(marked, "$1") : text
}
