/**
 * Quantities read without their schemas, which take about ten times as long. Whatever does not look right at once is left
 * to the schema, which tells what is wrong.
 */
import { FromQuantity as PebFromQuantity, type Peb } from "@effect-klaytn/core/Amount"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Brand from "effect/Brand"
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

export type Decode<A> = (value: unknown) => Either.Either<A, ParseResult.ParseError>

const peb = Brand.nominal<Peb>()

/** At most 256 bits, which both schemas take. */
const isQuantity = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-f]{1,64}$/.test(value)

const readers: ReadonlyMap<unknown, (quantity: string) => unknown> = new Map<unknown, (quantity: string) => unknown>([
  [BigIntFromQuantity, BigInt],
  [PebFromQuantity, (quantity) => peb(BigInt(quantity))]
])

/** Reads a value as its schema does. */
export const decoder = <A>(schema: Schema.Schema<A, unknown>): Decode<A> => {
  const decode = Schema.decodeUnknownEither(schema)
  const read = readers.get(schema)
  return read === undefined ? decode : (value) =>
    // The reader of a schema gives what the schema gives.
    isQuantity(value) ? Either.right(read(value) as A) : decode(value)
}
