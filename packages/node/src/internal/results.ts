/** Forms of answers that more than one group of methods uses. */
import * as Decoder from "@effect-klaytn/core/Decoder"
import { BigIntFromQuantity, HexData, HexDataFromWire, noData } from "@effect-klaytn/core/Hex"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Null when there is no such thing. */
export const found = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<Option.Option<A>, I | null> =>
  Decoder.trusted(Schema.OptionFromNullOr(schema))

/** Bytes that are empty when there is no such thing. */
export const foundBytes = Schema.transform(HexDataFromWire, Schema.OptionFromSelf(Schema.typeSchema(HexData)), {
  strict: true,
  decode: (bytes) => bytes === noData ? Option.none() : Option.some(bytes),
  encode: (bytes) => Option.getOrElse(bytes, () => noData)
})

export const foundCount = found(BigIntFromQuantity)
