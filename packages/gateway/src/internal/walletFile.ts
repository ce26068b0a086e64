/** The file of a wallet: its tables, its keys, its audit log and its guard. */
import { type Chain, mainnet, testnet } from "@effect-klaytn/core/Chain"
import * as AuditLog from "@effect-klaytn/custody/AuditLog"
import * as CustodyTables from "@effect-klaytn/custody/CustodyTables"
import * as GuardTables from "@effect-klaytn/custody/GuardTables"
import * as Keyring from "@effect-klaytn/custody/Keyring"
import * as WalletGuard from "@effect-klaytn/custody/WalletGuard"
import * as PostgresIndex from "@effect-klaytn/indexer/PostgresIndex"
import * as Database from "@effect-klaytn/store/Database"
import * as DatabaseFile from "@effect-klaytn/store/DatabaseFile"
import * as Driver from "@effect-klaytn/store/Driver"
import * as Migrations from "@effect-klaytn/store/Migrations"
import * as Rows from "@effect-klaytn/store/Rows"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import type { GatewayError } from "../GatewayError.js"
import * as foreign from "./foreignCode.js"
import * as ownFile from "./ownFile.js"
import * as postgres from "./postgres.js"
import * as refusals from "./startRefusals.js"
import * as WalletCallers from "./WalletCallers.js"
import * as walletKey from "./walletKey.js"

const refuse = ({ message }: { readonly message: string }): GatewayError => refusals.wallet(message)

/** What an open file of a wallet gives. */
export interface WalletFile {
  readonly sql: SqlClient.SqlClient
  readonly keyring: Keyring.Keyring
  readonly audit: AuditLog.AuditLog
  readonly guard: WalletGuard.WalletGuard
  /** Which other roles of the database may run code with the rights of the gateway; undefined if none may, and beside a file. */
  readonly foreignCode: Effect.Effect<string | undefined, GatewayError>
}

/** The name of the secret of the service's own fee payer. */
export const payerName = "global fee payer"

/** As long as there is a file of this name, the wallet is frozen. */
export const freezeFile = (file: string): string | undefined => postgres.isAddress(file) ? undefined : `${file}.frozen`

/** The wallet that belongs to an index: a file beside the file, or a schema beside the schema. */
export const beside = (database: string, schema = PostgresIndex.defaultSchema): string => {
  if (!postgres.isAddress(database) || !URL.canParse(database)) return `${database}.wallet`
  const url = new URL(database)
  if (!url.searchParams.has(postgres.walletSchema)) url.searchParams.set(postgres.walletSchema, `${schema}_wallet`)
  return url.href
}

/**
 * Whether a file has tables, and none of a wallet. Reads only: the layer of a database writes its mode of operation. By the library of that
 * layer: two in one process end each other's locks.
 */
const isForeign = (file: string): boolean => {
  const driver = Driver.openLibsql(file)
  try {
    return DatabaseFile.countTables(driver, "1") > 0 &&
      DatabaseFile.countTables(driver, "name LIKE 'wallet!_%' ESCAPE '!'") === 0
  } finally {
    driver.close()
  }
}

/** How many connections the wallet of one process has. */
const maxConnections = 10

/** The schema of a wallet in Postgres. */
const schemaOf = ({ searchParams }: URL): string => searchParams.get(postgres.walletSchema) ?? ""

/** The schema of the wallet that belongs to an index in a schema of Postgres. */
export const walletSchemaOf = (database: string, schema: string): Effect.Effect<string, GatewayError> =>
  Effect.map(postgres.urlOf(beside(database, schema)), schemaOf)

/** The schema of the index that a wallet in Postgres belongs to. */
export const indexOf = (database: string): Effect.Effect<string, GatewayError> =>
  Effect.map(postgres.urlOf(beside(database)), (url) => schemaOf(url).replace(/_wallet$/, ""))

/** A wallet's place, as it may be shown. */
export const shown = (place: string): string => {
  if (!postgres.isAddress(place)) return place
  // An address that can't be read may have a password anywhere.
  if (!URL.canParse(place)) return "Postgres"
  const url = new URL(place)
  return `${url.host}${url.pathname} ${schemaOf(url)}`
}

const foreignCodeOf = (
  sql: SqlClient.SqlClient,
  file: string
): Effect.Effect<string | undefined, GatewayError> =>
  Effect.gen(function*() {
    if (!postgres.isAddress(file)) return undefined
    const schemas = { index: yield* indexOf(file), wallet: schemaOf(yield* postgres.urlOf(file)) }
    return yield* Effect.mapError(foreign.found(sql, schemas), ({ cause }) => refusals.database(cause))
  })

/** The database of a wallet. */
export const openDatabase = (file: string): Effect.Effect<SqlClient.SqlClient, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    if (postgres.isAddress(file)) {
      const schema = yield* postgres.schemaOf(schemaOf(yield* postgres.urlOf(file)))
      return yield* postgres.client(file, postgres.answering(maxConnections), schema)
    }
    if (file !== ":memory:") {
      yield* refusals.attempt(() => ownFile.create(file))
      const problem = DatabaseFile.problemOf(file)
      if (problem !== undefined) return yield* refusals.wallet(`${file} can't be used: ${problem}`)
      // What is no database at all is refused below, with the file and the reason.
      if (yield* Effect.orElseSucceed(refusals.attempt(() => isForeign(file)), () => false)) {
        return yield* refusals.wallet(`${file} is a database of another program: name another file`)
      }
    }
    const services = yield* Effect.mapError(Layer.build(Database.layerSqlite({ file })), refuse)
    const sql = Context.get(services, SqlClient.SqlClient)
    // What is deleted is overwritten in the file: a key, above all.
    yield* Effect.mapError(sql`PRAGMA secure_delete = ON`, ({ cause }) => refusals.database(cause))
    return sql
  })

