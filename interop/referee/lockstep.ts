/** Lets a sandbox have a block for each block of a node: of the same number, at the same time. */
import type { Differences } from "./differences.js"
import { type Side, sleep } from "./sides.js"

interface Block {
  readonly timestamp: string
  readonly transactions: ReadonlyArray<string>
}

/** How many blocks are asked for at a time. */
const stretch = 100

export class Lockstep {
  #begun = 0
  /** The bytes of what both have accepted and the node has in no block yet, by hash, as they were sent. */
  readonly #waiting = new Map<string, string>()

  constructor(readonly node: Side, readonly sandbox: Side, readonly differences: Differences) {}

  async #head(side: Side): Promise<number> {
    return Number(await side.result("eth_blockNumber"))
  }

  /** Gives the sandbox as many blocks as the node has: what the node has in them is not here. */
  async begin(): Promise<void> {
    const missing = await this.#head(this.node) - await this.#head(this.sandbox) - stretch
    if (missing > 0) await this.sandbox.result("hardhat_mine", `0x${missing.toString(16)}`)
    this.#begun = await this.#head(this.node)
    await this.follow()
  }

  /** Both have accepted a transaction. */
  accepted(hash: string, raw: string): void {
    this.#waiting.set(hash, raw)
  }

  /** Mines a block of the sandbox like one of the node: what came too late for that one waits here too. */
  async #mine(number: number, { timestamp, transactions }: Block): Promise<void> {
    for (const hash of transactions) this.#waiting.delete(hash)
    const late = [...this.#waiting]
    const replies = await this.sandbox.batch([
      ...late.map(([hash]) => ["anvil_dropTransaction", hash] as const),
      ["evm_setNextBlockTimestamp", Number(timestamp)] as const,
      ["evm_mine"] as const,
      ["eth_getBlockByNumber", `0x${number.toString(16)}`, false] as const
    ])
    await this.sandbox.batch(late.map(([, raw]) => ["kaia_sendRawTransaction", raw] as const))
    if (number <= this.#begun) return
    const [time, mined, found] = replies.slice(late.length)
    const ours = found?.result as Block | undefined
    this.differences.compare(
      "transactions of a block",
      `block ${number}`,
      transactions,
      ours?.transactions ?? time?.error ?? mined?.error
    )
  }

  /** Mines on the sandbox what the node has mined, and gives the number of both heads. */
  async follow(): Promise<number> {
    const head = await this.#head(this.node)
    for (let next = await this.#head(this.sandbox) + 1; next <= head; next += stretch) {
      const numbers = Array.from({ length: Math.min(stretch, head - next + 1) }, (_, index) => next + index)
      const blocks = await this.node.batch(
        numbers.map((number) => ["eth_getBlockByNumber", `0x${number.toString(16)}`, false])
      )
      for (const [index, { result }] of blocks.entries()) await this.#mine(next + index, result as Block)
    }
    return head
  }

  /** Whether neither has made a block after this one. */
  async isAt(head: number): Promise<boolean> {
    const heads = await Promise.all([this.#head(this.node), this.#head(this.sandbox)])
    return heads.every((one) => one === head)
  }

  /** Waits until the node has just made a block, so that what is sent now comes into the next one. */
  async nextBlock(): Promise<number> {
    const before = await this.follow()
    for (let tries = 0; await this.#head(this.node) === before; tries++) {
      if (tries > 3_000) throw new Error("the node makes no blocks")
      await sleep(20)
    }
    return this.follow()
  }
}
