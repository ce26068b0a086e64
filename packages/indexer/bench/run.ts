/**
 * One of the benches of the index: `backfill`, `live`, `pages`, `large`, `postgres` or `ponder`; `serve` is the node of `live`,
 * and `serve-ethereum` that of `ponder`.
 */
import { parseArgs } from "node:util"
import { backfill } from "./backfill.js"
import { large } from "./large.js"
import { live, serve } from "./live.js"
import { pages } from "./pages.js"
import { ponder, serveEthereum } from "./ponder.js"
import { postgres } from "./postgres.js"

const { positionals: [bench], values } = parseArgs({
  allowPositionals: true,
  options: {
    blocks: { type: "string" },
    runs: { type: "string", default: "5" },
    transfers: { type: "string", default: "1000000" }
  }
})

switch (bench) {
  case "backfill":
    await backfill(Number(values.blocks ?? 1500), Number(values.runs))
    break
  case "live":
    await live(Number(values.blocks ?? 30))
    break
  case "pages":
    await pages(Number(values.transfers))
    break
  case "large":
    await large(Number(values.transfers))
    break
  case "postgres":
    await postgres(Number(values.blocks ?? 3000))
    break
  case "ponder":
    await ponder(Number(values.blocks ?? 3000))
    break
  case "serve-ethereum":
    serveEthereum(Number(values.blocks))
    break
  case "serve":
    serve(Number.POSITIVE_INFINITY)
    break
  default:
    throw new Error("name a bench: backfill, live, pages, large, postgres or ponder")
}