/** Makes the schema that the connections look for tables in; nothing for a file. */
export const makeSchema = (sql: SqlClient.SqlClient): Effect.Effect<void, GatewayError> =>
  sql.onDialectOrElse({
    orElse: () => Effect.void,
    pg: () =>
      Effect.flatMap(
        sql`SELECT current_setting('search_path') AS name`,
        ([row]) => Migrations.makeSchema(sql, Rows.text(row, "name"))
      ).pipe(Effect.mapError(({ cause }) => refusals.database(cause)))
  })

/** Makes or upgrades the tables. */
export const makeTables = (sql: SqlClient.SqlClient, chain: Chain): Effect.Effect<void, GatewayError> =>
  Effect.zipRight(
    makeSchema(sql),
    Effect.zipRight(upgradeTables(sql, chain), WalletCallers.makeTables(sql))
  )

const upgradeTables = (sql: SqlClient.SqlClient, chain: Chain): Effect.Effect<void, GatewayError> =>
  Effect.forEach([CustodyTables.make(chain), GuardTables.make(chain)], Migrations.upgrade, { discard: true }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.mapError(refuse),
    Effect.withTracerEnabled(false)
  )

/** Refuses tables that a newer program has upgraded: it may keep secrets where this one does not look for them. */
const checkTables = (sql: SqlClient.SqlClient, chain: Chain): Effect.Effect<void, GatewayError> =>
  Effect.forEach([CustodyTables.make(chain), GuardTables.make(chain)], Migrations.version, { discard: true }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.mapError(refuse),
    Effect.withTracerEnabled(false),
    Effect.zipRight(Effect.asVoid(WalletCallers.check(sql)))
  )

/** Whether a wallet has been made in a database. */
export const isMade = (sql: SqlClient.SqlClient, chain: Chain): Effect.Effect<boolean, GatewayError> =>
  Effect.mapError(Keyring.isMade(sql, chain), refuse)

/** The refusal where a wallet has to be and is not. */
export const missing = (file: string): GatewayError =>
  refusals.wallet(`${shown(file)}: there is no wallet yet; klaytn gateway --wallet makes one`)

/** The file of an existing wallet, with its chain. */
export const existing = (file: string) =>
  Effect.gen(function*() {
    if (!postgres.isAddress(file) && !existsSync(file)) return yield* missing(file)
    const sql = yield* openDatabase(file)
    for (const chain of [mainnet, testnet]) {
      if (yield* isMade(sql, chain)) {
        yield* checkTables(sql, chain)
        return { file, sql, chain }
      }
    }
    return yield* missing(file)
  })

/** The file of an existing wallet for a command that only reads: tables of an earlier version are told, and not upgraded. */
export const readable = (file: string) =>
  Effect.gen(function*() {
    const found = yield* existing(file)
    const all = [CustodyTables.make(found.chain), GuardTables.make(found.chain)]
    const versions = yield* Effect.forEach(all, Migrations.version).pipe(
      Effect.provideService(SqlClient.SqlClient, found.sql),
      Effect.mapError(refuse),
      Effect.withTracerEnabled(false)
    )
    if (all.every(({ migrations }, i) => migrations.length === versions[i])) return found
    return yield* refusals.wallet(
      `${
        shown(file)
      }: an earlier version made these tables, and this command changes none: klaytn gateway --wallet upgrades them, or use the ` +
        "command of that version"
    )
  })

/** How a wallet is opened. */
export interface OpenOptions extends walletKey.KeyOptions {
  /**
   * Whether its tables are made and upgraded. What is urgent uses those of an existing wallet as they are, and waits for nobody who upgrades
   * them. Default: true.
   */
  readonly upgradesTables?: boolean | undefined
}

/** Opens a wallet. A wrong or lost master key is told before anything is written. */
export const open = (
  file: string,
  chain: Chain,
  { upgradesTables = true, ...options }: OpenOptions
): Effect.Effect<WalletFile, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    const sql = yield* openDatabase(file)
    const wrapper = yield* walletKey.read(file, options, !(yield* isMade(sql, chain)))
    yield* Effect.mapError(Keyring.check(sql, chain, wrapper), refuse)
    const foreignCode = foreignCodeOf(sql, file)
    if (upgradesTables) {
      const problem = yield* foreignCode
      if (problem !== undefined) return yield* refusals.wallet(problem)
      yield* makeTables(sql, chain)
    }
    const keyring = yield* Effect.mapError(Keyring.open(sql, chain, wrapper), refuse)
    const audit = yield* Effect.mapError(AuditLog.open(sql, chain, keyring), refuse)
    const guard = WalletGuard.make({ sql, chain, audit, freezeFile: freezeFile(file) })
    return { sql, keyring, audit, guard, foreignCode }
  })
