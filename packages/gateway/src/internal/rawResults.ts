/** Large answers of the node, whose results are passed on as they are written: to parse them and to write them again would keep all others waiting. */
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Either from "effect/Either"

/** A result as the node has written it. */
export class RawResult {
  constructor(readonly json: string) {}
}

/** From how many characters on an answer is large. */
const large = 65_536

const [tab, newLine, carriageReturn, space, quote, comma, colon, backslash] = [9, 10, 13, 32, 34, 44, 58, 92]
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125]

/** Where a text is read. */
class Reader {
  at = 0

  constructor(readonly text: string) {}

  /** The next character that is no space, by its code; NaN at the end. */
  get next(): number {
    for (;; this.at++) {
      const code = this.text.charCodeAt(this.at)
      if (code !== space && code !== newLine && code !== carriageReturn && code !== tab) return code
    }
  }

  /** Whether a character comes next, which is passed then. */
  passes(code: number): boolean {
    const isNext = this.next === code
    if (isNext) this.at++
    return isNext
  }

  /** Passes a string, after its first quote; false if it has no end. */
  passString(): boolean {
    const { text } = this
    for (let at = this.at; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === backslash) at++
      else if (code === quote) {
        this.at = at + 1
        return true
      }
    }
    return false
  }

  /** The value that comes next, as it is written; undefined if it has no end. What is in lists and objects is not looked at. */
  value(): string | undefined {
    const { next, text } = this
    const from = this.at
    if (next !== openList && next !== openObject) return this.#scalar(from)
    let depth = 0
    for (; this.at < text.length;) {
      const code = text.charCodeAt(this.at++)
      if (code === quote) {
        if (!this.passString()) return undefined
      } else if (code === openList || code === openObject) depth++
      else if ((code === closeList || code === closeObject) && --depth === 0) return text.slice(from, this.at)
    }
    return undefined
  }

  #scalar(from: number): string | undefined {
    const { text } = this
    if (this.passes(quote)) return this.passString() ? text.slice(from, this.at) : undefined
    while (/[^\s,\]}]/.test(text.charAt(this.at))) this.at++
    return text.slice(from, this.at)
  }
}

/** An envelope: its result as it is written, and everything else parsed. Undefined if it is none, or names a member twice. */
const envelope = (reader: Reader): Readonly<Record<string, unknown>> | undefined => {
  const found: Record<string, unknown> = {}
  if (!reader.passes(openObject)) return undefined
  do {
    const name = reader.value()
    if (name === undefined || !reader.passes(colon)) return undefined
    const json = reader.value()
    if (json === undefined) return undefined
    const member = Either.getOrUndefined(JsonRpc.parse(name))
    const isResult = member === "result" && json.length >= large
    const value = isResult ? Either.right(new RawResult(json)) : JsonRpc.parse(json)
    if (typeof member !== "string" || Object.hasOwn(found, member) || Either.isLeft(value)) return undefined
    Object.defineProperty(found, member, { value: value.right, enumerable: true })
  } while (reader.passes(comma))
  return reader.passes(closeObject) ? found : undefined
}

/** Envelopes of a large body, with large results as they are written; undefined for any other body. */
export const parse = (text: string): unknown => {
  if (text.length < large) return undefined
  const reader = new Reader(text)
  if (reader.next !== openList) {
    const one = envelope(reader)
    return Number.isNaN(reader.next) ? one : undefined
  }
  reader.at++
  const all: Array<Readonly<Record<string, unknown>>> = []
  do {
    const one = envelope(reader)
    if (one === undefined) return undefined
    all.push(one)
  } while (reader.passes(comma))
  return reader.passes(closeList) && Number.isNaN(reader.next) ? all : undefined
}
