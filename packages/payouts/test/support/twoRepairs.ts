/**
 * A payout and the keeper of a gateway's wallet, who both repair the same payment, over a node that drops, refuses and forgets it: the
 * product's own decisions of both, in every order. A world is one payment of an account, at one nonce after the other.
 */
import * as SendOutcome from "@effect-klaytn/wallet/SendOutcome"
import type { Told } from "@effect-klaytn/wallet/TransactionResult"
import * as Either from "effect/Either"
import * as SendLife from "../../../custody/src/SendLife.js"
import * as SendRefusal from "../../../custody/src/SendRefusal.js"
import * as answers from "../../src/internal/answers.js"
import * as PayoutState from "../../src/PayoutState.js"
import { from, hashOf } from "./classification.js"

/** What a nonce is used for. */
type Use = "pay 5" | "cancel"

/** What the wallet has stored at a nonce. */
interface Rows {
  readonly payment?: SendLife.Attempt | undefined
  readonly cancel?: SendLife.Attempt | undefined
}

interface World {
  /** In seconds. */
  readonly now: number
  readonly state: PayoutState.PayoutState
  readonly rows: ReadonlyArray<Rows>
  readonly pool: ReadonlyArray<Use | undefined>
  readonly chain: ReadonlyArray<Use>
  /** Whether the account covers the payment. */
  readonly hasFunds: boolean
  /** How often the node has lost its pool, and the account its funds. */
  readonly troubles: number
}

export interface Rules {
  /** A mistake: the keeper leaves alone what a request has touched in the last 30 seconds, and the payout is told nothing. */
  readonly starves?: boolean
}

const start: World = {
  now: 0,
  state: PayoutState.initial,
  rows: [],
  pool: [],
  chain: [],
  hasFunds: true,
  troubles: 0
}

const patience = { lasting: 20, unknown: 600 }
const view: SendLife.View = { baseFee: 25n, price: 28n, maxPrice: 750n, isFrozen: false }
const noFunds = "insufficient funds of the sender for value "
const payer = { _tag: "ServiceFeePayer" } as const

const put = <A>(list: ReadonlyArray<A>, at: number, value: A): ReadonlyArray<A> =>
  Object.assign([...list], { [at]: value })

const nonceOf = (state: PayoutState.PayoutState): number => "nonce" in state ? state.nonce - 1 : -1

/** Gives bytes to the node, which says why it does not take them. */
const submit = (world: World, at: number, use: Use): readonly [World, string | undefined] => {
  if (at < world.chain.length) return [world, "nonce too low"]
  const waits = world.pool[at]
  if (waits === use) return [world, undefined]
  if (waits === "cancel") return [world, "there is another tx which has the same nonce in the tx pool"]
  if (use === "pay 5" && !world.hasFunds) return [world, noFunds]
  return [{ ...world, pool: put(world.pool, at, use) }, undefined]
}

const attempt = (use: Use, at: number, now: number): SendLife.Attempt => ({
  hash: hashOf(use, at + 1),
  price: 28n,
  attempts: 0,
  updatedAt: now,
  isOfGlobalPayer: false,
  refusal: undefined
})

/** What is stored of bytes after the node has answered. */
const after = (one: SendLife.Attempt, text: string | undefined, now: number): SendLife.Attempt => {
  const kind = text === undefined ? undefined : SendRefusal.kindOf(text)
  return {
    ...one,
    attempts: one.attempts + 1,
    updatedAt: now,
    refusal: text === undefined || kind === undefined
      ? undefined
      : { kind, text, since: one.refusal?.kind === kind ? one.refusal.since : now }
  }
}

/** One round of the keeper at a nonce. */
const keep = (world: World, at: number, { starves = false }: Rules): World => {
  const { cancel, payment } = world.rows[at] ?? {}
  const front = cancel ?? payment
  if (front === undefined || at < world.chain.length) return world
  if (starves && world.now - front.updatedAt < 30) return world
  const record: SendLife.SendRecord = {
    payments: payment === undefined ? [] : [payment],
    cancels: cancel === undefined ? [] : [cancel],
    canSign: true,
    canRaise: true,
    limitPrice: undefined,
    isRevoked: false,
    leasedUntil: 0
  }
  const step = SendLife.next(record, view, patience, world.now)
  const store = (to: World, rows: Rows) => ({ ...to, rows: put(to.rows, at, { ...to.rows[at], ...rows }) })
  if (step._tag === "Submit") {
    const [next, text] = submit(world, at, cancel === undefined ? "pay 5" : "cancel")
    const one = after(front, text, world.now)
    return store(next, cancel === undefined ? { payment: one } : { cancel: one })
  }
  if (step._tag !== "Cancel") return world
  const [next, text] = submit(world, at, "cancel")
  return store(next, { cancel: after(attempt("cancel", at, world.now), text, world.now) })
}

