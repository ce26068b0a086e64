import { randomUUID } from "node:crypto"
import { deriveUuid } from "../derive.js"

/** Generates the `requestId` of error bodies: random, or the same sequence for the same seed. */
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
