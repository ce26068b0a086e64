/** Checks what a caller asks to send. */
import * as Address from "@effect-klaytn/core/Address"
import { HexDataFromWire, noData } from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { quantity } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as schemas from "../records/schemas.js"

const amount = Schema.optional(schemas.NonNegativeBigInt)

const Request = Schema.Struct({
  to: Schema.optional(Address.FromInput),
  value: amount,
  input: Schema.optional(HexDataFromWire),
  nonce: amount,
  gas: amount,
  gasPrice: amount
}).pipe(
  Schema.filter(({ input, to }) => to !== undefined || (input !== undefined && input !== noData), {
    message: () => "give a receiver, or the code of a contract as input"
  })
)

const isAccountKey = (value: unknown): value is AccountKey.AccountKey => AccountKey.validate(value).ok

const Cancellation = Schema.Struct({ cancel: schemas.NonNegativeBigInt, gas: amount, gasPrice: amount })

const KeyUpdate = Schema.Struct({
  accountKey: Schema.declare(isAccountKey, {
    identifier: "AccountKey",
    message: () => "expected an account key of @effect-klaytn/transaction/AccountKey"
  }),
  nonce: amount,
  gas: amount,
  gasPrice: amount
})

/** A request, checked. */
export type Checked = typeof Request.Type

/** Any request, checked, and what kind it is. */
export type AnyChecked =
  | { readonly _tag: "Request"; readonly request: Checked }
  | { readonly _tag: "Cancellation"; readonly request: typeof Cancellation.Type & { readonly nonce: bigint } }
  | { readonly _tag: "KeyUpdate"; readonly request: typeof KeyUpdate.Type }

const decodeCancellation = Input.decode("node.send", Cancellation)
const decodeKeyUpdate = Input.decode("node.send", KeyUpdate)

export const decode = Input.decode("node.send", Request)

export const decodeAny = (input: unknown): Effect.Effect<AnyChecked, InvalidInput> => {
  if (Predicate.hasProperty(input, "cancel") && input.cancel !== undefined) {
    return Effect.map(decodeCancellation(input), (request) => ({
      _tag: "Cancellation",
      request: { ...request, nonce: request.cancel }
    }))
  }
  return Predicate.hasProperty(input, "accountKey") && input.accountKey !== undefined
    ? Effect.map(decodeKeyUpdate(input), (request) => ({ _tag: "KeyUpdate", request }))
    : Effect.map(decode(input), (request) => ({ _tag: "Request", request }))
}

/** The request as JSON for a wallet. */
export const toWire = ({ input: data, ...rest }: Checked) => {
  const fields: Readonly<Record<string, bigint | string | undefined>> = { ...rest, data }
  return Record.map(
    Record.filter(fields, Predicate.isNotUndefined),
    (value) => typeof value === "bigint" ? quantity(value) : value
  )
}
