/** Words and values that others wrote, made fit to be shown. Nothing here throws, whatever it is given. */

import * as Predicate from "effect/Predicate"

/** Takes what is secret out of a text. */
export type Redact = (text: string) => string

/** Longer texts are not shown at all: a part could begin in the middle of a secret, and cleaning takes its time. */
const longestRead = 10_000

const longestWords = 500

const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/\p{Cs}$/u, "")

/** On one line, and nothing in it that is not seen or that turns the order of what is. */
const visible = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, "")
    .replace(/\p{Cs}/gu, "\uFFFD")

/** What is secret goes first: the redaction sees through what `visible` takes away. */
export const words = (redact: Redact) => (text: string): string =>
  text.length > longestRead ? `a text of ${text.length} characters` : cut(visible(redact(text)), longestWords)

/** Words that hold nothing of others, or only what {@link describe} made of it. */
export const plain: (text: string) => string = words((text) => text)

const longestShown = 40

/** An address is no secret; any other long run of letters and digits may be one. */
const looksLikeKey = (text: string): boolean => /[0-9a-z+/_=-]{20}/i.test(text.replace(/\b0x[0-9a-f]{40}\b/gi, ""))

const describeText = (text: string): string => {
  const size = `a text of ${text.length} characters`
  if (text.length > longestShown + 2) return size
  const shown = visible(text)
  return looksLikeKey(shown) ? size : JSON.stringify(shown)
}

/** The name of a field that a caller gave. */
export const nameOf = (name: string): string =>
  name.length <= longestShown && !looksLikeKey(name) ? visible(name) : describeText(name)

/** Above this a whole number may be a key. */
const largestShown = 2n ** 128n

const describeBigInt = (value: bigint): string =>
  value < largestShown && value > -largestShown ? `${value}n` : "a bigint of more than 128 bits"

const unreadable = "something that can't be read"

/** What a value is, in a few words: short texts and numbers as they are, of anything else the kind. */
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
    // A proxy that was revoked is no list and no object.
    return unreadable
  }
}

/** What kind of thing a value of the service is: its content is never shown. */
export const kindOf = (value: unknown): string => {
  if (typeof value === "string") return `a string of ${value.length} characters`
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return `a ${typeof value}`
  return describe(value)
}

/** Deeper than anything that the service answers, and not too deep for what walks through it step by step. */
export const deepest = 1000

/** Whether a value is small, as most are: that is seen without keeping account of what was seen. */
const isSmall = (value: unknown, levels: number, looks: { left: number }): boolean => {
  const isList = Array.isArray(value)
  if (!isList && !Predicate.isRecord(value)) return true
  if (levels === 0) return false
  if (isList) return value.every((one) => looks.left-- > 0 && isSmall(one, levels - 1, looks))
  for (const name in value) {
    if (looks.left-- === 0 || !isSmall(value[name], levels - 1, looks)) return false
  }
  return true
}

/** Whether lists and objects stand in each other deeper than `limit`. */
export const isDeeperThan = (value: unknown, limit: number): boolean => {
  if (isSmall(value, Math.min(limit, 10), { left: 200 })) return false
  let level = new Set<object>(typeof value === "object" && value !== null ? [value] : [])
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > limit) return true
    const next = new Set<object>()
    for (const one of level) {
      for (const inner of Object.values(one)) if (typeof inner === "object" && inner !== null) next.add(inner)
    }
    level = next
  }
  return false
}

const mostParts = 1000
const deepestKept = 20
const longestBytes = 100_000

/**
 * A copy of a JSON value, bounded in size and depth, whose words are clean. Bytes in hexadecimal stay whole, since they
 * are data and not words, unless there is something secret in them. A whole number that JSON would round is its digits
 * as a text, so that the copy can be written as JSON.
 */
export const json = (redact: Redact): (value: unknown) => unknown => {
  const clean = words(redact)
  const text = (value: string): string =>
    value.length <= longestBytes && /^0x[0-9a-f]*$/i.test(value) && redact(value) === value ? value : clean(value)
  return (value) => {
    let left = mostParts
    const copy = (part: unknown, depth: number): unknown => {
      if (typeof part === "string") return text(part)
      if (typeof part === "bigint") return part < largestShown && part > -largestShown ? `${part}` : describe(part)
      // Under the name `toJSON` a function would be called.
      if (typeof part === "function" || typeof part === "symbol") return describe(part)
      if (typeof part !== "object" || part === null) return part
      if (depth >= deepestKept || left <= 0) return describe(part)
      try {
        return within(part, depth + 1)
      } catch {
        return unreadable
      }
    }
    const within = (part: object, depth: number): unknown => {
      if (Array.isArray(part)) {
        const list: ReadonlyArray<unknown> = part.slice(0, left)
        left -= list.length
        return list.map((one) => copy(one, depth))
      }
      const entries = Object.entries(part).slice(0, left)
      left -= entries.length
      return Object.fromEntries(entries.map(([name, one]) => [clean(name), copy(one, depth)]))
    }
    return copy(value, 0)
  }
}
