/** The sandbox of the drill, as a process of its own that is killed and started again on its database. */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { SandboxJob } from "./payoutService.js"

// Written by the parent.
const { accessKeyId, database, port, secretAccessKey } = JSON.parse(
  process.env["PAYOUTS_DRILL_SANDBOX"] ?? "{}"
) as SandboxJob

// The parent is gone.
process.stdin.on("close", () => process.exit(1)).resume()

const program = Effect.gen(function*() {
  const { url } = yield* Sandbox.make({
    database,
    port,
    credentials: { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) },
    mining: { every: "1 second" },
    explorer: false
  })
  process.stdout.write(`${url}\n`)
  return yield* Effect.never
})

const stopped = new AbortController()
process.once("SIGTERM", () => stopped.abort())
await Effect.runPromiseExit(Effect.scoped(program), { signal: stopped.signal })
process.exit(0)
