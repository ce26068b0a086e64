/** Decoded values as JSON, and as text for people. No digit of a number is lost. */
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Screen from "./Screen.js"

/** What JSON can hold. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A decoded value as JSON: a `bigint` is the string of its digits, what is not there is null, a time is ISO 8601. */
export const toJson = (value: unknown): Json => {
  if (value === null || value === undefined) return null
  if (typeof value === "bigint") return value.toString()
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value
  if (Option.isOption(value)) return Option.match(value, { onNone: () => null, onSome: toJson })
  if (value instanceof Date) return value.toISOString()
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (BigDecimal.isBigDecimal(value)) return BigDecimal.format(value)
  if (Array.isArray(value)) return value.map(toJson)
  if (Predicate.isReadonlyRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) => field === undefined ? [] : [[name, toJson(field)]])
    )
  }
  return String(value)
}

/** A decoded value as a line of JSON. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(toJson(value))}\n`

/** Writes a result: one value as a line of JSON, or as text. */
export const write = (
  isJson: boolean,
  value: unknown,
  textOf: (out: Screen.Output) => string
): Effect.Effect<void, never, Screen.Screen> => writeAll(isJson, [value], textOf)

/** Writes results: each of them as a line of JSON, or all as text. */
export const writeAll = (
  isJson: boolean,
  values: ReadonlyArray<unknown>,
  textOf: (out: Screen.Output) => string
): Effect.Effect<void, never, Screen.Screen> =>
  Effect.flatMap(Screen.Screen, ({ out }) => out.write(isJson ? values.map(jsonLine).join("") : textOf(out)))

/** JSON as a node sent it: a number above 2^53, which is a `bigint` here, is written with all its digits. */
export const writeJson = (value: unknown): string => {
  if (typeof value === "bigint") return value.toString()
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`
  if (!Predicate.isReadonlyRecord(value)) return JSON.stringify(value) ?? "null"
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${writeJson(field)}`)
  return `{${fields.join(",")}}`
}

const isLeaf = (value: Json): value is string | number | boolean | null => value === null || typeof value !== "object"

/** More than a signature; a bloom filter or the code of a contract would fill the terminal. */
const longest = 200

const leaf = (value: string | number | boolean | null, isShort: boolean): string => {
  const text = value === null ? "none" : Screen.clean(String(value))
  return isShort && text.length > longest
    ? `${text.slice(0, 10)}... (${text.length} characters: --json)`
    : text
}

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => `  ${line}`)

const isEmpty = (value: Json): boolean => typeof value === "object" && value !== null && Object.keys(value).length === 0

/** Lines of text: fields in columns, what is nested indented below its name. Very long texts can be cut short. */
export const toLines = (value: Json, isShort: boolean): ReadonlyArray<string> => {
  if (isLeaf(value)) return [leaf(value, isShort)]
  if (isEmpty(value)) return ["none"]
  if (Array.isArray(value)) {
    return value.flatMap((item: Json) => {
      const [first = "", ...others] = toLines(item, isShort)
      return isLeaf(item) ? [first] : [`- ${first}`, ...indented(others)]
    })
  }
  const fields = Object.entries(value)
  const width = Math.max(0, ...fields.flatMap(([name, field]) => isLeaf(field) || isEmpty(field) ? [name.length] : []))
  return fields.flatMap(([name, field]) => {
    const key = Screen.clean(name)
    if (isLeaf(field) || isEmpty(field)) return [`${key.padEnd(width)}  ${toLines(field, isShort)[0] ?? ""}`]
    return [key, ...indented(toLines(field, isShort))]
  })
}
