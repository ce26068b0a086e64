/**
 * The drill of overdrawn accounts: payments that their account covers one by one and not together, asked for at once by two payers
 * that are killed and started again, through a gateway with keys of its own. Exits with 1 if an account pays nothing, or a payment is made
 * twice, is told wrongly, or ends later than the wallet's `cancelAfter`, a block and 30 seconds after the first refusal that it met.
 *
 *     npx tsx drills/payouts/overdraw.ts [--accounts 20] [--payments 8] [--kills 10] [--databases sqlite,postgres] [--seed text]
 */
import * as Gateway from "@effect-klaytn/gateway/Gateway"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { callers } from "../../packages/gateway/src/internal/command.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { temporary } from "../engine/postgres.js"
import type { Job, Payment } from "./overdrawPayer.js"
import { folder } from "./payoutRuns.js"

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "20" },
    payments: { type: "string", default: "8" },
    kills: { type: "string", default: "10" },
    databases: { type: "string", default: "sqlite,postgres" },
    seed: { type: "string", default: String(Date.now()) },
    log: { type: "string" }
  }
})

const klay = 10n ** 18n
const coins = 5n
const chainId = 1001
const cancelAfter = 20
const blockTime = 1
const bound = (cancelAfter + blockTime + 30) * 1000

/**
 * How far kills are apart, in milliseconds. A payer that is started again goes on with a file of its own at once; on Postgres, somebody
 * takes over when the locks of the killed one have expired, after 10 seconds and up to 3 more: kills that come faster let nobody work.
 */
const apart = { sqlite: { least: 3_000, most: 6_000 }, postgres: { least: 14_000, most: 20_000 } }

interface Told {
  readonly key: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly tag: string
  readonly reason?: string
  readonly problem?: string
  readonly history: ReadonlyArray<{ readonly at: number; readonly event: string; readonly text: string }>
}

/** When the first refusal was stored, or the payment was asked for. */
const refusedAt = ({ createdAt, history }: Told): number =>
  history.find(({ text }) => /insufficient/i.test(text))?.at ?? createdAt

/** A payer that is started again until it has told how its payments ended. */
class Payer {
  readonly told: Promise<ReadonlyArray<Told>>
  #child: ChildProcess | undefined
  kills = 0

  constructor(private readonly script: string, private readonly job: Job, private readonly log: string | undefined) {
    this.told = this.#run()
  }

  kill(): void {
    if (this.#child?.exitCode === null && this.#child.kill("SIGKILL")) this.kills++
  }

  async #run(): Promise<ReadonlyArray<Told>> {
    while (true) {
      const child = spawn(process.execPath, [this.script], {
        stdio: ["pipe", "pipe", "inherit"],
        env: { ...process.env, OVERDRAW_JOB: JSON.stringify(this.job) }
      })
      this.#child = child
      let text = ""
      child.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString()
        if (this.log !== undefined) appendFileSync(this.log, chunk)
      })
      await new Promise((resolve) => child.once("close", resolve))
      const line = text.split("\n").find((line) => line.startsWith("TOLD "))
      // Written by the payer.
      if (line !== undefined) return JSON.parse(line.slice(5)) as ReadonlyArray<Told>
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
  }
}

const hex = (value: number): string => value.toString(16).padStart(8, "0")

