/** The node of the drill of a busy chain, as a process of its own: a new block each second, and a while for each answer. */
import { listen } from "../../packages/indexer/bench/listen.js"
import { SyntheticNode } from "../../packages/indexer/bench/SyntheticNode.js"

/** What the node is started with. */
export interface LiveNodeJob {
  readonly port: number
  readonly transactions: number
  /** How long a request takes, in milliseconds. */
  readonly latency: number
}

/** Blocks that are there from the beginning. */
const first = 5

/** Blocks that the node keeps the text of: ten times as many as a follower may be behind. */
const kept = 300

// Written by the parent.
const { latency, port, transactions } = JSON.parse(process.env["DRILL_JOB"] ?? "{}") as LiveNodeJob
const node = new SyntheticNode(first, transactions, kept)
node.makeAll()
await listen((body) => node.answer(body), { latency, port })
process.stdout.write(`${JSON.stringify({ ready: String(port) })}\n`)

const began = performance.now()
setInterval(() => {
  const height = first + Math.floor((performance.now() - began) / 1000)
  while (node.height < height) {
    node.height++
    node.makeAll()
  }
}, 100)

// The parent is gone.
process.stdin.on("close", () => process.exit(0)).resume()
