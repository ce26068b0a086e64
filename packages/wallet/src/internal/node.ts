/** Calls of the service's node, as JSON-RPC 2.0 through the one pipeline. */
import * as Foreign from "@effect-klaytn/core/Foreign"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { LookupFailed } from "../FoundTransaction.js"

const route = "/v1/klaytn"

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

type Answer<A> = { readonly refusal: string } | { readonly result: A }

const refusalIn = (answer: unknown, redact: (text: string) => string): string | undefined => {
  const error = Predicate.isRecord(answer) ? answer["error"] : undefined
  if (!Predicate.isRecord(error)) return undefined
  const { code, message } = error
  return typeof code === "number" && typeof message === "string"
    ? `${code} ${Foreign.words(redact)(message)}`
    : undefined
}

export const make = (client: ServiceClient.ServiceClient): Node => {
  const path = client.settings.endpoints.node?.endsWith(route) === true ? "" : route
  return {
    call: <A, I>(method: string, params: ReadonlyArray<unknown>, result: Schema.Schema<A, I>) => {
      const decode = Schema.decodeUnknownEither(result)
      return client.exchange({
        operation: { name: `node.${method}`, method: "POST", route, safety: "safe" },
        path,
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        read: (text, _, redact): Either.Either<Answer<A>, ServiceClient.Mismatch> => {
          const answer = parse(text)
          const refusal = refusalIn(answer, redact)
          if (refusal !== undefined) return Either.right({ refusal })
          return Either.mapBoth(decode(Predicate.isRecord(answer) ? answer["result"] : undefined), {
            // The answer may be anything, however deep: nothing of it is told.
            onLeft: () => ({ path: [], expected: `a JSON-RPC answer to ${method}`, actual: "something else" }),
            onRight: (result) => ({ result })
          })
        }
      }).pipe(
        Effect.mapError(lost(method)),
        Effect.flatMap((answer) =>
          "refusal" in answer
            ? new LookupFailed({ problem: `the node refused ${method}: ${answer.refusal}` })
            : Effect.succeed(answer.result)
        )
      )
    }
  }
}
