/** The parent of the drill: serves a history, kills exporters, and audits what they leave. */
import * as Engine from "@effect-klaytn/engine/Engine"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Manifest } from "../../packages/exports/src/Manifest.js"
import * as Workers from "../../packages/exports/src/Workers.js"
import { fileTallies, sqlTallies, type Tallies } from "./audit.js"
import { type Job, planOf } from "./job.js"
import { databaseOf, postgresAt } from "./jobDatabase.js"
import * as records from "./records.js"
import { HistoryService, type Troubles } from "./service.js"

/** A history that is served on loopback. */
export interface Served {
  readonly url: string
  readonly service: HistoryService
  /** When each request came, in milliseconds. */
  readonly arrivals: ReadonlyArray<number>
  /** Ends when so many more requests have come. */
  readonly after: (requests: number) => Promise<void>
  readonly stop: () => void
}

export const serve = async (
  history: ReadonlyArray<records.Recorded>,
  troubles: Troubles,
  latency = 0
): Promise<Served> => {
  const service = new HistoryService(history, troubles)
  const arrivals: Array<number> = []
  const waiting = new Map<() => void, number>()
  const server = createServer((request, response) => {
    arrivals.push(performance.now())
    for (const [resume, at] of waiting) {
      if (arrivals.length < at) continue
      waiting.delete(resume)
      resume()
    }
    const { body, headers, status } = service.answer(request.url ?? "/")
    const send = () => void response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
    if (latency === 0) send()
    else setTimeout(send, latency)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // it listens on a port, not on a path
  return {
    url: `http://127.0.0.1:${port}`,
    service,
    arrivals,
    after: (requests) => new Promise((resolve) => void waiting.set(resolve, arrivals.length + requests)),
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** By how many requests a service got more than a rate allows, at the worst moment. */
export const burst = (arrivals: ReadonlyArray<number>, perSecond: number): number => {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  arrivals.forEach((at, index) => {
    const ahead = index - at * perSecond / 1000
    least = Math.min(least, ahead)
    most = Math.max(most, ahead - least)
  })
  return most
}

/** When a child is killed: so many milliseconds after its start, or when a promise ends. */
export interface Death {
  readonly afterStart?: number | undefined
  readonly with?: Promise<unknown> | undefined
}

type Line = Readonly<Record<string, unknown>>

/** How a child ended, and what it told. */
export interface Ended {
  readonly killed: boolean
  readonly lines: ReadonlyArray<Line>
}

/** The children that run. They end with the drill, also if it fails. */
const children = new Set<ChildProcess>()
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")))

/** Runs a child until it is killed or ends; `onFirst` when it first tells of something. */
export const runChild = (
  script: string,
  job: Job,
  death: Death = {},
  onFirst: () => void = () => undefined
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, [script, JSON.stringify(job)], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    children.add(child)
    let output = ""
    let errors = ""
    const timer = death.afterStart === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), death.afterStart)
    void death.with?.finally(() => child.kill("SIGKILL"))
    child.stderr?.on("data", (chunk: Buffer) => errors += chunk.toString())
    child.stdout?.on("data", (chunk: Buffer) => {
      if (output === "") onFirst()
      output += chunk.toString()
    })
    child.on("error", reject)
    child.on("close", (code, signal) => {
      children.delete(child)
      clearTimeout(timer)
      // Lines of the exporter of this drill.
      const lines = output.split("\n").slice(0, -1).map((line) => JSON.parse(line) as Line)
      if (signal === "SIGKILL") resolve({ killed: true, lines })
      else if (code === 0) resolve({ killed: false, lines })
      else reject(new Error(`the exporter ended with ${code}: ${errors.slice(0, 2000)}`))
    })
  })

const onServer = <A, E>(server: string, use: (sql: SqlClient) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(SqlClient, use), postgresAt(server))

/** Uses the database of a job. */
export const inDatabase = <A, E>(job: Job, use: (sql: SqlClient) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(SqlClient, use), databaseOf(job)))

/** Submits a job to the workers on its database and waits for the manifest. */
export const submit = (job: Job): Promise<Manifest> =>
  Effect.runPromise(
    Effect.flatMap(planOf(job), (plan) => Workers.submit({ plan })).pipe(
      Effect.timeout("10 minutes"),
      Effect.provide(Layer.provide(Engine.layerClient({ pollInterval: "100 millis" }), databaseOf(job))),
      Logger.withMinimumLogLevel(LogLevel.Fatal)
    )
  )

/** Whether so many workers have about the same share of the work. */
export const isDealtOut = (job: Job, workers: number): Promise<boolean> =>
  inDatabase(job, (sql) =>
    Effect.map(
      sql<{ readonly locks: number | string }>`
        SELECT count(*) AS locks FROM klaytn_locks WHERE address IS NOT NULL GROUP BY address`,
      (rows) => rows.length === workers && Math.min(...rows.map(({ locks }) => Number(locks))) * workers >= 270
    ))

let databases = 0

/** Makes an empty database on a server, and returns its address. */
export const makeDatabase = async (server: string): Promise<string> => {
  const name = `drill_${++databases}`
  await Effect.runPromise(onServer(server, (sql) => sql`CREATE DATABASE ${sql(name)}`))
  return Object.assign(new URL(server), { pathname: name }).href
}

/** Removes a database with what it holds. */
export const dropDatabase = (server: string, address: string): Promise<unknown> =>
  Effect.runPromise(
    onServer(server, (sql) => sql`DROP DATABASE ${sql(new URL(address).pathname.slice(1))} WITH (FORCE)`)
  )

const found = (job: Job): Promise<Tallies> =>
  job.sink === "ndjson" || job.sink === "csv"
    ? Promise.resolve(fileTallies(job.place))
    : inDatabase(job, sqlTallies)

export interface Audited {
  readonly rows: number
  readonly missing: number
  readonly doubled: number
  readonly rejected: number
  readonly rejectedMissing: number
  readonly rejectedDoubled: number
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0)

/** Compares what a job left with what it has to leave. */
export const audit = async (job: Job, truth: Tallies): Promise<Audited> => {
  const { rejected, rows } = await found(job)
  const compared = records.compare(truth.rows, rows)
  const refused = records.compare(truth.rejected, rejected)
  return {
    rows: sum(rows),
    ...compared,
    rejected: sum(rejected),
    rejectedMissing: refused.missing,
    rejectedDoubled: refused.doubled
  }
}
