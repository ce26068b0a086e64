/**
 * Database files that belong to one program: marked in their header, of a known version, and locked while they are open.
 */
import { resolve } from "node:path"
import { integer } from "./Column.js"
import * as DatabaseFault from "./DatabaseFault.js"
import { atomically, type Driver, open as openDriver, openLibsql, type Statement } from "./Driver.js"
import * as wholeFile from "./internal/wholeFile.js"

/**
 * Why a file can't be used. `Locked`: another program has it open. `Foreign`: it belongs to another program, or is no
 * database. `Newer`: a newer version of the program wrote it. `Unusable`: it can't be opened, read or written.
 *
 * @category errors
 */
export type Reason = "Locked" | "Foreign" | "Newer" | "Unusable"

/**
 * A file that can't be used. The message names the file and a remedy.
 *
 * @category errors
 */
export class DatabaseFileError extends Error {
  override readonly name = "DatabaseFileError"

  constructor(readonly file: string, readonly reason: Reason, problem: string, cause?: unknown) {
    super(`${file}: ${problem}`, { cause })
  }
}

/**
 * A kind of files.
 *
 * @category models
 */
export interface Kind {
  /** The program, as messages name it: `sandbox`. */
  readonly program: string
  /** Marks the files in their header: a positive 32-bit number. */
  readonly applicationId: number
  /** The version of the tables. */
  readonly version: number
  /** Creates the tables, or gives those of an earlier version what they lack. Runs in a transaction. */
  readonly upgrade: (driver: Driver) => void
  /** Whether a file without a mark, which has tables, belongs to the program all the same. Default: no. */
  readonly ownsUnmarked?: ((driver: Driver) => boolean) | undefined
  /**
   * Whether several processes may use the file at the same time. Default: no, the file is locked until it is closed or its
   * process ends.
   */
  readonly isShared?: boolean | undefined
}

const remedies = (
  { program }: Kind
): ReadonlyArray<readonly [message: RegExp, reason: Reason, remedy: string]> => [
  [
    /database is locked/,
    "Locked",
    `another ${program} or program has it open; stop that one or choose another file`
  ],
  [/file is not a database/, "Foreign", "it is not an SQLite database; choose a new file"],
  [/unable to open/i, "Unusable", "it can't be opened; check that its folder exists and that you may write to it"],
  [/readonly database/, "Unusable", "it can't be written; check that you may write to it and to its folder"],
  [/disk is full/, "Unusable", "the disk is full; free some space or choose a file elsewhere"]
]

const errorOf = (file: string, kind: Kind, cause: unknown): DatabaseFileError => {
  if (cause instanceof DatabaseFileError) return cause
  const message = cause instanceof Error ? cause.message : "unknown cause"
  const [, reason, remedy] = remedies(kind).find(([pattern]) => pattern.test(message)) ?? []
  return new DatabaseFileError(file, reason ?? "Unusable", remedy ?? message, cause)
}

/** Reads a number with a connection of its own. */
const look = (connect: (path: string) => Driver): wholeFile.Look => (address, query) => {
  const driver = connect(address)
  try {
    return driver.prepare(query).first()?.[0]
  } finally {
    driver.close()
  }
}

/**
 * Why a file must not be opened, and what to do: it lacks the `-wal` that has what was written last, or has one that belongs to another
 * state of it. Undefined if it may be opened, by this module or another. {@link open} and `Database.layerSqlite` look by themselves.
 *
 * @category reading
 */
export const problemOf = (file: string, connect: (path: string) => Driver = openLibsql): string | undefined => {
  const problem = wholeFile.problemOf(file, look(connect))
  if (problem === undefined) return undefined
  const { advice, message } = DatabaseFault.of(wholeFile.errorOf(problem))
  return `${message}. ${advice}`
}

const maxStatements = 256