/** One run on one database. */
const run = (name: keyof typeof apart) =>
  Effect.gen(function*() {
    const directory = yield* folder
    const script = yield* Effect.promise(() => bundleProgram(new URL("./overdrawPayer.ts", import.meta.url)))
    const sandbox = yield* Sandbox.make({
      seed: values.seed,
      mining: { every: `${blockTime} seconds` },
      explorer: false
    })
    const chain = sandbox.chains.chain(chainId)
    const index = join(directory, "index.db")
    const { accessKeyId, secretAccessKey } = yield* callers.add(index, "payer", { rights: ["read", "wallet"] })
    const gateway = yield* Gateway.make({
      node: { url: `${sandbox.url}/rpc/${chainId}` },
      database: index,
      chain: chainId,
      wallet: { feePayerStyle: "paths", cancelAfter: `${cancelAfter} seconds` }
    }).pipe(Effect.provide(FetchHttpClient.layer), Logger.withMinimumLogLevel(LogLevel.Error))
    const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
    const accounts = yield* Effect.forEach(
      Array.from({ length: Number(values.accounts) }),
      () =>
        Effect.promise(async () => {
          const answer = await fetch(`${gateway.url}/v2/account`, {
            method: "POST",
            headers: { authorization, "x-chain-id": String(chainId), "content-type": "application/json" },
            body: "{}"
          })
          // The wallet's answer.
          const { address } = await answer.json() as { readonly address: `0x${string}` }
          return address
        })
    )
    for (const address of accounts) yield* chain.fund(address, coins * klay)
    yield* chain.fund(`0x${gateway.wallet?.globalFeePayer?.slice(2) ?? ""}`, 10_000n * klay)
    yield* Effect.sleep(`${2 * blockTime} seconds`)
    const payments: ReadonlyArray<Payment> = accounts.flatMap((from, account) =>
      Array.from({ length: Number(values.payments) }, (_, i) => ({
        key: `${account}-${i}`,
        from,
        to: `0x${"ad".repeat(12)}${hex(account)}${hex(i)}`
      }))
    )
    const database = name === "postgres"
      ? Array(2).fill(Redacted.value(yield* temporary))
      : [0, 1].map((payer) => `file:${join(directory, `payer-${payer}.db`)}`)
    const began = Date.now()
    const payers = [0, 1].map((payer) =>
      new Payer(script, {
        database: String(database[payer]),
        url: gateway.url,
        accessKeyId,
        secretAccessKey,
        payments: payments.filter((_, i) => i % 2 === payer)
      }, values.log)
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => payers.forEach((payer) => payer.kill())))
    const random = new Random(`${values.seed} ${name}`)
    const kills = Effect.gen(function*() {
      for (let kill = 0; kill < Number(values.kills); kill++) {
        yield* Effect.sleep(random.between(apart[name].least, apart[name].most))
        payers[kill % 2]?.kill()
      }
    })
    const killing = yield* Effect.fork(kills)
    const all = (yield* Effect.promise(() => Promise.all(payers.map(({ told }) => told)))).flat()
    yield* Fiber.interrupt(killing)
    const problems: Array<string> = []
    const late: Array<number> = []
    for (const { key, to } of payments) {
      const told = all.find((one) => one.key === key)
      const balance = Option.match(yield* chain.account(`0x${to.slice(2)}`), {
        onNone: () => 0n,
        onSome: ({ balance }) => balance
      })
      if (told === undefined) problems.push(`${key} was never told`)
      else {
        if (balance > klay) problems.push(`${key} was paid ${balance / klay} times`)
        if ((balance > 0n) !== (told.tag === "Executed")) problems.push(`${key} is ${told.tag}, and ${balance} came`)
        if (told.tag !== "Executed") late.push(told.updatedAt - refusedAt(told))
        if (told.tag !== "Executed" && told.updatedAt - refusedAt(told) > bound) {
          problems.push(`${key} ended ${(told.updatedAt - refusedAt(told)) / 1000} s after its refusal`)
        }
      }
    }
    // Each account has the coin for several of its payments.
    for (const from of accounts) {
      const keys = new Set(payments.filter((payment) => payment.from === from).map(({ key }) => key))
      if (!all.some(({ key, tag }) => keys.has(key) && tag === "Executed")) problems.push(`${from} paid nothing`)
    }
    const counts: Record<string, number> = {}
    for (const { reason = "", tag } of all) {
      counts[`${tag} ${reason}`.trim()] = (counts[`${tag} ${reason}`.trim()] ?? 0) + 1
    }
    process.stdout.write(`${
      JSON.stringify({
        database: name,
        seed: values.seed,
        payments: payments.length,
        ...counts,
        kills: payers.reduce((sum, payer) => sum + payer.kills, 0),
        seconds: (Date.now() - began) / 1000,
        latestAfterRefusal: Math.max(0, ...late) / 1000,
        latest: Math.max(...all.map(({ createdAt, updatedAt }) => updatedAt - createdAt)) / 1000,
        bound: bound / 1000,
        problems
      })
    }\n`)
    if (problems.length > 0) {
      for (
        const { history, key, problem, tag } of all.filter(({ key }) =>
          problems.some((one) => one.startsWith(`${key} `))
        )
      ) {
        process.stderr.write(
          `${key} ${tag} ${problem}\n${history.map(({ at, text }) => `  ${at} ${text}`).join("\n")}\n`
        )
      }
    }
    return problems.length
  }).pipe(Effect.scoped)

const found = await Effect.runPromise(
  Effect.forEach(values.databases.split(","), (name) => run(name === "postgres" ? "postgres" : "sqlite"))
)
process.exit(found.some((count) => count > 0) ? 1 : 0)
