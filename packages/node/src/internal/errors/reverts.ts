/** Why an execution was reverted: from its data, and in words. */
import { type HexData, isData, noData } from "@effect-klaytn/core/HexEncoding"
import * as Sanitize from "@effect-klaytn/core/Sanitize"
import { hexToBytes } from "@noble/hashes/utils.js"

// The two built-in errors of Solidity: `Error(string)` and `Panic(uint256)`.

const errorSelector = "0x08c379a0"
const panicSelector = "0x4e487b71"
const word = 64

/** What is known of a revert. */
export interface Revert {
  readonly reason?: string | undefined
  readonly panic?: bigint | undefined
  readonly revertData?: HexData | undefined
}

const numberAt = (digits: string, at: number): number => Number(BigInt(`0x${digits.slice(at, at + word)}`))

const reasonOf = (digits: string): string | undefined => {
  if (digits.length < 2 * word) return undefined
  const offset = numberAt(digits, 0) * 2
  if (!(offset + word <= digits.length)) return undefined
  const length = numberAt(digits, offset) * 2
  const start = offset + word
  return start + length <= digits.length
    ? new TextDecoder().decode(hexToBytes(digits.slice(start, start + length)))
    : undefined
}

/** Reads the data of a revert; the reason is cleaned. Without data there is nothing to read. */
export const read = (data: unknown, clean: Sanitize.Redact): Revert => {
  const bytes = typeof data === "string" ? data.toLowerCase() : undefined
  if (!isData(bytes) || bytes === noData) return {}
  const digits = bytes.slice(10)
  if (bytes.startsWith(panicSelector) && digits.length === word) {
    return { revertData: bytes, panic: BigInt(`0x${digits}`) }
  }
  const reason = bytes.startsWith(errorSelector) ? reasonOf(digits) : undefined
  return reason === undefined ? { revertData: bytes } : { revertData: bytes, reason: clean(reason) }
}

/** The one wording for reverts; `why` is empty if nothing is known. */
export const sentence = (why: string): string => why === "" ? "execution reverted" : `execution reverted: ${why}`

/** Why, by the data or else by the node's message. */
export const why = ({ panic, reason, revertData = noData }: Revert, serviceMessage: string): string => {
  if (reason !== undefined) return reason
  if (panic !== undefined) return `panic 0x${panic.toString(16)}`
  if (revertData.length >= 10) return `custom error ${revertData.slice(0, 10)}`
  return serviceMessage.replace(/^.*execution reverted:?\s*/i, "")
}

/** A custom error with its arguments. */
export const call = (name: string, args: ReadonlyArray<unknown>): string =>
  `${name}(${args.slice(0, 10).map(Sanitize.describe).join(", ")})`
