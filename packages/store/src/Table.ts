/**
 * Tables as data: their columns, keys and indexes.
 */
import { type AnyColumn, rowWriter, text } from "./Column.js"
import type { Driver, SqlValue } from "./Driver.js"
import { type Expression, expression, select } from "./Query.js"

/**
 * The fields of a table.
 *
 * @category models
 */
export type Fields = Readonly<Record<string, AnyColumn>>

type Read<C> = C extends { readonly decode: (cell: unknown, name: string) => infer A } ? A : never

type Written<C> = C extends { readonly encode: (value: infer I) => SqlValue } ? I : never

/** The fields that the database does not assign. */
type Assigned<F> = { [N in keyof F]: F[N] extends { readonly isGenerated: true } ? never : N }[keyof F] & string

/**
 * Some fields of a row, as they are read.
 *
 * @category models
 */
export type Row<F, N extends keyof F = keyof F> = { readonly [M in N]: Read<F[M]> }

/**
 * Some fields of a row, as they are written.
 *
 * @category models
 */
export type NewRow<F, N extends keyof F = Assigned<F>> = { readonly [M in N]: Written<F[M]> }

interface Index<F> {
  readonly on: ReadonlyArray<keyof F & string>
  readonly isUnique?: boolean
  /** SQL condition of the rows in it. Default: all. */
  readonly where?: string
}

interface Options<F, K> {
  readonly primaryKey?: ReadonlyArray<K>
  readonly withoutRowid?: boolean
  /** Fields that are unique together. */
  readonly unique?: ReadonlyArray<keyof F & string>
  /** By the last part of their names. An index that changes takes another name. */
  readonly indexes?: Readonly<Record<string, Index<F>>>
  /** The rows that a new table begins with. */
  readonly rows?: ReadonlyArray<NewRow<F>>
}

const columnName = (name: string, column: AnyColumn | undefined): string =>
  column?.name ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const define = (name: string, column: AnyColumn): string => {
  const { fallback, isGenerated = false, isNullable = false, type } = column
  if (isGenerated) return `${columnName(name, column)} ${type} PRIMARY KEY AUTOINCREMENT`
  const orElse = fallback === undefined ? "" : ` DEFAULT ${fallback.sql}`
  return `${columnName(name, column)} ${type}${isNullable ? "" : " NOT NULL"}${orElse}`
}

/**
 * A table as data: its statements and the types of what they read and write come from its fields, and nothing depends on
 * the order of columns.
 *
 * @category models
 */
export class Table<const F extends Fields, const K extends keyof F & string = never> {
  constructor(readonly name: string, readonly fields: F, readonly options: Options<F, K>, readonly suffix = "") {}

  /** The same table of one chain. */
  of(chainId: number): Table<F, K> {
    return new Table(this.name, this.fields, this.options, `_${chainId}`)
  }

  /** The names of the columns, with their fields, in their order. */
  get columns(): ReadonlyArray<
    { readonly field: keyof F & string; readonly name: string; readonly column: AnyColumn }
  > {
    return Object.entries(this.fields).map(([field, column]) => ({ field, name: columnName(field, column), column }))
  }

  /** All columns, as a query reads them that calls the table `alias`. */
  as(alias: string): { readonly [N in keyof F]: Expression<Read<F[N]>> } {
    const all = Object.entries(this.fields).map(([name, column]) =>
      [name, expression(`${alias}.${columnName(name, column)}`, column)] as const
    )
    // A cast: `fromEntries` forgets the names, which are those of the fields.
    return Object.fromEntries(all) as { readonly [N in keyof F]: Expression<Read<F[N]>> }
  }

