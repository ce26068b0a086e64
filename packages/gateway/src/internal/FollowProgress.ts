/** What was seen of the node and of the index so far. */
interface Seen {
  readonly nodeHead?: number
  /** When the node answered last, in milliseconds. */
  readonly answeredAt?: number
  /** The last failure since the last block. */
  readonly failure?: string | undefined
  readonly blocksIndexed: number
  readonly transfersIndexed: number
  readonly blocksReverted: number
}

/** What is seen of the node and of the index while the one follows the other. */
export class FollowProgress {
  #seen: Seen = { blocksIndexed: 0, transfersIndexed: 0, blocksReverted: 0 }

  get seen(): Seen {
    return this.#seen
  }

  sawHead(nodeHead: number, answeredAt: number): void {
    this.#seen = { ...this.#seen, nodeHead, answeredAt }
  }

  indexed(transfers: number): void {
    const { blocksIndexed, transfersIndexed } = this.#seen
    this.#seen = { ...this.#seen, blocksIndexed: blocksIndexed + 1, transfersIndexed: transfersIndexed + transfers }
    this.failed(undefined)
  }

  reverted(blocks: number): void {
    this.#seen = { ...this.#seen, blocksReverted: this.#seen.blocksReverted + blocks }
  }

  /** The message of a failure; none when a round ended without one. */
  failed(failure: string | undefined): void {
    this.#seen = { ...this.#seen, failure }
  }
}
