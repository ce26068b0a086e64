/** The figures of the index in `bench:guard`: blocks of a node indexed while the index is behind, and the newest ones; and a first sync. */
import * as Effect from "effect/Effect"
import { measure } from "../../../benchmarks/guard/measured.js"
import * as NodeSource from "../src/NodeSource.js"
import { indexBlocks } from "./backfill.js"
import { SyntheticNode } from "./SyntheticNode.js"

/** Few transactions in a block: those of the newest blocks take longer, and these are a part of the blocks only. */
const node = new SyntheticNode(NodeSource.stateDepth + 100, 1)

await measure("backfill of the index", async () => {
  const { index } = await Effect.runPromise(indexBlocks(node))
  index.remove()
  return node.height
}, { others: () => node.busy * 1000 })

/** Blocks as a busy chain has them. */
const busy = new SyntheticNode(250, 10)

await measure("a first sync", async () => {
  const { index } = await Effect.runPromise(indexBlocks(busy))
  index.remove()
  return busy.height
}, { others: () => busy.busy * 1000 })
