import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A time that is 0, or absent, when there is none. */
export const noneAsZero = Schema.optionalToOptional(Schema.Number, UnixTime, {
  decode: Option.filter((seconds) => seconds !== 0),
  encode: Option.orElseSome(() => 0)
})
