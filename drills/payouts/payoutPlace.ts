/** The processes of the drill, as their parent sees them: what they are told, what they answer, and how they are killed. */
import * as Database from "@effect-klaytn/engine/Database"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"

/** What a process can be made to do wrong: reserve without a lock, send again, pay another content, spend too much. */
export const mistakes = ["lock", "resend", "second", "window"] as const

/** One of {@link mistakes}. */
export type Mistake = (typeof mistakes)[number]

/** What a process may spend, in peb; a larger value than `approveAbove` waits for a person. */
export interface Limits {
  readonly each: string
  readonly day: string
  readonly approveAbove: string
}

/** What a process is told when it starts. */
export interface Job {
  readonly database: string
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** How long it waits for an answer of the service, in milliseconds. */
  readonly patience: number
  readonly mistake?: Mistake | undefined
  /** How long a dead process keeps its share of the work, in milliseconds. */
  readonly lockExpiration: number
  /** Whether it runs workflows, or only submits them: on SQLite one process runs. */
  readonly runs: boolean
  /** Whether its HTTP client repeats requests below the SDK, as an application's own client may. */
  readonly repeats?: boolean | undefined
  /** What it may spend, in place of the window; `none`: it has no policy. */
  readonly limits?: Limits | "none"
  /** How far its clock is ahead, in milliseconds. */
  readonly ahead?: number
  /** The most value in peb that may be spent in any interval of so many milliseconds. None by default. */
  readonly window?: { readonly max: string; readonly millis: number } | undefined
  /** Whether it may pay tokens, whose calls a policy refuses otherwise. */
  readonly paysTokens?: boolean | undefined
}

/** The arguments of Node that set the clock of a process. */
export const clockArguments = (ahead: number): ReadonlyArray<string> =>
  ahead === 0 ? [] : [
    "--import",
    `data:text/javascript,${
      encodeURIComponent(
        `const Real = Date
    globalThis.Date = class extends Real {
      constructor(...given) { if (given.length === 0) super(Real.now() + ${ahead}); else super(...given) }
      static now() { return Real.now() + ${ahead} }
    }`
      )
    }`
  ]

/** One question to a process. */
export interface Ask {
  readonly id: number
  /** `adopt`: all that an older version stored, and `list`: all, whatever the key. */
  readonly verb: "submit" | "pay" | "cancel" | "get" | "adopt" | "list"
  readonly key: string
  readonly from: string
  readonly to: string
  readonly value: string
  /** The contract whose tokens are paid, in their smallest unit. Default: coin is paid. */
  readonly token?: string | undefined
}

/** A line of a process: an answer, or what it logged. */
export interface Line {
  readonly id?: number
  readonly ready?: true
  readonly error?: string
  readonly problem?: string
  readonly state?: { readonly _tag: string; readonly moved?: string }
  readonly payout?: unknown
  readonly level?: string
  /** The key that a log line is about. */
  readonly about?: string
  readonly text?: string
}

/** What a place reports to its parent. */
export interface Listener {
  readonly onAnswer: (ask: Ask, line: Line) => void
  readonly onLog?: (line: Line) => void
  /** A process ended by itself after it was ready. */
  readonly onCrash?: (code: number | null) => void
}

/** One place of a process: whoever is in it is asked again for what its predecessor did not answer. */
export class Place {
  child: ChildProcess | undefined
  readonly open = new Map<number, Ask>()
  isReady = false
  isFrozen = false
  isClosed = false
  readyAt = 0

  constructor(readonly script: string, public job: Job, readonly listener: Listener) {}

  start(): void {
    const clock = clockArguments(this.job.ahead ?? 0)
    const child = spawn(process.execPath, [...clock, "--enable-source-maps", this.script], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, PAYOUTS_DRILL_JOB: JSON.stringify(this.job) }
    })
    this.child = child
    child.stdin.on("error", () => {})
    createInterface({ input: child.stderr }).on("line", (text) => this.listener.onLog?.({ level: "stderr", text }))
    // Lines of the worker of this drill. One that was cut by a kill is no line.
    createInterface({ input: child.stdout }).on("line", (text) => {
      if (text.endsWith("}")) this.read(child, JSON.parse(text) as Line)
    })
    child.on("exit", (code) => {
      if (this.child !== child) return
      if (this.isReady) this.listener.onCrash?.(code)
      this.kill()
      // As whatever supervises a process does: its database may be down for a while.
      setTimeout(() => this.child === undefined && !this.isClosed && this.start(), 500)
    })
  }

  read(child: ChildProcess, line: Line): void {
    if (line.level !== undefined) return this.listener.onLog?.(line)
    if (this.child !== child) return
    if (line.ready === true) {
      this.isReady = true
      this.readyAt = Date.now()
      for (const ask of this.open.values()) this.write(ask)
      return
    }
    const ask = this.open.get(line.id ?? -1)
    if (ask === undefined) return
    this.open.delete(ask.id)
    this.listener.onAnswer(ask, line)
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
    this.isFrozen = false
    child?.kill("SIGKILL")
  }

  /** Kills it for good. */
  close(): void {
    this.isClosed = true
    this.kill()
  }

  /** Stops the process for some milliseconds; a kill ends that too. Completes when it goes on. */
  async freeze(millis: number): Promise<void> {
    const { child } = this
    if (child === undefined) return
    this.isFrozen = true
    child.kill("SIGSTOP")
    await pause(millis)
    if (this.child !== child) return
    child.kill("SIGCONT")
    this.isFrozen = false
  }
}

export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Waits until something is so, at most some milliseconds, and says whether it is. */
export const until = async (isSo: () => boolean, millis: number): Promise<boolean> => {
  const end = Date.now() + millis
  while (!isSo() && Date.now() < end) await pause(50)
  return isSo()
}

/** Empties a Postgres database that several runs share. */
export const clear = (database: string): Effect.Effect<void, unknown> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DROP SCHEMA public CASCADE`
    yield* sql`CREATE SCHEMA public`
  }).pipe(Effect.provide(Database.layerConfig(Config.succeed(Redacted.make(database)))))
