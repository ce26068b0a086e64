import { blobRetention } from "@effect-klaytn/local-chain/Execution"
import type { Driver } from "@effect-klaytn/store/Driver"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { blobs } from "./Schema.js"

/** Keeps the transactions with blobs of one chain as they were sent, as long as a node keeps blobs. */
export class BlobStore {
  readonly #insert
  readonly #find
  readonly #removeBefore
  readonly #removeAfter

  constructor(driver: Driver, c: number) {
    const table = blobs.of(c)
    this.#insert = table.insert(driver)
    this.#find = table.find(driver)
    this.#removeBefore = driver.prepare(`DELETE FROM blobs_${c} WHERE block <= ?1`)
    this.#removeAfter = driver.prepare(`DELETE FROM blobs_${c} WHERE block > ?1`)
  }

  get(hash: Hex): Uint8Array | undefined {
    return this.#find({ hash })?.raw
  }

  /** Stores those of a block, and forgets what is too old then. */
  write(block: number, withBlobs: ReadonlyMap<Hex, Uint8Array>): void {
    for (const [hash, raw] of withBlobs) this.#insert({ hash, block, raw })
    if (withBlobs.size > 0) this.#removeBefore.run(block - blobRetention)
  }

  /** Removes those of the blocks above a height. */
  revert(height: number): void {
    this.#removeAfter.run(height)
  }
}
