/**
 * The product in a few steps, each compared with the chain itself: `npx -y pnpm@10.34.9 tour`.
 *
 * A step is a file in `tour/` and a name in the list below. The tour ends with exit code 0 only if every expectation of
 * every step held; otherwise it says which did not, and in which step.
 */
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { balances } from "./tour/balances.js"
import { batch } from "./tour/batch.js"
import { bridge } from "./tour/bridge.js"
import { exported } from "./tour/exported.js"
import { failure } from "./tour/failure.js"
import * as Market from "./tour/Market.js"
import * as Narrator from "./tour/Narrator.js"
import { owners } from "./tour/owners.js"
import { page } from "./tour/page.js"
import { payout } from "./tour/payout.js"
import { raw } from "./tour/raw.js"
import { retry } from "./tour/retry.js"
import { walletMigration } from "./tour/walletMigration.js"
import { walletSend } from "./tour/walletSend.js"

const steps = [
  page,
  balances,
  exported,
  owners,
  failure,
  retry,
  batch,
  raw,
  bridge,
  walletSend,
  payout,
  walletMigration
]

const tour = Effect.gen(function*() {
  const since = performance.now()
  const narrator = yield* Narrator.Narrator
  yield* narrator.progress("starting the sandbox, signing a day's transactions")
  const World = Layer.mergeAll(History, Market.layer).pipe(Layer.provideMerge(Sandbox.layer({ accounts: [] })))
  yield* Effect.gen(function*() {
    const { chains, url } = yield* Sandbox.Sandbox
    const { number } = yield* chains.chain(1001).head
    yield* narrator.say(`The service runs in this process, on ${url}.`)
    yield* narrator.say(`Its chain 1001 has ${number} blocks of signed transactions.`)
    for (const [at, { run, title }] of steps.entries()) {
      yield* narrator.title(`${at + 1}/${steps.length} ${title}`)
      yield* Effect.mapError(
        run,
        ({ message }) => new Narrator.Unexpected({ message: `step ${at + 1}, ${title}: ${message}` })
      )
    }
  }).pipe(Effect.provide(World))
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  yield* narrator.title(`${steps.length} steps, ${yield* narrator.held} expectations held (${seconds} s)`)
})

const History = TransferHistory.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

const exit = await Effect.runPromiseExit(Effect.provide(tour, Narrator.layer(process.stdout)))
if (Exit.isFailure(exit)) {
  const error = Cause.squash(exit.cause)
  process.stdout.write(`\n\nFAILED: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
