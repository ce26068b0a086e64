/**
 * Which transaction the chain takes for a receiver: a transfer for one without code, and a call for one with code, such as a contract,
 * a smart wallet, or an account that runs a contract's code (EIP-7702).
 */
import type { Address } from "@effect-klaytn/core/Address"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import * as Cache from "effect/Cache"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Content } from "../Payout.js"
import type { Call } from "../PayoutState.js"
import type { Context } from "./context.js"
import type { Node } from "./node.js"

/** The receiver can't take the payment, whoever asks for it. */
export class NotPayable extends Data.TaggedError("NotPayable")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

/** What a call may use beyond its estimate: the contract's state may differ when it runs. */
const margin = { numerator: 3n, denominator: 2n }

/** The call that pays coin to a contract; `from` need not have it yet. */
const callOf = (node: Node, to: Address, { request: { from, value } }: Content) =>
  Effect.gen(function*() {
    const estimate = yield* node.estimateGas({ from, to, input: "0x", value: value ?? 0n })
    if (Either.isRight(estimate)) {
      const gas = estimate.right * margin.numerator / margin.denominator
      if (gas <= Number.MAX_SAFE_INTEGER) return { gas: Number(gas) }
      return yield* new LookupFailed({
        problem: `the node estimates ${estimate.right} gas for a payment to ${to}, more than any block has`
      })
    }
    const { fault, words } = estimate.left
    // A balance that is too low now says nothing about the contract.
    return fault === "funds" ? {} : yield* new NotPayable({
      problem: `the contract ${to} does not take the payment: ${words}`
    })
  })

/** How often, and how far apart, a node has to say that there is no code where a contract is to be called: one may lag behind. */
const absent = { times: 3, apart: "1 second" } as const

const hasCode = (node: Node, to: Address) => Effect.map(node.code(to), (code) => code.length > "0x".length)

/** How long, and of how many receivers, it is remembered for checks whether they have code: many lines of a file pay one receiver. */
const remembered = { timeToLive: "1 minute", capacity: 10_000 } as const

/** Reads whether receivers have code, for checks, which promise nothing: the first step of a payment reads it anew. */
export const remembering = (node: Option.Option<Node>) =>
  Cache.makeWith({
    capacity: remembered.capacity,
    lookup: (to: Address) =>
      Option.match(node, { onNone: () => Effect.succeed(false), onSome: (node) => hasCode(node, to) }),
    timeToLive: Exit.match({ onFailure: () => 0, onSuccess: () => remembered.timeToLive })
  })

/** Whether there is a contract to call. */
const isContract = (node: Node, to: Address) =>
  Effect.gen(function*() {
    for (let asked = 0; asked < absent.times; asked++) {
      if (asked > 0) yield* Effect.sleep(absent.apart)
      if (yield* hasCode(node, to)) return true
    }
    return false
  })

/** The call that pays the receiver of a payment of coin; none if it is a transfer, or is a call as it was asked for. */
export const read = (
  { node, preparing }: Pick<Context, "node" | "preparing">,
  content: Content,
  knows: (node: Node, to: Address) => Effect.Effect<boolean, LookupFailed> = hasCode
): Effect.Effect<Call | undefined, NotPayable | LookupFailed> =>
  Effect.gen(function*() {
    const { request } = content
    const { to } = request
    if (Option.isNone(node)) return undefined
    if (request._tag === "Execute") {
      return (yield* knows(node.value, to)) || (yield* isContract(node.value, to))
        ? undefined
        : yield* new NotPayable({ problem: `there is no contract at ${to} that could be called` })
    }
    if (!(yield* knows(node.value, to))) return undefined
    return (request.memo ?? "") === "" ? yield* callOf(node.value, to, content) : yield* new NotPayable({
      problem: `${to} is a contract, and a payment with a memo is for accounts without code: leave the memo out`
    })
  }).pipe(preparing.withPermits(1))

/** Fails for an input whose receiver can't take the payment. */
export const check = (
  context: Pick<Context, "codes" | "node" | "preparing">,
  content: Content,
  isRequest: boolean
) =>
  Effect.catchTag(
    read(context, content, (_, to) => context.codes.get(to)),
    "NotPayable",
    ({ problem }) => InvalidInput.at("payouts.pay", isRequest ? ["request", "to"] : ["to"], problem)
  )
