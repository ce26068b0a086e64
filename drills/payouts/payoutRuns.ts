/** One run of the drill on one database: everything that takes part, what is done to it, and the audit. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { BadDays, type Name } from "../badDays.js"
import * as records from "../exports/records.js"
import * as FaultProxy from "../sandbox/faultProxy.js"
import { audit, type Facts, type Problem, type Send, type Told, type Verdict, wrongs } from "./payoutAudit.js"
import { transactionsOf } from "./payoutChain.js"
import { type Job, type Line, type Mistake, pause, Place } from "./payoutPlace.js"
import {
  type Accounts,
  accountsFor,
  aside,
  type Blow,
  type Blows,
  requestsOf,
  short,
  shuffled,
  stepsOf,
  window
} from "./payoutPlan.js"
import { type Findings, reportOn } from "./payoutReport.js"
import { Relay, SandboxProcess } from "./payoutService.js"
import { type Scene, Storm } from "./payoutStorm.js"

/** The database of a run. */
export interface Backend {
  readonly name: "postgres" | "sqlite"
  readonly url: string
  /** Restarts it; SQLite has no server. */
  readonly restart?: ((turn: number) => Promise<void>) | undefined
}

export interface Run {
  readonly backend: Backend
  readonly keys: number
  readonly blows: Blows
  /** How long the faults go on, in milliseconds; longer where the processes take their time to start. */
  readonly spread: number
  readonly seed: string
  readonly mistake?: Mistake | undefined
  readonly lockExpiration: number
  /** How long a process lives once it is ready, at least and at most, in milliseconds. */
  readonly life: readonly [number, number]
  /** How long the wire goes on to break after the last of the other faults, at most, in milliseconds. */
  readonly wireFor: number
  /** What the service's node does besides, as long as the wire breaks. */
  readonly badDays: ReadonlyArray<Name>
  readonly onProgress: (text: string) => void
}

/** What a run counted. */
export interface Counts extends Omit<Verdict, "problems"> {
  readonly problems: ReadonlyArray<string>
  readonly asks: number
  readonly cancels: number
  /** Asks with another content under a key, and those of them that were refused. */
  readonly others: number
  readonly conflicts: number
  readonly strangers: number
  /** Processes that ended by themselves, and calls that ended with a defect. */
  readonly crashes: number
  readonly defects: number
  readonly blows: Readonly<Record<Blow, number>>
  readonly faults: Readonly<Record<string, number>>
  readonly badDays: Readonly<Record<string, number>>
  /** Log lines of the processes, by level. */
  readonly logged: Readonly<Record<string, number>>
  /** What the reports of the days found; of runs without a mistake. */
  readonly report: Findings | undefined
  readonly seconds: number
  /** How many processes the machine had to run at the end, on average of the last minute. */
  readonly load: number
}

/** Whether all is right. */
export const isGood = (counts: Counts): boolean =>
  wrongs.every((wrong) => counts[wrong] === 0) && counts.conflicts === counts.others && counts.crashes === 0 &&
  counts.executed > 0 && counts.report?.unnamed.length === 0 && counts.report.invented.length === 0

/** What must be found where a mistake was planted: one of these. */
const findings: Readonly<Record<Mistake, ReadonlyArray<typeof wrongs[number]>>> = {
  lock: ["twice", "lost", "wrong"],
  resend: ["twice"],
  second: ["wrong"],
  window: ["overspent"]
}

/** Whether the audit has found a mistake that was planted. */
export const isFound = (mistake: Mistake, counts: Counts): boolean =>
  findings[mistake].some((wrong) => counts[wrong] > 0)

const processes = 3

/** How long an answer of the service is waited for, in milliseconds. */
const patience = 3_000

/** How long everything may take after the last fault, and how long the drill goes on to look, in milliseconds. */
const settling = { within: 60_000, lookFor: 300_000 }

/** Probability of a fault: for a request that sends, and for one that reads. */
const likelihood = { sending: 0.5, asking: 0.03 }

