import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as PayoutState from "../src/PayoutState.js"

const hashOf = (number: number) => Either.getOrThrow(Hash.make(`0x${number.toString(16).padStart(64, "0")}`))

/** A request that is under way: nobody knows when it arrives, or whether at all. */
interface Request {
  readonly attempt: number
  readonly send: number
  readonly nonce: number
  readonly isCancel: boolean
}

/** What is in a block, by nonce. */
type Block = "payment" | "cancel" | "stranger"

/**
 * A chain that executes one transaction of a nonce, a service that refuses what is taken, processes that die at any
 * moment, and a person. Each number of `script` decides what happens next.
 */
const world = (script: ReadonlyArray<number>, firstNonce: number) => {
  let state = PayoutState.initial
  const states: Array<PayoutState.PayoutState> = [state]
  const chain = new Map<number, Block>()
  /** Sent and not arrived; a copy may stay under way after its sender was answered that nobody knows. */
  const underway: Array<Request> = []
  /** Processes that have begun to send: they may be slow, and send after others have gone on. */
  const senders: Array<Request> = []
  /** Answers that are not stored yet. */
  const answers: Array<PayoutState.PayoutEvent> = []
  let next = firstNonce

  const apply = (event: PayoutState.PayoutEvent): void => {
    const after = PayoutState.step(state, event)
    if (Either.isLeft(after)) return
    if (event._tag === "SendBegun" && after.right._tag === "Sending") {
      const { attempt, nonce, sends, stopped } = after.right
      senders.push({ attempt, send: sends, nonce, isCancel: stopped })
    }
    state = after.right
    states.push(state)
  }

  /** Nonce 0 is not named: the service gives the transaction the next one. */
  const arrive = ({ isCancel, nonce }: Request): number | undefined => {
    const at = nonce === 0 ? nextFree() : nonce
    if (chain.has(at)) return undefined
    chain.set(at, isCancel ? "cancel" : "payment")
    return at
  }
  const nextFree = (): number => {
    let at = firstNonce
    while (chain.has(at)) at++
    return at
  }

  const draw = (dice: number, list: Array<Request>): Request | undefined =>
    list.splice(dice % Math.max(1, list.length), 1)[0]

  const moves: ReadonlyArray<(dice: number) => void> = [
    // Somebody reserves. Nonces are handed out once; nonce 0 is handed out to one.
    () => apply({ _tag: "Reserved", nonce: next++, from: Address.zero }),
    () => apply({ _tag: "SendBegun" }),
    // A process that began to send sends, and is answered or not.
    (dice) => {
      const request = draw(dice, senders)
      if (request === undefined) return
      const of = { attempt: request.attempt, send: request.send }
      const fate = dice % 5
      // It never left, and it is certain.
      if (fate === 0) answers.push({ ...of, _tag: "Denied", final: dice % 2 === 0, reason: "no", problem: "no" })
      // It is under way, or lost, and nobody knows.
      if (fate === 1 || fate === 2) {
        if (fate === 1) underway.push(request)
        answers.push({ ...of, _tag: "Unclear", problem: "no answer" })
      }
      if (fate < 3) return
      const at = arrive(request)
      if (at === undefined) answers.push({ ...of, _tag: "Taken" })
      else if (fate === 3 || request.isCancel) answers.push({ ...of, _tag: "Unclear", problem: "no answer" })
      else answers.push({ ...of, _tag: "Accepted", nonce: at, transactionHash: hashOf(at + 1) })
    },
    // Late requests arrive.
    (dice) => {
      const request = draw(dice, underway)
      if (request !== undefined) arrive(request)
    },
    // An answer is stored, in any order; or its process died first.
    (dice) => {
      const [event] = answers.splice(dice % Math.max(1, answers.length), 1)
      if (event !== undefined && dice % 3 !== 0) apply(event)
    },
    // A look-up, which also lags: what it does not see may be there.
    (dice) => {
      if (!("stopped" in state)) return
      const { attempt, nonce } = state
      // A first transaction is found by its mark, wherever it is.
      const at = nonce === 0 ? [...chain].find(([, what]) => what === "payment")?.[0] : nonce
      const what = at === undefined ? undefined : chain.get(at)
      if (what === undefined || at === undefined || dice % 4 === 0) return apply({ _tag: "Absent", attempt })
      if (what !== "payment") return nonce === 0 ? undefined : apply({ _tag: "Overtaken", attempt, by: hashOf(at + 1) })
      const found = { attempt, nonce: at, transactionHash: hashOf(at + 1) }
      apply(dice % 2 === 0 ? { ...found, _tag: "Seen" } : { ...found, _tag: "Found", block: 1, succeeded: true })
    },
    // A stranger uses the next nonce of the account.
    () => void chain.set(nextFree(), "stranger"),
    (dice) => apply(dice % 8 === 0 ? { _tag: "Stopped", problem: "no" } : { _tag: "Approved" }),
    (dice) => apply(dice % 8 === 0 ? { _tag: "ApprovalNeeded", problem: "much" } : { _tag: "Approved" })
  ]
  for (const dice of script) moves[dice % moves.length]?.(Math.floor(dice / moves.length))
  /** Everything that may still arrive does. */
  const settle = (): void => {
    for (const request of [...senders, ...underway]) arrive(request)
  }
  const payments = () => [...chain].filter(([, what]) => what === "payment")
  return { state: () => state, states, payments, settle }
}

