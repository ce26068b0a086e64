import { base64 as encode, bytesOf, hexOf } from "../values/encoding.js"

/** All spellings of one character, or of one run of backslashes. */
interface Spellings {
  readonly plain: ReadonlyArray<string>
  /** Spellings that start with a backslash. */
  readonly escaped: ReadonlyArray<string>
  /** Spellings with hexadecimal digits, matched in either letter case. */
  readonly coded: ReadonlyArray<string>
}

/** A text to search for, character by character. */
type Needle = ReadonlyArray<Spellings>

// The backslashes before a character in text that was JSON-escaped once or twice.
const escapes = ["\\", "\\\\", "\\\\\\"]

const entities: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", "\"": "quot", "'": "apos" }

/** HTML and XML character references, with or without leading zeros, and also escaped once more. */
const references = (part: string): ReadonlyArray<string> => {
  const point = part.codePointAt(0) ?? 0
  // A run of backslashes is one character repeated.
  const count = part.length / String.fromCodePoint(point).length
  const decimal = ["", "0", "00"].map((zeros) => `#${zeros}${point}`)
  const hexadecimal = [2, 4, 6].map((digits) => `#x${point.toString(16).padStart(digits, "0")}`)
  const named = entities[part]
  return [...decimal, ...hexadecimal, ...(named === undefined ? [] : [named])]
    .flatMap((name) => [`&${name};`, `&amp;${name};`])
    .map((reference) => reference.repeat(count))
}

// Percent-encoded once, twice or three times.
const percents = ["%", "%25", "%2525"]

const spelled = (part: string): Spellings => {
  const units = Array.from({ length: part.length }, (_, index) => part.charCodeAt(index).toString(16).padStart(4, "0"))
  const bytes = hexOf(bytesOf(part))
  const coded = [
    ...percents.map((percent) => bytes.replace(/../g, `${percent}$&`)),
    ...escapes.flatMap((escape) => [
      units.map((unit) => `${escape}u${unit}`).join(""),
      bytes.replace(/../g, `${escape}x$&`)
    ]),
    ...references(part)
  ]
  // Each escaping doubles a run of backslashes. Matched one by one, they could be split in too many ways.
  if (part.startsWith("\\")) return { plain: [part, part.repeat(2), part.repeat(4)], escaped: [], coded }
  const escaped = escapes.map((escape) => escape + part)
  return { plain: part === " " ? [part, "+"] : [part], escaped, coded }
}

const known = new Map<string, Spellings>()

/** Caches the spellings of printable ASCII, which most credentials consist of. */
const spellings = (part: string): Spellings => {
  const found = known.get(part) ?? spelled(part)
  if (/^[ -~]$/.test(part)) known.set(part, found)
  return found
}

const split = (text: string): ReadonlyArray<string> => text.match(/\\+|[^\\]/gu) ?? []

// Follows all spellings in parallel: `places` are the few positions where the characters so far can end.
const longestEnd = (text: string, start: number, needle: ReadonlyArray<Spellings>): number => {
  let places = [start]
  for (const { coded, escaped, plain } of needle) {
    const next = new Set<number>()
    for (const place of places) {
      for (const form of plain) if (text.startsWith(form, place)) next.add(place + form.length)
      if (!isMark(text.charAt(place))) continue
      for (const form of escaped) if (text.startsWith(form, place)) next.add(place + form.length)
      for (const form of coded) {
        const end = place + form.length
        if (text.slice(place, end).toLowerCase() === form) next.add(end)
      }
    }
    if (next.size === 0) return start
    places = [...next]
  }
  return Math.max(...places)
}

/** Whether a spelling that is not plain may begin with a character. */
const isMark = (character: string): boolean => character === "%" || character === "\\" || character === "&"

/** Needles by what they may begin with: at most places of a text it is none of them. */
interface Beginnings {
  /** By the first character of a plain spelling. */
  readonly characters: ReadonlyMap<string, ReadonlyArray<Needle>>
  /** By the first byte in UTF-8, as two digits. */
  readonly bytes: ReadonlyMap<string, ReadonlyArray<Needle>>
}

