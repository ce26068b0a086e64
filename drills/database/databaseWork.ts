/** Who works on the database of the drill: readers, payers by the wallet of a gateway, payouts, and exports. */
import * as Address from "@effect-klaytn/core/Address"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Database from "@effect-klaytn/store/Database"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as Exports from "../../packages/exports/src/Exports.js"
import * as Plan from "../../packages/exports/src/Plan.js"
import * as SqlSink from "../../packages/exports/src/SqlSink.js"
import * as Payouts from "../../packages/payouts/src/Payouts.js"

/** One call, and how it ended. */
export interface Call {
  readonly what: "page" | "ready" | "standby page" | "wallet" | "payout"
  readonly at: number
  readonly millis: number
  /** The status of an answer, or what a program was told; undefined if the connection broke or nothing came. */
  readonly answer: string | undefined
  readonly text: string
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** A request, which is given up after half a minute: then it hangs. */
export const ask = async (url: string, init: RequestInit = {}): Promise<Answer | undefined> => {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) })
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}

/** Measures a request. */
export const measured = async (
  calls: Array<Call>,
  what: Call["what"],
  request: Promise<Answer | undefined>
): Promise<Answer | undefined> => {
  const at = performance.now()
  const answer = await request
  calls.push({
    what,
    at,
    millis: performance.now() - at,
    answer: answer && `${answer.status}`,
    text: answer?.text ?? ""
  })
  return answer
}

/** An address that gets one payment. */
export const receiverOf = (seed: string, what: string, index: number): Address.Address =>
  Schema.decodeSync(Address.Address)(
    `0x${createHash("sha256").update(`${seed} ${what} ${index}`).digest("hex").slice(0, 40)}`
  )

/** What each payment is worth, in peb. */
export const value = 7n

/** A program's database: payouts and exports give a statement five seconds. */
const databaseAt = (url: Redacted.Redacted) => Database.layerPostgres({ url, statementTimeout: "5 seconds" })

const service = Layer.provideMerge(
  Sandbox.clientConfig(1001, { attemptTimeout: "10 seconds" }),
  FetchHttpClient.layer
)

/** Payouts and the engine that they run on. */
export const payouts = (url: Redacted.Redacted) =>
  Payouts.layer({ confirmInterval: "500 millis", pollInterval: "500 millis", confirmations: 0 }).pipe(
    Layer.provideMerge(Engine.layerRunner({ pollInterval: "500 millis", shutdownTimeout: "1 second" })),
    Layer.provideMerge(databaseAt(url)),
    Layer.provideMerge(service)
  )

/** A payout of the drill. */
export const order = (seed: string, from: Address.Address, index: number): Payouts.PayInput => ({
  key: `payout-${index}`,
  from,
  to: receiverOf(seed, "payout", index),
  value,
  payer: FeeDelegation.service
})

/** One export of all transfers of some accounts; gives how many rows the manifest counts, and how many are stored. */
export const exported = (accounts: ReadonlyArray<Address.Address>, range: readonly [number, number], prefix: string) =>
  Effect.gen(function*() {
    const plan = yield* Plan.make({
      accounts,
      range: yield* Range.time({ from: range[0], to: range[1] }),
      windows: 4,
      size: 50
    })
    const manifest = yield* Exports.run({ plan, sink: yield* SqlSink.make({ prefix }), concurrency: 2 })
    return manifest
  })

/** What an export needs. */
export const exporting = (url: Redacted.Redacted) =>
  Layer.merge(Layer.provide(TransferHistory.layer(), service), databaseAt(url))