export const credential = { accessKeyId: "KASKDRILL", secretAccessKey: "not-a-secret" }

export const authorization = `Basic ${
  Buffer.from(`${credential.accessKeyId}:${credential.secretAccessKey}`).toString("base64")
}`

const started = <A extends { close: () => void }>(made: A): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.succeed(made), (made) => Effect.sync(() => made.close()))

export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "payouts-drill-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The sandbox, on a database file of its own. */
export const sandboxIn = (directory: string) =>
  Effect.gen(function*() {
    const script = yield* Effect.promise(() => bundleProgram(new URL("./payoutSandbox.ts", import.meta.url)))
    const sandbox = yield* Effect.acquireRelease(
      Effect.sync(() => new SandboxProcess(script, { database: join(directory, "chain.db"), ...credential })),
      (sandbox) => Effect.promise(() => sandbox.stop("SIGKILL"))
    )
    yield* Effect.promise(() => sandbox.start())
    return sandbox
  })

/** A client of the wallet that meets no faults. */
export const walletAt = (url: string) =>
  Wallet.make().pipe(Effect.provide(Layer.merge(
    ClientConfig.layer({
      chain: 1001,
      credentials: Effect.suspend(() =>
        Credentials.fromPair({ ...credential, secretAccessKey: Redacted.make(credential.secretAccessKey) })
      ),
      endpoints: { wallet: url, node: url }
    }),
    FetchHttpClient.layer
  )))

export const payAside = (wallet: Wallet.Service, from: string) =>
  wallet.sendValue({ from, to: aside, value: 1n, payer: FeeDelegation.service })

/** Makes the accounts that pay. */
const open = (sandbox: SandboxProcess, wallet: Wallet.Service, keys: number) =>
  Effect.gen(function*() {
    const wanted = accountsFor(keys)
    const made = (count: number, balance: bigint, hasSent: boolean) =>
      Effect.forEach(Array.from({ length: count }), () =>
        Effect.gen(function*() {
          const { address } = yield* wallet.createAccount
          if (balance > 0n) yield* Effect.promise(() => sandbox.fund(address, balance))
          if (hasSent) yield* payAside(wallet, address)
          return address
        }), { concurrency: 8 })
    const accounts: Accounts = {
      plain: yield* made(wanted.plain, 10n ** 23n, true),
      fresh: yield* made(wanted.fresh, 10n ** 23n, false),
      poor: yield* made(wanted.poor, 0n, false),
      short: yield* made(wanted.short, short.balance, true)
    }
    return accounts
  })

/** The wire to the service: every fault of the proxy, for as long as it is broken. */
const wireTo = (target: string, random: () => number, onSend: (send: Send) => void) =>
  Effect.gen(function*() {
    const faults = { areOn: true }
    const sends: Array<Send> = []
    const deal = dealt([...FaultProxy.faults, ...FaultProxy.duplicates], random)
    const proxy = yield* FaultProxy.make({
      target,
      late: patience * 1.3,
      decide: ({ body, method, path }) => {
        const isSend = method !== "GET" && path.startsWith("/v2/tx")
        if (isSend && path === "/v2/tx/value") {
          const send = sendOf(body)
          sends.push(send)
          onSend(send)
        }
        if (!faults.areOn || random() >= (isSend ? likelihood.sending : likelihood.asking)) return "none"
        return deal()
      }
    })
    return { faults, proxy, sends }
  })

/** Each in turn, in another order each time. */
const dealt = <A>(all: ReadonlyArray<A>, random: () => number): () => A => {
  let left: ReadonlyArray<A> = []
  return () => {
    if (left.length === 0) left = shuffled(all, random)
    const [next, ...rest] = left
    if (next === undefined) throw new Error("there is nothing to deal")
    left = rest
    return next
  }
}

const sendOf = (body: string): Send => {
  // The body of a send of the wallet.
  const { from, nonce, to, value } = JSON.parse(body) as Record<"from" | "to" | "value", string> & { nonce?: number }
  return { at: Date.now(), from, nonce, to, value: BigInt(value) }
}

