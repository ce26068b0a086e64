/** Balances and contract calls, read from the service's node. */
import type { Address } from "@effect-klaytn/core/Address"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/** A contract call. `value` is in peb. */
export interface Call {
  readonly from?: Address
  readonly to: Address
  readonly input: string
  readonly value?: bigint | undefined
}

/** A number as the node has it. */
export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`

export type Node = Effect.Effect.Success<typeof make>

const failed = (method: string) => (cause: { readonly message: string }) =>
  new LookupFailed({ problem: `${method} failed: ${cause.message}` })

export const make = Effect.map(ServiceClient.make("node"), (client) => {
  /** Any method that changes nothing. */
  const read = <A, I>(method: string, params: ReadonlyArray<unknown>, result: Schema.Schema<A, I>) =>
    Effect.mapError(JsonRpc.call(client, { method, params, result }), failed(method))
  return {
    read,
    /** The code at an address; `0x` if there is none. */
    code: (address: Address) => read("klay_getCode", [address, "latest"], Schema.String),
    /** The gas that a call uses, or the message of a node that refuses it. */
    estimateGas: ({ value = 0n, ...call }: Call): Effect.Effect<bigint | string, LookupFailed> =>
      JsonRpc.call(client, {
        method: "klay_estimateGas",
        params: [{ ...call, value: quantity(value) }],
        result: BigIntFromQuantity
      }).pipe(
        Effect.catchTag("NodeRefused", ({ serviceMessage }) => Effect.succeed(serviceMessage)),
        Effect.mapError(failed("klay_estimateGas"))
      ),
    balance: (address: Address) => read("klay_getBalance", [address, "latest"], BigIntFromQuantity),
    /** Calls a contract without changing anything. Returns its bytes, or the message of a node that refuses. */
    call: ({ value, ...call }: Call) =>
      JsonRpc.call(client, {
        method: "klay_call",
        params: [value === undefined ? call : { ...call, value: quantity(value) }, "latest"],
        result: Schema.String
      }).pipe(
        Effect.map(Either.right),
        Effect.catchTag("NodeRefused", ({ serviceMessage }) => Effect.succeed(Either.left(serviceMessage))),
        Effect.mapError(failed("klay_call"))
      )
  }
})