/** What the outcome of a send has that the product reads of it. */
const outcome = (fields: object): SendOutcome.NotSent | SendOutcome.SendUnknown => fields as SendOutcome.NotSent // a cast: the errors of the calls, of which nothing is read, are left out

const unknown = (reason: string, cause?: object) =>
  Either.left(outcome({ _tag: "SendUnknown", reason, send: {}, cause }))

const fundsMissing = { _tag: "InsufficientFunds", message: noFunds, category: "caller" }

/** The wallet carries a request of the payout out, and answers. */
const serve = (world: World, use: Use, at: number) => {
  const rows = world.rows[at] ?? {}
  const store = (to: World, more: Rows) => ({ ...to, rows: put(to.rows, at, { ...to.rows[at], ...more }) })
  const sent = Either.right(
    {
      _tag: "Sent",
      nonce: at + 1,
      transactionHash: hashOf(use, at + 1),
      paidBy: { _tag: "NotKnown" }
    } as SendOutcome.Sent // what is read
  )
  if (use === "pay 5" && rows.payment !== undefined) {
    // The request is repeated: its bytes are given to the node again, unless a cancellation is under way.
    if (rows.cancel !== undefined) return [world, unknown("it is not known yet")] as const
    if (rows.payment.refusal === undefined && rows.payment.attempts > 0) return [world, sent] as const
    const [next, text] = submit(world, at, use)
    return [
      store(next, { payment: after(rows.payment, text, world.now) }),
      text === undefined ? sent : unknown("it is not known yet")
    ] as const
  }
  const [next, text] = submit(world, at, use)
  const made = attempt(use, at, world.now)
  if (text === undefined) return [store(next, use === "cancel" ? { cancel: made } : { payment: made }), sent] as const
  return [
    next,
    text === noFunds
      ? Either.left(outcome({ _tag: "NotSent", proof: "lookup", reason: fundsMissing, message: noFunds }))
      : unknown("the nonce is taken")
  ] as const
}

const step = (world: World, event: PayoutState.PayoutEvent | undefined): World =>
  event === undefined
    ? world
    : { ...world, state: Either.getOrElse(PayoutState.step(world.state, event), () => world.state) }

const toldOf = ({ chain, rows }: World, at: number): Told | undefined => {
  const { cancel, payment } = rows[at] ?? {}
  if (payment === undefined) return undefined
  if (chain[at] === "cancel") return { stage: "cancelled", reason: payment.refusal?.text ?? "" }
  if (cancel !== undefined) return { stage: "cancelling", reason: payment.refusal?.text ?? "" }
  return payment.refusal === undefined ? undefined : { stage: "refused", reason: payment.refusal.text }
}

const found = (use: Use, at: number, isInBlock: boolean): SendOutcome.FoundTransaction => ({
  transactionHash: hashOf(use, at + 1),
  from,
  nonce: at + 1,
  typeInt: use === "cancel" ? 57 : 9,
  value: use === "cancel" ? 0n : 5n,
  input: "0x",
  state: isInBlock ? "succeeded" : "waiting",
  ...(isInBlock ? { block: 10 + at } : {})
})

/** What the chain and the wallet show of an attempt. */
const look = (world: World, { starves = false }: Rules): World => {
  const { chain, state } = world
  if (!answers.isUnsettled(state)) return world
  const at = nonceOf(state)
  const mined = chain[at]
  const told = starves ? undefined : toldOf(world, at)
  const knows = "transactionHash" in state && state.transactionHash !== undefined
  const waiting = { ...found("pay 5", at, false), ...(told === undefined ? {} : { told }) }
  const verdict = mined === "pay 5"
    ? SendOutcome.SendVerdict.Executed({ transaction: found(mined, at, true), certainty: "nonce" })
    : mined === "cancel"
    ? SendOutcome.SendVerdict.Superseded({ transaction: found(mined, at, true) })
    : knows && world.rows[at]?.payment !== undefined
    ? SendOutcome.SendVerdict.Waiting({ transaction: waiting })
    : SendOutcome.SendVerdict.NotExecuted({ nextNonce: chain.length + 1 })
  const isTold = verdict._tag === "Superseded" && knows
  return step(
    world,
    answers.eventOfVerdict(state, payer, verdict, { isLate: true, told: isTold ? told : undefined })
  )
}

