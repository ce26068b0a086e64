/** A payer of the drill of overdrawn accounts: asks for its payments under keys, and works until all have ended. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Payouts from "../../packages/payouts/src/Payouts.js"

/** One payment of a coin. */
export interface Payment {
  readonly key: string
  readonly from: string
  readonly to: string
}

/** What a payer is told. */
export interface Job {
  readonly database: string
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly payments: ReadonlyArray<Payment>
}

// Written by the parent.
const job = JSON.parse(process.env["OVERDRAW_JOB"] ?? "{}") as Job

// The parent is gone.
process.stdin.on("close", () => process.exit(1)).resume()

const live = Payouts.layer({}).pipe(
  Layer.provideMerge(Engine.layerRunner({ lockExpiration: "10 seconds" })),
  Layer.provideMerge(Database.layerConfig(Config.succeed(Redacted.make(job.database)))),
  Layer.provide(Layer.effect(
    ClientConfig.ClientConfig,
    ClientConfig.make({
      chain: 1001,
      credentials: Credentials.fromPair({
        accessKeyId: job.accessKeyId,
        secretAccessKey: Redacted.make(job.secretAccessKey)
      }),
      endpoints: { wallet: job.url, node: job.url, resource: job.url },
      feePayerStyle: "paths"
    })
  )),
  Layer.provide(FetchHttpClient.layer),
  Layer.provideMerge(Logger.logFmt)
)

const program = Effect.gen(function*() {
  const payouts = yield* Payouts.Payouts
  yield* Effect.forEach(
    job.payments,
    ({ from, key, to }) => payouts.pay({ key, from, to, value: 10n ** 18n, payer: FeeDelegation.service }),
    { concurrency: "unbounded" }
  )
  const told = yield* Effect.forEach(job.payments, ({ key }) => payouts.get(key))
  process.stdout.write(`TOLD ${
    JSON.stringify(told.map(({ createdAt, history, key, state, updatedAt }) => ({
      key,
      createdAt,
      updatedAt,
      tag: state._tag,
      reason: "reason" in state ? state.reason : undefined,
      problem: "problem" in state ? state.problem : undefined,
      history: history.map(({ at, event }) => ({ at, event: event._tag, text: JSON.stringify(event) }))
    })))
  }\n`)
})

await program.pipe(Effect.scoped, Effect.provide(live), Effect.runPromise)
process.exit(0)
