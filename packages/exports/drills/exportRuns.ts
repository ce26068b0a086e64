/** The parent of the drill: serves a history, kills exporters, and audits what they leave. */
import * as Database from "@effect-klaytn/engine/Database"
import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileTallies, sqlTallies, type Tallies } from "./audit.js"
import * as records from "./records.js"
import { HistoryService, type Troubles } from "./service.js"

export type SinkName = "sqlite" | "postgres" | "ndjson" | "csv"

/** What a child is to do. */
export interface Job {
  readonly sink: SinkName
  /** The folder of the files, of the database, or of the socket of Postgres. */
  readonly place: string
  readonly url: string
  readonly accounts: ReadonlyArray<string>
  readonly range: { readonly from: number; readonly to: number }
  /** In place of the range. */
  readonly blocks?: { readonly from: number; readonly to: number } | undefined
  readonly windows: number
  readonly size: number
  readonly concurrency: number
  readonly perDay?: number | undefined
  readonly reconcile?: boolean | undefined
  readonly fault?: "checkpoint" | "border" | "budget" | undefined
}

/** A history that is served on loopback. */
export interface Served {
  readonly url: string
  readonly service: HistoryService
  readonly stop: () => void
}

export const serve = async (
  history: ReadonlyArray<records.Recorded>,
  troubles: Troubles,
  latency = 0
): Promise<Served> => {
  const service = new HistoryService(history, troubles)
  const server = createServer((request, response) => {
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
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** How a child ended, and the last thing it told. */
export interface Ended {
  readonly killed: boolean
  readonly last: Readonly<Record<string, unknown>>
}

/** Runs a child, and kills it so many milliseconds after its first commit; without a time, lets it end. */
export const runChild = (script: string, job: Job, livesFor?: number): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, [script, JSON.stringify(job)], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    let errors = ""
    let timer: NodeJS.Timeout | undefined
    child.stderr?.on("data", (chunk: Buffer) => errors += chunk.toString())
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      if (livesFor !== undefined) timer ??= setTimeout(() => child.kill("SIGKILL"), livesFor)
    })
    child.on("error", reject)
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      const line = output.split("\n").slice(0, -1).at(-1)
      // Lines of the exporter of this drill.
      const last = line === undefined ? {} : JSON.parse(line) as Readonly<Record<string, unknown>>
      if (signal === "SIGKILL") resolve({ killed: true, last })
      else if (code === 0) resolve({ killed: false, last })
      else reject(new Error(`the exporter ended with ${code}: ${errors.slice(0, 2000)}`))
    })
  })

const databaseOf = ({ place, sink }: Job): Layer.Layer<SqlClient, unknown> =>
  sink === "postgres"
    ? PgClient.layer({ url: Redacted.make(place) })
    : Database.layerSqlite({ file: `${place}/export.db` })

/** Uses the database of a job. */
const inDatabase = <A, E>(job: Job, use: (sql: SqlClient) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(SqlClient, use), databaseOf(job)))

/** Empties the database that all jobs on Postgres share. */
export const clear = (job: Job): Promise<unknown> =>
  inDatabase(job, (sql) => Effect.zipRight(sql`DROP SCHEMA public CASCADE`, sql`CREATE SCHEMA public`))

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

/** Compares what a job left with the history. */
export const audit = async (job: Job, history: ReadonlyArray<records.Recorded>): Promise<Audited> => {
  const truth = records.expected(history, new Set(job.accounts))
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
