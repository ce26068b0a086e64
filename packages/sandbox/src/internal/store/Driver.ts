import { createRequire } from "node:module"

/** A value of a row or of a parameter. Integers stay below 2^53 by the layout of our keys. */
export type SqlValue = number | string | Uint8Array | null

/** A row in column order. Columns of one query have different names: a driver may hand rows over as objects. */
export type Row = ReadonlyArray<unknown>

/** A prepared statement. */
export interface Statement {
  readonly run: (...values: ReadonlyArray<SqlValue>) => void
  readonly all: (...values: ReadonlyArray<SqlValue>) => ReadonlyArray<Row>
}

/** The five methods that the store needs of a SQLite: all synchronous, one block is one uninterrupted transaction. */
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

/** `node:sqlite`, part of Node. Before Node 24 it warns on standard error that it is experimental. */
export const openNodeSqlite = (path: string): Driver => {
  // The types of Node 20 do not know this module: the part of it that is used is described above, once.
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

/** `libsql`, for Node before 24: a SQLite whose binary comes from the package registry. */
export const openLibsql = (path: string): Driver => {
  // Its types are those of another package and say `any`: the part that is used is described above, once.
  const Database: new(path: string) => LibsqlDatabase = load("libsql")
  const database = new Database(path)
  return {
    name: "libsql",
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      // Rows as objects would carry blobs as ArrayBuffer, and columns of the same name once.
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
