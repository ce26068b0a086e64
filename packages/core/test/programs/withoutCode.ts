/** Reads a good and a bad value in a process that may make no code of text, and says what came of it. */
import * as Amount from "@effect-klaytn/core/Amount"
import * as Decoder from "@effect-klaytn/core/Decoder"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const decode = Decoder.make(Schema.Struct({ amount: Amount.FromQuantity, note: Decoder.optional(Schema.String) }))
const told = (value: unknown): string =>
  Either.match(decode(value), {
    onLeft: ({ message }) => message,
    onRight: ({ amount, note }) => `${amount} ${note}`
  })

process.stdout.write([told({ amount: "0xA", note: null }), told({ amount: "1" })].join("\n"))
