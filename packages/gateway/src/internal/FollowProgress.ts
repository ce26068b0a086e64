/** What is seen of the node and of the index while the one follows the other. */
export class FollowProgress {
  #nodeHead: number | undefined
  #answeredAt: number | undefined
  #failure: string | undefined
  #blocksIndexed = 0
  #transfersIndexed = 0
  #blocksReverted = 0

  get nodeHead(): number | undefined {
    return this.#nodeHead
  }

  /** When the node answered last, in milliseconds. */
  get answeredAt(): number | undefined {
    return this.#answeredAt
  }

  /** The last failure since the last block. */
  get failure(): string | undefined {
    return this.#failure
  }

  get blocksIndexed(): number {
    return this.#blocksIndexed
  }

  get transfersIndexed(): number {
    return this.#transfersIndexed
  }

  get blocksReverted(): number {
    return this.#blocksReverted
  }

  sawHead(height: number, atMillis: number): void {
    this.#nodeHead = height
    this.#answeredAt = atMillis
  }

  indexed(transfers: number): void {
    this.#blocksIndexed++
    this.#transfersIndexed += transfers
    this.#failure = undefined
  }

  reverted(blocks: number): void {
    this.#blocksReverted += blocks
  }

  /** A round ended without a failure. */
  caughtUp(): void {
    this.#failure = undefined
  }

  failed(message: string): void {
    this.#failure = message
  }
}
