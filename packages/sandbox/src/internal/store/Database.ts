import { resolve } from "node:path"
import { integer } from "./Column.js"
import { type Driver, open, type Statement } from "./Driver.js"
import { recountOwnings } from "./OwnershipIndex.js"
import { chainIds, chainTables, codes, meta, schemaVersion } from "./Schema.js"

/** Marks the header of our files. */
const applicationId = 0x6b6c7962

/** What to do about what SQLite says. */
const remedies: ReadonlyArray<readonly [message: RegExp, remedy: string]> = [
  [/database is locked/, "another sandbox or program has it open; stop that one, or name another file"],
  [/file is not a database/, "it is no SQLite database; name a file that is not there yet"],
  [/unable to open/i, "it cannot be opened; see that its folder is there and that you may write to it"],
  [/readonly database/, "it cannot be written; see that you may write to it and to its folder"],
  [/disk is full/, "the disk is full; make room, or name a file elsewhere"]
]

/** A failure of the database that names the file and says what to do. */
class DatabaseError extends Error {
  constructor(file: string, cause: unknown) {
    const message = cause instanceof Error ? cause.message : "unknown cause"
    super(`${file}: ${remedies.find(([pattern]) => pattern.test(message))?.[1] ?? message}`, { cause })
  }
}

const mostStatements = 256

/** A driver whose failures name the file, and that prepares a statement once. */
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
      if (prepared.size >= mostStatements) prepared.clear()
      const statement = prepare(sql)
      prepared.set(sql, statement)
      return statement
    },
    close: driver.close
  }
}

/** Runs a statement that answers with one number; 0 if it answers with none. */
const readNumber = (driver: Driver, sql: string): number =>
  driver.prepare(sql).all().map(([cell]) => integer.decode(cell, sql))[0] ?? 0

const countTables = (driver: Driver, condition: string): number =>
  readNumber(driver, `SELECT count(*) FROM sqlite_schema WHERE ${condition}`)

/** Marks a file as ours. One that holds something else is refused before anything is written to it. */
const claim = (driver: Driver): void => {
  driver.prepare("PRAGMA busy_timeout = 1000").all()
  const id = readNumber(driver, "PRAGMA application_id")
  if (id === applicationId) return
  // Files of the first versions have no mark.
  if (
    id !== 0 ||
    (countTables(driver, "TRUE") > 0 && countTables(driver, "name IN ('meta', 'codes', 'blocks_8217')") < 3)
  ) throw new Error("it is a database of another program; name a file that is not there yet")
  driver.exec(`PRAGMA application_id = ${applicationId}`)
}

/**
 * Settings of a connection: safe against the death of the process, fast enough for a block a millisecond, and the file is
 * this connection's alone, until it lets go or its process ends.
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
  // The lock is taken with the first write, not with the setting.
  driver.exec("BEGIN IMMEDIATE; COMMIT")
}

/** Gives a file of an earlier version what the newest one has. One that a newer sandbox has written is refused. */
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
    for (const table of chainTables) table.of(chainId).ensure(driver)
    // Version 4 is the first that keeps sums of what holders have.
    if (version < 4) recountOwnings(driver, chainId)
  }
  driver.exec(`PRAGMA user_version = ${schemaVersion}; COMMIT`)
}

/** Closes a database, and lets others have the file: closing does that only once all statements are collected. */
export const close = (driver: Driver): void => {
  try {
    for (const pragma of ["busy_timeout = 0", "journal_mode = DELETE", "locking_mode = NORMAL"]) {
      driver.prepare(`PRAGMA ${pragma}`).all()
    }
    countTables(driver, "TRUE")
  } catch { /* A file that cannot be read was never held. */ }
  driver.close()
}

/** Opens or creates a database file, which nobody else may open then; `:memory:` lives and dies with the process. */
export const openDatabase = (file: string, openDriver: (path: string) => Driver = open): Driver => {
  if (file === "") throw new Error("a database needs the name of a file, or :memory:")
  // An absolute path is never taken for an address or an option.
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
