/**
 * A whole wallet in one sealed file.
 *
 * **Details**
 *
 * A backup has every row of the wallet's tables at one moment: pools, keys, accounts, sends, the audit log. The rows are sealed with a
 * key of their own, which the master key seals: to restore a backup, keep the master key that the wallet had when it was made. Every
 * key is opened, and compared with its public key, before a backup is given and before a restored wallet is committed.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import { fromBytes } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import type { StoreFailure } from "./CustodyError.js"
import { sealName } from "./internal/keyNames.js"
import * as rows from "./internal/rows.js"
import * as tables from "./internal/tables.js"
import * as Keyring from "./Keyring.js"
import type { KeyWrapper } from "./KeyWrapper.js"
import type { MasterKeyError } from "./MasterKeyError.js"
import { Vault } from "./Vault.js"

/**
 * A backup can't be made or restored. `Form`: the file is no backup, or was changed. `Version`: another version of the tables wrote the
 * backup. `Chain`: the backup is of another chain. `Exists`: the database has a wallet already. `Key`: a key can't be opened, or is
 * not the key of its public key. Nothing was written.
 *
 * @category errors
 */
export class WalletBackupError extends Data.TaggedError("WalletBackupError")<{
  readonly reason: "Form" | "Version" | "Chain" | "Exists" | "Key"
  readonly message: string
}> {}

type Failure = WalletBackupError | MasterKeyError | StoreFailure

const program = "effect-klaytn wallet backup"
const version = 1
const boundTo = "backup"

const Header = Schema.parseJson(Schema.Struct({
  program: Schema.Literal(program),
  version: Schema.Int,
  chain: Schema.Int,
  wrapped: Schema.String
}))

const Bytes = Schema.Struct({ bytes: Schema.String })

const Cell = Schema.Union(Schema.Null, Schema.String, Schema.Number, Bytes)

const Content = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Array(Schema.Record({ key: Schema.String, value: Cell })) })
)

type Rows = typeof Content.Type

const fail = (reason: WalletBackupError["reason"], message: string): WalletBackupError =>
  new WalletBackupError({ reason, message })

const sqlFailure = (error: SqlError): StoreFailure => rows.failed("backup")(error)

const toCell = (value: unknown): typeof Cell.Type => {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") }
  if (value === null || typeof value === "string" || typeof value === "number") return value
  return String(value)
}

const fromCell = (cell: typeof Cell.Type): unknown =>
  Predicate.isRecord(cell) ? Buffer.from(cell.bytes, "base64") : cell

const readRows = (sql: SqlClient.SqlClient, table: string) =>
  Effect.map(
    Effect.mapError(sql<Record<string, unknown>>`SELECT * FROM ${sql(table)}`, sqlFailure),
    (found) =>
      found.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, toCell(value)])))
  )

const customerOf = (sql: SqlClient.SqlClient, chain: Chain) =>
  Effect.map(
    rows.first(
      "backup",
      sql`SELECT value FROM ${sql(tables.nameOf("facts", chain))} WHERE name = 'customer'`,
      ([cell]) => rows.text(cell)
    ),
    (customer = "") => customer
  )

/**
 * Opens every key of a wallet, and compares the key with its public key. Gives how many there are.
 *
 * @category guards
 */
export const verify = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  keyring: Pick<Keyring.Keyring, "open">,
  curve: Secp256k1
): Effect.Effect<number, WalletBackupError | StoreFailure> =>
  Effect.gen(function*() {
    const customer = yield* customerOf(sql, chain)
    const keys = yield* rows.select(
      "backup",
      sql`SELECT hash, public_key, sealed FROM ${sql(tables.nameOf("keys", chain))} WHERE sealed IS NOT NULL`,
      ([hash, publicKey, sealed]) => ({
        name: sealName(chain, customer, rows.hex(hash)),
        publicKey: rows.hex(publicKey),
        sealed: rows.bytes(sealed)
      })
    )
    for (const { name, publicKey, sealed } of keys) {
      const secret = keyring.open(name, sealed)
      const isOwn = secret !== undefined && fromBytes(curve.publicKey(secret)) === publicKey
      secret?.fill(0)
      if (!isOwn) return yield* fail("Key", `the key ${name} can't be opened, or is not that of its public key`)
    }
    return keys.length
  })

/**
 * A backup, and how many keys it has.
 *
 * @category models
 */
export interface Backup {
  readonly bytes: Uint8Array
  readonly keys: number
}

/**
 * Makes a backup of a wallet. Other processes may use the wallet meanwhile.
 *
 * @category constructors
 */
