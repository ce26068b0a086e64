/** Lets a sandbox have a block for each block of a node: of the same number, at the same time. */
import type { Differences } from "./differences.js"
import { type Side, sleep } from "./sides.js"

interface Block {
  readonly timestamp: string
  readonly transactions: ReadonlyArray<string>
}

/** The gas limit of a block, and one with which nothing runs. */
const usualGas = "0x1dcd6500"
export const noGas = "0x1"

/** How many blocks are asked for at a time. */
const stretch = 100

export class Lockstep {
  #begun = 0

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

  /** Mines on the sandbox what the node has mined, and gives the number of both heads. */
  async follow(): Promise<number> {
    const head = await this.#head(this.node)
    for (let next = await this.#head(this.sandbox) + 1; next <= head; next += stretch) {
      const numbers = Array.from({ length: Math.min(stretch, head - next + 1) }, (_, index) => next + index)
      const blocks = await this.node.batch(
        numbers.map((number) => ["eth_getBlockByNumber", `0x${number.toString(16)}`, false])
      )
      const theirs = blocks.map(({ result }) => result as Block)
      // What came too late for a block of the node waits here too: a block of this limit takes nothing.
      const { pending } = await this.sandbox.result("txpool_status") as { readonly pending: string }
      const limitOf = ({ transactions }: Block): string =>
        transactions.length === 0 && pending !== "0x0" ? noGas : usualGas
      const mined = await this.sandbox.batch(theirs.flatMap((block, index) => [
        ["evm_setBlockGasLimit", limitOf(block)] as const,
        ["evm_setNextBlockTimestamp", Number(block.timestamp)] as const,
        ["evm_mine"] as const,
        ["eth_getBlockByNumber", `0x${(next + index).toString(16)}`, false] as const
      ]))
      await this.sandbox.result("evm_setBlockGasLimit", usualGas)
      for (const [index, { transactions }] of theirs.entries()) {
        const [limit, time, mine, found] = mined.slice(4 * index)
        const ours = found?.result as Block | undefined
        if (next + index > this.#begun) {
          this.differences.compare(
            "transactions of a block",
            `block ${next + index}`,
            transactions,
            ours?.transactions ?? limit?.error ?? time?.error ?? mine?.error
          )
        }
      }
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
