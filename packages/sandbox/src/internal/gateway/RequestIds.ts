import { randomUUID } from "node:crypto"
import { deriveUuid } from "../derive.js"

/** Hands out the `requestId` of error bodies: random, or the same ones in the same order for the same seed. */
export class RequestIds {
  readonly #seed: string | undefined
  #count = 0

  constructor(seed: string | undefined) {
    this.#seed = seed
  }

  next(): string {
    return this.#seed === undefined ? randomUUID() : deriveUuid(this.#seed, `request ${this.#count++}`)
  }
}
