/**
 * A whole wallet in one sealed file.
 *
 * **Details**
 *
 * A backup has every row of the wallet's tables at one moment: pools, keys, accounts, sends, the audit log. The rows are sealed with a
 * key of their own, which the master key seals: to restore a backup, keep the master key that the wallet had when it was made. The
 * bytes of a backup are opened again before they are given: every key in them is opened, and compared with its public key. The same
 * is done with the rows of a restored wallet before they are committed. Locks and callers are not in a backup. A wallet with a row of a
 * key that can't be read gets no backup, and the failure names the row; any other row that can't be read is copied as it is.
 *
 * A backup of tables of an earlier version is upgraded in memory before it is restored. One of a newer version is refused.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Database from "@effect-klaytn/store/Database"
import * as Migrations from "@effect-klaytn/store/Migrations"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import * as AuditLog from "./AuditLog.js"
import { StoreFailure } from "./CustodyError.js"
import * as CustodyTables from "./CustodyTables.js"
import * as GuardTables from "./GuardTables.js"
import { sealName } from "./internal/keyNames.js"
import * as rows from "./internal/rows.js"
import * as tables from "./internal/tables.js"
import * as Keyring from "./Keyring.js"
import type { KeyWrapper } from "./KeyWrapper.js"
import type { MasterKeyError } from "./MasterKeyError.js"
import { Vault } from "./Vault.js"

/**
 * A backup can't be made or restored. `Form`: the file is no backup, or was changed. `Version`: a newer version of the tables wrote the
 * backup, or the database has none of this version. `Chain`: the backup is of another chain. `Exists`: the database has a wallet already. `Key`: a key can't be opened, or is
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

/** Tables whose rows are of the processes that run. */
const transient = (chain: Chain): ReadonlyArray<string> => [tables.nameOf("locks", chain)]

