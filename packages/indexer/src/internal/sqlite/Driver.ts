import { createRequire } from "node:module"

/** A cell or a parameter. The layout of our keys keeps integers below 2^53. */
export type SqlValue = number | string | Uint8Array | null

/** A row in column order. The columns of a query must have different names, because a driver may return objects. */
export type Row = ReadonlyArray<unknown>

/** A prepared statement. */
export interface Statement {
  readonly run: (...values: ReadonlyArray<SqlValue>) => void
  readonly all: (...values: ReadonlyArray<SqlValue>) => ReadonlyArray<Row>
}

/** What the store needs from SQLite. All of it is synchronous: nothing interrupts the transaction of a block. */
export interface Driver {
  readonly name: "node:sqlite" | "libsql"
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => Statement
  readonly close: () => void
}

interface NodeStatement {
  readonly run: (...values: ReadonlyArray<SqlValue>) => unknown
  readonly all: (...values: ReadonlyArray<SqlValue>) => ReadonlyArray<object>
}

interface NodeDatabase {
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => NodeStatement
  readonly close: () => void
}

interface LibsqlStatement {
  /** Whether it returns rows. */
  readonly reader: boolean
  readonly raw: (on: boolean) => unknown
  readonly run: (values: ReadonlyArray<SqlValue>) => unknown
  readonly all: (values: ReadonlyArray<SqlValue>) => ReadonlyArray<Row>
}

interface LibsqlDatabase {
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => LibsqlStatement
  readonly close: () => void
}

const load = createRequire(import.meta.url)

/** `node:sqlite`, part of Node. Before Node 24 it prints a warning that it is experimental. */
export const openNodeSqlite = (path: string): Driver => {
  // The types of Node 20 lack this module: the interfaces above describe what is used of it.
  const { DatabaseSync }: { readonly DatabaseSync: new(path: string) => NodeDatabase } = load("node:sqlite")
  const database = new DatabaseSync(path)
  return {
    name: "node:sqlite",
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      return {
        run: (...values) => void statement.run(...values),
        all: (...values) => statement.all(...values).map((row) => Object.values(row))
      }
    },
    close: () => database.close()
  }
}

/** `libsql`, for Node before 24: an SQLite whose binary comes from the package registry. */
export const openLibsql = (path: string): Driver => {
  // Its types come from another package and are `any`: the interfaces above describe what is used of it.
  const Database: new(path: string) => LibsqlDatabase = load("libsql")
  const database = new Database(path)
  return {
    name: "libsql",
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      // In rows as objects, blobs would be ArrayBuffers, and columns of the same name would be one.
      if (statement.reader) statement.raw(true)
      return {
        run: (...values) => void statement.run(values),
        all: (...values) => {
          if (statement.reader) return statement.all(values)
          statement.run(values)
          return []
        }
      }
    },
    close: () => database.close()
  }
}

/** Opens a database file, or a private one in memory for `:memory:`. */
export const open = (path: string): Driver =>
  Number(process.versions.node.split(".")[0]) >= 24 ? openNodeSqlite(path) : openLibsql(path)
