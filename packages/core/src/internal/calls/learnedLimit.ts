/** A limit that is not known, and is learned from what worked and what was refused. */

/** After how many full requests in a row a limit grows; twice as many each time that the larger size is refused. */
const patience = { first: 20, most: 10_000 }

export class Limit {
  most = Number.POSITIVE_INFINITY
  #proven = 0
  #refused = Number.POSITIVE_INFINITY
  #uses = 0
  #needed = patience.first

  get known(): number | undefined {
    return this.most === Number.POSITIVE_INFINITY ? undefined : this.most
  }

  /** The size to try after a larger one was refused: the last that worked if it is near, or else half. */
  smaller(size: number): number {
    return this.#proven < size && this.#proven >= size / 2 ? this.#proven : Math.ceil(size / 2)
  }

  worked(size: number): void {
    // A request is full if a little more would be beyond the limit: calls have different sizes.
    if (this.most === Number.POSITIVE_INFINITY || size < this.most * 0.9) return
    this.#proven = Math.max(this.#proven, size)
    if (++this.#uses < this.#needed) return
    this.#uses = 0
    if (this.most + 1 >= this.#refused) this.#refused = Number.POSITIVE_INFINITY
    this.most = Math.min(this.#refused - 1, this.most + Math.ceil(this.most / 8))
  }

  learn(worked: number, refused: number): void {
    if (refused <= this.most + Math.ceil(this.most / 8) && this.most !== Number.POSITIVE_INFINITY) {
      this.#needed = Math.min(this.#needed * 2, patience.most)
    }
    this.most = worked
    this.#proven = worked
    this.#refused = refused
    this.#uses = 0
  }

  /** Returns the function that forgets what is learned from now on. */
  remember(): () => void {
    const before = [this.most, this.#needed, this.#proven, this.#refused, this.#uses] as const
    return () => {
      ;[this.most, this.#needed, this.#proven, this.#refused, this.#uses] = before
    }
  }
}
