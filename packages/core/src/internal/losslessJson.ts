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

class NotJson extends Error {}

/** More digits than any 256-bit number has; parsing many more would take long. */
const maxDigits = 100

/** A value, and the lists and objects in it that can't be trusted: somewhere inside is a number with too many digits. */
export interface Parsed {
  readonly value: unknown
  readonly spoiled: ReadonlySet<unknown>
}

/** A list or an object whose end is not read yet. */
interface Open {
  readonly end: "]" | "}"
  readonly items: Array<[name: string, value: unknown]>
  /** The name of the next value in an object; a list has none. */
  name: string
  isSpoiled: boolean
}

/** Reads a text. The stack is a list and not that of the calls, so any depth is read, as `JSON.parse` reads it. */
class Reader {
  readonly #text: string
  readonly #open: Array<Open> = []
  readonly #spoiled = new Set<unknown>()
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Parsed {
    let value = this.#start()
    while (this.#open.length > 0) value = value === unfinished ? this.#start() : this.#put(value)
    this.#take(blank)
    if (value === tooLong || this.#at !== this.#text.length) throw new NotJson()
    return { value, spoiled: this.#spoiled }
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match !== null) this.#at = pattern.lastIndex
    return match
  }

  #is(char: string): boolean {
    this.#take(blank)
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #expect(char: string): void {
    if (!this.#is(char)) throw new NotJson()
  }

  /** A value, or the beginning of a list or an object. */
  #start(): unknown {
    if (this.#is("[")) {
      if (this.#is("]")) return []
      this.#open.push({ end: "]", items: [], name: "", isSpoiled: false })
      return unfinished
    }
    if (this.#is("{")) {
      if (this.#is("}")) return {}
      this.#open.push({ end: "}", items: [], name: this.#name(), isSpoiled: false })
      return unfinished
    }
    if (this.#text[this.#at] === "\"") return this.#quoted()
    const named = this.#take(word)
    return named === null ? this.#number() : words.get(named[0])
  }

  /** Puts a value into the list or object that is open, which it gives back if it ends there. */
  #put(value: unknown): unknown {
    const open = this.#open.at(-1)
    if (open === undefined) return value
    open.isSpoiled ||= value === tooLong || this.#spoiled.has(value)
    open.items.push([open.name, value])
    if (this.#is(",")) {
      if (open.end === "}") open.name = this.#name()
      return unfinished
    }
    this.#expect(open.end)
    this.#open.pop()
    const whole = open.end === "]" ? open.items.map(([, item]) => item) : Object.fromEntries(open.items)
    if (open.isSpoiled) this.#spoiled.add(whole)
    return whole
  }

  #name(): string {
    this.#take(blank)
    const name = this.#quoted()
    this.#expect(":")
    return name
  }

  #quoted(): string {
    if (this.#text[this.#at] !== "\"") throw new NotJson()
    let end = this.#text.indexOf("\"", this.#at + 1)
    while (end !== -1 && !this.#ends(end)) end = this.#text.indexOf("\"", end + 1)
    if (end === -1) throw new NotJson()
    const content = String(JSON.parse(this.#text.slice(this.#at, end + 1)))
    this.#at = end + 1
    return content
  }

  /** A quote after an odd number of backslashes does not end a string. */
  #ends(quote: number): boolean {
    let slash = quote
    while (this.#text[slash - 1] === "\\") slash--
    return (quote - slash) % 2 === 0
  }

  #number(): unknown {
    const found = this.#take(number)
    if (found === null) throw new NotJson()
    const [text, fraction, exponent] = found
    const value = Number(text)
    if (fraction !== undefined || exponent !== undefined || Number.isSafeInteger(value)) return value
    return text.length > maxDigits ? tooLong : BigInt(text)
  }
}

/** What stands for a list or an object that has begun. */
const unfinished = Symbol("unfinished")

/** What stands for a number with too many digits. */
const tooLong = Symbol("too long")

const none: ReadonlySet<unknown> = new Set()

/**
 * Parses a text without throwing. A number with too many digits spoils the lists and objects that it is in, and not the
 * rest of the text.
 */
export const parseParts = (text: string): Either.Either<Parsed, "not JSON"> =>
  Either.try({
    try: () => suspicious.test(text) ? new Reader(text).read() : { value: JSON.parse(text), spoiled: none },
    catch: () => "not JSON"
  })

/** Parses a text without throwing. */
export const parse = (text: string): Either.Either<unknown, "not JSON"> =>
  Either.flatMap(
    parseParts(text),
    ({ spoiled, value }) => spoiled.has(value) ? Either.left("not JSON" as const) : Either.right(value)
  )
