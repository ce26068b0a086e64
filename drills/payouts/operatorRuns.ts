/** One run of the drill of operators on one database: the processes, the operators' commands, and the audit. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import * as records from "../exports/records.js"
import * as FaultProxy from "../sandbox/faultProxy.js"
import { LyingNode } from "./LyingNode.js"
import { audit, type Verdict } from "./operatorAudit.js"
import { type Requested, requestsOf, strict, type Verb, verbOf, wordsOf } from "./operatorPlan.js"
import type { Told } from "./payoutAudit.js"
import { transactionsOf } from "./payoutChain.js"
import { type Ask, clockArguments, type Job, type Line, pause, Place, until } from "./payoutPlace.js"
import { authorization, type Backend, credential, folder, payAside, sandboxIn, walletAt } from "./payoutRuns.js"

export interface Run {
  readonly backend: Backend
  readonly keys: number
  /** How long payments are asked for, and operators decide, in milliseconds. */
  readonly spread: number
  readonly seed: string
}

export interface Counts extends Verdict {
  readonly commands: Readonly<Record<string, number>>
  /** How long the slowest command took, in seconds. */
  readonly slowest: number
  readonly kills: number
  readonly lies: number
  readonly faults: number
  readonly seconds: number
}

/** How far the clocks of processes are apart, in milliseconds: by twice this at most. */
const ahead = 300_000

/** How long a process lives, at least and at most, in milliseconds, once it is ready. */
const life = [20_000, 60_000] as const

/** How long a payment may be in a state that does not say why, in milliseconds. */
const patience = 300_000

/** How many commands run at once. */
const operators = 2

/** What a process tells of a payment. */
interface Listed {
  readonly key: string
  readonly version: number
  readonly state: { readonly _tag: string; readonly problem?: string; readonly transactionHash?: string }
}

/** Whether a state is an end, or waits for a person. */
const isSettled = ({ state }: Listed): boolean =>
  ["Executed", "Refused", "Cancelled", "WaitingForApproval"].includes(state._tag)

/** Whether a state is one of those, or says that it waits for a process with its limits. */
const isSaid = (one: Listed): boolean => isSettled(one) || isLeft(one)

const isLeft = ({ state }: Listed): boolean =>
  (state._tag === "Planned" || state._tag === "Superseded") && state.problem !== undefined

/** The payments as they are told, and those that stay without saying why. */
class Watch {
  readonly listed = new Map<string, Listed>()
  readonly since = new Map<string, number>()
  readonly stuck = new Map<string, string>()

  see(all: ReadonlyArray<Listed>): void {
    const now = Date.now()
    for (const one of all) {
      const before = this.listed.get(one.key)
      if (before?.version !== one.version || isSaid(one)) this.since.set(one.key, now)
      this.listed.set(one.key, one)
      const age = now - (this.since.get(one.key) ?? now)
      if (age > patience) this.stuck.set(one.key, `is ${one.state._tag} for ${Math.round(age / 1000)} s`)
    }
  }

  /** The payments that have not ended and wait for no person. */
  open(requests: ReadonlyArray<Requested>): ReadonlyArray<string> {
    return requests.map(({ key }) => key).filter((key) => {
      const one = this.listed.get(key)
      return one === undefined || !isSettled(one)
    })
  }
}

/** The processes of a run. */
class Processes {
  readonly answers = new Map<number, (line: Line) => void>()
  readonly runners: ReadonlyArray<Place>
  /** They work on nothing: with the limits, and without. */
  readonly clients: { readonly strict: Place; readonly loose: Place }
  kills = 0
  next = 0
  isOver = false
  /** Whether processes are killed. A SQLite file goes on to change hands, as no one process has all limits. */
  isCalm = false

  constructor(script: string, readonly job: Omit<Job, "runs">, sqlite: boolean, readonly random: () => number) {
    const listener = { onAnswer: ({ id }: Ask, line: Line) => this.answers.get(id)?.(line) }
    const place = (limits: Job["limits"], clock: number, runs: boolean) =>
      new Place(script, { ...job, runs, ahead: clock, limits: limits ?? "none" }, listener)
    // A SQLite file has one process that works on it.
    this.runners = sqlite
      ? [place(strict, ahead, true)]
      : [place(strict, ahead, true), place("none", -ahead, true), place(strict, 0, true)]
    this.clients = { strict: place(strict, -ahead, false), loose: place("none", ahead, false) }
  }

