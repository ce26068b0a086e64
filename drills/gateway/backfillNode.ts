/**
 * The node of the drill of the first load, as a process of its own. It makes its chain before it says its address, so that a worker
 * reads blocks that are there, however often workers are killed.
 */
import { listen } from "../../packages/indexer/bench/listen.js"
import { SyntheticNode } from "../../packages/indexer/bench/SyntheticNode.js"
import type { BackfillNodeJob } from "./backfillProgram.js"

// Written by the parent.
const { blocks, seed } = JSON.parse(process.env["DRILL_JOB"] ?? "{}") as BackfillNodeJob
const node = new SyntheticNode(blocks, 10, Number.POSITIVE_INFINITY, seed)
node.makeAll()
const port = await listen((body) => node.answer(body))
process.stdout.write(`${JSON.stringify({ port })}\n`)

// The parent is gone.
process.stdin.on("close", () => process.exit(0)).resume()
