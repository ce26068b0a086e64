/**
 * Many calls of contracts as one: `eth_call` of the zero address, which is given code for this call alone that makes them, each with the
 * gas of its own and without changing anything. So a contract sees the same caller as by a call of its own. Kaia and Ethereum's nodes know
 * such overrides of the state; what this code can't tell is asked call by call.
 */
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { NodeFault } from "../../IndexError.js"
import { type Ask, type Call, lacksMethod } from "./requests.js"

/** Who calls where no sender is named. */
const caller = `0x${"00".repeat(20)}`

/** What a call has for the execution itself, in a request that gives it 260,000: without what a transaction of this size pays before. */
const innerGas = 238_000

/** Less than that left, and no further call is made: one that gets less than {@link innerGas} could fail for that alone. */
const leastGas = 300_000

/** Longer answers are asked by a call of their own. */
const longestAnswer = 2048

/** Memory from 0 on has the data of the call that is made. */
const longestData = 128

const word = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, "0")

// Where jumps go, from the first byte on.
const [loop, skip, end] = ["05", "70", "7a"]

/**
 * Makes the calls of its input, which has of each the address, a byte with the length of the data, and the data. Returns of each a word,
 * and the answer unless it is longer than {@link longestAnswer}. The word has the length in its last 8 bytes, before it the gas, and its
 * first bit is 1 if the call has returned. Memory: the next output at 0x80, the next input at 0xa0, the output from 0xc0 on.
 */
const code = "0x" + [
  "60c0608052",
  // loop: until there is no more input, or too little gas.
  `5b60a05136111560${end}57`,
  `62${word(leastGas, 3)}5a1060${end}57`,
  // The address and the length of the data; the data into memory; the next input.
  "60a051358060581c60ff16",
  "8060a05160150160003780601501",
  "60a0510160a052",
  // A call that changes nothing.
  `5a9160601c6000600083600084${`62${word(innerGas, 3)}`}fa`,
  // The word.
  "5a840360401b3d179060ff1b17608051526080516020",
  "01",
  // The answer.
  `3d61${word(longestAnswer, 2)}1060${skip}573d6000823e3d01`,
  // skip: the next output.
  `5b60805250505060${loop}56`,
  // end:
  "5b60c06080510360c0f3"
].join("")

/** One call of a contract as it is written for a node. */
interface Written {
  readonly to: string
  readonly data: string
  readonly gas: string
}

/** The gas of the calls that can be made so. */
const outerGas = "0x3f7a0"

/** The most calls of a bundle, as long as the node fails at none. */
const mostCalls = 300

/** The most gas of a bundle: nodes allow no more, as Ethereum's by default. */
const mostGas = 50_000_000

const writtenIn = ({ params: [call] }: Call): Written | undefined =>
  // Written by this package.
  typeof call === "object" && call !== null && "data" in call ? call as Written : undefined

/** Whether a call can be made together with others. */
const fits = (call: Call): boolean => {
  const written = writtenIn(call)
  return written !== undefined && written.gas === outerGas && written.data.length <= 2 + 2 * longestData &&
    written.to !== caller
}

/** The places of calls of one block each, in parts of bundles. What is alone there is left out. */
const groupsOf = (calls: ReadonlyArray<Call>, most: number): ReadonlyArray<ReadonlyArray<number>> => {
  const byBlock = new Map<unknown, Array<number>>()
  for (const [place, call] of calls.entries()) {
    if (!fits(call)) continue
    const block = call.params[1]
    const places = byBlock.get(block)
    if (places === undefined) byBlock.set(block, [place])
    else places.push(place)
  }
  return [...byBlock.values()]
    .flatMap((places) =>
      Array.from({ length: Math.ceil(places.length / most) }, (_, part) => places.slice(part * most, (part + 1) * most))
    )
    .filter((part) => part.length > 1)
}

/** One call that makes some of a block. */
const bundle = (calls: ReadonlyArray<Call>): Call => {
  const data = calls.map((call) => {
    const { data = "0x", to = caller } = writtenIn(call) ?? {}
    return `${to.slice(2)}${word(data.length / 2 - 1, 1)}${data.slice(2)}`
  })
  const gas = Math.min(mostGas, leastGas + calls.length * innerGas)
  return {
    method: "eth_call",
    params: [{ to: caller, data: `0x${data.join("")}`, gas: `0x${gas.toString(16)}` }, calls[0]?.params[1], {
      [caller]: { code }
    }]
  }
}