/** The rows of all tables at one moment. */
const snapshot = (sql: SqlClient.SqlClient, chain: Chain) =>
  tables.atomically(sql, "backup")(
    Effect.gen(function*() {
      yield* sql.onDialectOrElse({
        // Otherwise each statement has a moment of its own.
        pg: () => rows.change("backup", sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`),
        orElse: () => Effect.void
      })
      const content: Record<string, Rows[string]> = {}
      for (const table of yield* tables.namesOf(sql, chain)) {
        if (!transient(chain).includes(table)) content[table] = yield* readRows(sql, table)
      }
      return content
    })
  )

/** A sealed secret, the name to which it is bound, and its public key. */
interface SealedKey {
  readonly name: string
  readonly sealed: Uint8Array
  readonly publicKey: Hex | undefined
}

/** A row by its ID, or by what its table has in place of one. */
const nameOfRow = (row: Rows[string][number]): string => `${row["id"] ?? row["generation"] ?? row["name"]}`

/** What of a wallet's rows is sealed, and what opens it. Throws for cells of another form, and names their row. */
const sealedIn = (content: Rows, chain: Chain) => {
  const read = <A>(table: string, toValue: (row: object) => A): ReadonlyArray<A> => {
    const name = tables.nameOf(table, chain)
    return (content[name] ?? []).map((row) => {
      try {
        return toValue(Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, fromCell(cell)])))
      } catch (cause) {
        throw new TypeError(
          `row ${nameOfRow(row)} of ${name}: ${cause instanceof Error ? cause.message : "unknown cause"}`
        )
      }
    })
  }
  const customer = read("facts", (row) => rows.cell(row, "name") === "customer" ? rows.text(row, "value") : undefined)
    .find(Predicate.isNotUndefined) ?? ""
  const keys = read("keys", (row): SealedKey | undefined => {
    const sealed = rows.optional(rows.bytes)(row, "sealed")
    return sealed && {
      name: sealName(chain, customer, rows.hex(row, "hash")),
      sealed,
      publicKey: rows.hex(row, "public_key")
    }
  }).filter(Predicate.isNotUndefined)
  return {
    roots: read(
      "roots",
      (row) => ({ generation: rows.number(row, "generation"), wrapped: rows.bytes(row, "wrapped") })
    ),
    keys,
    // The global fee payer, and the key of the audit log, which has no public key.
    others: [
      ...read("secrets", (row): SealedKey => ({
        name: rows.text(row, "name"),
        sealed: rows.bytes(row, "sealed"),
        publicKey: rows.hex(row, "public_key")
      })),
      ...read("sealed", (row): SealedKey => ({
        name: rows.text(row, "name"),
        sealed: rows.bytes(row, "sealed"),
        publicKey: undefined
      }))
    ]
  }
}

/** Opens every secret of a wallet's rows, and compares keys with their public keys. Gives how many keys there are. */
const verifyRows = (
  content: Rows,
  chain: Chain,
  wrapper: KeyWrapper,
  curve: Secp256k1
): Effect.Effect<number, Failure> =>
  Effect.gen(function*() {
    const { keys, others, roots } = yield* Effect.try({
      try: () => sealedIn(content, chain),
      // A key must not be lost unseen: without it, there is no backup. Rows that have no key are copied as they are.
      catch: (cause) => fail("Form", `a key can't be read: ${cause instanceof Error ? cause.message : "unknown cause"}`)
    })
    const keyring = yield* Keyring.ofRoots(wrapper, roots)
    for (const { name, publicKey, sealed } of [...keys, ...others]) {
      const secret = keyring.open(name, sealed)
      const own = secret && publicKey && curve.publicKey(secret)
      secret?.fill(0)
      // Some are kept as 33 bytes, some as 65.
      const isOwn = publicKey === undefined || publicKey === (own && fromBytes(own)) ||
        publicKey === (own && PublicKey.compressedOf(own))
      if (secret === undefined || !isOwn) {
        return yield* fail("Key", `the key ${name} can't be opened, or is not that of its public key`)
      }
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

/** The bytes of a backup. */
const seal = (content: Rows, chain: Chain, wrapper: KeyWrapper): Effect.Effect<Uint8Array, MasterKeyError> =>
  Effect.gen(function*() {
    const key = randomBytes(32)
    const wrapped = Buffer.from(yield* wrapper.wrap(key)).toString("base64")
    const header = JSON.stringify({ program, version, chain, wrapped })
    const sealed = new Vault(key).seal(`${boundTo} ${header}`, Buffer.from(JSON.stringify(content)))
    key.fill(0)
    return Buffer.concat([Buffer.from(`${header}\n`), sealed])
  })

/**
 * Makes a backup of a wallet, and opens it. A line of the audit log is written first, and is in the backup. Other processes may use
 * the wallet meanwhile.
 *
 * @category constructors
 */
export const make = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  wrapper: KeyWrapper,
  curve: Secp256k1
): Effect.Effect<Backup, Failure> =>
  Effect.gen(function*() {
    const log = yield* AuditLog.open(sql, chain, yield* Keyring.load(sql, chain, wrapper))
    yield* log.append({ event: "owner", what: "backup" })
    const bytes = yield* seal(yield* snapshot(sql, chain), chain, wrapper)
    return { bytes, keys: yield* verify(bytes, chain, wrapper, curve) }
  })

/**
 * The chain that a backup says that it is of; undefined if the file is no backup. Nothing is opened.
 *
 * @category reading
 */
export const chainOf = (bytes: Uint8Array): number | undefined => {
  const text = Buffer.from(bytes.subarray(0, Math.max(bytes.indexOf(0x0a), 0))).toString()
  return Either.getOrUndefined(Schema.decodeEither(Header)(text))?.chain
}

/** The tables of a wallet, which have two versions. */
const tablesOf = (
  chain: Chain
): ReadonlyArray<Migrations.Tables> => [CustodyTables.make(chain), GuardTables.make(chain)]

/** How many migrations tables have had. */
const versionIn = (found: Rows, versions: string): number => found[versions]?.length ?? 0

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
    if (read === undefined) return yield* fail("Form", "the backup was changed or cut off")
    for (const { migrations: { length: known }, name, package: program, versions } of tablesOf(chain)) {
      const found = versionIn(read, versions)
      if (found > known) {
        return yield* fail(
          "Version",
          `the backup has version ${found} of the tables of ${name}, and this program knows version ${known}: restore it with the ` +
            `version of ${program} that wrote it, or a later one`
        )
      }
    }
    return read
  })

/**
 * Opens a backup, as it was read from a file: every key is opened, and compared with its public key. Gives how many keys there are.
 *
 * @category guards
 */
export const verify = (
  bytes: Uint8Array,
  chain: Chain,
  wrapper: KeyWrapper,
  curve: Secp256k1
): Effect.Effect<number, Failure> =>
  Effect.flatMap(open(bytes, chain, wrapper), (content) => verifyRows(content, chain, wrapper, curve))

const insert = (sql: SqlClient.SqlClient, table: string, row: Rows[string][number]) =>
  Effect.mapError(
    sql`INSERT INTO ${sql(table)} ${
      sql.insert(Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, fromCell(cell)])))
    }`,
    sqlFailure
  )

/** Puts the rows of a backup in the place of those of empty tables, such as the pools of a new wallet. */
const fill = (sql: SqlClient.SqlClient, chain: Chain, content: Rows): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const present = yield* tables.namesOf(sql, chain)
    for (const [table, found] of Object.entries(content)) {
      if (table.includes("_versions_") || transient(chain).includes(table)) continue
      if (!present.includes(table)) return yield* fail("Version", `this version has no table ${table}`)
      yield* rows.change("restore", sql`DELETE FROM ${sql(table)}`)
      for (const row of found) yield* insert(sql, table, row)
      yield* continueNumbers(sql, table)
    }
  })

