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

/** Why a node refuses a contract call: the call itself fails, the account that pays has too little, or the node has trouble. */
export type Fault = "call" | "funds" | "node"

/** The words of a failed execution; those of a revert are the contract's own. */
const reverted = /\brevert(ed)?\b/i
const failedExecution =
  /^(err: )?(evm|vm)\b|\bout of gas\b|gas required exceeds|invalid (opcode|jump|code)|stack (under|over)flow|write protection|max (call depth|code size)|computation cost/i
const missingFunds = /\binsufficient (funds|balance)\b/i

/** The JSON-RPC error code of a revert. */
const revertCode = 3

/** Whose fault a refusal is. What a contract says when it reverts is never read as words of the node. */
export const faultOf = ({ code, serviceMessage }: Pick<JsonRpc.NodeRefused, "code" | "serviceMessage">): Fault => {
  if (code === revertCode || reverted.test(serviceMessage)) return "call"
  if (missingFunds.test(serviceMessage)) return "funds"
  return failedExecution.test(serviceMessage) ? "call" : "node"
}

/** A node's refusal that says something about the call. */
export interface Refused {
  readonly fault: Exclude<Fault, "node">
  readonly words: string
}

export type Node = Effect.Effect.Success<typeof make>

const failed = (method: string) => (cause: { readonly message: string }) =>
  new LookupFailed({ problem: `${method} failed: ${cause.message}` })

export const make = Effect.map(ServiceClient.make("node"), (client) => {
  /** Any method that changes nothing. */
  const read = <A, I>(method: string, params: ReadonlyArray<unknown>, result: Schema.Schema<A, I>) =>
    Effect.mapError(JsonRpc.call(client, { method, params, result }), failed(method))
  /** A contract call, or how it is refused; a node that has trouble is asked again by the caller. */
  const ask = <A, I>(method: string, params: ReadonlyArray<unknown>, result: Schema.Schema<A, I>) =>
    JsonRpc.call(client, { method, params, result }).pipe(
      Effect.map(Either.right),
      Effect.catchTag("NodeRefused", (error) => {
        const fault = faultOf(error)
        return fault === "node"
          ? Effect.fail(error)
          : Effect.succeed(Either.left<Refused>({ fault, words: error.serviceMessage }))
      }),
      Effect.mapError(failed(method))
    )
  return {
    read,
    /** The code at an address; `0x` if there is none. */
    code: (address: Address) => read("klay_getCode", [address, "latest"], Schema.String),
    /** The gas that a call uses. */
    estimateGas: ({ value = 0n, ...call }: Call): Effect.Effect<Either.Either<bigint, Refused>, LookupFailed> =>
      ask("klay_estimateGas", [{ ...call, value: quantity(value) }], BigIntFromQuantity),
    balance: (address: Address) => read("klay_getBalance", [address, "latest"], BigIntFromQuantity),
    /** Calls a contract without changing anything. Returns its bytes. */
    call: ({ value, ...call }: Call): Effect.Effect<Either.Either<string, Refused>, LookupFailed> =>
      ask("klay_call", [value === undefined ? call : { ...call, value: quantity(value) }, "latest"], Schema.String)
  }
})
