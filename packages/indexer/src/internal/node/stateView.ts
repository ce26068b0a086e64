/** Calls of contracts on the state that a node has at the end of a block, many in one request. */
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import { fromBytes, quantity } from "@effect-klaytn/transaction/Hex"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Request from "effect/Request"
import * as RequestResolver from "effect/RequestResolver"
import { NodeFault } from "../../IndexError.js"
import type { Answer, ContractCall, Viewer } from "../../Viewer.js"
import { bytes, readData } from "./forms.js"
import type { Ask, Call, Failure } from "./requests.js"

type Found = Either.Either<unknown, NodeFault>

/** Some calls, whose answers have the same order. A fiber for each call would cost more than the calls themselves. */
class Question extends Request.TaggedClass("Question")<ReadonlyArray<Found>, Failure, {
  readonly calls: ReadonlyArray<Call>
}> {}

/** Collects the questions that are asked at the same time, of any block, and asks them together. */
export const collector = (ask: Ask): RequestResolver.RequestResolver<Question> =>
  RequestResolver.makeBatched((questions) =>
    Effect.matchCauseEffect(ask(questions.flatMap(({ calls }) => calls)), {
      onFailure: (cause) =>
        Effect.forEach(questions, (question) => Request.failCause(question, cause), { discard: true }),
      onSuccess: (answers) => {
        let next = 0
        return Effect.forEach(
          questions,
          (question) => Request.succeed(question, answers.slice(next, next += question.calls.length)),
          { discard: true }
        )
      }
    })
  )

const nothing = new Uint8Array(0)

const refuses = ({ code = 0, problem }: NodeFault): boolean => JsonRpc.isRevert({ code, message: problem })

/** The words of nodes for a call that ends in another way. */
const failsToRun = ({ problem }: NodeFault): boolean =>
  /^evm: |EVM error|out of gas|opcode|jump destination|stack (?:under|over)flow|stack limit|gas uint64 overflow|write protection|return data out of bounds|code size/i
    .test(problem)

/** For what a transaction pays before it runs: 21,000 and the bytes of the longest question. */
const intrinsicGas = 60_000n

/** A call that every node answers: of an account without code. */
const simplest = { to: `0x${"00".repeat(19)}ff`, data: nothing } as const

const noAnswer = (method: string): Found => Either.left(new NodeFault({ method, problem: "no answer" }))

/** The block whose state is asked for: its hash or number, and whether it is a later block than the one that is meant. */
export interface State {
  readonly block: string
  readonly isLater: boolean
}

/**
 * The state at the end of a block, which `state` gives for each question. `namespace` is the prefix of the node's methods.
 */
export const make = (
  resolver: ReturnType<typeof collector>,
  namespace: string,
  state: () => State
): Viewer<Failure> => {
  const method = `${namespace}_call`
  const getCode = `${namespace}_getCode`
  const ask = (calls: ReadonlyArray<Call>) => Effect.request(new Question({ calls }), resolver)
  const askOne = (call: Call) =>
    Effect.map(
      ask([call]),
      ([found]) => found ?? Either.left(new NodeFault({ method: call.method, problem: "no answer" }))
    )
  const written = ({ data, gas, to }: ContractCall): Call => ({
    method,
    params: [{ to, data: fromBytes(data), gas: quantity(gas + intrinsicGas) }, state().block]
  })
  const read = (found: Found, { gas }: ContractCall): Either.Either<Answer, NodeFault> => {
    if (Either.isRight(found)) {
      return Either.map(readData(method, found.right), (data) => ({ kind: "returned", data: bytes(data), gasUsed: 0n }))
    }
    if (refuses(found.left)) return Either.right({ kind: "refused", data: nothing, gasUsed: 0n })
    return failsToRun(found.left)
      ? Either.right({ kind: "failed", data: nothing, gasUsed: gas })
      : Either.left(found.left)
  }
  /**
   * What an error in unknown words is about, by a question that every node answers of a state that it has: a call of an account without
   * code. If both are asked together and that one alone is answered, the error is about the contract, which has no value then.
   */
  const settle = (call: ContractCall): Effect.Effect<Answer, Failure> =>
    Effect.flatMap(ask([written(call), written({ ...call, ...simplest })]), ([found, control]) => {
      const answer = read(found ?? noAnswer(method), call)
      const isAnswered = Either.isRight(read(control ?? noAnswer(method), call))
      return Either.isRight(answer) || !isAnswered ? answer : Effect.as(
        Effect.logWarning(
          `${answer.left.message}: a call of ${call.to} is left out, since the node answers other calls of the same block`
        ),
        { kind: "failed", data: nothing, gasUsed: call.gas }
      )
    })
  const settled = (found: Found, call: ContractCall): Effect.Effect<Answer, Failure> => {
    const answer = read(found, call)
    return Either.isLeft(answer) && Either.isLeft(found) ? settle(call) : answer
  }
  return {
    get isLater() {
      return state().isLater
    },
    call: (call) => Effect.flatMap(Effect.suspend(() => askOne(written(call))), (found) => settled(found, call)),
    callAll: (calls) =>
      Effect.flatMap(
        Effect.suspend(() => ask(calls.map(written))),
        (found) => {
          const answers = Either.all(Arr.zipWith(found, calls, read))
          return Either.isRight(answers)
            ? answers
            : Effect.forEach(Arr.zip(found, calls), ([one, call]) => settled(one, call))
        }
      ),
    code: (address) =>
      Effect.suspend(() => askOne({ method: getCode, params: [address, state().block] })).pipe(
        Effect.flatMap(Either.flatMap((found) => readData(getCode, found))),
        Effect.map(bytes)
      )
  }
}
