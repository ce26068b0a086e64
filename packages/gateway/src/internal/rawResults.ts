/**
 * Large answers of the node, whose results are passed on as they are written: to parse them and to write them again would keep all
 * others waiting. They are read without making anything of them, so that none is passed on that is no JSON: it would spoil
 * the other answers of its batch.
 */
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

/** What may follow a backslash. */
const escape = /["\\/bfnrt]|u[\da-fA-F]{4}/y

/** A value that is no string, list or object. */
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

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

  /** Passes a string, after its first quote; false if it is none. */
  passString(): boolean {
    const { text } = this
    for (let at = this.at; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) {
        this.at = at + 1
        return true
      }
      if (code < space) return false
      if (code === backslash) {
        this.at = at + 1
        if (!this.#passes(escape)) return false
        at = this.at - 1
      }
    }
    return false
  }

  /** Passes a value of any depth; false if it is none. */
  passValue(): boolean {
    const outer: Array<number> = []
    // What closes the list or object that the value is in.
    let closer = 0
    for (;;) {
      const code = this.next
      if (code === quote) {
        this.at++
        if (!this.passString()) return false
      } else if (code === openList || code === openObject) {
        this.at++
        outer.push(closer)
        closer = code === openList ? closeList : closeObject
        if (this.next !== closer) {
          if (closer === closeObject && !this.#passName()) return false
          continue
        }
      } else if (!this.#passes(literal)) return false
      // A value has ended, or an empty list or object ends, and with it perhaps those that it is in.
      while (closer !== 0) {
        const code = this.next
        this.at++
        if (code === comma) break
        if (code !== closer) return false
        closer = outer.pop() ?? 0
      }
      if (closer === 0) return true
      if (closer === closeObject && !this.#passName()) return false
    }
  }

  /** The value that comes next, as it is written; undefined if there is none. */
  value(): string | undefined {
    if (Number.isNaN(this.next)) return undefined
    const from = this.at
    return this.passValue() ? this.text.slice(from, this.at) : undefined
  }

  #passName(): boolean {
    return this.passes(quote) && this.passString() && this.passes(colon)
  }

  /** Whether a pattern comes next, which is passed then. */
  #passes(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const isNext = pattern.test(this.text)
    if (isNext) this.at = pattern.lastIndex
    return isNext
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