  /** Creates the table, or gives it the columns and indexes it lacks. Indexes that are not declared are dropped. */
  ensure(driver: Driver): void {
    const name = { name: expression("name", text) }
    const present = select(driver, name, "FROM pragma_table_info(?1)").all(this.#name).map((column) => column.name)
    const lacking = Object.entries(this.fields).filter(([field, column]) =>
      !present.includes(columnName(field, column))
    )
    if (present.length === 0) this.#create(driver)
    else for (const column of lacking) driver.exec(`ALTER TABLE ${this.#name} ADD COLUMN ${define(...column)}`)
    const indexes = new Map(
      Object.entries(this.options.indexes ?? {}).map(([last, index]) => [`${this.name}_${last}${this.suffix}`, index])
    )
    const created = "FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL"
    for (const old of select(driver, name, created).all(this.#name)) {
      if (!indexes.has(old.name)) driver.exec(`DROP INDEX ${old.name}`)
    }
    for (const [index, { isUnique = false, on, where }] of indexes) {
      driver.exec(
        `CREATE ${isUnique ? "UNIQUE " : ""}INDEX IF NOT EXISTS ${index} ON ${this.#name} (${this.#list(on)})` +
          (where === undefined ? "" : ` WHERE ${where}`)
      )
    }
  }

  /** Prepares to add rows. */
  insert(driver: Driver): (row: NewRow<F>) => void {
    return this.#prepare(driver, this.#insert, this.#assigned)
  }

  /** Prepares to write rows, in place of those with the same primary keys. */
  put(driver: Driver): (row: NewRow<F>) => void {
    const changed = this.#assigned.filter((name) => !this.#key.includes(name))
    return this.#prepare(
      driver,
      `${this.#insert} ON CONFLICT (${this.#list(this.#key)})
       DO UPDATE SET ${this.#list(changed, (column) => `${column} = excluded.${column}`)}`,
      this.#assigned
    )
  }

  /** Prepares to change some fields of rows by their primary keys. */
  update<N extends keyof F & string>(driver: Driver, ...fields: ReadonlyArray<N>): (row: NewRow<F, K | N>) => void {
    const values = this.#list(fields, (column, place) => `${column} = ?${place}`)
    return this.#prepare(
      driver,
      `UPDATE ${this.#name} SET ${values} WHERE ${this.#where(fields.length)}`,
      [...fields, ...this.#key]
    )
  }

  /** Prepares to remove rows by their primary keys. */
  remove(driver: Driver): (key: Row<F, K>) => void {
    return this.#prepare(driver, `DELETE FROM ${this.#name} WHERE ${this.#where()}`, this.#key)
  }

  /** Prepares to read the other fields of rows by their primary keys. */
  find(driver: Driver): (key: Row<F, K>) => Row<F, Exclude<keyof F, K>> | undefined {
    const others = Object.entries(this.as("t")).filter(([name]) => !this.#key.includes(name))
    const query = select(driver, Object.fromEntries(others), `FROM ${this.#name} t WHERE ${this.#where()}`)
    const encode = this.#encoder(this.#key)
    // A cast: all fields but those of the key are selected, each read by its column.
    return (key) => query.first(...encode(key)) as Row<F, Exclude<keyof F, K>> | undefined
  }

  get #name(): string {
    return `${this.name}${this.suffix}`
  }

  get #key(): ReadonlyArray<string> {
    return this.options.primaryKey ?? []
  }

  /** The fields that the database does not assign. */
  get #assigned(): ReadonlyArray<string> {
    return Object.entries(this.fields).flatMap(([name, { isGenerated = false }]) => isGenerated ? [] : [name])
  }

  get #insert(): string {
    const places = this.#list(this.#assigned, (_, place) => `?${place}`)
    return `INSERT INTO ${this.#name} (${this.#list(this.#assigned)}) VALUES (${places})`
  }

  #list(names: ReadonlyArray<string>, form = (column: string, _place: number) => column): string {
    return names.map((name, index) => form(columnName(name, this.fields[name]), index + 1)).join(", ")
  }

  /** The condition of a row's primary key, whose parameters come after others. */
  #where(others = 0): string {
    return this.#key.map((name, index) => `${columnName(name, this.fields[name])} = ?${others + index + 1}`)
      .join(" AND ")
  }

  /** Encodes some fields of a record as the parameters of a statement. */
  #encoder(names: ReadonlyArray<string>): (record: Readonly<Record<string, unknown>>) => ReadonlyArray<SqlValue> {
    return rowWriter(names.flatMap((name) => {
      const column = this.fields[name]
      return column === undefined ? [] : [[name, column] as const]
    }))
  }

  #prepare(driver: Driver, sql: string, names: ReadonlyArray<string>): (record: Record<string, unknown>) => void {
    const { run } = driver.prepare(sql)
    const encode = this.#encoder(names)
    return (record) => run(...encode(record))
  }

  #create(driver: Driver): void {
    const { rows = [], unique = [], withoutRowid = false } = this.options
    const key = this.#key.filter((name) => this.fields[name]?.isGenerated !== true)
    const parts = [
      ...Object.entries(this.fields).map(([name, column]) => define(name, column)),
      ...(key.length === 0 ? [] : [`PRIMARY KEY (${this.#list(key)})`]),
      ...(unique.length === 0 ? [] : [`UNIQUE (${this.#list(unique)})`])
    ]
    driver.exec(`CREATE TABLE ${this.#name} (${parts.join(", ")}) STRICT${withoutRowid ? ", WITHOUT ROWID" : ""}`)
    rows.forEach(this.insert(driver))
  }
}

/**
 * Declares a table.
 *
 * @category constructors
 */
export const table = <const F extends Fields, const K extends keyof F & string = never>(
  name: string,
  fields: F,
  options: Options<F, K> = {}
): Table<F, K> => new Table(name, fields, options)
