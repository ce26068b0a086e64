/**
 * The bloom filter over the logs of a block or of a receipt: the field `logsBloom`, by Ethereum's rules.
 *
 * **Example** (the filter of one log)
 *
 * ```ts
 * import * as LogsBloom from "@effect-klaytn/transaction/LogsBloom"
 *
 * const address = `0x${"11".repeat(20)}` as const
 * const bloom = LogsBloom.of([{ address, topics: [] }])
 * console.log(bloom.length) // 256
 * ```
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import type { EmittedLog } from "./ExecutedTransaction.js"
import { bytesOf, type Hex } from "./Hex.js"

const length = 256
const empty = new Uint8Array(length)

/** The bits of the addresses and topics that were seen lately: most are in many logs. */
const positions = new Map<string, ReadonlyArray<number>>()

/** The three bits of the 2048 that an address or topic sets: from the first three pairs of bytes of its hash. */
const bitsOf = (item: Hex): ReadonlyArray<number> => {
  const known = positions.get(item)
  if (known !== undefined) return known
  const hash = keccak_256(bytesOf(item))
  const bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
  if (positions.size > 50_000) positions.clear()
  positions.set(item, bits)
  return bits
}

const add = (bloom: Uint8Array, item: Hex): void => {
  for (const bit of bitsOf(item)) {
    const at = length - 1 - (bit >> 3)
    bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
  }
}

/**
 * The filter over the addresses and topics of logs, 256 bytes: all zero without logs.
 *
 * @category constructors
 */
export const of = (logs: Iterable<Pick<EmittedLog, "address" | "topics">>): Uint8Array => {
  let bloom = empty
  for (const { address, topics } of logs) {
    if (bloom === empty) bloom = new Uint8Array(length)
    add(bloom, address)
    for (const topic of topics) add(bloom, topic)
  }
  return bloom
}
