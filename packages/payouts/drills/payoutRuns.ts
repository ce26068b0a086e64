/** The parent of the drill: a sandbox behind a wire that breaks, and processes that are killed while they pay. */
import * as Database from "@effect-klaytn/engine/Database"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { bundleProgram } from "../../../scripts/bundleProgram.js"
import * as records from "../../exports/drills/records.js"
import * as FaultProxy from "../../sandbox/drills/faultProxy.js"
import { audit, type Requested, type Verdict } from "./payoutAudit.js"

/** What a process is to know. */
export interface Job {
  readonly database: string
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** How long it waits for an answer, in milliseconds. */
  readonly patience: number
  readonly fault: Fault | undefined
  /** How long a dead process keeps its share, in milliseconds. */
  readonly lockExpiration: number
}

/** What a process can be made to do wrong. */
export const faults = ["lock", "resend", "second"] as const

/** One of {@link faults}. */
export type Fault = (typeof faults)[number]

/** One question to a process. */
export interface Ask extends Requested {
  readonly id: number
  readonly wait: boolean
}

export interface Run {
  /** `postgres://...` or `file:...` */
  readonly database: string
  readonly keys: number
  readonly kills: number
  readonly processes: number
  readonly seed: string
  readonly fault?: Fault | undefined
  /** The most time that is waited for the last payout, in milliseconds. */
  readonly limit: number
  /** How long a process lives once it is ready, at most, in milliseconds. */
  readonly longestLife: number
  readonly lockExpiration: number
  /** How long the wire goes on to break after the last kill, at most. */
  readonly quietAfter: number
  readonly onProgress: (text: string) => void
}

const receiver = "0xdddddddddddddddddddddddddddddddddddddddd"
const aside = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

/** How often each key is asked for before the end, by different processes where there are several. */
const times = 3

const accountsCount = 12

/** Probability of a fault: for a request that sends, and for one that reads. */
const likelihood = { sending: 0.35, asking: 0.03 }

const sendingFaults = FaultProxy.faults.filter((fault) => fault !== "older answer")
const askingFaults = FaultProxy.faults.filter((fault) => fault !== "older answer" && !fault.startsWith("answer of"))

/** One place of a process: whoever is in it is asked again for what its predecessor did not answer. */
export class Place {
  child: ChildProcess | undefined
  readonly open = new Map<number, Ask>()
  isReady = false
  readyAt = 0

  constructor(
    readonly script: string,
    readonly job: Job,
    readonly answered: (ask: Ask, line: Readonly<Record<string, unknown>>) => void
  ) {}

  start(): void {
    const child = spawn(process.execPath, ["--enable-source-maps", this.script], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, PAYOUTS_DRILL_JOB: JSON.stringify(this.job) }
    })
    this.child = child
    child.stdin?.on("error", () => {})
    createInterface({ input: child.stdout }).on("line", (text) => {
      if (this.child !== child) return
      // Lines of the worker of this drill; one that was cut by a kill is no line.
      const line = JSON.parse(text) as Readonly<Record<string, unknown>>
      if (line["ready"] === true) {
        this.isReady = true
        this.readyAt = Date.now()
        for (const ask of this.open.values()) this.write(ask)
        return
      }
      const ask = this.open.get(Number(line["id"]))
      if (ask === undefined) return
      this.open.delete(ask.id)
      this.answered(ask, line)
    })
    child.on("exit", (code, signal) => {
      if (this.child === child && signal !== "SIGKILL") process.stderr.write(`a process ended by itself with ${code}\n`)
    })
  }

  write(ask: Ask): void {
    this.child?.stdin?.write(`${JSON.stringify(ask)}\n`)
  }

  ask(ask: Ask): void {
    this.open.set(ask.id, ask)
    if (this.isReady) this.write(ask)
  }

  kill(): void {
    const { child } = this
    this.child = undefined
    this.isReady = false
    child?.kill("SIGKILL")
  }
}

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** What a run counted. */
export interface Counts extends Verdict {
  readonly asks: number
  readonly kills: number
  /** Asks with another content under a key, and those of them that were refused. */
  readonly others: number
  readonly conflicts: number
  /** Keys whose end was told differently to different askers. */
  readonly differing: number
  readonly strangers: number
  readonly faults: Readonly<Record<string, number>>
  readonly seconds: number
}

/** Whether all is right. */
export const isGood = (counts: Counts): boolean =>
  counts.lost + counts.twice + counts.wrong + counts.unknown + counts.differing === 0 &&
  counts.conflicts === counts.others && counts.executed > 0

