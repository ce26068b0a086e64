/**
 * Parses JSON without losing digits: whole numbers above 2^53 become `bigint`.
 *
 * `JSON.parse` rounds them, and on Node 20 its reviver does not see the source text. Most answers have no such number
 * and take the fast path. In the others each long number is written as a string behind a mark, and read again from there.
 */
import * as Either from "effect/Either"

/** A run of digits that may be too long for a number. A false match inside a string only costs the fast path. */
const suspicious = /[:[,\s]-?\d{16}|^-?\d{16}/

/** An escaped character or a quote, which tell where strings are, or a whole number of 16 digits or more. No number names a field. */
const token = /\\[^]|"|(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE]|\s*:)/g

/** More digits than any 256-bit number has; parsing many more would take long. */
const maxDigits = 100

/** A value, and the lists and objects in it that can't be trusted: somewhere inside is a number with too many digits. */
export interface Parsed {
  readonly value: unknown
  readonly spoiled: ReadonlySet<unknown>
}

const none: ReadonlySet<unknown> = new Set()

/** Writes the long numbers of a text as strings that begin with a mark. */
const markLong = (text: string, mark: string): string => {
  let isInString = false
  return text.replace(token, (found) => {
    if (found === "\"") isInString = !isInString
    return isInString || found.length < 16 ? found : `"${mark}${found}"`
  })
}

/** Whether a value is a list or an object. */
const isContainer = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === "object" && value !== null

/** Reads a text that may have long numbers. Without recursion, so that any depth is read, as `JSON.parse` reads it. */
const readLong = (text: string): Parsed => {
  // A random mark, so that no string of a node can begin with it.
  const mark = `${Math.random()}:`
  const root: { value: unknown } = { value: JSON.parse(markLong(text, mark)) }
  const parents = new Map<unknown, unknown>()
  const spoiled = new Set<unknown>()
  const spoil = (holder: unknown): void => {
    for (let one = holder; one !== undefined && !spoiled.has(one); one = parents.get(one)) spoiled.add(one)
  }
  const open: Array<{ [name: string]: unknown }> = [root]
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [name, value] of Object.entries(holder)) {
      if (isContainer(value)) {
        parents.set(value, holder)
        open.push(value)
      } else if (typeof value === "string" && value.startsWith(mark)) {
        const digits = value.slice(mark.length)
        if (digits.length > maxDigits) spoil(holder)
        else holder[name] = Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits)
      }
    }
  }
  if (spoiled.has(root)) spoiled.add(root.value)
  return { value: root.value, spoiled }
}

/**
 * Parses a text without throwing. A number with too many digits spoils the lists and objects that it is in, and not the
 * rest of the text.
 */
export const parseParts = (text: string): Either.Either<Parsed, "not JSON"> =>
  Either.try({
    try: () => suspicious.test(text) ? readLong(text) : { value: JSON.parse(text), spoiled: none },
    catch: () => "not JSON"
  })

/** Parses a text without throwing. */
export const parse = (text: string): Either.Either<unknown, "not JSON"> =>
  Either.flatMap(
    parseParts(text),
    ({ spoiled, value }) => spoiled.has(value) ? Either.left("not JSON" as const) : Either.right(value)
  )
