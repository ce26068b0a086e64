/** Calls of a node in a few requests of a limited number of calls. A request that the node finds too large is halved. */
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import type { ServiceClient } from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { NodeFault } from "../../IndexError.js"

/** One call: its method with the namespace, and its parameters. */
export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export type Failure = NodeFault | ServiceError

/** The answers to some calls, in their order: a result, or the node's error. */
export type Ask = (
  calls: ReadonlyArray<Call>
) => Effect.Effect<ReadonlyArray<Either.Either<unknown, NodeFault>>, Failure>

const faultOf = ({ method }: Call, refusal: JsonRpc.Refusal): NodeFault =>
  refusal._tag === "Malformed"
    ? new NodeFault({ method, problem: `no readable answer: expected ${refusal.mismatch.expected}` })
    : new NodeFault({ method, problem: refusal.error.message, code: refusal.error.code })

/** Whether one error answers all calls: the node's limit of a batch, or of the size of an answer. */
const isRefusedAsWhole = (answers: ReadonlyArray<JsonRpc.Answer>): boolean =>
  answers.length > 1 &&
  answers.every((answer) =>
    Either.isLeft(answer) && answer.left._tag === "NodeError" && answer.left.error.code !== 0 &&
    answer.left.scope !== "call"
  )

/** JSON-RPC's code for a method that does not exist, or the words of nodes and gateways for one that is switched off. */
export const lacksMethod = Either.match({
  onLeft: ({ code, problem }: NodeFault) =>
    code === -32601 || /method .*(?:not found|not available|does not exist|not supported|disabled)/i.test(problem),
  onRight: () => false
})

/** How many of its newest blocks a node is relied on to have the state of. */
export const stateDepth = 100

/** Makes the function that asks. `client` must be the client of the service `node`. */
export const make = (
  client: ServiceClient,
  { concurrency, maxCount }: { readonly concurrency: number; readonly maxCount: number }
): Ask => {
  const exchange: Ask = (calls) =>
    Effect.gen(function*() {
      const requests = yield* Either.all(calls.map(({ method, params }) =>
        Either.map(JsonRpc.writeParams(`node.${method}`, params), (text) => ({ method, params: text }))
      ))
      const sent = JsonRpc.exchange(client, { name: "node.exchange", safety: "safe", requests, read: Either.right })
      // The node may answer the halves of these calls.
      const isTooLarge = (error: Failure): boolean =>
        calls.length > 1 && "status" in error && (error.status === 413 || error.status === 400)
      const answers = yield* Effect.catchIf(sent, isTooLarge, () =>
        Effect.succeed(undefined))
      if (answers === undefined || isRefusedAsWhole(answers)) {
        const halves = yield* Effect.forEach(Arr.chunksOf(calls, Math.ceil(calls.length / 2)), exchange)
        return halves.flat()
      }
      return Arr.zipWith(answers, calls, (answer, call) => Either.mapLeft(answer, (refusal) => faultOf(call, refusal)))
    })
  return (calls) =>
    Effect.map(
      Effect.forEach(Arr.chunksOf(calls, maxCount), exchange, { concurrency }),
      (answers) => answers.flat()
    )
}

/** The answer to one call. */
export const askOne = (ask: Ask, call: Call): Effect.Effect<unknown, Failure> =>
  Effect.flatMap(ask([call]), ([answer]) => answer ?? Either.left(new NodeFault({ ...call, problem: "no answer" })))
