/** Calls of contracts on the state that a node has at the end of a block, many in one request. */
import { fromBytes, quantity } from "@effect-klaytn/transaction/Hex"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Request from "effect/Request"
import * as RequestResolver from "effect/RequestResolver"
import type { NodeFault } from "../../IndexError.js"
import type { Answer, Viewer } from "../../Viewer.js"
import { bytes, readData } from "./forms.js"
import type { Ask, Call, Failure } from "./requests.js"

class Question extends Request.TaggedClass("Question")<Either.Either<unknown, NodeFault>, Failure, {
  readonly call: Call
}> {}

/** Collects the questions that are asked at the same time, and asks them together. */
const collector = (ask: Ask): RequestResolver.RequestResolver<Question> =>
  RequestResolver.makeBatched((questions) =>
    Effect.matchCauseEffect(ask(questions.map(({ call }) => call)), {
      onFailure: (cause) =>
        Effect.forEach(questions, (question) => Request.failCause(question, cause), { discard: true }),
      onSuccess: (answers) =>
        Effect.forEach(Arr.zip(questions, answers), ([question, answer]) => Request.succeed(question, answer), {
          discard: true
        })
    })
  )

const nothing = new Uint8Array(0)

/** The words of nodes for a contract that refuses: Kaia's and go-ethereum's, with the code 3 or without. */
const refuses = ({ code, problem }: NodeFault): boolean =>
  code === 3 || /execution reverted|VM error occurs while running smart contract/i.test(problem)

/** The words of nodes for a call that ends in another way. Any other error is one of the node, and not of the contract. */
const failsToRun = ({ problem }: NodeFault): boolean =>
  /^evm: |EVM error|out of gas|opcode|jump destination|stack (?:under|over)flow|stack limit|gas uint64 overflow|write protection|return data out of bounds|code size/i
    .test(problem)

/** For what a transaction pays before it runs: 21,000 and the bytes of the longest question. */
const intrinsicGas = 60_000n

/** The block whose state is asked for: its hash or number, and whether it is a later block than the one that is meant. */
export interface State {
  readonly block: string
  readonly isLater: boolean
}

/**
 * The state at the end of a block, which `state` gives for each question. `namespace` is the prefix of the node's methods.
 */
export const make = (ask: Ask, namespace: string, state: () => State): Viewer<Failure> => {
  const resolver = collector(ask)
  const method = `${namespace}_call`
  const question = (call: Call) => Effect.request(new Question({ call }), resolver)
  return {
    isBatched: true,
    get isLater() {
      return state().isLater
    },
    call: ({ data, gas, to }) => {
      const message = { to, data: fromBytes(data), gas: quantity(gas + intrinsicGas) }
      return Effect.flatMap(
        question({ method, params: [message, state().block] }),
        Either.match({
          onRight: (result): Effect.Effect<Answer, Failure> =>
            Effect.map(readData(method, result), (found) => ({ kind: "returned", data: bytes(found), gasUsed: 0n })),
          onLeft: (fault): Effect.Effect<Answer, Failure> => {
            if (refuses(fault)) return Effect.succeed({ kind: "refused", data: nothing, gasUsed: 0n })
            return failsToRun(fault)
              ? Effect.succeed({ kind: "failed", data: nothing, gasUsed: gas })
              : Effect.fail(fault)
          }
        })
      )
    },
    code: (address) => {
      const getCode = `${namespace}_getCode`
      return question({ method: getCode, params: [address, state().block] }).pipe(
        Effect.flatMap((answer) => Either.flatMap(answer, (found) => readData(getCode, found))),
        Effect.map(bytes)
      )
    }
  }
}