const groupBy = (needles: ReadonlyArray<Needle>, keysOf: (first: Spellings) => Iterable<string>) => {
  const found = new Map<string, Array<Needle>>()
  for (const needle of needles) {
    const [first] = needle
    for (const key of first === undefined ? [] : new Set(keysOf(first))) {
      found.set(key, [...found.get(key) ?? [], needle])
    }
  }
  return found
}

const beginningsOf = (needles: ReadonlyArray<Needle>): Beginnings => ({
  characters: groupBy(needles, ({ plain }) => plain.map((form) => form.charAt(0))),
  bytes: groupBy(needles, ({ plain }) => plain.map((form) => hexOf(bytesOf(form)).slice(0, 2)))
})

/** What a percent sign may stand for, encoded up to three times: the digits of a byte. */
const bytesAt = (text: string, at: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let digits = at + 1, times = 0; times < percents.length; digits += 2, times++) {
    const byte = text.slice(digits, digits + 2).toLowerCase()
    found.push(byte)
    if (byte !== "25") break
  }
  return found
}

const reference = /&(?:amp;)?(?:#(?:x([0-9a-f]{1,6})|(\d{1,9}))|(amp|lt|gt|quot|apos));/iy

/** What an ampersand may stand for: itself, or the character of a reference. */
const referredAt = (text: string, at: number): ReadonlyArray<string> => {
  reference.lastIndex = at
  const [, hexadecimal, decimal, name] = reference.exec(text) ?? []
  const point = hexadecimal !== undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal ?? Number.NaN)
  const named = Object.keys(entities).find((character) => entities[character] === name?.toLowerCase())
  // `&amp;` may be a character of its own, or the beginning of another reference.
  return [
    "&",
    ...(named === undefined ? [] : [named]),
    ...(point <= 0x10ffff ? [String.fromCodePoint(point).charAt(0)] : [])
  ]
}

/** What a backslash may stand for: itself, the character after up to three, or a code unit. */
const escapedAt = (text: string, at: number): ReadonlyArray<string> => {
  let end = at
  while (end < at + escapes.length && text.charAt(end) === "\\") end++
  const next = text.charAt(end)
  const unit = /^u([0-9a-f]{4})/i.exec(text.slice(end, end + 5))?.[1]
  return ["\\", next, ...(unit === undefined ? [] : [String.fromCharCode(Number.parseInt(unit, 16))])]
}

const none: ReadonlyArray<Needle> = []

/** The needles that may begin at a place. */
const candidates = ({ bytes, characters }: Beginnings, text: string, at: number): Iterable<Needle> => {
  const first = text.charAt(at)
  if (!isMark(first)) return characters.get(first) ?? none
  if (first === "%") {
    return new Set([...characters.get(first) ?? none, ...bytesAt(text, at).flatMap((byte) => bytes.get(byte) ?? none)])
  }
  const meant = first === "&" ? referredAt(text, at) : escapedAt(text, at)
  const byte = first === "\\" ? /^\\{1,3}x([0-9a-f]{2})/i.exec(text.slice(at, at + 6))?.[1]?.toLowerCase() : undefined
  return new Set([
    ...meant.flatMap((character) => characters.get(character) ?? none),
    ...byte === undefined ? none : bytes.get(byte) ?? none
  ])
}

// Shorter pieces of Base64 or hexadecimal could be ordinary words.
const shortestCoded = 6

/** Base64 in either alphabet, without padding. */
const base64Parts = (text: string): Needle =>
  split(text.replace(/=+$/, "")).map((part) => {
    const found = spellings(part)
    const other = part === "+" ? "-" : part === "/" ? "_" : undefined
    return other === undefined ? found : { ...found, plain: [...found.plain, other] }
  })

/**
 * Base64 of a text, alone or inside the Base64 of a longer text. There it starts at the first, second or third byte of
 * a group, and the characters at its ends, which it shares with its neighbours, reveal too little to matter.
 */
