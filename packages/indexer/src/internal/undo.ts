/** What reverts a block: rows as they were before it, as text. */
import type { Fields, NewRow, Row } from "@effect-klaytn/store/Table"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import { contracts, holdings, type ownershipUndo, ownings, questions, tokens } from "../IndexTables.js"
import type { OwnershipWrites, RowChange } from "../Ownership.js"
import { allTokens, noOwner } from "./IndexedBlock.js"

/** Before the token of a question. */
const ofQuestion = "?"

/** In place of a token's ID: the undo rows of this block and of all before it are removed. */
export const pruned = "-"

/** The part of a table that is used here. */
interface KeyedTable {
  readonly fields: Fields
  readonly options: { readonly primaryKey?: ReadonlyArray<string> }
}

type UndoRow = NewRow<typeof ownershipUndo.fields>

const writeBigints = (_: string, value: unknown): unknown => typeof value === "bigint" ? quantity(value) : value

const rowsOf = <Key, A>(
  block: number,
  changes: ReadonlyArray<RowChange<Key, A>>,
  keyOf: (key: Key) => Omit<UndoRow, "block" | "previous">
): ReadonlyArray<UndoRow> =>
  changes.map(({ before, key }) => {
    const { contract, owner, token } = keyOf(key)
    return { block, contract, owner, token, previous: before && JSON.stringify(before, writeBigints) }
  })

/** The rows that revert the changes of a block. */
export const undoOf = (block: number, changes: OwnershipWrites): ReadonlyArray<UndoRow> => [
  ...rowsOf(block, changes.holdings, (key) => key),
  ...rowsOf(block, changes.ownings, (key) => ({ ...key, token: allTokens })),
  ...rowsOf(block, changes.tokens, (key) => ({ ...key, owner: undefined })),
  ...rowsOf(block, changes.contracts, ({ address }) => ({ contract: address, owner: undefined, token: allTokens })),
  ...rowsOf(block, changes.questions, (key) => ({ ...key, token: ofQuestion + key.token }))
]

/** The row of a table, among the undo rows. */
export type Target =
  | { readonly table: "contracts"; readonly key: { readonly address: Hex } }
  | { readonly table: "tokens"; readonly key: { readonly contract: Hex; readonly token: string } }
  | { readonly table: "ownings"; readonly key: { readonly contract: Hex; readonly owner: Hex } }
  | {
    readonly table: "holdings" | "questions"
    readonly key: { readonly contract: Hex; readonly owner: Hex; readonly token: string }
  }

/** Which row an undo row is of. Throws for one that says that blocks can't be reverted. */
export const targetOf = (
  { block, contract, owner, token }: Pick<Row<typeof ownershipUndo.fields>, "block" | "contract" | "owner" | "token">
): Target => {
  if (token === pruned) throw new Error(`block ${block} and those before it can't be reverted any more`)
  if (token.startsWith(ofQuestion)) {
    const key = { contract, owner: owner ?? noOwner, token: token.slice(ofQuestion.length) }
    return { table: "questions", key }
  }
  if (owner === undefined) {
    return token === allTokens
      ? { table: "contracts", key: { address: contract } }
      : { table: "tokens", key: { contract, token } }
  }
  return token === allTokens
    ? { table: "ownings", key: { contract, owner } }
    : { table: "holdings", key: { contract, owner, token } }
}

/** The tables that are reverted, by name. */
export const undoTables = { contracts, tokens, holdings, ownings, questions } as const

/** Reads the fields of a row, without its key, from the text. Columns that were added after it was written get their default. */
export const readPrevious = <A>({ fields, options: { primaryKey: key = [] } }: KeyedTable, text: string): A => {
  const stored: Readonly<Record<string, unknown>> = JSON.parse(text)
  const row = Object.entries(fields).filter(([name]) => !key.includes(name)).map(
    ([name, { decode, fallback, fromJson = decode }]) => {
      const value = stored[name] ?? null
      return [name, value === null && fallback !== undefined ? fallback.value : fromJson(value, name)]
    }
  )
  // All fields but those of the key, each decoded by its column.
  return Object.fromEntries(row)
}