/** What the processes logged: by key, what is about one; the keys that an operator was alerted of; and how much of each level. */
class Log {
  readonly lines = new Map<string, Array<string>>()
  readonly alerted = new Set<string>()
  readonly levels = new Map<string, number>()
  /** The latest lines that are about no key. */
  readonly rest: Array<string> = []

  readonly onLog = ({ about, level = "", text = "" }: Line): void => {
    const line = `${new Date().toISOString()} ${level} ${text}`
    this.levels.set(level, (this.levels.get(level) ?? 0) + 1)
    if (level === "Error" && about !== undefined) this.alerted.add(about)
    const lines = about === undefined ? this.rest : this.lines.get(about) ?? []
    if (about !== undefined) this.lines.set(about, lines)
    lines.push(line)
    if (lines.length > 500) lines.shift()
  }
}

/** The processes, and the relays through which they reach the service and the database. */
const placesOf = (run: Run, serviceUrl: string, storm: Storm, log: Log) =>
  Effect.gen(function*() {
    const { name, url } = run.backend
    const service = yield* started(new Relay(portOf(serviceUrl)))
    const database = name === "sqlite" ? undefined : yield* started(new Relay(portOf(url)))
    const job: Omit<Job, "runs" | "repeats"> = {
      database: database === undefined ? url : withPort(url, yield* Effect.promise(() => database.open())),
      url: withPort(serviceUrl, yield* Effect.promise(() => service.open())),
      ...credential,
      patience,
      mistake: run.mistake,
      lockExpiration: run.lockExpiration,
      window: { max: String(window.max), millis: window.millis }
    }
    const script = yield* Effect.promise(() => bundleProgram(new URL("./payoutWorker.ts", import.meta.url)))
    const listener = { onAnswer: storm.onAnswer, onLog: log.onLog, onCrash: () => storm.counts.crashes++ }
    const places = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Array.from(
          { length: processes },
          (_, i) => new Place(script, { ...job, runs: name === "postgres" || i === 0, repeats: i === 0 }, listener)
        )
      ),
      (places) => Effect.sync(() => places.forEach((place) => place.close()))
    )
    return { places, relays: database === undefined ? [service] : [service, database] }
  })

/** Everything that takes part in a run. */
const stage = (run: Run) =>
  Effect.gen(function*() {
    const random = records.random(run.seed)
    const sandbox = yield* sandboxIn(yield* folder)
    const wallet = yield* walletAt(sandbox.url)
    const accounts = yield* open(sandbox, wallet, run.keys)
    const storm = new Storm()
    const log = new Log()
    const wire = yield* wireTo(sandbox.url, random, ({ to }) => storm.onSend(scene, to))
    const scene: Scene = {
      ...yield* placesOf(run, wire.proxy.url, storm, log),
      random,
      freeze: run.lockExpiration + 500,
      life: run.life,
      restartDatabase: (turn) => run.backend.restart?.(turn) ?? Promise.resolve(),
      restartSandbox: (turn) => sandbox.restart(turn),
      fund: (account) => sandbox.fund(account, 10n ** 23n),
      payAside: (account) => Effect.runPromise(Effect.asVoid(payAside(wallet, account))),
      onProgress: run.onProgress
    }
    const badDays = new BadDays({ rpcUrl: () => `${sandbox.url}/rpc/1001`, cut: undefined }, run.badDays, run.seed)
    return { accounts, badDays, log, requests: requestsOf(run.keys, accounts), sandbox, scene, storm, wire }
  })

type Stage = Effect.Effect.Success<ReturnType<typeof stage>>

