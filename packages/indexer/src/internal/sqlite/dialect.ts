import { amount } from "@effect-klaytn/store/Column"
import type { Driver, SqlValue } from "@effect-klaytn/store/Driver"
import { select } from "@effect-klaytn/store/Query"
import type { Dialect, Statement } from "../queries/Statement.js"

/** SQLite, with the tables of one chain. */
export const dialectOf = (chainId: number): Dialect => ({
  table: (name) => `${name}_${chainId}`,
  amongTexts: (column, place) => `${column} IN (SELECT value FROM json_each(?${place}))`,
  amongBytes: (column, place) => `${column} IN (SELECT unhex(substr(value, 3)) FROM json_each(?${place}))`,
  texts: (list) => JSON.stringify(list),
  bytes: (list) => JSON.stringify(list),
  amount: (value) => amount.encode(value)
})

// A cast: statements have what the dialect above makes, besides numbers, texts and bytes.
const valuesOf = ({ values }: Statement<unknown>): ReadonlyArray<SqlValue> => values as ReadonlyArray<SqlValue>

/** All rows of a query. */
export const all = <A>(driver: Driver, statement: Statement<A>): ReadonlyArray<A> =>
  select(driver, statement.selection, statement.rest).all(...valuesOf(statement)).map(statement.read)

/** The first row of a query. */
export const first = <A>(driver: Driver, statement: Statement<A>): A | undefined => {
  const row = select(driver, statement.selection, statement.rest).first(...valuesOf(statement))
  return row && statement.read(row)
}
