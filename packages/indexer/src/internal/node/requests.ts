/** Calls of a node in as few requests as it takes. */
import * as BatchLimits from "@effect-klaytn/core/BatchLimits"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as SeenBlocks from "@effect-klaytn/core/SeenBlocks"
import type { ServiceClient } from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
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
) => Effect.Effect<ReadonlyArray<Answer>, Failure>

const faultOf = ({ method }: Call, refusal: JsonRpc.Refusal): NodeFault =>
  refusal._tag === "Malformed"
    ? new NodeFault({ method, problem: `no readable answer: expected ${refusal.mismatch.expected}` })
    : new NodeFault({ method, problem: refusal.error.message, code: refusal.error.code })

/** JSON-RPC's code for a method that does not exist, or the words of nodes and gateways for one that is switched off. */
export const lacksMethod = Either.match({
  onLeft: ({ code, problem }: NodeFault) =>
    code === -32601 || /method .*(?:not found|not available|does not exist|not supported|disabled)/i.test(problem),
  onRight: () => false
})

/** How many of its newest blocks a node is relied on to have the state of. */
export const stateDepth = 100

interface Written extends JsonRpc.Request {
  readonly at: number
  readonly call: Call
}

type Answer = Either.Either<unknown, NodeFault>

/** How often calls about a block that another copy of the node has are asked again soon, before the waits of the policy. */
const soon = 6

/** How much longer each wait of these is than the one before, in milliseconds. */
const soonMillis = 50

/** Makes the function that asks. `client` must be the client of the service `node`. */
export const make = (
  client: ServiceClient,
  { concurrency, maxCount }: { readonly concurrency: number; readonly maxCount: number }
): Ask => {
  const limits = new BatchLimits.BatchLimits()
  const seen = new SeenBlocks.SeenBlocks()
  const { retry } = client.settings
  // A policy is checked when it is first used, so all requests share one.
  const withRetryOfMany = RetryPolicy.withRetryPolicy({ ...retry, statusAttempts: 2 })

  /** Why an answer is not to be trusted: a node that lags or failed gave the answer, or throttled the call. */
  const doubt = ({ call }: Written, answer: JsonRpc.Answer): SeenBlocks.Doubt | "throttled" | undefined => {
    if (Either.isRight(answer)) {
      return answer.right === null ? seen.doubt(call.method, call.params, Either.right(null)) : undefined
    }
    const refusal = answer.left
    if (refusal._tag !== "NodeError") return undefined
    return BatchLimits.isThrottled(refusal.error)
      ? "throttled"
      : seen.doubt(call.method, call.params, Either.left(refusal.error))
  }

  const read = ({ call }: Written, answer: JsonRpc.Answer): Answer => {
    if (Either.isLeft(answer)) return Either.left(faultOf(call, answer.left))
    seen.see(call.method, answer.right)
    return Either.right(answer.right)
  }

  const send = (
    calls: ReadonlyArray<Written>,
    made = 1,
    missed = 0
  ): Effect.Effect<ReadonlyArray<Either.Either<Answer, ServiceError>>> =>
    Effect.gen(function*() {
      const answers: Array<Either.Either<Answer, ServiceError>> = []
      const doubtful: Array<Written> = []
      let isMissing = false
      yield* BatchLimits.send<Written>({
        limits,
        endpoint: client.settings.endpoints.node,
        bytes: ({ method, params }) => method.length + params.length,
        safety: "safe",
        // The second time, the size of the request may be why.
        mayRepeat: made !== 2 && made < retry.attempts,
        isWanted: () => true,
        request: (requests) =>
          JsonRpc.exchange(client, { name: "node.exchange", safety: "safe", requests, read: Either.right }).pipe(
            requests.length > 1 ? withRetryOfMany : identity
          ),
        settle: (settled, exit) =>
          Exit.matchEffect(exit, {
            onFailure: (cause) =>
              Effect.map(
                Effect.flip(Effect.failCause(cause)),
                (error) => settled.forEach(({ at }) => answers[at] = Either.left(error))
              ),
            onSuccess: (results) =>
              Effect.sync(() =>
                results.forEach((result, i) => {
                  const one = settled[i]
                  if (one === undefined) return
                  answers[one.at] = Either.right(read(one, result))
                  const reason = doubt(one, result)
                  if (reason !== undefined) doubtful.push(one)
                  if (reason === "block missing") isMissing = true
                })
              )
          })
      }, calls)
      if (doubtful.length === 0 || retry.attempts === 1) return answers
      const isSoon = isMissing && missed < soon
      if (!isSoon && made >= retry.attempts) return answers
      yield* Effect.sleep(isSoon ? soonMillis * (missed + 1) : yield* SeenBlocks.delay(retry, made, isMissing))
      const left = doubtful.map((one, at) => ({ ...one, at }))
      const again = yield* isSoon ? send(left, made, missed + 1) : send(left, made + 1, missed)
      again.forEach((answer, i) => answers[doubtful[i]?.at ?? i] = answer)
      return answers
    })

  return (calls) =>
    Effect.gen(function*() {
      const written = yield* Either.all(calls.map((call, at) =>
        Either.map(
          JsonRpc.writeParams(`node.${call.method}`, call.params),
          (params): Written => ({ at, call, method: call.method, params })
        )
      ))
      const parts = Arr.chunksOf(written, Math.min(maxCount, limits.calls)).map((part) =>
        part.map((one, at) => ({ ...one, at }))
      )
      const answers = yield* Effect.forEach(parts, (part) => Effect.flatMap(send(part), Either.all), { concurrency })
      return answers.flat()
    })
}

/** The answer to one call. */
export const askOne = (ask: Ask, call: Call): Effect.Effect<unknown, Failure> =>
  Effect.flatMap(ask([call]), ([answer]) => answer ?? Either.left(new NodeFault({ ...call, problem: "no answer" })))
