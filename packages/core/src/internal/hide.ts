import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** The ways to write one character. The ones in hexadecimal are found in either letter case. */
interface Spellings {
  readonly exact: ReadonlyArray<string>
  readonly hexadecimal: ReadonlyArray<string>
}

// The backslashes of a text that is escaped as JSON once or twice.
const escapes = ["\\", "\\\\", "\\\\\\"]

const spellings = (character: string): Spellings => {
  const plain = [character, ...escapes.map((escape) => escape + character)]
  const units = Array.from(
    { length: character.length },
    (_, index) => character.charCodeAt(index).toString(16).padStart(4, "0")
  )
  const percent = bytesToHex(utf8ToBytes(character)).replace(/../g, "%$&")
  return {
    exact: character === " " ? [...plain, "+"] : plain,
    hexadecimal: [percent, ...escapes.map((escape) => units.map((unit) => `${escape}u${unit}`).join(""))]
  }
}

const ends = (text: string, start: number, { exact, hexadecimal }: Spellings): ReadonlyArray<number> => [
  ...exact.filter((form) => text.startsWith(form, start)).map((form) => start + form.length),
  ...hexadecimal.filter((form) => text.slice(start, start + form.length).toLowerCase() === form)
    .map((form) => start + form.length)
]

// Follows all ways at once: a set of the places that the characters so far can end at.
const longestEnd = (text: string, start: number, needle: ReadonlyArray<Spellings>): number => {
  let places = new Set([start])
  for (const character of needle) {
    const next = new Set<number>()
    for (const place of places) {
      for (const end of ends(text, place, character)) next.add(end)
    }
    if (next.size === 0) return start
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
  const needles = secrets.map((secret) => Array.from(secret, spellings))
  return (text) => {
    let result = ""
    let done = 0
    let hiddenTo = 0
    for (let start = 0; start < text.length; start++) {
      const end = Math.max(...needles.map((needle) => longestEnd(text, start, needle)))
      if (end === start) continue
      if (start >= hiddenTo) result += text.slice(done, start) + replacement
      hiddenTo = Math.max(hiddenTo, end)
      done = hiddenTo
    }
    return result + text.slice(done)
  }
}
