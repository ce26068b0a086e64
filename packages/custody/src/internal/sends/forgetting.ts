/** Which keyed requests a store gives back, and which it puts away. */
import type { Chain } from "@effect-klaytn/core/Chain"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { endedByOwner, type RequestStore } from "../../SendStore.js"
import * as rows from "../rows.js"
import * as tables from "../tables.js"

const namesOf = (sql: SqlClient.SqlClient, chain: Chain) => ({
  requests: sql.literal(tables.nameOf("requests", chain)),
  sends: sql.literal(tables.nameOf("sends", chain)),
  effects: sql.literal(tables.nameOf("effects", chain))
})

/** Gives the keys of refused requests back. What a request was about to sign, and did not, is no effect. */
export const freeIn = (sql: SqlClient.SqlClient, chain: Chain): RequestStore["free"] => {
  const { effects, requests, sends } = namesOf(sql, chain)
  return (id) =>
    tables.atomically(sql, "request")(Effect.gen(function*() {
      const freed = yield* rows.select(
        "request",
        sql`DELETE FROM ${requests} WHERE id = ${id} AND answer IS NULL AND kept = 0
          AND NOT EXISTS (SELECT 1 FROM ${sends} WHERE request = ${id})
          AND NOT EXISTS (SELECT 1 FROM ${effects} WHERE request = ${id} AND effect <> 'made') RETURNING id`,
        rows.exists
      )
      if (freed.length > 0) yield* rows.change("request", sql`DELETE FROM ${effects} WHERE request = ${id}`)
    }))
}

/** Puts old requests away whose sends are final. */
export const forgetIn = (sql: SqlClient.SqlClient, chain: Chain): RequestStore["forget"] => {
  const { effects, requests, sends } = namesOf(sql, chain)
  // A send that was refused may run as long as no block has used its nonce: blocks use the nonces of an account in order.
  const isUnused = sql`NOT EXISTS (
    SELECT 1 FROM ${sends} m WHERE m.account = s.account AND m.nonce >= s.nonce AND m.state = 1 AND m.id <> s.id
  )`
  // A payment has several attempts, of which the request knows the first.
  const isAttempt = (name: string) =>
    sql.literal(`${name}.account = s.account AND (${name}.id = s.id OR ${name}.payment = s.id)`)
  const old = (before: number, limit: number) =>
    rows.select(
      "forget",
      sql`SELECT r.id AS id, EXISTS (SELECT 1 FROM ${sends} s, ${sends} m WHERE s.request = r.id AND ${
        isAttempt("m")
      } AND (m.state = 1 OR m.why = ${endedByOwner}))
          OR EXISTS (SELECT 1 FROM ${effects} e WHERE e.request = r.id) AS is_kept
        FROM ${requests} r WHERE r.kept = 0 AND r.created < ${before} AND NOT EXISTS (
          SELECT 1 FROM ${sends} s WHERE s.request = r.id AND (s.state = 3 AND ${isUnused} OR EXISTS (
            SELECT 1 FROM ${sends} o WHERE ${isAttempt("o")} AND o.state = 0
          ))
        ) ORDER BY r.created LIMIT ${limit}`,
      (row) => {
        // Whether something is so comes as a number from SQLite.
        const isKept = rows.cell(row, "is_kept")
        return { id: rows.text(row, "id"), isKept: isKept === true || isKept === 1 }
      }
    )
  return (before, limit) =>
    tables.atomically(sql, "forget")(
      Effect.gen(function*() {
        const found = yield* old(before, limit)
        for (const { id, isKept } of found) {
          if (isKept) {
            yield* rows.change(
              "forget",
              sql`UPDATE ${requests} SET kept = 1, status = NULL, answer = NULL WHERE id = ${id}`
            )
            continue
          }
          // One that was made just now, for the same request once more, keeps it.
          yield* rows.change(
            "forget",
            sql`UPDATE ${sends} SET request = NULL WHERE request = ${id} AND state IN (2, 3)`
          )
          yield* rows.change("forget", sql`DELETE FROM ${requests} WHERE id = ${id}`)
        }
        return found.length
      })
    )
}
