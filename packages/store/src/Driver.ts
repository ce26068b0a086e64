/**
 * Connections to SQLite: `node:sqlite` from Node 24 on, `libsql` before.
 * docs/decisions/030-two-uses-of-libsql.md says why `Database` has its own.
 */
import { createRequire } from "node:module"

/**
 * A cell or a parameter. The layout of our keys keeps integers below 2^53.
 *
 * @category models
 */
export type SqlValue = number | string | Uint8Array | null

/**
 * A row in column order. The columns of a query must have different names, because a driver may return objects.
 *
 * @category models
 */
export type Row = ReadonlyArray<unknown>

/**
 * A prepared statement.
 *
 * @category models
 */
export interface Statement {
  readonly run: (...values: ReadonlyArray<SqlValue>) => void
  readonly all: (...values: ReadonlyArray<SqlValue>) => ReadonlyArray<Row>
  /** The first row; undefined if there is none. */
  readonly first: (...values: ReadonlyArray<SqlValue>) => Row | undefined
  /** All rows by the names of their columns, see `Rows`. */
  readonly named: (...values: ReadonlyArray<SqlValue>) => ReadonlyArray<object>
}

/**
 * A connection to SQLite. It is synchronous: nothing interrupts the transaction of a block.
 *
 * @category models
 */
export interface Driver {
  readonly name: "node:sqlite" | "libsql"
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => Statement
  readonly close: () => void
}

interface NodeStatement {
  readonly run: (...values: ReadonlyArray<SqlValue>) => unknown
  readonly all: (...values: ReadonlyArray<SqlValue>) => ReadonlyArray<object>
  readonly get: (...values: ReadonlyArray<SqlValue>) => object | undefined
}

/** The common part of the two libraries. */
interface Database<S> extends Pick<Driver, "exec" | "close"> {
  readonly prepare: (sql: string) => S
}

interface LibsqlStatement {
  /** Whether it returns rows. */
  readonly reader: boolean
  readonly raw: (on: boolean) => unknown
  readonly columns: () => ReadonlyArray<{ readonly name: string }>
  readonly run: (values: ReadonlyArray<SqlValue>) => unknown
  readonly all: (values: ReadonlyArray<SqlValue>) => ReadonlyArray<Row>
  readonly get: (values: ReadonlyArray<SqlValue>) => Row | undefined
}

/** A connection over a library's database, whose statements `adapt` wraps. */
const driverOf = <S>(name: Driver["name"], database: Database<S>, adapt: (statement: S) => Statement): Driver => ({
  name,
  exec: (sql) => database.exec(sql),
  prepare: (sql) => adapt(database.prepare(sql)),
  close: () => database.close()
})

const load = createRequire(import.meta.url)

/**
 * `node:sqlite`, part of Node. Before Node 24 it prints a warning that it is experimental.
 *
 * @category constructors
 */
export const openNodeSqlite = (path: string): Driver => {
  // The types of Node 20 lack this module: the interfaces above describe what is used of it.
  const { DatabaseSync }: { readonly DatabaseSync: new(path: string) => Database<NodeStatement> } = load("node:sqlite")
  return driverOf("node:sqlite", new DatabaseSync(path), (statement) => ({
    run: (...values) => void statement.run(...values),
    all: (...values) => statement.all(...values).map((row) => Object.values(row)),
    first: (...values) => {
      const row = statement.get(...values)
      return row && Object.values(row)
    },
    named: (...values) => statement.all(...values)
  }))
}

/**
 * `libsql`, for Node before 24: an SQLite whose binary comes from the package registry.
 *
 * @category constructors
 */
export const openLibsql = (path: string): Driver => {
  // Its types come from another package and are `any`: the interfaces above describe what is used of it.
  const Database: new(path: string) => Database<LibsqlStatement> = load("libsql")
  return driverOf("libsql", new Database(path), (statement) => {
    const isReader = statement.reader
    // In rows as objects, blobs would be ArrayBuffers, and columns of the same name would be one.
    if (isReader) statement.raw(true)
    const all: Statement["all"] = (...values) => {
      if (isReader) return statement.all(values)
      statement.run(values)
      return []
    }
    return {
      run: (...values) => void statement.run(values),
      all,
      named: (...values) => {
        const rows = all(...values)
        const names = isReader ? statement.columns().map(({ name }) => name) : []
        return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
      },
      first: (...values) => isReader ? statement.get(values) : void statement.run(values)
    }
  })
}

/**
 * Opens a database file, or a private one in memory for `:memory:`.
 *
 * @category constructors
 */
export const open = (path: string): Driver =>
  Number(process.versions.node.split(".")[0]) >= 24 ? openNodeSqlite(path) : openLibsql(path)

/**
 * Runs synchronous writes in one transaction: all of them are stored, or none if one throws.
 *
 * @category transactions
 */
export const atomically = <A>(driver: Driver, write: () => A): A => {
  driver.exec("BEGIN IMMEDIATE")
  try {
    const result = write()
    driver.exec("COMMIT")
    return result
  } catch (cause) {
    // The database may already have rolled back on its own; the original cause is what matters.
    try {
      driver.exec("ROLLBACK")
    } catch { /* No transaction is open any more. */ }
    throw cause
  }
}
