/**
 * The drill of a rolling deploy: payments on one Postgres, by workers of version 73b558d3, whose tables have no version, and of
 * this one, at the same time. Two older workers begin; the first new one upgrades their tables while payments are open; the
 * older ones go on, are killed, start again on the upgraded tables, and are replaced one by one, while the new ones are killed
 * too. What the older ones stored is adopted, as it has no limits. One payment in five is of tokens, which the new ones make, and are
 * killed again meanwhile: of one token, all arrives, and the other takes a fee. The payments are then compared with the blocks of the
 * chain. Prints what was wrong, then a line of JSON, and exits with 1 if a payment was made twice or lost, or if its end was told wrongly.
 * The clone must have the commit.
 *
 *     npx tsx drills/payouts/rolling.ts [--keys 200] [--seed text]
 */
import * as Database from "@effect-klaytn/engine/Database"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"
import { bundleOlder, bundleProgram } from "../../scripts/bundleProgram.js"
import { temporary } from "../engine/postgres.js"
import * as records from "../exports/records.js"
import { transactionsOf } from "./payoutChain.js"
import { type Ask, type Job, type Line, pause, Place, until } from "./payoutPlace.js"
import { authorization, credential, folder, payAside, sandboxIn, walletAt } from "./payoutRuns.js"
import { deployToken, type PaidToken, transferInput } from "./payoutTokens.js"

const { values } = parseArgs({
  options: { keys: { type: "string", default: "200" }, seed: { type: "string", default: String(Date.now()) } }
})

const older = "73b558d3"
const receiver = "0xdddddddddddddddddddddddddddddddddddddddd"
const payers = 5

/** How long all may take after the last restart, in milliseconds. */
const settleWithin = 240_000

type Version = "older" | "newer"

/** The workers by place, each of one version at a time, and what they answered. */
class Deploy {
  readonly places: Array<Place> = []
  readonly versions: Array<Version> = []
  readonly ends = new Map<string, string>()
  /** What arrived of payments that moved something else than was asked for. */
  readonly moved = new Map<string, string>()
  readonly crashes: Array<number | null> = []
  restarts = 0

  constructor(
    readonly scripts: Readonly<Record<Version, string>>,
    readonly job: Job,
    readonly random: () => number
  ) {}

  readonly onAnswer = ({ key, verb }: Ask, { error, problem, state }: Line): void => {
    if (verb === "adopt") return
    this.ends.set(key, state?._tag ?? `${error}: ${problem}`)
    if (state?.moved !== undefined) this.moved.set(key, state.moved)
  }

  /** Puts a worker into a place. It is asked for what the one before it did not answer. */
  async put(place: number, version: Version): Promise<void> {
    const before = this.places[place]
    before?.close()
    const next = new Place(this.scripts[version], this.job, {
      onAnswer: this.onAnswer,
      onCrash: (code) => this.crashes.push(code)
    })
    this.places[place] = next
    this.versions[place] = version
    for (const ask of before?.open.values() ?? []) next.ask(ask)
    next.start()
    if (!await until(() => next.isReady, 60_000)) throw new Error(`a worker of the ${version} version is not ready`)
  }

  /** Kills a worker, and starts it again. */
  async restart(place: number): Promise<void> {
    this.restarts++
    const version = this.versions[place]
    if (version !== undefined) await this.put(place, version)
  }

  ask(ask: Ask): void {
    this.places[Math.floor(this.random() * this.places.length)]?.ask(ask)
  }

  close(): void {
    for (const place of this.places) place.close()
  }
}

/** What is done to the workers, one after the other, while payments are asked for. */
const stepsOf = (deploy: Deploy): ReadonlyArray<() => Promise<void>> => [
  () => deploy.put(2, "newer"),
  () => deploy.restart(0),
  () => deploy.restart(2),
  () => deploy.put(0, "newer"),
  () => deploy.restart(1),
  () => deploy.restart(0),
  () => deploy.put(1, "newer"),
  () => deploy.restart(2)
]

