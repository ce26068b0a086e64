/** The callers of a gateway in Postgres, for all of its processes. */
import { defaultSchema } from "@effect-klaytn/indexer/PostgresIndex"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Caller, CallerOptions, NewCaller } from "../CallerFile.js"
import type { GatewayError } from "../GatewayError.js"
import * as callerRights from "./callerRights.js"
import * as credentials from "./credentials.js"
import type { KnownCallers } from "./IndexHome.js"
import * as refusals from "./startRefusals.js"

const io = <A, R>(effect: Effect.Effect<A, SqlError | GatewayError, R>): Effect.Effect<A, GatewayError, R> =>
  Effect.mapError(effect, (error) => error._tag === "SqlError" ? refusals.database(error.cause) : error)

interface Row {
  readonly name: string
  readonly access_key_id: string
  readonly hash: string
  readonly created: string
  readonly rights: string
  readonly pools: string | null
  readonly limits: string
}

const columns = "name, access_key_id, hash, created, rights, pools, limits"

/** A caller, as it may be shown. Throws for limits of another form: such a row lets nobody in. */
const toCaller = ({ access_key_id, created, limits, name, pools, rights }: Row): Caller => ({
  name,
  accessKeyId: access_key_id,
  createdAt: Number(created),
  rights: callerRights.readRights(rights),
  pools: callerRights.readPools(pools ?? undefined),
  limits: callerRights.readLimits(limits)
})

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
      sql.unsafe<Row>(`SELECT ${columns} FROM ${schema}.callers`),
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
        return row && toCaller(row)
      },
      callerNamed: (wanted) => {
        const row = [...rows.values()].find(({ name }) => name === wanted)
        return row && toCaller(row)
      }
    }
  })

/** Creates a caller. */
export const add = (
  name: string,
  options: CallerOptions = {},
  schema = defaultSchema
): Effect.Effect<NewCaller, GatewayError, SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const limits = yield* callerRights.check(options)
    const { pools, rights = ["read"] } = options
    const { caller, hash } = yield* credentials.create(name)
    const rows = yield* io(sql.unsafe(
      `INSERT INTO ${schema}.callers (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (name) DO NOTHING RETURNING name`,
      [
        name,
        caller.accessKeyId,
        hash,
        caller.createdAt,
        rights.join(),
        pools?.join() ?? null,
        callerRights.writeLimits(limits)
      ]
    ))
    return rows.length > 0 ? { ...caller, rights, pools, limits } : yield* credentials.taken(name)
  })

/** The callers, in the order of their names. */
export const list = (schema = defaultSchema): Effect.Effect<ReadonlyArray<Caller>, GatewayError, SqlClient> =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.flatMap(
      io(sql.unsafe<Row>(`SELECT ${columns} FROM ${schema}.callers ORDER BY name`)),
      (rows) => refusals.attempt(() => rows.map(toCaller))
    ))

/** Removes a caller for good. */
export const revoke = (name: string, schema = defaultSchema): Effect.Effect<void, GatewayError, SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const rows = yield* io(sql.unsafe(`DELETE FROM ${schema}.callers WHERE name = $1 RETURNING name`, [name]))
    if (rows.length === 0) return yield* credentials.unknown(name)
  })
