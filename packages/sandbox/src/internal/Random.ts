import { keccak_256 } from "@noble/hashes/sha3.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

/** Numbers that look random and are the same for the same seed (the generator sfc32, seeded by a hash). */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    const view = new DataView(keccak_256(utf8ToBytes(seed)).buffer)
    this.#a = view.getUint32(0)
    this.#b = view.getUint32(4)
    this.#c = view.getUint32(8)
    for (let i = 0; i < 12; i++) this.#next()
  }

  /** From 0 to below 1. */
  fraction(): number {
    return this.#next() / 2 ** 32
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  /** One of a list; nothing of an empty one. */
  pick<A>(list: ReadonlyArray<A>): A | undefined {
    return list[this.between(0, list.length - 1)]
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter++) >>> 0
    this.#a = (this.#b ^ (this.#b >>> 9)) >>> 0
    this.#b = (this.#c + (this.#c << 3)) >>> 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0
    return sum
  }
}
