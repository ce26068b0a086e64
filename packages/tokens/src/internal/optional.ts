import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** An optional time: 0, `null` or absent if there is none, and encoded as 0. */
export const noneAsZero = Schema.optionalToOptional(Schema.NullOr(Schema.Number), UnixTime, {
  decode: Option.filter((seconds): seconds is number => seconds !== 0 && seconds !== null),
  encode: Option.orElseSome(() => 0)
})
