/** Checks what a caller asks to send. */
import * as Address from "@effect-klaytn/core/Address"
import { HexDataFromWire, noData } from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Signer from "../Signer.js"
import * as schemas from "./schemas.js"

const amount = Schema.optional(schemas.Height.annotations({ message: () => "expected a bigint that is not negative" }))

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

const decodeRequest = Input.decode("node.send", Request)

const toQuantity = (value: bigint): string => `0x${value.toString(16)}`

/** The request, and as JSON for a wallet. */
export const decode = (input: Signer.Request) =>
  Effect.map(decodeRequest(input), (request) => ({
    request,
    wire: Object.fromEntries(
      Object.entries(request).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, typeof value === "bigint" ? toQuantity(value) : value]]
      )
    )
  }))
