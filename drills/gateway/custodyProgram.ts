/** The gateway with a wallet of the drill, as a process of its own, which is killed and started again on its files. */
import * as Gateway from "@effect-klaytn/gateway/Gateway"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import type { GatewayJob } from "./processes.js"

// Written by the parent.
const { database, maxGasPrice, node, pools, port, walletKey } = JSON.parse(
  process.env["DRILL_JOB"] ?? "{}"
) as GatewayJob

// The parent is gone.
process.stdin.on("close", () => process.exit(1)).resume()

const program = Effect.gen(function*() {
  const { url } = yield* Gateway.make({
    node: { url: node },
    database,
    port,
    chain: 1001,
    wallet: {
      feePayerStyle: "paths",
      patience: "3 seconds",
      pools,
      maxGasPrice: maxGasPrice === undefined ? undefined : BigInt(maxGasPrice),
      ...(walletKey !== undefined && { key: Redacted.make(walletKey) })
    }
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