const reverted = (method: string): NodeFault => new NodeFault({ method, problem: "execution reverted", code: 3 })

/**
 * The answers to the first calls of a bundle, as a node gives them to each alone; undefined for those that have to be asked alone: which
 * used up their gas, as one that wants to change something does, or have a long answer. Nothing if it is no answer of a bundle.
 */
const answersIn = (
  calls: ReadonlyArray<Call>,
  result: unknown
): ReadonlyArray<Either.Either<unknown, NodeFault> | undefined> | undefined => {
  if (typeof result !== "string" || !/^0x(?:[0-9a-f]{64})/i.test(result)) return undefined
  const answers: Array<Either.Either<unknown, NodeFault> | undefined> = []
  let at = 2
  for (const { method } of calls) {
    const head = result.slice(at, at + 64)
    if (head.length < 64) break
    at += 64
    const length = Number(`0x${head.slice(48)}`)
    const isHere = length <= longestAnswer
    const text = isHere ? result.slice(at, at + 2 * length) : ""
    if (isHere) at += 2 * length
    const isReturned = head.startsWith("8")
    answers.push(
      isReturned
        ? isHere && text.length === 2 * length ? Either.right(`0x${text}`) : undefined
        : Number(`0x${head.slice(32, 48)}`) < innerGas
        ? Either.left(reverted(method))
        : undefined
    )
  }
  return at === result.length ? answers : undefined
}

/** Whether a node has called a contract: it returned or reverted. */
const isAnswered = Either.match({
  onLeft: ({ code = 0, problem }: NodeFault) => JsonRpc.isRevert({ code, message: problem }),
  onRight: () => true
})

/**
 * Asks with calls of contracts in bundles, as large as the node takes them: a bundle that fails, while its calls alone don't, quarters the
 * size. A node that knows no overrides, or has no `eth_call`, is asked call by call.
 */
export const bundling = (ask: Ask): Ask => {
  let most = mostCalls
  const askAll: Ask = (calls) =>
    Effect.gen(function*() {
      const groups = most < 2 ? [] : groupsOf(calls, most)
      if (groups.length === 0) return yield* ask(calls)
      const bundled = new Set(groups.flat())
      const single = [...calls.keys()].filter((place) => !bundled.has(place))
      // Casts in this function: places are those of calls.
      const at = (places: ReadonlyArray<number>) => places.map((place) => calls[place] as Call)
      const answers = yield* ask([...groups.map((places) => bundle(at(places))), ...at(single)])
      const found = new Map(single.map((place, index) => [place, answers[groups.length + index]]))
      const [alone, unmade, failed]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
      for (const [index, places] of groups.entries()) {
        const answer = answers[index]
        const inside = answer !== undefined && Either.isRight(answer) ? answersIn(at(places), answer.right) : undefined
        if (inside === undefined) {
          failed.push(...places)
          if (answer === undefined || Either.isRight(answer) || lacksMethod(answer)) most = 0
          continue
        }
        for (const [index, place] of places.entries()) {
          const one = inside[index]
          if (one !== undefined) found.set(place, one)
          else if (index < inside.length || inside.length === 0) alone.push(place)
          else unmade.push(place)
        }
      }
      const others = [...alone, ...failed]
      const singly = others.length === 0 ? [] : yield* ask(at(others))
      for (const [index, place] of others.entries()) found.set(place, singly[index])
      // The node fails at what is asked, and not at bundles, if it answers none of the calls alone.
      if (failed.length > 0 && singly.slice(alone.length).some(isAnswered)) most = Math.floor(most / 4)
      const rest = unmade.length === 0 ? [] : yield* askAll(at(unmade))
      for (const [index, place] of unmade.entries()) found.set(place, rest[index])
      return calls.map(({ method }, place) =>
        found.get(place) ?? Either.left(new NodeFault({ method, problem: "no answer" }))
      )
    })
  return askAll
}