const base64 = (secret: string): ReadonlyArray<Needle> => {
  const bytes = bytesOf(secret)
  const whole = base64Parts(encode(bytes))
  const inner = [0, 1, 2].map((offset) => {
    const encoded = encode(new Uint8Array([...new Uint8Array(offset), ...bytes]))
    const end = Math.floor((offset + bytes.length) * 8 / 6)
    return base64Parts(encoded.slice(Math.ceil(offset * 8 / 6), end))
  })
  return [whole, ...inner].filter((parts) => parts.length >= shortestCoded)
}

/** The bytes in hexadecimal, in either letter case. Short texts are left out. */
const hexadecimal = (secret: string): ReadonlyArray<Needle> => {
  const digits = hexOf(bytesOf(secret))
  if (digits.length < shortestCoded) return []
  return [
    Array.from(digits, (digit, index) => {
      const isFirst = index % 2 > 0 || index === 0
      const plain = (isFirst ? [""] : separators).flatMap((before) => [before + digit, before + digit.toUpperCase()])
      return { ...spellings(digit), plain }
    })
  ]
}

/** What stands between the bytes of a dump. */
const separators = ["", " ", ":", "-", ", 0x"]

/** The bytes as a list of numbers, as Node.js writes those of a `Buffer` in JSON. */
const numbers = (secret: string): ReadonlyArray<Needle> => {
  const bytes = bytesOf(secret)
  return bytes.length < shortestCoded ? [] : [
    Array.from(bytes, (byte, index) => ({
      plain: index === 0 ? [`${byte}`] : [`,${byte}`, `, ${byte}`],
      escaped: [],
      coded: []
    }))
  ]
}

const ignorable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** A text without its invisible characters, and the original index of each remaining code unit. */
const seen = (text: string): { readonly text: string; readonly places: ReadonlyArray<number> | undefined } => {
  if (!ignorable.test(text)) return { text, places: undefined }
  const places: Array<number> = []
  let rest = ""
  let at = 0
  for (const character of text) {
    if (!ignorable.test(character)) {
      for (let i = 0; i < character.length; i++) places.push(at + i)
      rest += character
    }
    at += character.length
  }
  return { text: rest, places }
}

/** What to hide: words, and texts whose Base64 and hexadecimal forms are hidden as well. */
export interface Secrets {
  readonly words: ReadonlyArray<string>
  readonly coded: ReadonlyArray<string>
}

const needlesOf = (secrets: Secrets): ReadonlyArray<Needle> => {
  const withoutUnseen = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
    [
      ...new Set(texts.flatMap((text) => [text, seen(text).text]))
    ].filter((text) => text !== "")
  return [
    ...withoutUnseen(secrets.words).map((text) => split(text).map(spellings)),
    ...withoutUnseen(secrets.coded).flatMap((text) => [...base64(text), ...hexadecimal(text), ...numbers(text)])
  ]
}

/**
 * Makes a function that replaces secrets however they are written: plain, JSON-escaped, percent-encoded up to three
 * times, as HTML references, or a mixture of these; the `coded` ones also in every form of Base64 and in hexadecimal.
 * Invisible characters in between don't matter. Overlapping matches are replaced as one.
 *
 * @internal
 */
export const redactor = (secrets: Secrets, replacement: string): (text: string) => string => {
  // Made at first use: most credentials never have a text to clean.
  let made: Beginnings | undefined
  return (original) => {
    const beginnings = made ??= beginningsOf(needlesOf(secrets))
    const { places, text } = seen(original)
    const startOf = (index: number): number => places === undefined ? index : places[index] ?? original.length
    const endOf = (index: number): number => index === 0 ? 0 : startOf(index - 1) + 1
    let result = ""
    let done = 0
    for (let at = 0; at < text.length; at++) {
      let end = at
      for (const needle of candidates(beginnings, text, at)) {
        end = Math.max(end, longestEnd(text, at, needle))
      }
      if (end === at) continue
      if (at >= done) result += original.slice(endOf(done), startOf(at)) + replacement
      done = Math.max(done, end)
    }
    return result + original.slice(endOf(done))
  }
}
