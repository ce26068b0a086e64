/**
 * Facts about a wallet, and secrets of its own: the service's fee payer, and the check of the master key.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Effect from "effect/Effect"
import type { StoreFailure } from "./CustodyError.js"
import * as rows from "./internal/rows.js"
import * as tables from "./internal/tables.js"

/**
 * A sealed secret that no operation names.
 *
 * @category models
 */
export interface OwnSecret {
  readonly publicKey: Hex
  readonly sealed: Uint8Array
}

/**
 * Facts and secrets of one chain's wallet. What is kept first stays.
 *
 * @category services
 */
export interface SecretStore {
  readonly fact: (name: string) => Effect.Effect<string | undefined, StoreFailure>
  readonly keepFact: (name: string, value: string) => Effect.Effect<void, StoreFailure>
  readonly secret: (name: string) => Effect.Effect<OwnSecret | undefined, StoreFailure>
  readonly keepSecret: (name: string, secret: OwnSecret) => Effect.Effect<void, StoreFailure>
}

/**
 * The facts and secrets of one chain. The tables are there already.
 *
 * @category constructors
 */
export const make = (sql: SqlClient.SqlClient, chain: Chain): SecretStore => {
  const facts = sql.literal(tables.nameOf("facts", chain))
  const secrets = sql.literal(tables.nameOf("secrets", chain))
  return {
    fact: (name) =>
      rows.first("fact", sql`SELECT value FROM ${facts} WHERE name = ${name}`, (row) => rows.text(row, "value")),
    keepFact: (name, value) =>
      rows.change("fact", sql`INSERT INTO ${facts} (name, value) VALUES (${name}, ${value}) ON CONFLICT DO NOTHING`),
    secret: (name) =>
      rows.first(
        "secret",
        sql`SELECT public_key, sealed FROM ${secrets} WHERE name = ${name}`,
        (row) => ({ publicKey: rows.hex(row, "public_key"), sealed: rows.bytes(row, "sealed") })
      ),
    keepSecret: (name, { publicKey, sealed }) =>
      rows.change(
        "secret",
        sql`INSERT INTO ${secrets} (name, public_key, sealed) VALUES (${name}, ${bytesOf(publicKey)}, ${sealed})
          ON CONFLICT DO NOTHING`
      )
  }
}
