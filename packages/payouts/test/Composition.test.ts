import type { NotSent, SendUnknown } from "@effect-klaytn/wallet/SendOutcome"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as nonces from "../src/internal/nonces.js"
import * as PayoutState from "../src/PayoutState.js"
import { type Classification, classify, hashOf } from "./support/classification.js"
import { type Options, type Product, product, type Result, search } from "./support/composition.js"

let classification: Classification
beforeAll(() => Effect.runPromise(classify(["pay 5", "pay 6", "cancel"])).then((all) => void (classification = all)))

type Asked = Partial<Omit<Options, "meanings">>

const one = { contents: ["pay 5"], maxSends: 3, maxStates: 20_000 } satisfies Asked
const two = { contents: ["pay 5", "pay 6"] } satisfies Asked
const equal = { contents: ["pay 5", "pay 5"], maxStates: 8000 } satisfies Asked
const counted = { contents: ["pay 5"], counted: 1 } satisfies Asked
const refused = { contents: ["pay 5", "pay 6"], refused: [0] } satisfies Asked

const denied = { attempt: 1, problem: "no funds" }

/** The first payout was refused for a reason that may pass, and so was its cancellation. */
const offered: Options["before"] = [
  [0, "Reserve"],
  [0, { _tag: "SendBegun" }],
  [0, { ...denied, _tag: "Denied", send: 1, forGood: false, reason: "Rejected" }],
  [0, { _tag: "Absent", attempt: 1 }],
  [0, { _tag: "SendBegun" }],
  [0, { ...denied, _tag: "CancelDenied", send: 2 }]
]

const run = (asked: Asked, changes: Partial<Product> = {}): Promise<Result> =>
  search({
    contents: ["pay 5"],
    refused: [],
    maxNonce: 3,
    maxSends: 2,
    maxCancels: 1,
    maxStates: 4000,
    counted: 0,
    before: [],
    ...asked,
    product: { ...product, ...changes },
    classification
  })

const reached = new Set<string>()

const holds = async (asked: Asked): Promise<Result> => {
  const result = await run(asked)
  for (const tag of result.tags) reached.add(tag)
  assert.deepStrictEqual(result.trace, [], result.violation)
  return result
}

describe("payouts, the wallet's classification, and a service and chain that execute, delay, repeat and refuse requests", () => {
  it("never pay twice, contradict the chain, stop for good or lose a nonce: one payout, all states", async () => {
    assert.isTrue((await holds(one)).complete)
  })

  it("the same holds for two payments of one account", async () => {
    assert.isUndefined((await holds(two)).violation)
  })

  it("the same holds for two equal payments", async () => {
    assert.isUndefined((await holds(equal)).violation)
  })

  it("the same holds if another program's transaction was counted, and may be gone", async () => {
    assert.isTrue((await holds(counted)).complete)
  })

  it("the same holds if the service refuses one of them for good", async () => {
    assert.isUndefined((await holds(refused)).violation)
  })

  it("the same holds for two equal payments of which one offers its nonce", async () => {
    assert.isUndefined((await holds({ ...equal, before: offered })).violation)
  })

  afterAll(() => {
    // Of coin, by accounts with one signer, without approvals.
    const { MovedOtherwise: _, WaitingForApproval: __, WaitingForSignatures: ___, ...rest } = Object.fromEntries(
      PayoutState.Tag.literals.map((tag) => [tag, true])
    )
    assert.deepStrictEqual([...reached].sort(), Object.keys(rest).sort())
  })
})

/** Changes the state after some events. */
const changed = (
  change: (
    after: PayoutState.PayoutState,
    before: PayoutState.PayoutState,
    event: PayoutState.PayoutEvent
  ) => PayoutState.PayoutState
): Partial<Product> => ({
  step: (before, event) => Either.map(PayoutState.step(before, event), (after) => change(after, before, event))
})

