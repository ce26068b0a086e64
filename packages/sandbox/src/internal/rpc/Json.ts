import { randomUUID } from "node:crypto"
import { isDeeper } from "../gateway/depth.js"

/** A number that a JavaScript number would change, such as a long ID or a fraction, as it stood in the text. */
export class Numeral {
  constructor(readonly text: string) {}
}

/** Numbers that come out of `JSON.parse` as they went in. */
const plain = /^(?:0|-?[1-9]\d{0,14})$/

/** No client can know it, so none can write a numeral by itself. */
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

/** The same JSON with every number that would change as an object of its text; nothing if there is none. */
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

/** As deep as a node reads. */
const deepest = 10_000

/** Reads JSON without changing a number; nothing if it is none. */
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

/** Writes a value that {@link parse} read, if it is neither an object nor an array. */
export const write = (value: unknown): string => value instanceof Numeral ? value.text : JSON.stringify(value)
