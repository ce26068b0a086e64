/** The callers of a gateway in Postgres, for all of its processes. */
import { defaultSchema } from "@effect-klaytn/indexer/PostgresIndex"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Caller, NewCaller } from "../CallerFile.js"
import type { GatewayError } from "../GatewayError.js"
import * as credentials from "./credentials.js"
import type { KnownCallers } from "./IndexHome.js"
import * as refusals from "./startRefusals.js"

const io = <A, R>(effect: Effect.Effect<A, SqlError | GatewayError, R>): Effect.Effect<A, GatewayError, R> =>
  Effect.mapError(effect, (error) => error._tag === "SqlError" ? refusals.database(error.cause) : error)

/** A caller of an index in Postgres reads: there is no wallet. */
const reader = { rights: ["read"], pools: undefined, limits: {} } as const

interface Row {
  readonly name: string
  readonly access_key_id: string
  readonly hash: string
}

/** How often a process reads who may call. */
const readEvery = "1 second"

/**
 * Checks credentials by what the table had a second ago at most: a caller that was revoked is refused after that. If the
 * database does not answer, those that were known stay known.
 */
export const known = (schema: string): Effect.Effect<KnownCallers, GatewayError, Scope.Scope | SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    let rows: ReadonlyMap<string, Row> = new Map()
    const read = Effect.map(
      sql.unsafe<Row>(`SELECT name, access_key_id, hash FROM ${schema}.callers`),
      (found) => {
        rows = new Map(found.map((row) => [row.access_key_id, row]))
      }
    )
    yield* io(read)
    yield* read.pipe(
      Effect.catchAll(({ message }) => Effect.logWarning(`the callers can't be read: ${message}`)),
      Effect.repeat(Schedule.spaced(readEvery)),
      Effect.forkScoped
    )
    return {
      check: (header) => credentials.verdict(header, (id) => rows.get(id)?.hash),
      callerOf: (header) => {
        const row = rows.get(credentials.idOf(header))
        return row && { name: row.name, ...reader }
      }
    }
  })

/** Creates a caller. */
export const add = (name: string, schema = defaultSchema): Effect.Effect<NewCaller, GatewayError, SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const { caller, hash } = yield* credentials.create(name)
    const rows = yield* io(sql.unsafe(
      `INSERT INTO ${schema}.callers VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING RETURNING name`,
      [name, caller.accessKeyId, hash, caller.createdAt]
    ))
    return rows.length > 0 ? { ...caller, ...reader } : yield* credentials.taken(name)
  })

/** The callers, in the order of their names. */
export const list = (schema = defaultSchema): Effect.Effect<ReadonlyArray<Caller>, GatewayError, SqlClient> =>
  Effect.flatMap(SqlClient, (sql) =>
    io(Effect.map(
      sql.unsafe<{ readonly name: string; readonly access_key_id: string; readonly created: string }>(
        `SELECT name, access_key_id, created FROM ${schema}.callers ORDER BY name`
      ),
      (rows) =>
        rows.map(({ access_key_id, created, name }) => ({
          name,
          accessKeyId: access_key_id,
          createdAt: Number(created),
          ...reader
        }))
    )))

/** Removes a caller for good. */
export const revoke = (name: string, schema = defaultSchema): Effect.Effect<void, GatewayError, SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const rows = yield* io(sql.unsafe(`DELETE FROM ${schema}.callers WHERE name = $1 RETURNING name`, [name]))
    if (rows.length === 0) return yield* credentials.unknown(name)
  })
