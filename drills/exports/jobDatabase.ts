/** The database of a job. */
import * as Database from "@effect-klaytn/engine/Database"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type { Job } from "./job.js"

/** A server on a busy machine may not answer in time. */
export const postgresAt = (url: string): Layer.Layer<SqlClient, unknown> =>
  Layer.retry(Database.layerPostgres({ url: Redacted.make(url) }), Schedule.recurs(5))

export const databaseOf = ({ place, sink }: Job): Layer.Layer<SqlClient, unknown> =>
  sink === "postgres" ? postgresAt(place) : Database.layerSqlite({ file: `${place}/export.db` })
