/**
 * Payouts, the wallet's classification of answers, and a service and chain that execute, delay, repeat and refuse every
 * copy of a request, as one system that is searched breadth-first.
 *
 * A request that was begun may be executed at any later time, as long as its nonce is the account's next one, whatever was
 * answered: the model never takes it back. Answers come in any order, at most once for each request, or never. A look-up
 * may miss what a block holds. A refusal that every copy must get is answered only to a payment that is never executed.
 */
import * as NonceBook from "@effect-klaytn/wallet/NonceBook"
import type { NotSent, SendUnknown, Submission } from "@effect-klaytn/wallet/SendOutcome"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as answers from "../../src/internal/answers.js"
import * as nonces from "../../src/internal/nonces.js"
import * as PayoutState from "../../src/PayoutState.js"
import { atNonce, type Classification, type Content, from, isForGood, scripts, type View } from "./classification.js"

interface Request {
  readonly payout: number
  readonly attempt: number
  readonly send: number
  readonly nonce: number
  readonly isCancel: boolean
}

export interface World {
  readonly payouts: ReadonlyArray<PayoutState.PayoutState>
  readonly book: NonceBook.NonceBook
  /** What the blocks hold, by nonce. */
  readonly chain: ReadonlyArray<Content>
  /** What may still be executed: contents by nonce. */
  readonly air: ReadonlyArray<string>
  /** Requests that were begun and whose answer is not stored. */
  readonly unanswered: ReadonlyArray<Request>
  /** How often an operator cancelled. */
  readonly cancels: number
}

/** The parts of the product that are composed; a test plants a mistake in one of them. */
export interface Product {
  readonly step: typeof PayoutState.step
  readonly nonceAfter: typeof PayoutState.nonceAfter
  readonly eventOf: (
    state: Extract<PayoutState.PayoutState, { readonly _tag: "Sending" }>,
    outcome: Either.Either<Submission, NotSent | SendUnknown>
  ) => PayoutState.PayoutEvent
  /** Whether a payout keeps away from nonces that one with the same content offers. */
  readonly keepsApart: boolean
  /** Whether a payout fills a nonce that it waits behind and no block holds. */
  readonly fills: (book: NonceBook.NonceBook, nonce: number) => boolean
}

export const product: Product = {
  step: PayoutState.step,
  nonceAfter: PayoutState.nonceAfter,
  eventOf: answers.eventOf,
  keepsApart: true,
  fills: (book, nonce) => !nonces.isHeld(book, nonce)
}

export interface Options {
  /** What each payout pays. */
  readonly contents: ReadonlyArray<Content>
  /** The payouts that the service refuses for good, and never executes. */
  readonly refused: ReadonlyArray<number>
  readonly maxNonce: number
  readonly maxSends: number
  readonly maxCancels: number
  readonly maxStates: number
  /** How many transactions of another program were counted, and may be gone, when the search begins. */
  readonly counted: number
  /** What has happened when the search begins. */
  readonly before: ReadonlyArray<readonly [payout: number, event: PayoutState.PayoutEvent | "Reserve"]>
  readonly product: Product
  readonly classification: Classification
  /** What was found out about answers so far. */
  readonly meanings: Map<string, ReadonlyArray<Meaning>>
}

type Move = readonly [name: string, world: World]

const initial = (options: Options): World =>
  options.before.reduce<World>(
    (world, [payout, event]) =>
      (event === "Reserve" ? reserve(world, payout, options) : apply(world, payout, event, options)) ?? world,
    {
      payouts: options.contents.map(() => PayoutState.initial),
      book: NonceBook.make(1 + options.counted),
      // Nonce 0 opened the account.
      chain: ["stranger"],
      air: [],
      unanswered: [],
      cancels: 0
    }
  )

const withAir = (air: ReadonlyArray<string>, content: Content, nonce: number): ReadonlyArray<string> =>
  [...new Set([...air, `${nonce} ${content}`])].sort()