const saysTaken = ({ left }: Either.Left<NotSent | SendUnknown, unknown>): boolean =>
  /nonce too low|known transaction|same nonce|already submitted/.test(
    left._tag === "NotSent" ? left.message : left.cause?.message ?? ""
  )

const mistakes: ReadonlyArray<readonly [name: string, asked: Asked, changes: Partial<Product>]> = [
  ["an answer that the nonce is taken proves that another transaction took it", one, {
    eventOf: (state, outcome) =>
      Either.isLeft(outcome) && saysTaken(outcome) && state.closing === undefined
        ? { _tag: "Overtaken", attempt: state.attempt, by: hashOf("stranger", state.nonce) }
        : product.eventOf(state, outcome)
  }],
  ["a refusal for funds proves that nothing was sent", one, {
    eventOf: (state, outcome) => {
      const event = product.eventOf(state, outcome)
      return event._tag === "Denied" ? { ...event, forGood: true } : event
    }
  }],
  ["a connection that could not be made proves that nothing was sent", one, {
    eventOf: (state, outcome) => {
      const { attempt, sends: send } = state
      return Either.isLeft(outcome) && outcome.left._tag === "NotSent" && outcome.left.proof === "unsent"
        ? { _tag: "Denied", attempt, send, forGood: true, reason: "", problem: "" }
        : product.eventOf(state, outcome)
    }
  }],
  [
    "what no block shows was not sent",
    one,
    changed((after, _, event) => event._tag === "Absent" && "doubt" in after ? { ...after, doubt: false } : after)
  ],
  [
    "what no block shows gets another nonce",
    one,
    changed((after, _, event) =>
      event._tag === "Absent" && "doubt" in after
        ? { _tag: "Superseded", attempt: after.attempt, nonce: after.nonce, by: hashOf("stranger", after.nonce) }
        : after
    )
  ],
  [
    "a cancelled payout is final while a request may arrive",
    one,
    changed((after, _, event) => event._tag === "CancelRequested" ? { _tag: "Cancelled", problem: "" } : after)
  ],
  [
    "attempts are not counted",
    one,
    changed((after, before, event) =>
      event._tag === "Reserved" && "attempt" in before && "attempt" in after
        ? { ...after, attempt: before.attempt }
        : after
    )
  ],
  ["a nonce in doubt goes to the next payment", equal, {
    nonceAfter: (before, event, after) =>
      event._tag === "Unclear" && "nonce" in before
        ? { nonce: before.nonce, fate: "released" }
        : product.nonceAfter(before, event, after)
  }],
  ["equal payments share an offered nonce", { ...equal, before: offered }, { keepsApart: false }],
  ["nobody fills a nonce that others wait behind", two, { fills: () => false }],
  ["nobody fills the nonce of another program's transaction that is gone", counted, { fills: nonces.isFree }],
  ["a nonce in a block stays open", one, {
    nonceAfter: (before, event, after) => event._tag === "Found" ? undefined : product.nonceAfter(before, event, after)
  }]
]

describe("the search", () => {
  for (const [name, asked, changes] of mistakes) {
    it(`finds the mistake that ${name}`, async () => {
      assert.isDefined((await run(asked, changes)).violation)
    })
  }
})

describe("a refusal for good", () => {
  it("ends a payout only if no earlier request of the attempt may be executed", () => {
    const sending = { _tag: "Sending", attempt: 1, nonce: 1, sends: 2, doubt: true } as const
    const refusal = {
      _tag: "Denied",
      attempt: 1,
      send: 2,
      forGood: true,
      reason: "PlanChanged",
      problem: "another client"
    } as const
    const inDoubt = Either.getOrThrow(PayoutState.step(sending, refusal))
    assert.strictEqual(inDoubt._tag, "Unknown")
    assert.isTrue(PayoutState.mayExecute(inDoubt))
    assert.strictEqual(Either.getOrThrow(PayoutState.step({ ...sending, doubt: false }, refusal))._tag, "Refused")
  })
})
