import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A time that is 0, or absent, when there is none. */
export const noneAsZero = Schema.optionalToOptional(Schema.Int, Schema.typeSchema(UnixTime), {
  decode: Option.filterMap(Schema.decodeUnknownOption(UnixTime)),
  encode: Option.orElseSome(() => 0)
})