/** Applies an event to a payout, with what it means for its nonce; undefined if the event is ignored. */
const apply = (world: World, i: number, event: PayoutState.PayoutEvent, { contents, product }: Options) => {
  const before = world.payouts[i]
  const content = contents[i]
  if (before === undefined || content === undefined) return undefined
  const after = product.step(before, event)
  if (Either.isLeft(after)) return undefined
  const state = after.right
  const settled = product.nonceAfter(before, event, state)
  const begun = event._tag === "SendBegun" && state._tag === "Sending"
    ? {
      payout: i,
      attempt: state.attempt,
      send: state.sends,
      nonce: state.nonce,
      isCancel: state.closing !== undefined
    }
    : undefined
  return {
    ...world,
    payouts: world.payouts.map((one, at) => at === i ? state : one),
    book: settled === undefined ? world.book : nonces.settle(world.book, settled),
    air: begun === undefined ? world.air : withAir(world.air, begun.isCancel ? "cancel" : content, begun.nonce),
    unanswered: begun === undefined ? world.unanswered : [...world.unanswered, begun]
  } satisfies World
}

/** The next nonce of a payout: what `Store.reserve` hands out after the account was compared with the chain. */
const reserve = (world: World, i: number, options: Options): World | undefined => {
  const { contents, product } = options
  const offered = world.payouts.flatMap((state, at) =>
    product.keepsApart && contents[at] === contents[i] && "doubt" in state && state.closing?.offered === true
      ? [state.nonce]
      : []
  )
  const book = NonceBook.advance(world.book, world.chain.length)
  const reserved = nonces.reserve(book, new Set(offered))
  if (Option.isNone(reserved) || reserved.value[0] > options.maxNonce) return undefined
  const [nonce, next] = reserved.value
  return apply({ ...world, book: next }, i, { _tag: "Reserved", nonce, from }, options)
}

/** What the chain may show of a nonce. */
const viewsOf = ({ chain }: World, nonce: number): ReadonlyArray<View> => {
  const shown = chain[nonce]
  return shown === undefined ? ["nothing", "no answer"] : [shown, "nothing", "no answer"]
}

/** What an answer comes to: the event of the first send of the first attempt, with nonce 1. */
type Meaning = readonly [name: string, event: PayoutState.PayoutEvent]

const closing = { as: "Refused", reason: "", problem: "", offered: false } as const

/** The different events that the answers to a request come to while the chain shows something. */
const meanings = (content: Content, view: View, isRefused: boolean, options: Options): ReadonlyArray<Meaning> => {
  const id = `${content} ${view} ${isRefused}`
  const known = options.meanings.get(id)
  if (known !== undefined) return known
  const state = { _tag: "Sending", attempt: 1, nonce: 1, sends: 1, doubt: false } as const
  const events = new Map<string, Meaning>()
  for (const script of scripts) {
    if (isRefused ? script.includes("accepted") : script.some(isForGood)) continue
    const outcome = options.classification.send(content, script, view)
    const event = options.product.eventOf(content === "cancel" ? { ...state, closing } : state, outcome)
    const { problem: _, reason: __, ...what } = { problem: "", reason: "", ...event }
    const name = `${script.join(", ")} (${view} in a block) is ${event._tag}`
    if (!events.has(JSON.stringify(what))) events.set(JSON.stringify(what), [name, event])
  }
  options.meanings.set(id, [...events.values()])
  return [...events.values()]
}

const answerMoves = (world: World, options: Options): ReadonlyArray<Move> =>
  world.unanswered.flatMap(({ attempt, isCancel, nonce, payout, send }, at) => {
    const rest = { ...world, unanswered: world.unanswered.filter((_, i) => i !== at) }
    const own = options.contents[payout]
    if (own === undefined) return []
    const content = isCancel ? "cancel" : own
    const isRefused = !isCancel && options.refused.includes(payout)
    return viewsOf(world, nonce).flatMap((view) =>
      meanings(content, view, isRefused, options).map(([name, meant]): Move => {
        const plain = atNonce(options.contents, meant, nonce)
        const event = "attempt" in plain ? { ...plain, attempt, ..."send" in plain ? { send } : {} } : plain
        return [`${payout}: ${name}`, apply(rest, payout, event, options) ?? rest]
      })
    )
  })

/** What a look-up means for a payout. */
const lookUp = (state: answers.Unsettled, content: Content, view: View, { classification, contents }: Options) => {
  const verdict = classification.lookUp(content, view)
  return verdict === undefined
    ? undefined
    : answers.eventOfVerdict(state, { _tag: "ServiceFeePayer" }, atNonce(contents, verdict, state.nonce), {
      isLate: true
    })
}

