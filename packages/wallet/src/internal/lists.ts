/** The wallet's lists: their parameters, and the failure that stands for an empty list. */
import type { Page } from "@effect-klaytn/core/Paged"
import * as Paged from "@effect-klaytn/core/Paged"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { codes } from "../WalletCode.js"

/** The fields of a list's input. */
export const fields = {
  from: Schema.optional(UnixTime),
  to: Schema.optional(UnixTime),
  ...Paged.fields
}

const Fields = Schema.Struct(fields)

/** The query parameters. A bound of 0 means none and is left out. */
export const parameters = ({ cursor, from, size, to }: typeof Fields.Type) => ({
  size,
  cursor,
  "from-timestamp": from === 0 ? undefined : from,
  "to-timestamp": to === 0 ? undefined : to
})

/** Turns the failure that stands for an empty list, recognised by its code, into an empty page. */
export const orEmpty = <A>(
  page: Effect.Effect<Page<A>, ReadError>,
  code: number = codes.noData
): Effect.Effect<Page<A>, ReadError> =>
  Effect.catchAll(
    page,
    (error) =>
      "code" in error && error.code === code
        ? Effect.succeed({ items: [], cursor: Option.none() })
        : Effect.fail(error)
  )
