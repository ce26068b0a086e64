/** The rows of one table of the index, many in a statement. */
import type { AnyColumn } from "@effect-klaytn/store/Column"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { RowChange } from "../../Ownership.js"
import { arrayOf, decode, typeOf } from "./cells.js"
import type { Database } from "./Database.js"

/** How many rows one statement adds. */
const rowsAtOnce = 5000

/** The part of a table that is used here. */
interface AnyTable {
  readonly name: string
  readonly columns: ReadonlyArray<{ readonly field: string; readonly name: string; readonly column: AnyColumn }>
  readonly options: { readonly primaryKey?: ReadonlyArray<string> }
}

type Column = AnyTable["columns"][number]

const names = (columns: ReadonlyArray<Column>): string => columns.map(({ name }) => name).join(", ")

/** Lists of values as the rows of a table `k`. */
const unnest = (columns: ReadonlyArray<Column>): string =>
  `unnest(${columns.map(({ column }, place) => `?${place + 1}::${typeOf(column)}[]`).join(", ")}) AS k (${
    names(columns)
  })`

const lists = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<object>): ReadonlyArray<Buffer> =>
  columns.map(({ column, field }) => arrayOf(column, field, rows))

/** Reads, adds, replaces and removes rows. `Key` and `A` are the fields of the primary key and the others. */
export class PgTable<Key extends object, A extends object> {
  readonly #columns
  readonly #key
  readonly #others
  readonly #name

  constructor(private readonly database: Database, table: AnyTable) {
    const { options: { primaryKey = [] } } = table
    this.#columns = table.columns.filter(({ column }) => column.isGenerated !== true)
    this.#key = primaryKey.flatMap((field) => this.#columns.filter((column) => column.field === field))
    this.#others = this.#columns.filter(({ field }) => !primaryKey.includes(field))
    this.#name = database.table(table.name)
  }

  /** Adds rows. */
  insert(rows: Iterable<object>): Effect.Effect<void, SqlError> {
    return this.#each(
      rows,
      this.#columns,
      `INSERT INTO ${this.#name} (${names(this.#columns)}) SELECT ${names(this.#columns)} FROM ${unnest(this.#columns)}`
    )
  }

  /** Writes changed rows, and removes those that are no more. */
  write(changes: ReadonlyArray<RowChange<Key, A>>): Effect.Effect<void, SqlError> {
    const kept = changes.flatMap(({ key, now }) => now === undefined ? [] : [{ ...key, ...now }])
    const gone = changes.flatMap(({ key, now }) => now === undefined ? [key] : [])
    const set = this.#others.map(({ name }) => `${name} = excluded.${name}`).join(", ")
    return Effect.zipRight(
      this.#each(
        gone,
        this.#key,
        `DELETE FROM ${this.#name} t USING ${unnest(this.#key)} WHERE ${this.#isKey}`
      ),
      this.#each(
        kept,
        this.#columns,
        `INSERT INTO ${this.#name} (${names(this.#columns)}) SELECT ${names(this.#columns)} FROM ${
          unnest(this.#columns)
        }
         ON CONFLICT (${names(this.#key)}) DO UPDATE SET ${set}`
      )
    )
  }

  /** The rows of these keys, without the keys. Each is looked up in the index, however many there are. */
  find(keys: ReadonlyArray<Key>): Effect.Effect<Map<string, A>, SqlError> {
    const found = new Map<string, A>()
    if (keys.length === 0) return Effect.succeed(found)
    const shown = [...this.#key, ...this.#others]
    const query = `SELECT ${shown.map(({ name }) => `t.${name}`).join(", ")} FROM ${unnest(this.#key)},
      LATERAL (SELECT * FROM ${this.#name} t WHERE ${this.#isKey} OFFSET 0) t`
    const different = new Map(keys.map((key) => [this.#idOf(key), key]))
    return Effect.map(this.database.rows(query, lists(this.#key, [...different.values()])), (rows) => {
      for (const row of rows) {
        let id = ""
        const rest: Record<string, unknown> = {}
        for (const { column, field, name } of this.#key) id += decode(column, row[name], field)
        for (const { column, field, name } of this.#others) rest[field] = decode(column, row[name], field)
        // A cast: all fields but those of the key, each decoded by its column.
        found.set(id, rest as A)
      }
      return found
    })
  }

  /** The keys of all rows of some contracts. */
  keysOf(contracts: string): Effect.Effect<ReadonlyArray<Key>, SqlError> {
    const query = `SELECT ${names(this.#key)} FROM ${this.#name} WHERE contract = ANY(?1::bytea[])`
    return Effect.map(this.database.rows(query, [contracts]), (rows) =>
      rows.map((row) =>
        // A cast: the fields of the key, each decoded by its column.
        Object.fromEntries(
          this.#key.map(({ column, field, name }) => [field, decode(column, row[name], field)])
        ) as Key
      ))
  }

  #idOf(key: Key): string {
    let id = ""
    for (const { field } of this.#key) id += String(Reflect.get(key, field))
    return id
  }

  get #isKey(): string {
    return this.#key.map(({ name }) => `t.${name} = k.${name}`).join(" AND ")
  }

  #each(rows: Iterable<object>, columns: ReadonlyArray<Column>, statement: string): Effect.Effect<void, SqlError> {
    return Effect.gen(this, function*() {
      let part: Array<object> = []
      for (const row of rows) {
        if (part.push(row) < rowsAtOnce) continue
        yield* this.database.rows(statement, lists(columns, part))
        part = []
      }
      if (part.length > 0) yield* this.database.rows(statement, lists(columns, part))
    })
  }
}
