/**
 * Whether a SQLite file has all of its database, or needs the `FILE-wal` beside it, which a copy may lack.
 *
 * A file that was closed in order has everything, and its header says that it needs no `-wal`. While a database is written, its file says in
 * a row of its own that it lacks what is in the `-wal`; there, the row says that nothing is lacking. So who reads both, as SQLite does, or
 * copies both into one, gets a whole file, and the file alone is told from it.
 */
import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

const table = "effect_klaytn_wal"

/** The condition of the tables of programs in `sqlite_schema`: this module's is none. */
export const ofPrograms = `tbl_name <> '${table}'`

/** The size from which a `-wal` is written into its file, in bytes: that of SQLite. */
const longest = 4_096_000

const isMemory = (file: string): boolean => file === "" || file.startsWith(":memory:")

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

/**
 * The files that this process has open, or may still have open. Their headers are not read: a process that closes a file loses its locks on it.
 */
const opened = new Set<string>()

const keyOf = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    return resolve(file)
  }
}

/** Notes that this process opens a file. */
export const opens = (file: string): void => {
  if (!isMemory(file)) opened.add(keyOf(file))
}

/** Notes that this process has closed a file for good: nothing that it has opened is left. */
export const closed = (file: string): void => void opened.delete(keyOf(file))

/** Whether the header of a file says that a `-wal` belongs to it. */
const isInWalMode = (file: string): boolean => {
  const header = Buffer.alloc(20)
  const read = openSync(file, "r")
  try {
    return readSync(read, header, 0, header.length, 0) === header.length && header[18] === 2
  } finally {
    closeSync(read)
  }
}

/** Reads a number from a database that is opened by an address, and closes it. */
export type Look = (address: string, query: string) => unknown

/** Whether a file itself says that it lacks what is in its `-wal`. Opens no `-wal`, and makes none. */
const isLacking = (file: string, look: Look): boolean => {
  try {
    return Number(look(`${pathToFileURL(resolve(file)).href}?immutable=1`, `SELECT lacks FROM ${table}`)) === 1
  } catch {
    // Nothing says so: another program has made the file, or an older one.
    return false
  }
}

/** Why a file must not be opened. */
export type Problem = "WAL_MISSING" | "WAL_FOREIGN" | "WAL_ALONE"

const find = (file: string, look: Look): Problem | undefined => {
  const log = sizeOf(`${file}-wal`)
  const size = sizeOf(file) ?? 0
  if (size === 0) return (log ?? 0) > 0 ? "WAL_ALONE" : undefined
  if ((log ?? 0) > 0) return isInWalMode(file) ? undefined : "WAL_FOREIGN"
  return log === undefined && isInWalMode(file) && isLacking(file, look) ? "WAL_MISSING" : undefined
}

/** Between two looks, another process may open or close the file. */
const looks = 5

/** Why a file must not be opened; undefined if it may. Where its folder can't be read, opening the file says that. */
export const problemOf = (file: string, look: Look): Problem | undefined => {
  if (isMemory(file) || opened.has(keyOf(file))) return undefined
  try {
    let found = find(file, look)
    for (let n = 1; found !== undefined && n < looks; n++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      found = find(file, look)
    }
    return found
  } catch {
    return undefined
  }
}

const texts: Readonly<Record<Problem, string>> = {
  WAL_MISSING: "FILE-wal is not beside it, and has what was written last",
  WAL_FOREIGN: "the FILE-wal beside it belongs to another state of it",
  WAL_ALONE: "only its FILE-wal is there"
}

/** A problem as an error, whose code `DatabaseFault` knows. */
export const errorOf = (problem: Problem): Error & { readonly code: Problem } =>
  Object.assign(new Error(texts[problem]), { code: problem })

/** The mark of an open database. */
export interface Mark {
  /** Begins the WAL mode, and marks the file, before the first write: what only reads changes no byte. */
  readonly begin: () => void
  /** Writes a long `-wal` into the file, after a commit. */
  readonly committed: () => void
  /** A statement of the program has written the `-wal` into the file, which is marked anew before the next write. */
  readonly checkpointed: () => void
}

const unmarked: Mark = { begin: () => {}, committed: () => {}, checkpointed: () => {} }

/** The mark of a database, whose statements `exec` executes. It has no transaction when this is called. */
export const make = (file: string, exec: (sql: string) => void): Mark => {
  if (isMemory(file)) return unmarked
  let isMarked = false
  let isLeft = false
  /** Up to this size the `-wal` is written. It is used again from its beginning, which is faster than to let it grow again. */
  let kept = longest

  const size = () => sizeOf(`${file}-wal`) ?? 0

  const write = (sql: string) => {
    exec("BEGIN IMMEDIATE")
    try {
      exec(sql)
      exec("COMMIT")
    } catch (error) {
      try {
        exec("ROLLBACK")
      } catch { /* SQLite has taken it back by itself. */ }
      throw error
    }
  }

  const clear = () => {
    write(`UPDATE ${table} SET lacks = 0`)
    isLeft = false
  }

  /** The file says that something is lacking before anything is, and the `-wal` says from its first page on that nothing is. */
  const checkpoint = () => {
    write(`INSERT INTO ${table} (id, lacks) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET lacks = 1`)
    isLeft = true
    const full = size()
    exec(`PRAGMA wal_checkpoint(${full > 2 * longest ? "TRUNCATE" : "RESTART"})`)
    clear()
    const after = size()
    // Where another process reads, the `-wal` goes on growing, and the next try is later.
    kept = Math.max(after, longest) + (after > full ? longest / 4 : 0)
  }

  return {
    begin: () => {
      if (isMarked) return
      exec("PRAGMA journal_mode = WAL")
      // SQLite by itself would write the last row into the file. It does so if nothing else has done it for very long.
      exec("PRAGMA wal_autocheckpoint = 100000")
      write(`CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY, lacks INTEGER NOT NULL)`)
      checkpoint()
      isMarked = true
    },
    committed: () => {
      try {
        if (isLeft) clear()
        if (size() > kept) checkpoint()
      } catch { /* What was committed is in the `-wal`. The next commit tries again. */ }
    },
    checkpointed: () => {
      isMarked = false
    }
  }
}
