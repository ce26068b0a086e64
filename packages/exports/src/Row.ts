/**
 * The flat rows of an export: the same columns, in the same order, in every sink. The columns have a version, see
 * {@link columnsVersion}.
 *
 * **Details**
 *
 * A coin, FT or NFT transfer is one row. A multi-token transfer is one row for each token that it moved. Every value is
 * a string, a safe integer or `null`, so rows survive JSON, CSV and SQL unchanged.
 *
 * **Identity**
 *
 * The service's records have no ID and no log index, and two equal records of one transaction are two transfers. A
 * record is therefore identified by its transaction, its content and its position among the equal records of that
 * transaction:
 *
 * - The content is what the chain decided: kind, sender, receiver, contract, token IDs, amounts and operator. Names,
 *   symbols, labels and status are left out, since the service may learn or change them later.
 * - Equal records have the same accounts, kind and contract, so a search returns all of them or none. Counted in the
 *   order of the list, the n-th of them is the n-th in every such search, however often and by whichever account it is
 *   read.
 *
 * `id` is made of these three, and of the position in a multi-token transfer. It is the same whenever and wherever the
 * record is read, which is what removes duplicates across accounts and between a first and a second reading.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Kind from "@effect-klaytn/history/Kind"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Since } from "./internal/since.js"

const whole = Schema.String.pipe(Schema.pattern(/^(?:0|[1-9][0-9]*)$/))

/**
 * The version of the columns of {@link Row} and {@link Rejected}. An export keeps the columns that it began with: a newer
 * program continues an older export in the older columns.
 *
 * A column that is added, here or to `Rejected`, raises this number by one and has the new number as its `since`. Columns are never
 * renamed, removed or given another type.
 *
 * @category constants
 */
export const columnsVersion = 1

/** `since` is the version of the columns that the column came with. */
const column = <A, I>(schema: Schema.Schema<A, I>, description: string, since = 1) =>
  schema.annotations({ description, [Since]: since })

/**
 * A transfer as a flat row.
 *
 * @category schemas
 */
export const Row = Schema.Struct({
  /** The identity of the record: `{digest}-{equal_index}-{part}`. */
  id: column(Schema.String, "the identity of the record"),
  kind: column(Kind.Kind, "coin, ft, nft or mt"),
  /** The block; `null` in older records that lack it. */
  block_number: column(Schema.NullOr(Schema.Int), "the block"),
  /** The position of the transaction in its block; known for coin transfers only. */
  transaction_index: column(Schema.NullOr(Schema.Int), "the position of the transaction in its block"),
  transaction_hash: column(Schema.typeSchema(Hash.Hash), "the transaction"),
  /** The position among the equal records of the transaction, from 0. */
  equal_index: column(Schema.NonNegativeInt, "the position among the equal records of the transaction"),
  /** The position in a multi-token transfer, from 0; 0 for other kinds. */
  part: column(Schema.NonNegativeInt, "the position in a multi-token transfer"),
  /** The time of the block in ISO 8601, UTC; `null` in older records that lack it. */
  timestamp: column(Schema.NullOr(Schema.String), "the time of the block, ISO 8601 in UTC"),
  /** The same in Unix seconds. */
  unix: column(Schema.NullOr(Schema.Int), "the time of the block in Unix seconds"),
  /** Whose coins or tokens moved; the zero address for a mint. */
  from_address: column(Schema.typeSchema(Address.Address), "whose coins or tokens moved"),
  /** Who received them; the zero address for a burn. */
  to_address: column(Schema.typeSchema(Address.Address), "who received them"),
  /** The token contract; `null` for the coin. */
  contract: column(Schema.NullOr(Schema.typeSchema(Address.Address)), "the token contract"),
  token_name: column(Schema.NullOr(Schema.String), "the contract's name"),
  token_symbol: column(Schema.NullOr(Schema.String), "the contract's symbol"),
  token_decimals: column(Schema.NullOr(Schema.Int), "the contract's decimals"),
  /** The ID of an NFT or a multi token in decimal digits. */
  token_id: column(Schema.NullOr(whole), "the ID of an NFT or a multi token"),
  /** The exact amount: peb, the token's smallest unit, or tokens; 1 for an NFT. */
  amount: column(whole, "the exact amount in the smallest unit"),
  /** The same amount with the point set: KLAY for the coin; `null` for a token whose decimals are not known. */
  amount_decimal: column(Schema.NullOr(Schema.String), "the amount as a decimal"),
  /**
   * Of a coin transfer: `success`, `failure` (then it moved nothing), another number of the service as text, or `null`
   * if the record does not say. Token transfers are recorded only if they took place: `success`.
   */
  status: column(Schema.NullOr(Schema.String), "success, failure, another status, or unknown"),
  /** Who carried out a multi-token transfer. */
  operator: column(Schema.NullOr(Schema.typeSchema(Address.Address)), "who carried out a multi-token transfer"),
  /** The sender of the transaction. */
  sender: column(Schema.typeSchema(Address.Address), "the sender of the transaction"),
  /** The number of the transaction type. */
  transaction_type: column(Schema.Int, "the number of the transaction type"),
  /** The fee of the whole transaction in peb. Every row of a transaction repeats it: count it once. */
  fee: column(whole, "the fee of the whole transaction in peb"),
  /** Who paid the fee, if not the sender. */
  fee_payer: column(Schema.NullOr(Schema.typeSchema(Address.Address)), "who paid the fee, if not the sender"),
  /** The fee payer's share in percent; 0 without partial delegation. */
  fee_ratio: column(Schema.Int, "the fee payer's share in percent"),
  /** The account of the export that the row was found by; `null` in an export of presets. */
  account: column(Schema.NullOr(Schema.typeSchema(Address.Address)), "the account that the row was found by"),
  /** The number of the window that the row was read in. */
  window: column(Schema.NonNegativeInt, "the window that the row was read in")
}).annotations({ identifier: "Row" })

/**
 * A transfer as a flat row.
 *
 * @category models
 */
export type Row = typeof Row.Type

/**
 * The name of a column.
 *
 * @category models
 */
export type Column = keyof Row

/**
 * The columns of the newest version in their order.
 *
 * @category constants
 */
export const columns: ReadonlyArray<Column> = Struct.keys(Row.fields)

/**
 * A record that can't be converted to a row: its raw JSON, where it was found, and why. `id` is made of the window, its
 * content and its position among equal ones in the window. The accounts of an unreadable record are not known, so in an
 * export of several accounts it may be stored once for each of them.
 *
 * @category schemas
 */
export const Rejected = Schema.Struct({
  id: column(Schema.String, "the identity of the record"),
  window: column(Schema.NonNegativeInt, "the window that the record was read in"),
  /** The cursor of its page; `null` for the first page of its window. */
  cursor: column(Schema.NullOr(Schema.String), "the cursor of its page"),
  /** Its position in the page, from 0. */
  position: column(Schema.NonNegativeInt, "the position in the page, from 0"),
  reason: column(Schema.String, "why the record can't be a row"),
  /** The record as JSON. */
  raw: column(Schema.String, "the record as JSON")
}).annotations({ identifier: "Rejected" })

/**
 * A record that can't be made a row.
 *
 * @category models
 */
export type Rejected = typeof Rejected.Type
