/**
 * Queries with typed rows.
 */
import { type Column, json, nullable, rowReader } from "./Column.js"
import type { Driver, Row, SqlValue } from "./Driver.js"

/**
 * An SQL expression and how its value is read.
 *
 * @category models
 */
export interface Expression<out A> {
  readonly sql: string
  readonly column: Column<A, never>
}

/**
 * An SQL expression, such as `count(*)`, that is read like a column.
 *
 * @category constructors
 */
export const expression = <A>(sql: string, column: Column<A, never>): Expression<A> => ({ sql, column })

/**
 * An expression that is NULL where a left join finds no row.
 *
 * @category constructors
 */
export const optional = <A>({ column, sql }: Expression<A>): Expression<A | undefined> => ({
  sql,
  column: nullable(column)
})

/**
 * The expressions that a query reads, by name.
 *
 * @category models
 */
export type Selection = Readonly<Record<string, Expression<unknown>>>

/**
 * A row of a query.
 *
 * @category models
 */
export type Selected<S extends Selection> = { readonly [N in keyof S]: S[N] extends Expression<infer A> ? A : never }

/**
 * A prepared query.
 *
 * @category models
 */
export interface Query<A> {
  readonly all: (...values: ReadonlyArray<SqlValue>) => ReadonlyArray<A>
  readonly first: (...values: ReadonlyArray<SqlValue>) => A | undefined
}

/** Reads rows whose cells are in the order of the selection, as the statement selects them. */
const reader = <S extends Selection>(selection: S, form: "cells" | "json"): (row: Row) => Selected<S> =>
  // A cast: a record has the names of the selection, each with the value that its column decodes.
  rowReader(Object.entries(selection).map(([name, { column }]) => [name, column]), form) as (row: Row) => Selected<S>

/**
 * Prepares `SELECT`, the selection and the rest of the statement, from `FROM` on.
 *
 * @category constructors
 */
export const select = <S extends Selection>(driver: Driver, selection: S, rest: string): Query<Selected<S>> => {
  const cells = Object.entries(selection).map(([name, { sql }]) => `${sql} AS "${name}"`)
  const statement = driver.prepare(`SELECT ${cells.join(", ")} ${rest}`)
  const read = reader(selection, "cells")
  return {
    all: (...values) => statement.all(...values).map(read),
    first: (...values) => {
      const row = statement.first(...values)
      return row && read(row)
    }
  }
}

/**
 * The same for large results, which the database returns as one JSON text: reading a thousand rows of twenty cells one by
 * one takes five times as long as finding them.
 *
 * @category constructors
 */
export const selectPage = <S extends Selection>(
  driver: Driver,
  selection: S,
  rest: string
): (...values: ReadonlyArray<SqlValue>) => ReadonlyArray<Selected<S>> => {
  const cells = Object.values(selection).map(({ column, sql }) => column.toJson?.(sql) ?? sql)
  const page = { rows: expression("'[' || coalesce(group_concat(cells), '') || ']'", json<ReadonlyArray<Row>>()) }
  const query = select(driver, page, `FROM (SELECT json_array(${cells.join(", ")}) AS cells ${rest})`)
  const read = reader(selection, "json")
  return (...values) => query.first(...values)?.rows.map(read) ?? []
}
