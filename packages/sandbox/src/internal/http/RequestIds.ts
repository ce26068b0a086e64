import { randomUUID } from "node:crypto"
import { deriveKey } from "./derive.js"

/** Hands out the `requestId` of error bodies: random, or the same ones in the same order for the same seed. */
export class RequestIds {
  readonly #seed: string | undefined
  #count = 0

  constructor(seed: string | undefined) {
    this.#seed = seed
  }

  next(): string {
    if (this.#seed === undefined) return randomUUID()
    const digits = deriveKey(this.#seed, `request ${this.#count++}`).toString("hex")
    const variant = "89ab".charAt(Number.parseInt(digits.charAt(16), 16) % 4)
    return [
      digits.slice(0, 8),
      digits.slice(8, 12),
      `4${digits.slice(13, 16)}`,
      `${variant}${digits.slice(17, 20)}`,
      digits.slice(20, 32)
    ].join("-")
  }
}
