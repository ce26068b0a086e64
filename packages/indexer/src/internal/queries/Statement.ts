/** Queries as data, so that they have the same words on every database. */
import type { Selected, Selection } from "@effect-klaytn/store/Query"
import type { Hex } from "@effect-klaytn/transaction/Hex"

/** A query without its `SELECT`: `rest` begins with `FROM`, and names its parameters `?1`, `?2` and so on. */
export interface Statement<out A> {
  readonly selection: Selection
  readonly rest: string
  readonly values: ReadonlyArray<unknown>
  readonly read: (row: Readonly<Record<string, unknown>>) => A
}

/** Makes a statement, whose rows `read` turns into records. */
export const statement = <const S extends Selection, A>(
  selection: S,
  rest: string,
  values: ReadonlyArray<unknown>,
  read: (row: Selected<S>) => A
): Statement<A> => ({
  selection,
  rest,
  values,
  // A cast: whoever runs the statement reads its rows by the selection.
  read: read as (row: Readonly<Record<string, unknown>>) => A
})

/** Where databases differ. */
export interface Dialect {
  /** The full name of a table of the index. */
  readonly table: (name: string) => string
  /** The parameter at a place is a list of texts, and the column is one of them. */
  readonly amongTexts: (column: string, place: number) => string
  /** The same for a list of addresses or hashes. */
  readonly amongBytes: (column: string, place: number) => string
  /** A list as a parameter. */
  readonly texts: (list: ReadonlyArray<string>) => unknown
  readonly bytes: (list: ReadonlyArray<Hex>) => unknown
  /** An amount as a parameter. */
  readonly amount: (value: bigint) => unknown
}