const scripts = FastCheck.array(FastCheck.nat(1_000_000), { maxLength: 120 })

describe("a payout, however answers, deaths and look-ups interleave,", () => {
  it.prop("is never paid twice", [scripts, FastCheck.constantFrom(0, 1, 7)], ([script, first]) => {
    const { payments, settle } = world(script, first)
    settle()
    assert.isAtMost(payments().length, 1)
  }, { fastCheck: { numRuns: 3000 } })

  it.prop("that ended without a payment is never paid, and one that ended with it was", [
    scripts,
    FastCheck.constantFrom(0, 1, 7)
  ], ([script, first]) => {
    const { payments, settle, state } = world(script, first)
    const end = state()
    const before = payments()
    settle()
    if (end._tag === "Refused" || end._tag === "GivenUp") assert.deepStrictEqual(payments(), [])
    if (end._tag === "Executed") {
      assert.deepStrictEqual(payments(), before)
      assert.deepStrictEqual(before.map(([nonce]) => hashOf(nonce + 1)), [end.transactionHash])
    }
  }, { fastCheck: { numRuns: 3000 } })

  it.prop("never changes after its end, and is never sent while the last word was unknown", [
    scripts,
    FastCheck.constantFrom(0, 1, 7)
  ], ([script, first]) => {
    const { states } = world(script, first)
    states.forEach((state, i) => {
      const next = states[i + 1]
      if (next === undefined) return
      assert.isFalse(PayoutState.isEnd(state))
      const begins = next._tag === "Sending" && !(state._tag === "Sending" && state.sends === next.sends)
      if (begins) assert.strictEqual(state._tag, "Reserved")
      // Another nonce only after another transaction was seen with the one before.
      if (next._tag === "Reserved" && "attempt" in state && next.attempt > state.attempt) {
        assert.strictEqual(state._tag, "Superseded")
      }
      // After a person's no, nothing of it is begun anew.
      if ("stopped" in state && state.stopped) {
        assert.isTrue(PayoutState.isEnd(next) || ("stopped" in next && next.stopped && next.attempt === state.attempt))
      }
    })
  }, { fastCheck: { numRuns: 2000 } })
})

describe("the model", () => {
  it("reaches every state, so that the properties say something", () => {
    const seen = new Set<string>()
    const random = FastCheck.sample(scripts, { seed: 1, numRuns: 6000 })
    for (const script of random) for (const { _tag } of world(script, 1).states) seen.add(_tag)
    assert.deepStrictEqual([...seen].sort(), [...PayoutState.Tag.literals].sort())
  })
})
