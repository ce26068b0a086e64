/** The figure of the index in `bench:guard`: blocks of a node indexed while the index is behind, and the newest ones. */
import * as Effect from "effect/Effect"
import { measure } from "../../../benchmarks/guard/measured.js"
import * as NodeSource from "../src/NodeSource.js"
import { indexBlocks, transactions } from "./backfill.js"
import { SyntheticNode } from "./SyntheticNode.js"

/** Both turns index a file of their own. */
const node = new SyntheticNode(2 * NodeSource.stateDepth, transactions)

await measure("backfill of the index", async () => {
  const { index } = await Effect.runPromise(indexBlocks(node))
  index.remove()
  return node.height
}, () => node.busy * 1000)
