/** Options of streams, checked before anything is sent. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

export const Height = Schema.NonNegativeBigIntFromSelf.annotations({
  message: () => "expected a block height: a bigint that is not negative, such as 436n"
})

export const Count = Schema.Number.pipe(
  Schema.filter((value) => Number.isSafeInteger(value) && value >= 1)
).annotations({ message: () => "expected a whole number from 1" })

export const Pause = Schema.transformOrFail(Schema.Unknown, Schema.DurationFromSelf, {
  strict: true,
  decode: (input, _, ast) =>
    Option.match(Option.filter(Duration.decodeUnknown(input), Duration.isFinite), {
      onNone: () => ParseResult.fail(new ParseResult.Type(ast, input, "expected a duration, such as \"1 second\"")),
      onSome: ParseResult.succeed
    }),
  encode: ParseResult.succeed
})