const drill = (run: Run) =>
  Effect.gen(function*() {
    const random = records.random(run.seed)
    const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)] as A // never empty here
    const { accessKeyId, engine, secretAccessKey, url } = yield* Sandbox.Sandbox
    const chain = engine.chain(1001)
    const wallet = yield* Wallet.make().pipe(
      Effect.provide(Layer.merge(Sandbox.clientConfig(1001), FetchHttpClient.layer))
    )
    const besides = (from: string) => wallet.sendValue({ from, to: aside, value: 1n, payer: FeeDelegation.service })
    const accounts = yield* Effect.forEach(
      Array.from({ length: accountsCount }),
      () =>
        Effect.gen(function*() {
          const { address } = yield* wallet.createAccount
          yield* chain.fund(address, 10n ** 24n)
          // The service takes nonce 0 for "choose one", so the first transaction is made without faults.
          yield* besides(address)
          return address
        })
    )
    const patience = 1500
    let isBroken = true
    const proxy = yield* FaultProxy.make({
      target: url,
      late: patience * 1.3,
      decide: ({ method, path }) => {
        const isSend = method !== "GET" && path.startsWith("/v2/tx")
        if (!isBroken || random() >= (isSend ? likelihood.sending : likelihood.asking)) return "none"
        return pick(isSend ? sendingFaults : askingFaults)
      }
    })
    const job: Job = {
      database: run.database,
      url: proxy.url,
      accessKeyId,
      secretAccessKey: Redacted.value(secretAccessKey),
      patience,
      fault: run.fault,
      lockExpiration: run.lockExpiration
    }
    const script = yield* Effect.promise(() => bundleProgram(new URL("./payoutWorker.ts", import.meta.url)))
    const requested: ReadonlyArray<Requested> = Array.from({ length: run.keys }, (_, i) => ({
      key: `order-${i}`,
      from: accounts[i % accountsCount] ?? "",
      to: receiver,
      value: "7"
    }))
    const ends = new Map<string, Set<string>>()
    let conflicts = 0
    let answers = 0
    const answered = (ask: Ask, line: Readonly<Record<string, unknown>>): void => {
      answers++
      if (line["error"] === "KeyConflict") conflicts++
      if (!ask.wait || line["state"] === undefined) return
      const told = ends.get(ask.key) ?? new Set()
      ends.set(ask.key, told.add(JSON.stringify(line["state"])))
    }
    const places = yield* Effect.acquireRelease(
      Effect.sync(() => Array.from({ length: run.processes }, () => new Place(script, job, answered))),
      (places) => Effect.sync(() => places.forEach((place) => place.kill()))
    )
    const idle = async (limit: number): Promise<void> => {
      const until = Date.now() + limit
      while (places.some(({ open }) => open.size > 0) && Date.now() < until) await pause(50)
    }
    const begin = Date.now()
    let asks = 0
    let strangers = 0
    let kills = 0
    let others = 0
    let released = 0
    const release = (until: number): void => {
      for (; released < until; released++) {
        const i = released % run.keys
        const one = requested[i]
        const turn = Math.floor(released / run.keys)
        if (one !== undefined) places[(i + turn) % places.length]?.ask({ ...one, id: asks++, wait: false })
      }
    }
    yield* Effect.promise(async () => {
      places.forEach((place) => place.start())
      release(Math.ceil(run.keys / 4))
      // How long each lives once it is ready: long enough to do something, too short to do much.
      const lives = new Map<Place, number>()
      while (kills < run.kills) {
        await pause(50)
        const place = places.find((one) => one.isReady && Date.now() > one.readyAt + (lives.get(one) ?? 500))
        if (place === undefined) continue
        lives.set(place, run.longestLife * random())
        place.kill()
        kills++
        place.start()
        const all = times * run.keys
        release(Math.min(all, Math.ceil(run.keys / 4 + all * kills / run.kills)))
        if (random() < 0.3) {
          strangers++
          await Effect.runPromise(Effect.ignore(besides(pick(accounts))))
        }
        run.onProgress(`${kills} of ${run.kills} kills, ${answers} of ${asks} asks answered`)
      }
      release(times * run.keys)
      await idle(run.limit)
      // Every tenth key once more, with another content.
      for (const one of requested.filter((_, i) => i % 10 === 0)) {
        others++
        pick(places).ask({ ...one, value: "8", id: asks++, wait: false })
      }
      await idle(run.limit)
      // And until it has ended; the wire is quiet from the middle of that on.
      places.forEach((place, turn) => {
        requested.forEach((one, i) => {
          // One process waits for each, and all of them for every tenth.
          if (i % places.length === turn || i % 10 === 0) place.ask({ ...one, id: asks++, wait: true })
        })
      })
      const quiet = Date.now() + run.quietAfter
      const waiting = setInterval(() => {
        run.onProgress(`waiting for the ends: ${answers} of ${asks} answered`)
        if (ends.size > run.keys * 0.8 || Date.now() > quiet) isBroken = false
      }, 100)
      await idle(run.limit)
      clearInterval(waiting)
      places.forEach((place) => place.kill())
    })
    yield* proxy.drained
    const authorization = `Basic ${Buffer.from(`${accessKeyId}:${Redacted.value(secretAccessKey)}`).toString("base64")}`
    const verdict = yield* audit(requested, receiver, { url, authorization }, "klaytn").pipe(
      Effect.provide(Database.layerConfig(Config.succeed(Redacted.make(run.database))))
    )
    const counts: Counts = {
      ...verdict,
      asks,
      kills,
      others,
      conflicts,
      differing: [...ends.values()].filter(({ size }) => size > 1).length,
      strangers,
      faults: Object.fromEntries([...proxy.counts].sort(([a], [b]) => a.localeCompare(b))),
      seconds: Math.round((Date.now() - begin) / 1000)
    }
    return counts
  })

/** Empties a database that several runs share. */
export const clear = (database: string): Effect.Effect<void, unknown> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DROP SCHEMA public CASCADE`
    yield* sql`CREATE SCHEMA public`
  }).pipe(Effect.provide(Database.layerConfig(Config.succeed(Redacted.make(database)))))

/** Runs the drill on its own sandbox. */
export const payoutRuns = (run: Run) =>
  Effect.scoped(
    Effect.provide(drill(run), Sandbox.layer({ seed: run.seed, mining: { every: "300 millis" } }))
  )
