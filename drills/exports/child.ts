/** What the processes of the drill have in common: their job, the service, the database, and a line for each thing they tell. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Database from "@effect-klaytn/engine/Database"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Budget from "../../packages/exports/src/Budget.js"
import * as SqlSink from "../../packages/exports/src/SqlSink.js"
import type { Job } from "./job.js"

// Written by the parent.
export const job = JSON.parse(process.argv[2] ?? "{}") as Job

export const History = TransferHistory.layer().pipe(
  Layer.provide(ClientConfig.layer({
    chain: 1001,
    credentials: Effect.suspend(() =>
      Credentials.fromPair({ accessKeyId: "KASK0EXAMPLE", secretAccessKey: Redacted.make("not-a-secret") })
    ),
    endpoints: { history: job.url }
  })),
  Layer.provide(FetchHttpClient.layer)
)

export const Sql = job.sink === "postgres"
  ? Database.layerPostgres({ url: Redacted.make(job.place), maxConnections: 4 })
  : Database.layerSqlite({ file: `${job.place}/export.db` })

const { perDay, perSecond } = job

/** A budget of this process alone: for one that has no database, and as a fault. */
export const ownBudget = Budget.make({ perDay, perSecond })

/** The budget of all processes. */
export const budget = job.fault === "budget" ? ownBudget : SqlSink.budget({ perDay, perSecond })

export const tell = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
