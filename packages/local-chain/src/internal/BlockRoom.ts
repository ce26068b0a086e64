import type { ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as BigInteger from "effect/BigInt"
import { mostInBlock, sizeOf } from "./blobs.js"
import type { ValidTransaction } from "./validation.js"

/**
 * A block takes no further transaction once its transactions have done this much work, or take this many bytes. The rest waits
 * for the next block. This limits a block to seconds, and its logs to a number that an index has keys for.
 */
const fullAt = { work: 100_000_000n, bytes: 8 * 1024 * 1024 }

/** The work of a transaction, in gas. A failed one is charged for all of its gas, however little of that it ran. */
const workOf = ({ gasUsed, status }: ExecutedTransaction): bigint =>
  status === 1 ? gasUsed : BigInteger.min(gasUsed, 30_000_000n)

/** What a block that is being built has room for. */
export class BlockRoom {
  /** Gas that its transactions used. */
  gas = 0n
  #work = 0n
  #bytes = 0
  #blobs = 0
  /** The senders whose blobs have no room, and what they send after them. */
  readonly #skipped = new Set<Hex>()

  /** `mostGas` is a limit that somebody has set. As on the chain, the limit in a header is that of a transaction. */
  constructor(private readonly mostGas: bigint | undefined) {}

  /** Whether no further transaction has room after this one had none. */
  isFullFor(candidate: ValidTransaction): boolean {
    return this.#work >= fullAt.work || (this.mostGas !== undefined && this.gas + candidate.view.gas > this.mostGas) ||
      (this.#bytes > 0 && this.#bytes + sizeOf(candidate) > fullAt.bytes)
  }

  /** Whether this one alone waits, and those behind it of its sender, because there are blobs enough. */
  skips({ view: { blobVersionedHashes, from } }: ValidTransaction): boolean {
    if (this.#blobs + blobVersionedHashes.length > mostInBlock) this.#skipped.add(from)
    return this.#skipped.has(from)
  }

  take(candidate: ValidTransaction, executed: ExecutedTransaction): void {
    this.gas = executed.cumulativeGasUsed
    this.#work += workOf(executed)
    this.#bytes += sizeOf(candidate)
    this.#blobs += candidate.view.blobVersionedHashes.length
  }
}