  get all(): ReadonlyArray<Place> {
    return [...this.runners, this.clients.strict, this.clients.loose]
  }

  ask(place: Place, ask: Omit<Ask, "id">): Promise<Line> {
    const id = ++this.next
    return new Promise((resolve) => {
      this.answers.set(id, resolve)
      place.ask({ ...ask, id })
    })
  }

  /** Kills the process of a place again and again. On SQLite its successor has other limits and another clock. */
  async torment(place: Place): Promise<void> {
    while (!this.isOver) {
      const [least, most] = life
      if (!await until(() => place.isReady || this.isOver, 60_000)) continue
      const lives = least + this.random() * (most - least)
      await until(() => this.isOver, lives)
      if (this.isOver || (this.isCalm && this.runners.length > 1)) return
      this.kills++
      place.kill()
      if (this.runners.length === 1) {
        const isStrict = place.job.limits === "none"
        place.job = { ...place.job, limits: isStrict ? strict : "none", ahead: -(place.job.ahead ?? 0) }
      }
      place.start()
    }
  }

  close(): void {
    for (const place of this.all) place.close()
  }
}

/** The commands that operators run. They have no limits. */
class Operators {
  readonly counts = new Map<string, number>()
  readonly approved = new Set<string>()
  slowest = 0

  constructor(
    readonly environment: Readonly<Record<string, string>>,
    readonly watch: Watch,
    readonly random: () => number
  ) {}

  pick<A>(all: ReadonlyArray<A>): A | undefined {
    return all[Math.floor(this.random() * all.length)]
  }

  /** The key of a payment that is in a state, if one is, or of any. */
  keyFor(verb: Verb): Listed | undefined {
    const all = [...this.watch.listed.values()]
    const fitting = all.filter(({ state }) => verb !== "approve" || state._tag === "WaitingForApproval")
    const doubtful = all.filter(({ state }) => ["Sending", "Unknown", "Sent", "Reserved"].includes(state._tag))
    const some = verb === "approve" ? fitting : doubtful
    return this.random() < 0.7 && some.length > 0 ? this.pick(some) : this.pick(all)
  }

  async say(): Promise<void> {
    const verb = verbOf(this.random())
    const target = this.keyFor(verb)
    if (target === undefined) return pause(500)
    const { key, state } = target
    if (verb === "approve") this.approved.add(key)
    const began = performance.now()
    const words = wordsOf(verb, key, this.random() < 0.7 ? state.transactionHash : undefined)
    const clock = clockArguments(Math.round((this.random() * 2 - 1) * ahead))
    const bin = join(import.meta.dirname, "../../packages/cli/dist/bin.mjs")
    const code = await new Promise<number | null>((resolve) => {
      const child = spawn(process.execPath, [...clock, bin, "payouts", ...words], {
        stdio: "ignore",
        env: { ...process.env, ...this.environment }
      })
      child.once("exit", resolve)
    })
    this.slowest = Math.max(this.slowest, (performance.now() - began) / 1000)
    const name = `${verb} ${code ?? "killed"}`
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.say()
  }
}

const placeOf = ({ name, url }: Backend): string => name === "sqlite" ? url.replace(/^file:/, "") : url

/** Asks for the payments, lets operators decide, kills, and waits until all say what became of them. */
const play = async (
  run: Run,
  processes: Processes,
  said: Operators,
  requests: ReadonlyArray<Requested>,
  calm: () => void
) => {
  const { watch } = said
  for (const place of processes.all) place.start()
  const tormented = processes.runners.map((place) => processes.torment(place))
  const { loose, strict: strictly } = processes.clients
  const begin = Date.now()
  let isOver = false
  const look = async (): Promise<void> => {
    const line = await processes.ask(strictly, { verb: "list", key: "", from: "", to: "", value: "0" })
    watch.see(line.payout as ReadonlyArray<Listed>) // as the worker lists them
  }
  const looking = (async () => {
    while (!isOver) {
      await look()
      await pause(2_000)
    }
  })()
  const deciding = Array.from({ length: operators }, () => said.work(() => Date.now() - begin > run.spread))
  const step = run.spread * 0.8 / requests.length
  for (const { from, isStrict, key, to, value } of requests) {
    void processes.ask(isStrict ? strictly : loose, { verb: "submit", key, from, to, value: String(value) })
    await pause(step)
  }
  await Promise.all(deciding)
  processes.isCalm = true
  calm()
  await until(() => watch.open(requests).length === 0, patience)
  for (const key of watch.open(requests)) {
    const one = watch.listed.get(key)
    // A process with its limits was there all the time.
    watch.stuck.set(key, `is ${one?.state._tag ?? "not stored"} at the end`)
  }
  isOver = true
  processes.isOver = true
  await Promise.all([looking, ...tormented])
}

