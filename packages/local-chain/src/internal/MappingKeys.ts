import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"

const most = 100_000
const deepest = 3

/**
 * Records the messages that code hashes, to find the key of the mapping entry that a slot belongs to: compilers place an entry at the
 * hash of 64 bytes, its key and the slot of the mapping.
 */
export class MappingKeys {
  readonly #hashed = new Map<string, Uint8Array>()

  /** Keccak-256 as the EVM calls it. */
  readonly keccak256 = (message: Uint8Array): Uint8Array => {
    const hash = keccak_256(message)
    if (message.length === 64 && this.#hashed.size < most) this.#hashed.set(bytesToHex(hash), message.slice())
    return hash
  }

  /** The keys of a slot, 64 hex digits. */
  of(slot: string, depth: number = 0): ReadonlyArray<ReadonlyArray<bigint>> {
    const message = depth < deepest ? this.#hashed.get(slot) : undefined
    if (message === undefined) return []
    const digits = bytesToHex(message)
    const [first, second] = [digits.slice(0, 64), digits.slice(64)]
    const key = (word: string): ReadonlyArray<bigint> => [BigInt(`0x${word}`)]
    // Solidity hashes key and slot, Vyper slot and key.
    if (this.#hashed.has(second)) return [...this.of(second, depth + 1), key(first)]
    if (this.#hashed.has(first)) return [...this.of(first, depth + 1), key(second)]
    return [[...key(first), ...key(second)]]
  }

  clear(): void {
    this.#hashed.clear()
  }
}
