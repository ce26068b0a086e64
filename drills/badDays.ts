/**
 * A node's bad days for any drill, by name: `--bad-days pool,base-fee,reorg,cut,forgotten,known,full,price`. They are made on the
 * sandbox that the drill has as its node, over its JSON-RPC for development, one after the other by seed.
 */
import { Random } from "../packages/sandbox/src/internal/Random.js"

/**
 * - `pool`: the pool is emptied, as the end of a node without a journal does.
 * - `base-fee`: the base fee jumps up to some times the lowest, and is let down again up to half a minute later; where blocks are
 *   built in the meantime, it falls step by step.
 * - `reorg`: one to three blocks are taken back, and their transactions wait again.
 * - `cut`: the next requests get no answer, and their connections are cut after 31 s, though the node has acted.
 * - `forgotten`: the next sends are answered with their hash, and forgotten.
 * - `known`, `full`, `price`: the next sends are refused as known, for a full pool, for their price.
 */
export const names = ["pool", "base-fee", "reorg", "cut", "forgotten", "known", "full", "price"] as const

/** The name of a bad day. */
export type Name = typeof names[number]

const isName = (text: string): text is Name => names.some((name) => name === text)

/** The names of a list that is separated by commas; none without one. */
export const namesOf = (list: string | undefined): ReadonlyArray<Name> =>
  (list ?? "").split(",").filter((one) => one !== "").map((one) => {
    if (!isName(one)) throw new Error(`--bad-days has no ${JSON.stringify(one)}; there are: ${names.join(", ")}`)
    return one
  })

const lowest = 25n * 10n ** 9n

const hex = (value: bigint): string => `0x${value.toString(16)}`

/** Milliseconds from one bad day to the next, and until a base fee is let down, for a moment or for longer. */
const between = [500, 2_500] as const
const highFor: ReadonlyArray<readonly [least: number, most: number]> = [[1_000, 4_000], [15_000, 30_000]]

/** What bad days are made on. */
export interface Target {
  /** The JSON-RPC for development of the sandbox, which may be killed and started again. */
  readonly rpcUrl: () => string
  /** The requests that are cut: those of the JSON-RPC for development, or any of the service. */
  readonly cut: "rpc.exchange" | undefined
}

/** Bad days that follow each other until they are stopped. */
export class BadDays {
  /** How often each was made. */
  readonly counts = new Map<Name, number>()
  readonly #target: Target
  readonly #names: ReadonlyArray<Name>
  readonly #random: Random
  readonly #stopped = new AbortController()
  #running: Promise<void> = Promise.resolve()
  /** Present while the base fee is high: ends when it is let down. */
  #high: Promise<void> | undefined

  constructor(target: Target, list: ReadonlyArray<Name>, seed: string) {
    this.#target = target
    this.#names = list
    this.#random = new Random(`${seed} bad days`)
  }

  start(): void {
    if (this.#names.length > 0) this.#running = this.#run()
  }

  /** Ends them, and what they have begun: faults in force, and a high base fee. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
    await this.#high
    if (this.#names.length > 0) await this.#call("sandbox_clearFaults")
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.#pause(...between)
      const name = this.#random.pick(this.#names)
      if (name === undefined || this.#stopped.signal.aborted) continue
      if (await this.#make(name)) this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    }
  }

  /** Makes one, and says whether it was made: the node may be down, or its chain too short. */
  async #make(name: Name): Promise<boolean> {
    const times = this.#random.between(1, 3)
    switch (name) {
      case "pool":
        return this.#call("anvil_dropAllTransactions")
      case "base-fee": {
        if (this.#high !== undefined) return false
        const isHigh = await this.#setBaseFee(lowest * BigInt(this.#random.between(2, 6)))
        if (isHigh) this.#high = this.#letDown()
        return isHigh
      }
      case "reorg":
        return this.#call("sandbox_reorg", { depth: times })
      case "cut": {
        const action = { kind: "drop", when: "after", milliseconds: 31_000 }
        const { cut: operation } = this.#target
        return this.#call("sandbox_addFault", { ...(operation !== undefined && { operation }), times, action })
      }
      case "forgotten":
      case "known":
      case "full":
        return this.#fault(name, times)
      case "price":
        return this.#fault("underpriced", times)
    }
  }

  #setBaseFee(fee: bigint): Promise<boolean> {
    return this.#call("anvil_setNextBlockBaseFeePerGas", hex(fee))
  }

  /** Lets the base fee down after some time. */
  async #letDown(): Promise<void> {
    const [least, most] = this.#random.pick(highFor) ?? between
    await this.#pause(least, most)
    // The node may be down for a moment.
    for (let left = 100; !(await this.#setBaseFee(lowest)) && left > 0; left--) {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    this.#high = undefined
  }

  #fault(outcome: string, times: number): Promise<boolean> {
    return this.#call("sandbox_addFault", { times, action: { kind: "send", outcome } })
  }

  /** Whether a call had a result. */
  async #call(method: string, ...params: ReadonlyArray<unknown>): Promise<boolean> {
    try {
      const response = await fetch(this.#target.rpcUrl(), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal: AbortSignal.timeout(40_000)
      })
      return "result" in Object(await response.json())
    } catch {
      return false
    }
  }

  #pause(least: number, most: number): Promise<void> {
    const { signal } = this.#stopped
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(done, this.#random.between(least, most))
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener("abort", done)
        resolve()
      }
      signal.addEventListener("abort", done, { once: true })
    })
  }
}