const lookUpMoves = (world: World, i: number, options: Options): ReadonlyArray<Move> => {
  const state = world.payouts[i]
  const content = options.contents[i]
  if (state === undefined || content === undefined) return []
  if (state._tag !== "Sending" && state._tag !== "Unknown" && state._tag !== "Sent") return []
  return viewsOf(world, state.nonce).flatMap((view): ReadonlyArray<Move> => {
    const event = lookUp(state, content, view, options)
    const next = event === undefined ? undefined : apply(world, i, event, options)
    return next === undefined ? [] : [[`${i}: the chain shows ${view}: ${event?._tag}`, next]]
  })
}

/** A payout that waits behind a nonce that nobody holds fills the nonce. */
const fillGap = (world: World, i: number, { product }: Options): World | undefined => {
  const state = world.payouts[i]
  const next = world.chain.length
  if (state === undefined || !("doubt" in state) || !PayoutState.mayExecute(state)) return undefined
  return state.nonce > next && product.fills(world.book, next)
    ? { ...world, air: withAir(world.air, "cancel", next) }
    : undefined
}

/** A copy of something that was begun is executed. */
const executeMoves = (world: World, { contents, refused }: Options): ReadonlyArray<Move> =>
  world.air.flatMap((entry): ReadonlyArray<Move> => {
    const [nonce, ...words] = entry.split(" ")
    const content = words.join(" ") as Content // written by `withAir`
    if (Number(nonce) !== world.chain.length) return []
    if (refused.some((i) => contents[i] === content)) return []
    return [[`${content} is executed with nonce ${nonce}`, { ...world, chain: [...world.chain, content] }]]
  })

const movesOf = (world: World, options: Options): ReadonlyArray<Move> => {
  const moves: Array<Move> = [...answerMoves(world, options), ...executeMoves(world, options)]
  const add = (name: string, next: World | undefined): void => {
    if (next !== undefined) moves.push([name, next])
  }
  if (world.chain.length <= options.maxNonce && !world.chain.slice(1).includes("stranger")) {
    add("a stranger takes the next nonce", { ...world, chain: [...world.chain, "stranger"] })
  }
  world.payouts.forEach((state, i) => {
    if (state._tag === "Planned" || state._tag === "Superseded") add(`${i}: reserved`, reserve(world, i, options))
    if (state._tag === "Reserved" && state.sends < options.maxSends) {
      add(`${i}: begun`, apply(world, i, { _tag: "SendBegun" }, options))
    }
    moves.push(...lookUpMoves(world, i, options))
    add(`${i}: fills nonce ${world.chain.length}`, fillGap(world, i, options))
    if (world.cancels < options.maxCancels) {
      const next = apply(world, i, { _tag: "CancelRequested", problem: "" }, options)
      add(`${i}: cancelled`, next === undefined ? undefined : { ...next, cancels: world.cancels + 1 })
    }
  })
  return moves
}

const count = <A>(all: ReadonlyArray<A>, one: A): number => all.filter((other) => other === one).length

/** What is wrong with a world, if anything is. */
const violation = ({ chain, payouts }: World, { contents }: Options): string | undefined => {
  for (const content of new Set(contents)) {
    const own = payouts.filter((_, i) => contents[i] === content)
    const executed = own.filter(({ _tag }) => _tag === "Executed").length
    const never = own.filter(({ _tag }) => _tag === "Refused" || _tag === "Cancelled").length
    const inBlocks = count(chain, content)
    if (inBlocks > own.length) return `${content} was paid ${inBlocks} times for ${own.length} keys`
    if (inBlocks > own.length - never) return `${content} was paid although its payout is refused or cancelled`
    if (executed > inBlocks) return `${content} counts as executed, and no block holds it`
  }
  const taken = payouts.flatMap((state) => state._tag === "Executed" ? [state.nonce] : [])
  return new Set(taken).size < taken.length ? "one transaction counts for two keys" : undefined
}

