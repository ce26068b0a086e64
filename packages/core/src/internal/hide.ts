import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** The ways to write one character, or one run of backslashes. Hexadecimal is found in either letter case. */
interface Spellings {
  readonly exact: ReadonlyArray<string>
  readonly hexadecimal: ReadonlyArray<string>
}

// The backslashes before a character of a text that is escaped as JSON once or twice.
const escapes = ["\\", "\\\\", "\\\\\\"]

const spellings = (part: string): Spellings => {
  const units = Array.from({ length: part.length }, (_, index) => part.charCodeAt(index).toString(16).padStart(4, "0"))
  const hexadecimal = [
    bytesToHex(utf8ToBytes(part)).replace(/../g, "%$&"),
    ...escapes.map((escape) => units.map((unit) => `${escape}u${unit}`).join(""))
  ]
  // Each escaping doubles a run of backslashes. Read one by one they could be told apart in too many ways.
  if (part.startsWith("\\")) return { exact: [part, part.repeat(2), part.repeat(4)], hexadecimal }
  const plain = [part, ...escapes.map((escape) => escape + part)]
  return { exact: part === " " ? [...plain, "+"] : plain, hexadecimal }
}

// Follows all ways at once: the few places that the characters so far can end at.
const longestEnd = (text: string, start: number, needle: ReadonlyArray<Spellings>): number => {
  let places = [start]
  for (const { exact, hexadecimal } of needle) {
    const next: Array<number> = []
    for (const place of places) {
      for (const form of exact) {
        if (text.startsWith(form, place) && !next.includes(place + form.length)) next.push(place + form.length)
      }
      const first = text.charAt(place)
      if (first !== "%" && first !== "\\") continue
      for (const form of hexadecimal) {
        const end = place + form.length
        if (text.slice(place, end).toLowerCase() === form && !next.includes(end)) next.push(end)
      }
    }
    if (next.length === 0) return start
    places = next
  }
  return Math.max(...places)
}

/**
 * Replaces each of some texts, however its characters are written: plain, escaped as in JSON, percent-encoded, or a
 * mixture of these. What overlaps is replaced as one.
 *
 * @internal
 */
export const hide = (secrets: ReadonlyArray<string>, replacement: string): (text: string) => string => {
  // Made when first needed: most credentials never meet a text to clean.
  let made: ReadonlyArray<ReadonlyArray<Spellings>> | undefined
  return (text) => {
    const needles = made ??= secrets.map((secret) => Array.from(secret.match(/\\+|[^\\]/gu) ?? [], spellings))
    let result = ""
    let done = 0
    for (let start = 0; start < text.length; start++) {
      let end = start
      for (const needle of needles) end = Math.max(end, longestEnd(text, start, needle))
      if (end === start) continue
      if (start >= done) result += text.slice(done, start) + replacement
      done = Math.max(done, end)
    }
    return result + text.slice(done)
  }
}
