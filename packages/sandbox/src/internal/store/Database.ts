import { integer } from "@effect-klaytn/indexer/Column"
import { type Driver, open, type Statement } from "@effect-klaytn/indexer/Driver"
import { ensureTables } from "@effect-klaytn/indexer/SqliteIndex"
import { resolve } from "node:path"
import { chainIds, chainTables, codes, meta, schemaVersion } from "./Schema.js"

/** Identifies our files, in their header. */
const applicationId = 0x6b6c7962

/** Advice for SQLite's messages. */
const remedies: ReadonlyArray<readonly [message: RegExp, remedy: string]> = [
  [/database is locked/, "another sandbox or program has it open; stop that one or choose another file"],
  [/file is not a database/, "it is not an SQLite database; choose a new file"],
  [/unable to open/i, "it can't be opened; check that its folder exists and that you may write to it"],
  [/readonly database/, "it can't be written; check that you may write to it and to its folder"],
  [/disk is full/, "the disk is full; free some space or choose a file elsewhere"]
]

/** A database failure that names the file and says what to do. */
class DatabaseError extends Error {
  constructor(file: string, cause: unknown) {
    const message = cause instanceof Error ? cause.message : "unknown cause"
    super(`${file}: ${remedies.find(([pattern]) => pattern.test(message))?.[1] ?? message}`, { cause })
  }
}

const maxStatements = 256

/** A driver whose failures name the file, and that prepares each statement once. */
const wrap = (file: string, openDriver: () => Driver): Driver => {
  const explain =
    <Arguments extends ReadonlyArray<unknown>, A>(run: (...values: Arguments) => A) => (...values: Arguments): A => {
      try {
        return run(...values)
      } catch (cause) {
        throw new DatabaseError(file, cause)
      }
    }
  const driver = explain(openDriver)()
  const prepared = new Map<string, Statement>()
  const prepare = explain((sql: string): Statement => {
    const { all, run } = driver.prepare(sql)
    return { all: explain(all), run: explain(run) }
  })
  return {
    name: driver.name,
    exec: explain(driver.exec),
    prepare: (sql) => {
      const known = prepared.get(sql)
      if (known !== undefined) return known
      if (prepared.size >= maxStatements) prepared.clear()
      const statement = prepare(sql)
      prepared.set(sql, statement)
      return statement
    },
    close: driver.close
  }
}

/** The number that a statement returns; 0 if it returns no row. */
const readNumber = (driver: Driver, sql: string): number =>
  driver.prepare(sql).all().map(([cell]) => integer.decode(cell, sql))[0] ?? 0

const countTables = (driver: Driver, condition: string): number =>
  readNumber(driver, `SELECT count(*) FROM sqlite_schema WHERE ${condition}`)

/** Marks a file as ours. A file with anything else in it is refused before the first write. */
const claim = (driver: Driver): void => {
  driver.prepare("PRAGMA busy_timeout = 1000").all()
  const id = readNumber(driver, "PRAGMA application_id")
  if (id === applicationId) return
  // The first versions did not mark their files.
  if (
    id !== 0 ||
    (countTables(driver, "TRUE") > 0 && countTables(driver, "name IN ('meta', 'codes', 'blocks_8217')") < 3)
  ) throw new Error("it belongs to another program; choose a new file")
  driver.exec(`PRAGMA application_id = ${applicationId}`)
}

/**
 * Configures a connection: no loss if the process dies, fast enough for a block a millisecond, and the file locked until
 * the connection is closed or its process ends.
 */
const configure = (driver: Driver): void => {
  for (
    const pragma of [
      "locking_mode = EXCLUSIVE",
      "journal_mode = WAL",
      "synchronous = NORMAL",
      "cache_size = -65536",
      "temp_store = MEMORY"
    ]
  ) driver.prepare(`PRAGMA ${pragma}`).all()
  // The setting alone takes no lock, the first write does.
  driver.exec("BEGIN IMMEDIATE; COMMIT")
}

/** Upgrades a file of an earlier version. A file of a newer sandbox is refused. */
const upgrade = (driver: Driver): void => {
  const version = readNumber(driver, "PRAGMA user_version")
  if (version === schemaVersion) return
  if (version > schemaVersion) {
    throw new Error(
      `it has schema version ${version} and this sandbox knows up to ${schemaVersion}; use a newer sandbox`
    )
  }
  driver.exec("BEGIN IMMEDIATE")
  for (const table of [meta, codes]) table.ensure(driver)
  for (const chainId of chainIds) {
    ensureTables(driver, chainId)
    for (const table of chainTables) table.of(chainId).ensure(driver)
  }
  driver.exec(`PRAGMA user_version = ${schemaVersion}; COMMIT`)
}

/** Closes a database and unlocks its file, which closing alone does only once all statements are collected. */
export const close = (driver: Driver): void => {
  try {
    for (const pragma of ["busy_timeout = 0", "journal_mode = DELETE", "locking_mode = NORMAL"]) {
      driver.prepare(`PRAGMA ${pragma}`).all()
    }
    countTables(driver, "TRUE")
  } catch { /* A file that can't be read was never locked. */ }
  driver.close()
}

/** Opens or creates a database file and locks it; `:memory:` is a database that ends with the process. */
export const openDatabase = (file: string, openDriver: (path: string) => Driver = open): Driver => {
  if (file === "") throw new Error("a database needs a file name, or :memory:")
  // An absolute path can't be mistaken for a URL or an option.
  const driver = wrap(file, () => openDriver(file === ":memory:" ? file : resolve(file)))
  try {
    claim(driver)
    configure(driver)
    upgrade(driver)
  } catch (cause) {
    close(driver)
    throw cause instanceof DatabaseError ? cause : new DatabaseError(file, cause)
  }
  return driver
}
