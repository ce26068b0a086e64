import { isDeeper } from "@effect-klaytn/service/Bodies"
import { randomUUID } from "node:crypto"

/** The text of a number that a JavaScript number would change, such as a long ID or a fraction. */
export class Numeral {
  constructor(readonly text: string) {}
}

/** Numbers that `JSON.parse` does not change. */
const plain = /^(?:0|-?[1-9]\d{0,14})$/

/** Random, so that no client can forge a numeral. */
const mark = `numeral ${randomUUID()}`

/** Where the text that begins at a quotation mark ends. */
const endOfText = (json: string, start: number): number => {
  for (let end = json.indexOf("\"", start + 1); end >= 0; end = json.indexOf("\"", end + 1)) {
    let slashes = 0
    while (json[end - 1 - slashes] === "\\") slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return json.length
}

const number = /-?\d[\d.eE+-]*/y

/** Wraps every number that would change into an object with its text; undefined if there is none. */
const markNumerals = (json: string): string | undefined => {
  let result = ""
  let copied = 0
  for (let at = 0; at < json.length;) {
    const char = json.charCodeAt(at)
    if (char === 34) {
      at = endOfText(json, at)
    } else if (char === 45 || (char >= 48 && char <= 57)) {
      number.lastIndex = at
      const text = number.exec(json)?.[0] ?? ""
      if (!plain.test(text)) {
        result += `${json.slice(copied, at)}{"${mark}":"${text}"}`
        copied = at + text.length
      }
      at += text.length
    } else at++
  }
  return copied === 0 ? undefined : result + json.slice(copied)
}

const isMarkedNumeral = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && mark in value

const revive = (_: string, value: unknown): unknown => isMarkedNumeral(value) ? new Numeral(String(value[mark])) : value

/** The depth that a node accepts. */
const deepest = 10_000

/** Parses JSON without changing a number; undefined for invalid JSON. */
export const parse = (json: string): { readonly value: unknown } | undefined => {
  if (isDeeper(json, deepest)) return undefined
  try {
    const value: unknown = JSON.parse(json)
    const exact = markNumerals(json)
    return { value: exact === undefined ? value : JSON.parse(exact, revive) }
  } catch {
    return undefined
  }
}

/** Where the first value of a text ends, if it is an object or a list. */
const endOfFirst = (json: string): number | undefined => {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (char === "\"") at = endOfText(json, at) - 1
    else if (char === "{" || char === "[") depth++
    else if (char === "}" || char === "]") {
      if (--depth <= 0) return at + 1
    }
  }
  return undefined
}

/** Parses the first value of a text as a node does, whatever follows it. */
export const parseFirst = (json: string): { readonly value: unknown } | undefined => {
  const whole = parse(json)
  const end = whole === undefined ? endOfFirst(json) : undefined
  return end === undefined ? whole : parse(json.slice(0, end))
}

/** Writes a value from {@link parse} that is neither an object nor an array. */
export const write = (value: unknown): string => value instanceof Numeral ? value.text : JSON.stringify(value)
