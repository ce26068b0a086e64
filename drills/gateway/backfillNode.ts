/**
 * The node of the drill of the first load, as a process of its own. It makes its chain before it says its address, so that a worker
 * reads blocks that are there, however often workers are killed.
 */
import { createServer } from "node:http"
import { SyntheticNode } from "../../packages/indexer/bench/SyntheticNode.js"
import type { BackfillNodeJob } from "./backfillProgram.js"

// Written by the parent.
const { blocks, seed } = JSON.parse(process.env["DRILL_JOB"] ?? "{}") as BackfillNodeJob
const node = new SyntheticNode(blocks, 10, Number.POSITIVE_INFINITY, seed)
node.makeAll()
const server = createServer((request, response) => {
  const parts: Array<Buffer> = []
  request.on("data", (part: Buffer) => parts.push(part))
  request.on("end", () => {
    response.setHeader("content-type", "application/json")
    response.end(node.answer(Buffer.concat(parts).toString()))
  })
}).listen(0, "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})

// The parent is gone.
process.stdin.on("close", () => process.exit(0)).resume()