/** What happens to a payout next if everything works from now on. */
const onwards = (world: World, i: number, options: Options): World | undefined => {
  const state = world.payouts[i]
  const content = options.contents[i]
  if (state === undefined || content === undefined || PayoutState.isFinal(state)) return undefined
  if (state._tag === "Planned" || state._tag === "Superseded") {
    return reserve(world, i, { ...options, maxNonce: Infinity })
  }
  if (state._tag === "Reserved") return apply(world, i, { _tag: "SendBegun" }, options)
  if (state._tag === "WaitingForApproval") return undefined
  if (state._tag === "Sending" && state.closing === undefined && options.refused.includes(i)) {
    const outcome = options.classification.send(content, ["not an address"], "nothing")
    return apply(world, i, atNonce(options.contents, options.product.eventOf(state, outcome), state.nonce), options)
  }
  const event = lookUp(state, content, world.chain[state.nonce] ?? "nothing", options)
  return event === undefined ? undefined : apply(world, i, event, options)
}

/** A turn of all payouts, in which all requests that can be executed are. */
const turn = (world: World, options: Options): World => {
  let next: World = { ...world, unanswered: [] }
  for (const i of options.contents.keys()) {
    next = executeAll(onwards(next, i, options) ?? next, options)
    next = executeAll(fillGap(next, i, options) ?? next, options)
  }
  return next
}

const executeAll = (world: World, options: Options): World => {
  const [first] = executeMoves(world, options)
  return first === undefined ? world : executeAll(first[1], options)
}

/** What distinguishes a world: texts and hashes follow from the rest. */
const idOf = ({ air, book, cancels, chain, payouts, unanswered }: World): string => {
  const state = (one: PayoutState.PayoutState) =>
    "doubt" in one
      ? `${one._tag} ${one.attempt} ${one.nonce} ${one.sends} ${one.doubt} ${one.closing?.as} ${one.closing?.offered}`
      : "attempt" in one
      ? `${one._tag} ${one.attempt} ${one.nonce}`
      : one._tag
  const request = (one: Request) => `${one.payout} ${one.attempt} ${one.send}`
  return [
    payouts.map(state).join(),
    unanswered.map(request).sort().join(),
    air.join(),
    chain.join(),
    book.open.join(),
    book.gaps.join(),
    book.next,
    cancels
  ].join("|")
}

/** The most turns that a world takes until all payouts are final when everything works. */
const maxTurns = 60

/** Why a world never ends, or what it leaves behind. `good` are the worlds of which it is known that they end. */
const dead = (start: string, world: World, options: Options, good: Set<string>): string | undefined => {
  const seen: Array<string> = []
  let at = world
  for (let id = start; !good.has(id); id = idOf(at)) {
    if (seen.push(id) > maxTurns) return "a payout never becomes final"
    if (at.payouts.every(PayoutState.isFinal)) {
      // Whatever was reserved is in a block or free again.
      if (at.book.open.length > 0) return `the nonces ${at.book.open.join(", ")} are never free again`
      break
    }
    at = turn(at, options)
  }
  for (const id of seen) good.add(id)
  return undefined
}

export interface Result {
  readonly states: number
  readonly complete: boolean
  readonly tags: ReadonlySet<string>
  readonly violation: string | undefined
  /** How it came about. */
  readonly trace: ReadonlyArray<string>
}

/** Searches all worlds up to the bounds; stops at the first violation, which has the shortest way. */
export const search = async (asked: Omit<Options, "meanings">): Promise<Result> => {
  const options: Options = { ...asked, meanings: new Map() }
  const start = initial(options)
  const parents = new Map<string, readonly [parent: string, move: string] | undefined>([[idOf(start), undefined]])
  const queue: Array<readonly [id: string, world: World]> = [[idOf(start), start]]
  const tags = new Set<string>()
  const good = new Set<string>()
  const traceOf = (id: string): ReadonlyArray<string> => {
    const trace: Array<string> = []
    for (let at = parents.get(id); at !== undefined; at = parents.get(at[0])) trace.unshift(at[1])
    return trace
  }
  let done = 0
  for (const [id, world] of queue) {
    // The runner of the tests wants to be answered now and then.
    if (done++ % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
    for (const { _tag } of world.payouts) tags.add(_tag)
    const found = violation(world, options) ?? dead(id, world, options, good)
    if (found !== undefined) {
      return { states: parents.size, complete: false, tags, violation: found, trace: traceOf(id) }
    }
    if (queue.length > options.maxStates) continue
    for (const [move, next] of movesOf(world, options)) {
      const to = idOf(next)
      if (parents.has(to)) continue
      parents.set(to, [id, move])
      queue.push([to, next])
    }
  }
  return { states: queue.length, complete: queue.length <= options.maxStates, tags, violation: undefined, trace: [] }
}
