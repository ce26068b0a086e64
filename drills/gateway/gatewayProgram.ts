/** The gateway of the drill, as a process of its own, which is killed and started again on its database. */
import * as Gateway from "@effect-klaytn/gateway/Gateway"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { GatewayJob } from "./processes.js"

// Written by the parent.
const { database, node, port, role, schema, trace } = JSON.parse(process.env["DRILL_JOB"] ?? "{}") as GatewayJob

// The parent is gone.
process.stdin.on("close", () => process.exit(1)).resume()

const program = Effect.gen(function*() {
  const { url } = yield* Gateway.make({
    node: { url: node },
    database,
    schema,
    role,
    port,
    ...(trace === true && { trace }),
    access: "anyone",
    maxLag: 0
  })
  process.stdout.write(`${JSON.stringify({ ready: url })}\n`)
  return yield* Effect.never
})

await program.pipe(
  Effect.scoped,
  Effect.provide(FetchHttpClient.layer),
  Effect.provide(Logger.logFmt),
  Effect.runPromise
)