/** Breaks everything, waits until all has settled, reads what is told then, and says when the last fault was. */
const play = async (run: Run, { accounts, badDays, requests, scene, storm, wire }: Stage): Promise<number> => {
  scene.places.forEach((place) => place.start())
  badDays.start()
  await storm.rage(scene, stepsOf(requests, accounts, run.blows, 1_000 / run.spread, scene.random), run.spread)
  storm.askEnds(scene, requests)
  await storm.awaitEnds(scene, requests.length * 0.7, run.wireFor)
  wire.faults.areOn = false
  await badDays.stop()
  const lastBlow = Date.now()
  await storm.awaitEnds(scene, requests.length, run.mistake === undefined ? settling.lookFor : settling.within)
  await storm.awaitAnswers(scene, 5_000)
  await storm.readAll(scene, requests, 30_000)
  await storm.askOthers(scene, requests, 30_000)
  scene.places.forEach((place) => place.close())
  return lastBlow
}

const drill = (run: Run) =>
  Effect.gen(function*() {
    const begin = Date.now()
    const all = yield* stage(run)
    const { accounts, badDays, log, requests, sandbox, storm, wire } = all
    const lastBlow = yield* Effect.promise(() => play(run, all))
    yield* wire.proxy.drained
    // What came last is in a block after that.
    yield* Effect.promise(() => pause(2_500))
    const payers = new Set(Object.values(accounts).flat())
    const facts: Facts = {
      requests,
      // As the package encodes them.
      told: storm.told as ReadonlyMap<string, Told>,
      ends: storm.ends,
      alerted: log.alerted,
      chain: yield* Effect.promise(() => transactionsOf({ url: sandbox.url, authorization }, payers)),
      sends: wire.sends,
      window,
      lastBlow,
      settleWithin: settling.within
    }
    const { problems, ...verdict } = audit(facts)
    if (run.mistake === undefined) keep(run, facts, log, problems)
    const paid = requests.flatMap(({ from, key }) => {
      const state = facts.told.get(key)?.state
      return state?._tag === "Executed" && state.transactionHash !== undefined
        ? [{ from, key, hash: state.transactionHash }]
        : []
    })
    const report = run.mistake === undefined
      ? yield* reportOn({ ...credential, database: run.backend.url, url: sandbox.url }, facts.chain, paid)
      : undefined
    const counts: Counts = {
      ...verdict,
      ...storm.counts,
      problems: problems.map(({ kind, text }) => `${kind}: ${text}`),
      blows: storm.done,
      faults: Object.fromEntries([...wire.proxy.counts].sort(([a], [b]) => a.localeCompare(b))),
      badDays: Object.fromEntries(badDays.counts),
      logged: Object.fromEntries(log.levels),
      report,
      seconds: Math.round((Date.now() - begin) / 1000),
      load: loadavg()[0] ?? 0
    }
    return counts
  })

const portOf = (url: string): number => Number(new URL(url).port)

const withPort = (url: string, port: number): string => {
  const moved = new URL(url)
  moved.port = String(port)
  return moved.href
}

/** Leaves all that is known about each payout that is wrong in a file of the temporary folder. */
const keep = (
  { backend, seed }: Run,
  { chain, ends, requests, sends, told }: Facts,
  { lines, rest }: Log,
  problems: ReadonlyArray<Problem>
): void => {
  const write = (name: string, value: unknown) =>
    writeFileSync(
      join(tmpdir(), `chaos-${backend.name}-${seed}-${name}.json`),
      JSON.stringify(value, (_, one: unknown) => typeof one === "bigint" ? String(one) : one, 2)
    )
  if (problems.length > 0) write("run", { problems: problems.map(({ text }) => text), log: rest })
  for (const key of new Set(problems.map((problem) => problem.key))) {
    const request = requests.find((one) => one.key === key)
    if (request === undefined || key === undefined) continue
    const about = (one: { readonly from: string; readonly to: string }) =>
      one.from === request.from && one.to === request.to
    write(key, {
      problems: problems.filter((problem) => problem.key === key).map(({ text }) => text),
      request,
      told: told.get(key),
      ends: [...ends.get(key) ?? []].map((end) => JSON.parse(end) as unknown),
      chain: chain.filter(about),
      sends: sends.filter(about),
      log: lines.get(key)
    })
  }
}

/** Runs the drill on a sandbox of its own. */
export const payoutRuns = (run: Run): Effect.Effect<Counts, unknown> => Effect.scoped(drill(run))