/** A driver whose failures name the file, and that prepares each statement once. */
const wrap = (file: string, kind: Kind, opened: () => Driver): Driver => {
  const explain =
    <Arguments extends ReadonlyArray<unknown>, A>(run: (...values: Arguments) => A) => (...values: Arguments): A => {
      try {
        return run(...values)
      } catch (cause) {
        throw errorOf(file, kind, cause)
      }
    }
  const driver = explain(opened)()
  const prepared = new Map<string, Statement>()
  const prepare = explain((sql: string): Statement => {
    const { all, first, named, run } = driver.prepare(sql)
    return { all: explain(all), first: explain(first), named: explain(named), run: explain(run) }
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

/**
 * Counts the tables, indexes and views of a database that meet a condition in SQL, without those of this module.
 *
 * @category reading
 */
export const countTables = (driver: Driver, condition: string): number =>
  readNumber(driver, `SELECT count(*) FROM sqlite_schema WHERE (${condition}) AND ${wholeFile.ofPrograms}`)

/** The version of a file's tables. Throws for a newer one than that of the program. */
const knownVersion = (file: string, { program, version }: Kind, driver: Driver): number => {
  const current = readNumber(driver, "PRAGMA user_version")
  if (current <= version) return current
  throw new DatabaseFileError(
    file,
    "Newer",
    `it has schema version ${current} and this ${program} reads versions up to ${version}; use a newer ${program}`
  )
}

/** Marks a file. A file with anything else in it, or of a newer version, is refused before the first write. */
const claim = (file: string, kind: Kind, driver: Driver): void => {
  const { applicationId, ownsUnmarked = () => false } = kind
  driver.prepare("PRAGMA busy_timeout = 1000").all()
  const id = readNumber(driver, "PRAGMA application_id")
  if (id === applicationId) {
    // Before the first write, and again once the file is locked.
    knownVersion(file, kind, driver)
    return
  }
  if (id !== 0 || (countTables(driver, "TRUE") > 0 && !ownsUnmarked(driver))) {
    throw new DatabaseFileError(file, "Foreign", "it belongs to another program; choose a new file")
  }
  driver.exec(`PRAGMA application_id = ${applicationId}`)
}

/** Settings of a file that is locked: no loss if the process dies, and fast enough for a block a millisecond. */
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

/** The files of the drivers that are open. */
const files = new WeakMap<Driver, string>()

/** A driver that marks its file while it is written. */
const marking = (file: string, driver: Driver): Driver => {
  const mark = wholeFile.make(file, driver.exec)
  mark.begin()
  return {
    ...driver,
    exec: (sql) => {
      driver.exec(sql)
      if (sql === "COMMIT") mark.committed()
    }
  }
}

const upgradeTo = (file: string, kind: Kind, driver: Driver): void => {
  const { upgrade, version } = kind
  if (knownVersion(file, kind, driver) === version) return
  atomically(driver, () => {
    upgrade(driver)
    driver.exec(`PRAGMA user_version = ${version}`)
  })
}

/**
 * Closes a database and unlocks its file, which closing alone does only once all statements are collected.
 *
 * @category operations
 */
export const close = (driver: Driver): void => {
  try {
    for (const pragma of ["busy_timeout = 0", "journal_mode = DELETE", "locking_mode = NORMAL"]) {
      driver.prepare(`PRAGMA ${pragma}`).all()
    }
    countTables(driver, "TRUE")
    wholeFile.closed(files.get(driver) ?? "")
  } catch { /* A file that can't be read was never locked. */ }
  driver.close()
}

/**
 * Opens or creates a file; `:memory:` is a database that ends with the process. `connect` replaces the driver. Throws a
 * {@link DatabaseFileError}, as all later use of the driver does.
 *
 * @category constructors
 */
export const open = (file: string, kind: Kind, connect: (path: string) => Driver = openDriver): Driver => {
  if (file === "") throw new DatabaseFileError(file, "Unusable", "a database needs a file name, or :memory:")
  // An absolute path can't be mistaken for a URL or an option.
  const problem = problemOf(file, connect)
  if (problem !== undefined) throw new DatabaseFileError(file, "Unusable", problem)
  let driver = wrap(file, kind, () => connect(file === ":memory:" ? file : resolve(file)))
  wholeFile.opens(file)
  let isOurs = false
  try {
    claim(file, kind, driver)
    isOurs = true
    if (kind.isShared !== true) configure(driver)
    upgradeTo(file, kind, driver)
    if (kind.isShared !== true) driver = marking(file, driver)
  } catch (cause) {
    // A file of another program keeps its own settings, and was never locked.
    if (isOurs) close(driver)
    else driver.close()
    throw errorOf(file, kind, cause)
  }
  files.set(driver, file)
  return driver
}
