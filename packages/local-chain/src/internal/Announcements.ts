import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"

/** How many hashes are kept for those that are late. */
const most = 10_000

/** Tells those that follow the pool which transactions can run that could not before. */
export class Announcements {
  readonly #now = Effect.runSync(PubSub.sliding<Hex>(most))
  /** The newest ones, and how many there were before them. */
  readonly #hashes: Array<Hex> = []
  #before = 0

  readonly subscribe = PubSub.subscribe(this.#now)

  tell(hashes: ReadonlyArray<Hex>): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#hashes.push(...hashes)
      // Now and then, so that this costs little.
      if (this.#hashes.length > 2 * most) this.#before += this.#hashes.splice(0, most).length
      return Effect.asVoid(PubSub.publishAll(this.#now, hashes))
    })
  }

  /** Those after the first `after`, and how many there were in all. */
  since(after?: number): { readonly hashes: ReadonlyArray<Hex>; readonly count: number } {
    const { length } = this.#hashes
    const first = after === undefined ? length : Math.max(after - this.#before, length - most, 0)
    return { hashes: this.#hashes.slice(first), count: this.#before + length }
  }
}
