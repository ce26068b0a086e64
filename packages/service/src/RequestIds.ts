/**
 * The IDs of requests, as they stand in error bodies.
 */
import { randomUUID } from "node:crypto"
import { deriveUuid } from "./Derive.js"

/**
 * Generates the `requestId` of error bodies: random, or the same sequence for the same seed. Default: random.
 *
 * @category models
 */
export class RequestIds {
  readonly #seed: string | undefined
  #count = 0

  constructor(seed?: string) {
    this.#seed = seed
  }

  next(): string {
    return this.#seed === undefined ? randomUUID() : deriveUuid(this.#seed, `request ${this.#count++}`)
  }
}
