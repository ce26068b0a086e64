/** Result schemas that several groups of methods use. */
import * as Decoder from "@effect-klaytn/core/Decoder"
import { BigIntFromQuantity, HexData, HexDataFromWire, noData } from "@effect-klaytn/core/Hex"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** `None` if the node answers null. */
export const found = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<Option.Option<A>, I | null> =>
  Decoder.trusted(Schema.OptionFromNullOr(schema))

/** `None` if the node answers empty bytes. */
export const foundBytes = Schema.transform(HexDataFromWire, Schema.OptionFromSelf(Schema.typeSchema(HexData)), {
  strict: true,
  decode: (bytes) => bytes === noData ? Option.none() : Option.some(bytes),
  encode: (bytes) => Option.getOrElse(bytes, () => noData)
})

export const foundCount = found(BigIntFromQuantity)
