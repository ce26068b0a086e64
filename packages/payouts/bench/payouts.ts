/**
 * What payouts cost: how many a second with one process and with three, on a service that takes 50 ms for each answer, and
 * how many requests and how many milliseconds of its own processor one payment takes. A line of JSON each.
 *
 *     npx tsx packages/payouts/bench/payouts.ts [--keys 300] [--latency 50]
 */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { temporary } from "../../../drills/engine/postgres.js"
import { clear, type Job, Place } from "../../../drills/payouts/payoutPlace.js"
import * as FaultProxy from "../../../drills/sandbox/faultProxy.js"
import { bundleProgram } from "../../../scripts/bundleProgram.js"

const { values } = parseArgs({
  options: { keys: { type: "string", default: "300" }, latency: { type: "string", default: "50" } }
})
const keys = Number(values.keys)
const latency = Number(values.latency)

const receiver = "0xdddddddddddddddddddddddddddddddddddddddd"

/** Processor time of a process so far, in milliseconds. */
const spentBy = (pid: number | undefined): number => {
  // Fields 14 and 15 of Linux's proc(5), in hundredths of a second; the second field has no space here.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")
  return 10 * (Number(fields[13]) + Number(fields[14]))
}

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const until = async (so: () => boolean): Promise<void> => {
  while (!so()) await pause(10)
}

const measured = (database: string, name: string, processes: number) =>
  Effect.gen(function*() {
    const { accessKeyId, chains, secretAccessKey, url } = yield* Sandbox.Sandbox
    const wallet = yield* Wallet.make().pipe(
      Effect.provide(Layer.merge(Sandbox.clientConfig(1001), FetchHttpClient.layer))
    )
    const accounts = yield* Effect.forEach(Array.from({ length: 20 }), () =>
      Effect.gen(function*() {
        const { address } = yield* wallet.createAccount
        yield* chains.chain(1001).fund(address, 10n ** 24n)
        yield* wallet.sendValue({ from: address, to: address, value: 1n, payer: FeeDelegation.service })
        return address
      }))
    const requests = { sends: 0, others: 0 }
    const proxy = yield* FaultProxy.make({
      target: url,
      late: latency,
      decide: ({ path }) => {
        requests[path === "/v2/tx/value" ? "sends" : "others"]++
        return "late after"
      }
    })
    const script = yield* Effect.promise(() =>
      bundleProgram(new URL("../../../drills/payouts/payoutWorker.ts", import.meta.url))
    )
    let ended = 0
    const job: Job = {
      database,
      url: proxy.url,
      accessKeyId,
      secretAccessKey: Redacted.value(secretAccessKey),
      patience: 10_000,
      lockExpiration: 15_000,
      runs: true
    }
    const places = yield* Effect.acquireRelease(
      Effect.sync(() => Array.from({ length: processes }, () => new Place(script, job, { onAnswer: () => ended++ }))),
      (places) => Effect.sync(() => places.forEach((place) => place.close()))
    )
    return yield* Effect.promise(async () => {
      places.forEach((place) => place.start())
      await until(() => places.every(({ isReady }) => isReady))
      // Shares are dealt out.
      await pause(5000)
      const before = places.map(({ child }) => spentBy(child?.pid))
      const begin = Date.now()
      for (let i = 0; i < keys; i++) {
        const from = accounts[i % accounts.length] ?? receiver
        places[i % processes]?.ask({ id: i, verb: "pay", key: `order-${i}`, from, to: receiver, value: "7" })
      }
      await until(() => ended === keys)
      const seconds = (Date.now() - begin) / 1000
      const cpu = places.reduce((sum, { child }, i) => sum + spentBy(child?.pid) - (before[i] ?? 0), 0)
      return {
        bench: "payouts",
        database: name,
        processes,
        keys,
        latency,
        seconds,
        perSecond: Math.round(keys / seconds),
        sendsEach: requests.sends / keys,
        otherRequestsEach: requests.others / keys,
        processorMillisEach: Math.round(cpu / keys)
      }
    })
  }).pipe(Effect.provide(Sandbox.layer({ seed: "bench" })), Effect.scoped)

const program = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "payouts-bench-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  const tell = (line: object) => Effect.sync(() => void process.stdout.write(`${JSON.stringify(line)}\n`))
  yield* Effect.flatMap(measured(`file:${join(folder, "work.db")}`, "sqlite", 1), tell)
  const database = Redacted.value(yield* temporary)
  for (const processes of [1, 3]) {
    yield* clear(database)
    yield* Effect.flatMap(measured(database, "postgres", processes), tell)
  }
})

await Effect.runPromise(Effect.scoped(program))
process.exit(0)
