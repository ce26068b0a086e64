/** The highest nonce of an account that a final block settled for one of its payouts: no node that counts fewer transactions is believed. */
import type * as Chain from "@effect-klaytn/core/Chain"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Values } from "./values.js"

/** The nonces, a row for each account. The first time, the row is made of what earlier versions have stored of their payouts. */
export const rows = (sql: SqlClient.SqlClient, namespace: string, values: Values) => {
  const keyOf = (chain: Chain.Chain, address: string) => `mined ${chain} ${address}`

  const nonce = sql.literal(sql.onDialectOrElse({
    pg: () => "CAST(CAST(state AS json)->>'nonce' AS BIGINT)",
    orElse: () => "json_extract(state, '$.nonce')"
  }))

  const ofPayouts = (chain: Chain.Chain, address: string) =>
    Effect.map(
      sql<{ readonly nonce: number | string | null }>`SELECT MAX(${nonce}) AS nonce FROM ${sql(`${namespace}_payouts`)}
        WHERE chain = ${chain} AND sender = ${address} AND tag IN ('Executed', 'MovedOtherwise', 'Superseded')`,
      ([row]) => Number(row?.nonce ?? none)
    )

  /** Inside a transaction: stores a nonce, unless a higher one is. Returns the highest. */
  const raise = (chain: Chain.Chain, address: string, nonce: number) =>
    Effect.gen(function*() {
      const key = keyOf(chain, address)
      const stored = yield* values.lock(key)
      const known = Option.isSome(stored) ? Number(stored.value) : yield* ofPayouts(chain, address)
      const highest = Math.max(known, nonce)
      if (Option.isNone(stored) || highest > known) yield* values.set(key, String(highest))
      return highest
    })

  return {
    raise,
    /** None if no payout of the account has been settled by a block. */
    get: (chain: Chain.Chain, address: string) =>
      Effect.gen(function*() {
        const stored = yield* values.get(keyOf(chain, address))
        const highest = Option.isSome(stored)
          ? Number(stored.value)
          : yield* sql.withTransaction(raise(chain, address, none))
        return Option.liftPredicate(highest, (nonce) => nonce > none)
      })
  }
}

/** Stands in a row for no nonce. */
const none = -1