/** What the payout does next: reserves, sends, or looks up. `lost` are answers that get lost on the way. */
const act = (world: World, rules: Rules, isLost: boolean): World => {
  const { state } = world
  if (state._tag === "Planned" || state._tag === "Superseded") {
    return step(world, { _tag: "Reserved", nonce: world.chain.length + 1, from })
  }
  if (state._tag !== "Reserved") return look(world, rules)
  const begun = step(world, { _tag: "SendBegun" })
  if (begun.state._tag !== "Sending") return begun
  const [next, answer] = serve(begun, state.closing === undefined ? "pay 5" : "cancel", nonceOf(state))
  return isLost ? next : step(next, answers.eventOf(begun.state, answer))
}

/** A block with what waits at the next nonce; what its account does not cover is dropped. */
const mine = (world: World): World => {
  const at = world.chain.length
  const use = world.pool[at]
  if (use === undefined) return world
  if (use === "pay 5" && !world.hasFunds) return { ...world, pool: put(world.pool, at, undefined) }
  return { ...world, chain: [...world.chain, use] }
}

const keepAll = (world: World, rules: Rules): World =>
  world.rows.reduce<World>((at, _, nonce) => keep(at, nonce, rules), world)

/** What may happen next, apart from time. */
const moves = (world: World, rules: Rules): ReadonlyArray<readonly [string, World]> => {
  const trouble = { ...world, troubles: world.troubles + 1 }
  return [
    ["acts", act(world, rules, false)],
    ["acts, and the answer is lost", act(world, rules, true)],
    ["is kept", keepAll(world, rules)],
    ["a block", mine(world)],
    ["10 seconds", { ...world, now: world.now + 10 }],
    ...(world.troubles >= 2
      ? []
      : [
        ["the funds go or come", { ...trouble, hasFunds: !world.hasFunds }],
        ["the node forgets", { ...trouble, pool: [] }]
      ] as const)
  ]
}

const idOf = ({ chain, hasFunds, now, pool, rows, state, troubles }: World): string => {
  const age = (one: SendLife.Attempt | undefined) =>
    one && [
      Math.min(now - one.updatedAt, 30),
      Math.min(one.attempts, 5),
      one.refusal && [one.refusal.kind, Math.min(now - one.refusal.since, 30)]
    ]
  const sends = "sends" in state ? { sends: 0 } : {}
  return JSON.stringify([
    { ...state, ...sends },
    rows.map(({ cancel, payment }) => [age(payment), age(cancel)]),
    pool,
    chain,
    hasFunds,
    troubles
  ])
}

/** Turns in which everything works from now on, and nobody restarts anything. */
const maxTurns = 40

/** Why a world has no way out, or pays twice. */
const wrong = (world: World, rules: Rules): string | undefined => {
  let at = world
  for (let turn = 0; turn < maxTurns && !PayoutState.isFinal(at.state); turn++) {
    at = mine(keepAll(act(act(at, rules, false), rules, false), rules))
    at = { ...at, now: at.now + 10 }
  }
  const paid = at.chain.filter((use) => use === "pay 5").length
  if (!PayoutState.isFinal(at.state)) return `it never ends: ${JSON.stringify(at.state)}`
  if (paid > 1) return "it is paid twice"
  return (at.state._tag === "Executed") === (paid === 1) ? undefined : `it is ${at.state._tag}, and paid ${paid} times`
}

export interface Result {
  readonly worlds: number
  readonly problem: string | undefined
  readonly trace: ReadonlyArray<string>
  readonly tags: ReadonlySet<string>
}

/** Searches all worlds that are so many moves away. */
export const search = async (depth: number, rules: Rules = {}): Promise<Result> => {
  const seen = new Set([idOf(start)])
  const tags = new Set<string>()
  let level: ReadonlyArray<readonly [World, ReadonlyArray<string>]> = [[start, []]]
  for (let moved = 0; moved <= depth && level.length > 0; moved++) {
    // The runner of the tests wants to be answered now and then.
    await new Promise((resolve) => setImmediate(resolve))
    const next: Array<readonly [World, ReadonlyArray<string>]> = []
    for (const [world, trace] of level) {
      tags.add(world.state._tag)
      const problem = wrong(world, rules)
      if (problem !== undefined) return { worlds: seen.size, problem, trace, tags }
      for (const [name, to] of moves(world, rules)) {
        const id = idOf(to)
        if (seen.has(id)) continue
        seen.add(id)
        next.push([to, [...trace, name]])
      }
    }
    level = next
  }
  return { worlds: seen.size, problem: undefined, trace: [], tags }
}
