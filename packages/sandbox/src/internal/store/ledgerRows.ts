import type { Hex } from "@effect-klaytn/transaction/Hex"
import { amount, amountBlob, blobOrNull, hex, integer, optional, text } from "./Cell.js"
import type { TableShape } from "./LedgerTable.js"
import type { ChainId } from "./Schema.js"

/** What an owner has of one token. */
export interface Holding {
  readonly balance: bigint
  readonly updated: number
}

/** What an owner has of all tokens of a contract. */
export interface Owning {
  readonly balance: bigint
  /** How many different ones. */
  readonly tokens: number
  readonly updated: number
}

/** A non-fungible or a multi token. */
export interface Token {
  readonly owner: Hex | undefined
  readonly previousOwner: Hex | undefined
  readonly supply: bigint
  /** What the contract gave as the token's URI; empty when it gave none. */
  readonly uri: string
  readonly created: number
  readonly updated: number
}

/** A contract, and what all its holders have together. */
export interface Contract {
  readonly kind: string
  readonly standard: string
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
  readonly block: number
  readonly supply: bigint
  readonly holders: number
}

/** One holding a token. */
export const holdings = (c: ChainId): TableShape<Holding> => ({
  table: `holdings_${c}`,
  key: ["contract", "owner", "token"],
  columns: ["balance", "updated"],
  read: (row) => ({ balance: amount(row, 0), updated: integer(row, 1) }),
  write: ({ balance, updated }) => [amountBlob(balance), updated]
})

/** One row an owner of a contract. */
export const ownings = (c: ChainId): TableShape<Owning> => ({
  table: `ownings_${c}`,
  key: ["contract", "owner"],
  columns: ["balance", "tokens", "updated"],
  read: (row) => ({ balance: amount(row, 0), tokens: integer(row, 1), updated: integer(row, 2) }),
  write: ({ balance, tokens, updated }) => [amountBlob(balance), tokens, updated]
})

/** Tokens with an ID. */
export const tokens = (c: ChainId): TableShape<Token> => ({
  table: `tokens_${c}`,
  key: ["contract", "token"],
  columns: ["owner", "previous_owner", "supply", "created", "updated", "uri"],
  read: (row) => ({
    owner: optional(hex)(row, 0),
    previousOwner: optional(hex)(row, 1),
    supply: amount(row, 2),
    created: integer(row, 3),
    updated: integer(row, 4),
    uri: text(row, 5)
  }),
  write: ({ created, owner, previousOwner, supply, updated, uri }) => [
    blobOrNull(owner),
    blobOrNull(previousOwner),
    amountBlob(supply),
    created,
    updated,
    // What was kept to undo a block of the first version has none.
    uri ?? ""
  ]
})

/** Token contracts. */
export const contracts = (c: ChainId): TableShape<Contract> => ({
  table: `contracts_${c}`,
  key: ["address"],
  columns: ["kind", "standard", "name", "symbol", "decimals", "block", "supply", "holders"],
  read: (row) => ({
    kind: text(row, 0),
    standard: text(row, 1),
    name: optional(text)(row, 2),
    symbol: optional(text)(row, 3),
    decimals: optional(integer)(row, 4),
    block: integer(row, 5),
    supply: amount(row, 6),
    holders: integer(row, 7)
  }),
  write: ({ block, decimals, holders, kind, name, standard, supply, symbol }) => [
    kind,
    standard,
    name ?? null,
    symbol ?? null,
    decimals ?? null,
    block,
    amountBlob(supply),
    holders
  ]
})

const quantity = (value: bigint): string => `0x${value.toString(16)}`

/** A row as text, for taking a block back. */
export const stored = (value: object | undefined): string | null =>
  value === undefined
    ? null
    : JSON.stringify(value, (_, field: unknown) => typeof field === "bigint" ? quantity(field) : field)

/** The row that a text was made of. */
export const restored = <A extends object>(row: string | undefined): A | undefined =>
  row === undefined ? undefined : JSON.parse(
    row,
    (name, field: unknown) =>
      typeof field !== "string"
        ? field
        : name === "balance" || name === "supply"
        ? BigInt(field)
        : field
  )