const versionsIn = (url: Redacted.Redacted) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT migration_id FROM klaytn_payouts_versions`).pipe(
    Effect.map((rows) => rows.length),
    Effect.orElseSucceed(() => 0),
    Effect.provide(Database.layerConfig(Config.succeed(url)))
  )

/** The payment of a key is the only one with its value. */
const valueOf = (i: number): string => String(i + 1)

/** Whether a payment is of tokens, and of which. */
const tokenOf = (tokens: ReadonlyArray<PaidToken>, i: number): PaidToken | undefined =>
  i % 5 === 4 ? tokens[Math.floor(i / 5) % tokens.length] : undefined

/** Asks for all payments, in the middle of which the workers are restarted and replaced. */
const play = async (
  deploy: Deploy,
  accounts: ReadonlyArray<string>,
  tokens: ReadonlyArray<PaidToken>,
  keys: number
): Promise<void> => {
  await Promise.all([deploy.put(0, "older"), deploy.put(1, "older")])
  const ask = (i: number) =>
    deploy.ask({
      id: i,
      verb: "pay",
      key: `order-${i}`,
      from: accounts[i % accounts.length] ?? "",
      to: receiver,
      value: valueOf(i),
      token: tokenOf(tokens, i)?.address
    })
  const all = Array.from({ length: keys }, (_, i) => i)
  const run = async (asked: ReadonlyArray<number>, steps: ReadonlyArray<() => Promise<void>>): Promise<void> => {
    const share = Math.ceil(asked.length / (steps.length + 1))
    for (const [at, i] of asked.entries()) {
      ask(i)
      await pause(50)
      // Payments are open while it happens.
      if ((at + 1) % share === 0) await steps[(at + 1) / share - 1]?.()
    }
  }
  await run(all.filter((i) => tokenOf(tokens, i) === undefined), stepsOf(deploy))
  // The older version's policy refuses calls of contracts.
  await run(all.filter((i) => tokenOf(tokens, i) !== undefined), [0, 1, 2].map((place) => () => deploy.restart(place)))
  await adoptUntil(deploy, () => deploy.ends.size === keys)
}

/** Lets the one who owns them adopt what the older workers stored, as no worker begins that by itself. */
const adoptUntil = async (deploy: Deploy, isDone: () => boolean): Promise<void> => {
  for (const end = Date.now() + settleWithin; !isDone() && Date.now() < end; await until(isDone, 5_000)) {
    deploy.places[0]?.ask({ id: -1, verb: "adopt", key: "", from: "", to: "", value: "0" })
  }
}

const drill = Effect.gen(function*() {
  const begin = Date.now()
  const keys = Number(values.keys)
  const url = yield* temporary
  const sandbox = yield* sandboxIn(yield* folder)
  const wallet = yield* walletAt(sandbox.url)
  const accounts = yield* Effect.forEach(Array.from({ length: payers }), () =>
    Effect.gen(function*() {
      const { address } = yield* wallet.createAccount
      yield* Effect.promise(() => sandbox.fund(address, 10n ** 23n))
      yield* payAside(wallet, address)
      return address
    }))
  const scripts = {
    older: yield* Effect.promise(() => bundleOlder(older, "payouts", "drills/payoutWorker.ts")),
    newer: yield* Effect.promise(() => bundleProgram(new URL("./payoutWorker.ts", import.meta.url)))
  }
  const job: Job = {
    database: Redacted.value(url),
    url: sandbox.url,
    ...credential,
    patience: 3_000,
    lockExpiration: 10_000,
    runs: true,
    paysTokens: true
  }
  const tokens = yield* Effect.promise(() => Promise.all([deployToken(sandbox.url, 0), deployToken(sandbox.url, 2)]))
  const deploy = yield* Effect.acquireRelease(
    Effect.sync(() => new Deploy(scripts, job, records.random(values.seed))),
    (deploy) => Effect.sync(() => deploy.close())
  )
  yield* Effect.promise(() => play(deploy, accounts, tokens, keys))
  // What came last is in a block after that.
  yield* Effect.promise(() => pause(2_500))
  const chain = yield* Effect.promise(() => transactionsOf({ url: sandbox.url, authorization }, new Set(accounts)))
  const made = Array.from({ length: keys }, (_, i) => {
    const token = tokenOf(tokens, i)
    return chain.filter(({ input, succeeded, to, value }) =>
      succeeded && (token === undefined
        ? to === receiver && value === BigInt(valueOf(i))
        : to === token.address && input === transferInput(receiver, valueOf(i)))
    ).length
  })
  const problems = made.flatMap((count, i) => {
    const key = `order-${i}`
    const fee = tokenOf(tokens, i)?.fee ?? 0
    const [end, moved] = [deploy.ends.get(key), deploy.moved.get(key)]
    const isRight = fee === 0
      ? end === "Executed" && moved === undefined
      : end === "MovedOtherwise" && moved === String(Number(valueOf(i)) - fee)
    return count === 1 && isRight
      ? []
      : [`${key} was paid ${count} times, and its end is ${end}${moved === undefined ? "" : `, with ${moved} moved`}`]
  })
  const ended = (tag: string): number => [...deploy.ends.values()].filter((end) => end === tag).length
  const counts = {
    drill: "rolling",
    seed: values.seed,
    keys,
    twice: made.filter((count) => count > 1).length,
    lost: made.filter((count) => count === 0).length,
    executed: ended("Executed"),
    movedOtherwise: ended("MovedOtherwise"),
    restarts: deploy.restarts,
    crashes: deploy.crashes.length,
    version: yield* versionsIn(url),
    seconds: Math.round((Date.now() - begin) / 1000)
  }
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.stdout.write(`${JSON.stringify(counts)}\n`)
  return problems.length === 0 && counts.version > 0 && counts.crashes === 0
})

process.exit(await Effect.runPromise(Effect.scoped(drill)) ? 0 : 1)