/** Runs the drill on a sandbox of its own. */
export const operatorRuns = (run: Run): Effect.Effect<Counts, unknown> =>
  Effect.scoped(Effect.gen(function*() {
    const begin = Date.now()
    const random = records.random(run.seed)
    const sandbox = yield* sandboxIn(yield* folder)
    const wallet = yield* walletAt(sandbox.url)
    const accounts = yield* Effect.forEach(Array.from({ length: 8 }), () =>
      Effect.gen(function*() {
        const { address } = yield* wallet.createAccount
        yield* Effect.promise(() => sandbox.fund(address, 10n ** 23n))
        yield* payAside(wallet, address)
        return address
      }))
    const liar = yield* Effect.acquireRelease(
      Effect.sync(() => new LyingNode(() => sandbox.url, 50, random)),
      (liar) => Effect.sync(() => liar.close())
    )
    yield* Effect.promise(() => liar.open())
    let isBroken = true
    const all = [...FaultProxy.faults, ...FaultProxy.duplicates]
    const proxy = yield* FaultProxy.make({
      target: liar.url,
      late: 4_000,
      decide: ({ method, path }) => {
        const isSend = method !== "GET" && path.startsWith("/v2/tx")
        return isBroken && random() < (isSend ? 0.25 : 0.01) ? all[Math.floor(random() * all.length)] ?? "none" : "none"
      }
    })
    const script = yield* Effect.promise(() => bundleProgram(new URL("./payoutWorker.ts", import.meta.url)))
    const job = { database: run.backend.url, url: proxy.url, ...credential, patience: 3_000, lockExpiration: 10_000 }
    const processes = yield* Effect.acquireRelease(
      Effect.sync(() => new Processes(script, job, run.backend.name === "sqlite", random)),
      (processes) => Effect.sync(() => processes.close())
    )
    const watch = new Watch()
    const said = new Operators(
      {
        KLAYTN_CHAIN_ID: "1001",
        KLAYTN_ACCESS_KEY_ID: credential.accessKeyId,
        KLAYTN_SECRET_ACCESS_KEY: credential.secretAccessKey,
        KLAYTN_WALLET_URL: proxy.url,
        KLAYTN_NODE_URL: proxy.url,
        KLAYTN_PAYOUTS_DB: placeOf(run.backend)
      },
      watch,
      random
    )
    const requests = requestsOf(run.keys, accounts)
    yield* Effect.promise(() =>
      play(run, processes, said, requests, () => {
        isBroken = false
      })
    )
    yield* proxy.drained
    yield* Effect.promise(() => pause(2_500))
    const told = new Map<string, Told>()
    for (const { key } of requests) {
      const ask = { verb: "get" as const, key, from: "", to: "", value: "0" }
      const { payout } = yield* Effect.promise(() => processes.ask(processes.clients.strict, ask))
      if (payout !== undefined) told.set(key, payout as Told) // as the package encodes it
    }
    const chain = yield* Effect.promise(() => transactionsOf({ url: sandbox.url, authorization }, new Set(accounts)))
    return {
      ...audit({ requests, told, approved: said.approved, chain, stuck: watch.stuck }),
      commands: Object.fromEntries([...said.counts].sort(([one], [other]) => one < other ? -1 : 1)),
      slowest: Math.round(said.slowest),
      kills: processes.kills,
      lies: liar.lies,
      faults: [...proxy.counts].reduce((sum, [name, count]) => name === "none" ? sum : sum + count, 0),
      seconds: Math.round((Date.now() - begin) / 1000)
    }
  }))
