/** A pool of the chain in its own words: a list of what can run and a list of the rest for each sender. Written for tests, and slow. */
export interface Offer {
  readonly name: string
  readonly sender: string
  readonly nonce: number
  readonly cap: number
  readonly tip: number
  readonly cancels: boolean
}

type Listed = Offer & { readonly arrival: number }

export class PoolModel {
  readonly nonces = new Map<string, number>()
  readonly pending = new Map<string, Array<Listed>>()
  readonly queue = new Map<string, Array<Listed>>()
  readonly beats = new Map<string, number>()
  readonly left = new Map<string, string | undefined>()
  #arrivals = 0

  constructor(public baseFee: number, private readonly limit: number) {}

  list(lists: Map<string, Array<Listed>>, sender: string): Array<Listed> {
    const list = lists.get(sender) ?? []
    lists.set(sender, list)
    return list
  }

  get count(): number {
    return [...this.pending.values(), ...this.queue.values()].flat().length
  }

  nonce(sender: string): number {
    return this.nonces.get(sender) ?? 0
  }

  pendingNonce(sender: string): number {
    return this.nonce(sender) + this.list(this.pending, sender).length
  }

  submit(offer: Offer, now: number): string {
    this.evict(now)
    if (this.count >= this.limit) return `txpool is full: ${this.count}`
    if (offer.cap < this.baseFee) return "below the base fee"
    if (offer.nonce < this.nonce(offer.sender)) return "nonce too low"
    const entry = { ...offer, arrival: this.#arrivals++ }
    for (const lists of [this.pending, this.queue]) {
      const list = this.list(lists, offer.sender)
      const at = list.findIndex(({ nonce }) => nonce === offer.nonce)
      const old = list[at]
      if (old === undefined) continue
      if (!offer.cancels && offer.cap <= old.cap) {
        return "there is another tx which has the same nonce in the tx pool"
      }
      list[at] = entry
      this.left.set(old.name, offer.name)
      this.left.delete(offer.name)
      this.promote(offer.sender, now)
      return "accepted"
    }
    this.list(this.queue, offer.sender).push(entry)
    this.left.delete(offer.name)
    if (!this.beats.has(offer.sender)) this.beats.set(offer.sender, now)
    this.promote(offer.sender, now)
    return "accepted"
  }

  promote(sender: string, now: number): void {
    const queue = this.list(this.queue, sender)
    for (;;) {
      const at = queue.findIndex(({ cap, nonce }) => nonce === this.pendingNonce(sender) && cap >= this.baseFee)
      if (at < 0) return
      this.list(this.pending, sender).push(...queue.splice(at, 1))
      this.beats.set(sender, now)
    }
  }

  /** The names of the next block's transactions, in order. */
  block(): ReadonlyArray<string> {
    const lists = new Map(Array.from(this.pending, ([sender, list]) => [sender, [...list]]))
    const names: Array<string> = []
    for (;;) {
      let best: Listed | undefined
      for (const [head] of lists.values()) {
        if (head === undefined) continue
        if (best === undefined || this.isBefore(head, best)) best = head
      }
      if (best === undefined) return names
      lists.get(best.sender)?.shift()
      names.push(best.name)
    }
  }

  isBefore(one: Listed, other: Listed): boolean {
    const tip = ({ cap, tip }: Listed) => Math.min(tip, cap - this.baseFee)
    return tip(one) === tip(other) ? one.arrival < other.arrival : tip(one) > tip(other)
  }

  mine(now: number, baseFeeAfter: number): void {
    for (const [sender, list] of this.pending) this.nonces.set(sender, this.nonce(sender) + list.splice(0).length)
    this.reset(now, baseFeeAfter)
  }

  reset(now: number, baseFee: number): void {
    this.baseFee = baseFee
    for (const [sender, list] of this.pending) {
      const at = list.findIndex(({ cap }) => cap < baseFee)
      if (at < 0) continue
      this.list(this.queue, sender).push(...list.splice(at))
      if (!this.beats.has(sender)) this.beats.set(sender, now)
    }
    for (const sender of this.queue.keys()) this.promote(sender, now)
  }

  evict(now: number): void {
    for (const [sender, beat] of this.beats) {
      if (now - beat <= 300) continue
      this.beats.delete(sender)
      for (const { name } of this.list(this.queue, sender).splice(0)) this.left.set(name, undefined)
    }
  }
}
