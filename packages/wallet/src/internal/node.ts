/** Calls of the service's node, as JSON-RPC 2.0 through the one pipeline. */
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { LookupFailed } from "../FoundTransaction.js"

const Refusal = Schema.Struct({ error: Schema.Struct({ code: Schema.Int, message: Schema.String }) })

const path = "/v1/klaytn"

export interface Node {
  readonly call: <A, I>(
    method: string,
    params: ReadonlyArray<unknown>,
    result: Schema.Schema<A, I>
  ) => Effect.Effect<A, LookupFailed>
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const lost = (method: string) => (cause: ServiceError) =>
  new LookupFailed({ problem: `${method} could not be asked`, cause })

export const make = (client: ServiceClient.ServiceClient): Node => ({
  call: (method, params, result) => {
    const decode = Schema.decodeUnknownEither(Schema.Union(Refusal, Schema.Struct({ result })))
    return client.exchange({
      operation: { name: `node.${method}`, method: "POST", route: path, safety: "safe" },
      path,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      read: (text) =>
        Either.mapLeft(decode(parse(text)), (error) => {
          const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
          return {
            path: (issue?.path ?? []).map((part) => typeof part === "number" ? part : String(part)),
            expected: `a JSON-RPC answer to ${method}`,
            actual: "something else"
          }
        })
    }).pipe(
      Effect.mapError(lost(method)),
      Effect.flatMap((answer) =>
        "error" in answer
          ? new LookupFailed({
            problem: `the node refused ${method}: ${answer.error.code} ${answer.error.message.slice(0, 200)}`
          })
          : Effect.succeed(answer.result)
      )
    )
  }
})
