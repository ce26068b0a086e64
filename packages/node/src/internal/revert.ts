/** The two built-in errors of Solidity: `Error(string)` and `Panic(uint256)`. */
import { HexData, noData } from "@effect-klaytn/core/Hex"
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Schema from "effect/Schema"

const errorSelector = "0x08c379a0"
const panicSelector = "0x4e487b71"
const word = 64

interface Revert {
  readonly reason?: string
  readonly panic?: bigint
  readonly revertData?: HexData
}

const isData = Schema.is(HexData)

const number = (digits: string, at: number): number => Number(BigInt(`0x${digits.slice(at, at + word)}`))

const reasonOf = (digits: string): string | undefined => {
  if (digits.length < 2 * word) return undefined
  const offset = number(digits, 0) * 2
  if (!(offset + word <= digits.length)) return undefined
  const length = number(digits, offset) * 2
  const start = offset + word
  return start + length <= digits.length
    ? new TextDecoder().decode(hexToBytes(digits.slice(start, start + length)))
    : undefined
}

const inWords = /execution reverted:\s*(\S.*)$/

/** Reads a revert from its data, or else from the node's message. */
export const read = (data: unknown, words: string, clean: (text: string) => string): Revert => {
  const bytes = typeof data === "string" ? data.toLowerCase() : undefined
  const spoken = inWords.exec(words)?.[1]
  const said = spoken === undefined ? {} : { reason: spoken }
  if (!isData(bytes) || bytes === noData) return said
  const digits = bytes.slice(10)
  if (bytes.startsWith(panicSelector) && digits.length === word) {
    return { revertData: bytes, panic: BigInt(`0x${digits}`) }
  }
  if (!bytes.startsWith(errorSelector)) return { revertData: bytes, ...said }
  const reason = reasonOf(digits)
  return reason === undefined ? { revertData: bytes, ...said } : { revertData: bytes, reason: clean(reason) }
}
