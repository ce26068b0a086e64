/** Makes foreign text and values safe to show. Nothing here throws, whatever the input. */

/** Removes the secrets of a text. */
type Redact = (text: string) => string

/** Longer texts are not shown at all: a cut could fall in the middle of a secret, and cleaning takes time. */
const longestRead = 10_000

const longestClean = 500

/** Puts a text on one line and removes invisible and bidirectional control characters. */
const visible = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, "")
    .replace(/\p{Cs}/gu, "\uFFFD")

const sizeOf = (text: string): string => `a string of ${text.length} characters`

/** Redacts first: redaction finds a secret with invisible characters in it too. */
export const clean = (redact: Redact) => (text: string): string =>
  // A cut may leave half of a surrogate pair.
  text.length > longestRead ? sizeOf(text) : visible(redact(text)).slice(0, longestClean).replace(/\p{Cs}$/u, "")

/** Cleans text of this SDK, whose foreign parts come from {@link describe}. */
export const plain: (text: string) => string = clean((text) => text)

const longestShown = 40

/**
 * Addresses and numbers of the chain are no secrets. Any other run of 20 letters or digits may be one, and so may a run
 * of 8 that mixes them, or text that is not ASCII words and ordinary punctuation.
 */
const looksLikeKey = (text: string): boolean => {
  const rest = text.replace(/\b0x(?:[0-9a-f]{40}|[0-9a-f]{1,16})\b/gi, "")
  return /[0-9a-z+/_=-]{20}/i.test(rest) || /(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{8}/i.test(rest) ||
    (rest.length >= shortestKey && !/^[\w\s.,:;()/-]*$/.test(rest))
}

/** Odd text that is shorter is no key. */
const shortestKey = 12

const describeText = (text: string): string => {
  if (text.length > longestShown + 2) return sizeOf(text)
  const shown = visible(text)
  return looksLikeKey(shown) ? sizeOf(text) : JSON.stringify(shown)
}

/** A field name from the caller, safe to show. */
export const nameOf = (name: string): string =>
  name.length <= longestShown && !looksLikeKey(visible(name)) ? visible(name) : describeText(name)

/** A larger number may be a key. */
const largestShown = 2n ** 128n

const describeBigInt = (value: bigint): string =>
  value < largestShown && value > -largestShown ? `${value}n` : "a bigint of more than 128 bits"

const unreadable = "something that can't be read"

/** Describes a value in a few words: short strings and numbers as they are, anything else by its kind. */
export const describe = (value: unknown): string => {
  try {
    switch (typeof value) {
      case "string":
        return describeText(value)
      case "number":
      case "boolean":
        return `${value}`
      case "bigint":
        return describeBigInt(value)
      case "undefined":
        return "nothing"
      case "object":
        return value === null ? "null" : Array.isArray(value) ? `an array of ${value.length}` : "an object"
      default:
        return `a ${typeof value}`
    }
  } catch {
    // A revoked proxy throws on every access.
    return unreadable
  }
}

/** The kind of a value of the service, never its content. */
export const kindOf = (value: unknown): string => {
  if (typeof value === "string") return sizeOf(value)
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return `a ${typeof value}`
  return describe(value)
}

const maxParts = 1000

/** How many characters of text are read of one value: cleaning takes time, which nothing can end. */
const mostRead = 100_000
const deepestKept = 20
const longestBytes = 100_000

/**
 * Copies a JSON value with bounded size and depth and clean strings. Bytes in hexadecimal are kept whole, since they
 * are data rather than text, unless they contain a secret. A `bigint` becomes a string of its digits, so that the copy
 * can be written as JSON.
 */
export const json = (redact: Redact): (value: unknown) => unknown => {
  const cleanText = clean(redact)
  return (value) => {
    let left = maxParts
    let room = mostRead
    const cleaned = (one: string): string => {
      if (one.length > room) return sizeOf(one)
      room -= one.length
      return cleanText(one)
    }
    const text = (one: string): string =>
      one.length <= longestBytes && /^0x[0-9a-f]*$/i.test(one) && redact(one) === one ? one : cleaned(one)
    const copy = (part: unknown, depth: number): unknown => {
      if (typeof part === "string") return text(part)
      if (typeof part === "bigint") return part < largestShown && part > -largestShown ? `${part}` : describe(part)
      // A function named `toJSON` would be called by `JSON.stringify`.
      if (typeof part === "function" || typeof part === "symbol") return describe(part)
      if (typeof part !== "object" || part === null) return part
      if (depth >= deepestKept || left <= 0) return describe(part)
      try {
        return copyMembers(part, depth + 1)
      } catch {
        return unreadable
      }
    }
    const copyMembers = (part: object, depth: number): unknown => {
      if (Array.isArray(part)) {
        const list: ReadonlyArray<unknown> = part.slice(0, left)
        left -= list.length
        return list.map((one) => copy(one, depth))
      }
      const entries = Object.entries(part).slice(0, left)
      left -= entries.length
      return Object.fromEntries(entries.map(([name, one]) => [cleaned(name), copy(one, depth)]))
    }
    return copy(value, 0)
  }
}
