/**
 * Parses JSON without losing digits: whole numbers above 2^53 become `bigint`.
 *
 * `JSON.parse` rounds them, and on Node 20 its reviver does not see the source text. Most answers have no such number
 * and take the fast path; the others are parsed here, in less code than a dependency would need.
 */
import * as Either from "effect/Either"

/** A run of digits that may be too long for a number. A false match inside a string only costs the fast path. */
const suspicious = /[:[,\s]-?\d{16}|^-?\d{16}/

const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const blank = /[ \t\n\r]*/y
const word = /true|false|null/y
const words: ReadonlyMap<string, boolean | null> = new Map([["true", true], ["false", false], ["null", null]])

const deepest = 500

class NotJson extends Error {}

/** More digits than any 256-bit number has; parsing many more would take long. */
const mostDigits = 100

const toNumber = (text: string, whole: boolean): number | bigint => {
  const value = Number(text)
  if (!whole || Number.isSafeInteger(value)) return value
  if (text.length > mostDigits) throw new NotJson()
  return BigInt(text)
}

const read = (text: string): unknown => {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  const skip = (): void => {
    take(blank)
  }
  const is = (char: string): boolean => {
    skip()
    if (text[at] !== char) return false
    at++
    return true
  }
  const fail = (): never => {
    throw new NotJson()
  }
  /** A quote after an odd number of backslashes does not end a string. */
  const ends = (quote: number): boolean => {
    let slash = quote
    while (text[slash - 1] === "\\") slash--
    return (quote - slash) % 2 === 0
  }
  const quoted = (): string => {
    if (text[at] !== "\"") return fail()
    let end = text.indexOf("\"", at + 1)
    while (end !== -1 && !ends(end)) end = text.indexOf("\"", end + 1)
    if (end === -1) return fail()
    const content = String(JSON.parse(text.slice(at, end + 1)))
    at = end + 1
    return content
  }
  const list = (depth: number): ReadonlyArray<unknown> => {
    const items: Array<unknown> = []
    if (is("]")) return items
    do items.push(value(depth + 1))
    while (is(","))
    return is("]") ? items : fail()
  }
  const object = (depth: number): object => {
    const entries: Array<[string, unknown]> = []
    if (is("}")) return {}
    do {
      skip()
      const name = quoted()
      if (!is(":")) return fail()
      entries.push([name, value(depth + 1)])
    } while (is(","))
    return is("}") ? Object.fromEntries(entries) : fail()
  }
  const value = (depth: number): unknown => {
    if (depth > deepest) return fail()
    skip()
    if (text[at] === "\"") return quoted()
    if (is("{")) return object(depth)
    if (is("[")) return list(depth)
    const named = take(word)
    if (named !== null) return words.get(named[0])
    const digits = take(number)
    return digits === null ? fail() : toNumber(digits[0], digits[1] === undefined && digits[2] === undefined)
  }
  const result = value(0)
  skip()
  return at === text.length ? result : fail()
}

/** Parses a text without throwing. */
export const parse = (text: string): Either.Either<unknown, "not JSON"> => {
  try {
    return Either.right(suspicious.test(text) ? read(text) : JSON.parse(text))
  } catch {
    return Either.left("not JSON")
  }
}