const readTables = (sql: SqlClient.SqlClient, names: ReadonlyArray<string>): Effect.Effect<Rows, StoreFailure> =>
  Effect.map(
    Effect.forEach(names, (name) => Effect.map(readRows(sql, name), (found) => [name, found] as const)),
    Object.fromEntries
  )

/** What the migrations make of the rows of an earlier version, in a database in memory. */
const upgraded = (content: Rows, chain: Chain): Effect.Effect<Rows, Failure> => {
  const all = tablesOf(chain)
  if (all.every(({ migrations, versions }) => versionIn(content, versions) === migrations.length)) {
    return Effect.succeed(content)
  }
  return Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    for (const one of all) {
      const migrations = one.migrations.slice(0, versionIn(content, one.versions))
      yield* Migrations.upgrade({ ...one, migrations })
    }
    yield* fill(sql, chain, content)
    for (const one of all) yield* Migrations.upgrade(one)
    return yield* readTables(sql, yield* tables.namesOf(sql, chain))
  }).pipe(
    Effect.provide(Database.layerSqlite({ file: ":memory:" })),
    Effect.catchTags({
      DatabaseError: (cause) => new StoreFailure({ operation: "upgrade", cause }),
      NewerTables: (cause) => new StoreFailure({ operation: "upgrade", cause }),
      SqlError: (error) => rows.failed("upgrade")(error)
    }),
    Effect.withTracerEnabled(false)
  )
}

/** Numbers of new rows begin behind those that were restored. */
const continueNumbers = (sql: SqlClient.SqlClient, table: string) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.gen(function*() {
        // Of the table that the statements of this session see: another schema may have another wallet.
        const [sequence] = yield* rows.select(
          "restore",
          sql`SELECT pg_get_serial_sequence(attrelid::regclass::text, 'id') AS sequence FROM pg_attribute
            WHERE attrelid = to_regclass(quote_ident(${table})) AND attname = 'id'`,
          (row) => rows.optional(rows.text)(row, "sequence")
        )
        if (sequence === undefined) return
        const next = sql`(SELECT coalesce(max(id), 0) + 1 FROM ${sql(table)})`
        yield* rows.change("restore", sql`SELECT setval(${sequence}::regclass, ${next}, false)`)
      }),
    // SQLite does so by itself.
    orElse: () => Effect.void
  })

/** Two that restore, or a gateway that makes the first root, wait for each other. A transaction of SQLite has the lock of all writers. */
const lockTables = (sql: SqlClient.SqlClient, chain: Chain) =>
  sql.onDialectOrElse({
    pg: () => rows.change("restore", sql`LOCK TABLE ${sql(tables.nameOf("roots", chain))} IN EXCLUSIVE MODE`),
    orElse: () => Effect.void
  })

/**
 * Restores a wallet into a database that has its tables and no wallet, in one transaction, and opens every key of the rows that were
 * written before the transaction is committed. A line of the audit log says so. Gives how many keys there are. `within` is done in the
 * same transaction, behind everything else. Default: nothing.
 *
 * @category changes
 */
export const restore = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  wrapper: KeyWrapper,
  curve: Secp256k1,
  bytes: Uint8Array,
  within: Effect.Effect<void, StoreFailure> = Effect.void
): Effect.Effect<number, Failure> =>
  Effect.gen(function*() {
    const content = yield* Effect.flatMap(open(bytes, chain, wrapper), (content) => upgraded(content, chain))
    return yield* tables.atomically(sql, "restore")(
      Effect.gen(function*() {
        yield* lockTables(sql, chain)
        if (yield* Keyring.isMade(sql, chain)) return yield* fail("Exists", "the database has a wallet already")
        for (const { name, versions } of tablesOf(chain)) {
          const found = yield* rows.first(
            "restore",
            sql`SELECT count(*) AS version FROM ${sql(versions)}`,
            (row) => rows.number(row, "version")
          )
          if (found !== versionIn(content, versions)) {
            return yield* fail(
              "Version",
              `the database has no tables of ${name} of this version: make or upgrade them first`
            )
          }
        }
        yield* fill(sql, chain, content)
        const written = yield* readTables(sql, Object.keys(content))
        const keys = yield* verifyRows(written, chain, wrapper, curve)
        const log = yield* AuditLog.open(sql, chain, yield* Keyring.load(sql, chain, wrapper))
        yield* log.append({ event: "owner", what: "restore" })
        yield* within
        return keys
      })
    )
  })
