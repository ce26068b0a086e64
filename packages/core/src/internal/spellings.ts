import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

const escapeForRegExp = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

const eitherCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const codeUnits = (character: string): ReadonlyArray<string> =>
  Array.from({ length: character.length }, (_, index) => character.charCodeAt(index).toString(16).padStart(4, "0"))

// One character as itself, after JSON's backslashes (once or twice escaped), as \uXXXX, and percent-encoded.
const spelling = (character: string): string => {
  const plain = `\\\\{0,3}${escapeForRegExp(character)}`
  const unicode = codeUnits(character).map((unit) => `\\\\{1,3}u${eitherCase(unit)}`).join("")
  const percent = (bytesToHex(utf8ToBytes(character)).match(/../g) ?? []).map((byte) => `%${eitherCase(byte)}`).join("")
  return character === " " ? `(?:${plain}|${unicode}|${percent}|\\+)` : `(?:${plain}|${unicode}|${percent})`
}

// Backslashes are told by the run, so that their escapes can't be split between neighbours in many ways.
const backslashes = (count: number): string => `(?:(?:%5[cC]|\\\\{1,3}u005[cC]){${count}}|\\\\{${count},${count * 4}})`

/**
 * The source of a pattern that finds a text however its characters are written: plain, JSON-escaped, percent-encoded,
 * or a mixture of these.
 *
 * @internal
 */
export const everySpelling = (text: string): string =>
  (text.match(/\\+|[^\\]/gu) ?? [])
    .map((part) => part.startsWith("\\") ? backslashes(part.length) : spelling(part))
    .join("")
