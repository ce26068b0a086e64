/**
 * A server of the bench of the wallet, as a process of its own: the sandbox with its own wallet, which is the node, too; or a gateway
 * with a wallet. Answers each message with the CPU time that it has used, in milliseconds.
 */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Gateway from "../src/Gateway.js"

/** What a server is started with. */
export interface Job {
  readonly database: string
  /** The node; none for the sandbox. */
  readonly node?: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

// Written by the parent.
const { accessKeyId, database, node, secretAccessKey } = JSON.parse(process.env["BENCH_JOB"] ?? "{}") as Job

const program = Effect.gen(function*() {
  const { url } = yield* node === undefined
    ? Sandbox.make({
      database,
      explorer: false,
      feePayerStyle: "paths",
      credentials: { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) }
    })
    : Gateway.make({ node: { url: node }, database, chain: 1001, wallet: { feePayerStyle: "paths" } })
  process.on("message", () => {
    const { system, user } = process.cpuUsage()
    process.send?.({ cpu: (user + system) / 1000 })
  })
  process.once("disconnect", () => process.exit(0))
  process.send?.({ url })
  return yield* Effect.never
})

await program.pipe(
  Effect.scoped,
  Effect.provide([FetchHttpClient.layer, Logger.remove(Logger.defaultLogger)]),
  Effect.runPromise
)