export const make = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  wrapper: KeyWrapper,
  curve: Secp256k1
): Effect.Effect<Backup, Failure> =>
  tables.atomically(sql, "backup")(
    Effect.gen(function*() {
      const keyring = yield* Keyring.load(sql, chain, wrapper)
      const keys = yield* verify(sql, chain, keyring, curve)
      const content: Record<string, Rows[string]> = {}
      for (const table of yield* tables.namesOf(sql, chain)) content[table] = yield* readRows(sql, table)
      const key = randomBytes(32)
      const wrapped = Buffer.from(yield* wrapper.wrap(key)).toString("base64")
      const header = JSON.stringify({ program, version, chain, wrapped })
      const sealed = new Vault(key).seal(`${boundTo} ${header}`, Buffer.from(JSON.stringify(content)))
      key.fill(0)
      return { bytes: Buffer.concat([Buffer.from(`${header}\n`), sealed]), keys }
    })
  )

/**
 * The chain that a backup says that it is of; undefined if the file is no backup. Nothing is opened.
 *
 * @category reading
 */
export const chainOf = (bytes: Uint8Array): number | undefined => {
  const text = Buffer.from(bytes.subarray(0, Math.max(bytes.indexOf(0x0a), 0))).toString()
  return Either.getOrUndefined(Schema.decodeEither(Header)(text))?.chain
}

/** The rows of a backup. */
const open = (bytes: Uint8Array, chain: Chain, wrapper: KeyWrapper): Effect.Effect<Rows, Failure> =>
  Effect.gen(function*() {
    const end = bytes.indexOf(0x0a)
    const text = Buffer.from(bytes.subarray(0, Math.max(end, 0))).toString()
    const header = Either.getOrUndefined(Schema.decodeEither(Header)(text))
    if (header === undefined) return yield* fail("Form", "the file is no backup of a wallet")
    if (header.version !== version) {
      return yield* fail(
        "Version",
        `the backup has version ${header.version}, and this program reads version ${version}`
      )
    }
    if (header.chain !== chain) return yield* fail("Chain", `the backup is of chain ${header.chain}, not of ${chain}`)
    const key = yield* wrapper.unwrap(Buffer.from(header.wrapped, "base64"))
    const content = new Vault(key).open(`${boundTo} ${text}`, bytes.subarray(end + 1))
    key.fill(0)
    const read = content && Either.getOrUndefined(Schema.decodeEither(Content)(Buffer.from(content).toString()))
    return read ?? (yield* fail("Form", "the backup was changed or cut off"))
  })

/** How many migrations tables have had. */
const versionsOf = (found: Rows): string =>
  Object.entries(found).filter(([table]) => table.includes("_versions_"))
    .map(([table, made]) => `${table} ${made.length}`).toSorted().join(", ")

const insert = (sql: SqlClient.SqlClient, table: string, row: Rows[string][number]) =>
  Effect.mapError(
    sql`INSERT INTO ${sql(table)} ${
      sql.insert(Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, fromCell(cell)])))
    }`,
    sqlFailure
  )

/** Numbers of new rows begin behind those that were restored. */
const continueNumbers = (sql: SqlClient.SqlClient, table: string) =>
  sql.onDialectOrElse({
    pg: () =>
      rows.change(
        "restore",
        sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), (SELECT coalesce(max(id), 0) + 1 FROM ${
          sql(table)
        }), false)
          WHERE EXISTS (SELECT 1 FROM information_schema.columns WHERE table_name = ${table} AND column_name = 'id'
            AND column_default IS NOT NULL)`
      ),
    // SQLite does so by itself.
    orElse: () => Effect.void
  })

/**
 * Restores a wallet into a database that has its tables and no wallet, in one transaction, and opens every key before the
 * transaction is committed. Gives how many keys there are.
 *
 * @category changes
 */
export const restore = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  wrapper: KeyWrapper,
  curve: Secp256k1,
  bytes: Uint8Array
): Effect.Effect<number, Failure> =>
  Effect.gen(function*() {
    const content = yield* open(bytes, chain, wrapper)
    return yield* tables.atomically(sql, "restore")(
      Effect.gen(function*() {
        if (yield* Keyring.isMade(sql, chain)) return yield* fail("Exists", "the database has a wallet already")
        const present: Record<string, Rows[string]> = {}
        for (const table of yield* tables.namesOf(sql, chain)) present[table] = yield* readRows(sql, table)
        if (versionsOf(present) !== versionsOf(content)) {
          return yield* fail(
            "Version",
            "another version of the wallet's tables wrote the backup: restore with that version"
          )
        }
        for (const [table, found] of Object.entries(content)) {
          if (table.includes("_versions_")) continue
          if (present[table] === undefined) return yield* fail("Version", `this version has no table ${table}`)
          // The pools of a new wallet.
          yield* rows.change("restore", sql`DELETE FROM ${sql(table)}`)
          for (const row of found) yield* insert(sql, table, row)
          yield* continueNumbers(sql, table)
        }
        return yield* verify(sql, chain, yield* Keyring.load(sql, chain, wrapper), curve)
      })
    )
  })
