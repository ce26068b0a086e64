/** Serves a history for the bench, in a process of its own: `tsx serve.ts TRANSFERS LATENCY`. Prints its address. */
import { serve } from "../../../drills/exports/exportRuns.js"
import * as records from "../../../drills/exports/records.js"

const [transfers = "100000", latency = "0"] = process.argv.slice(2)
const history = records.make({ seed: "bench", transfers: Number(transfers), accounts: 1 })
const { url } = await serve(history, {}, Number(latency))
process.stdout.write(`${url}\n`)
