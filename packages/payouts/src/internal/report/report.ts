/** Makes the report of a day: reads the payouts of the day, and every transaction that their accounts made in it. */
import type * as Address from "@effect-klaytn/core/Address"
import type { Chain } from "@effect-klaytn/core/Chain"
import type { Hash } from "@effect-klaytn/core/Hash"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { DayReport, Difference, Total } from "../../DayReport.js"
import type { DatabaseFailed } from "../../PayoutError.js"
import * as PayoutState from "../../PayoutState.js"
import type { Store, Stored } from "../store.js"
import type { Blocks, ChainView, Mined } from "./chainView.js"
import * as compare from "./compare.js"

const dayLength = Duration.toMillis("1 day")

/** How many look-ups run at once. */
const concurrency = 8

/** What a report needs. */
export interface Sources {
  readonly store: Store<DatabaseFailed>
  readonly chain: Chain
  readonly view: ChainView
}

/** The beginning of a day of UTC, in Unix milliseconds. */
const startOf = (day: string): Effect.Effect<number, InvalidInput> => {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(day)
    ? Effect.succeed(start)
    : Effect.fail(InvalidInput.at("payouts.report", ["day"], "a day is written as 2026-11-23"))
}

/** What adds up while the payouts and the transactions of a day are read. */
class Sums {
  readonly totals = new Map<string, Total>()
  readonly fees = new Map<Address.Address, { readonly count: number; readonly fee: bigint }>()
  readonly differences: Array<Difference> = []
  movedNothing = { count: 0, fee: 0n }
  /** The payouts that name a transaction. */
  readonly #claims = new Map<Hash, ReadonlyArray<string>>()
  /** The accounts and nonces of the transactions that payouts name. */
  readonly #explained = new Set<string>()

  addPayment(payout: Stored, fee: bigint): void {
    const [token, state] = [compare.tokenOf(payout), payout.state._tag]
    const id = `${token ?? ""} ${state}`
    const sum = this.totals.get(id) ?? { token, state, count: 0, amount: 0n, fee: 0n }
    this.totals.set(id, {
      ...sum,
      count: sum.count + 1,
      amount: sum.amount + compare.amountOf(payout),
      fee: sum.fee + fee
    })
  }

  #addFeeOf(account: Address.Address, fee: bigint): void {
    const sum = this.fees.get(account) ?? { count: 0, fee: 0n }
    this.fees.set(account, { count: sum.count + 1, fee: sum.fee + fee })
  }

  addFee({ fee, from, paidBy, senderShare }: Mined): void {
    this.#addFeeOf(paidBy, fee - senderShare)
    if (senderShare > 0n) this.#addFeeOf(from, senderShare)
  }

  /** Records that a payout names a transaction. Returns whether it is the first one. */
  claim({ key }: Stored, { from, nonce, transactionHash }: Mined): boolean {
    const keys = this.#claims.get(transactionHash) ?? []
    this.#claims.set(transactionHash, [...keys, key])
    this.#explained.add(`${from} ${nonce}`)
    return keys.length === 0
  }

  get claimedTwice(): ReadonlyArray<Difference> {
    return [...this.#claims].flatMap(([transactionHash, keys]) =>
      keys.length > 1 ? [{ _tag: "ClaimedTwice", transactionHash, keys }] : []
    )
  }

  isExplained(from: Address.Address, nonce: number): boolean {
    return this.#explained.has(`${from} ${nonce}`)
  }
}

/** The nonce of a payout that is in a block, also if it failed there. */
const nonceOf = ({ store }: Sources, { key, state }: Stored) =>
  "nonce" in state ? Effect.succeed(state.nonce) : Effect.map(
    store.history(key),
    (history) => history.flatMap(({ event }) => event._tag === "Found" ? [event.nonce] : []).at(-1)
  )

/** The transaction of a payout that the database has in a block: the one with its hash, or else with its nonce. */
const transactionOf = (sources: Sources, payout: Stored, { transactionHash }: compare.InBlock) =>
  Effect.gen(function*() {
    const named = yield* sources.view.byHash(transactionHash)
    if (Option.isSome(named)) return named
    const nonce = yield* nonceOf(sources, payout)
    return nonce === undefined
      ? Option.none<Mined>()
      : yield* sources.view.byNonce(payout.content.request.from, nonce)
  })

/** Counts a payout that belongs to the day, and compares it with its transaction. */
const addPayout = (sources: Sources, sums: Sums, payout: Stored, state: compare.InBlock) =>
  Effect.map(transactionOf(sources, payout, state), (found) => {
    const mined = Option.getOrUndefined(Option.filter(found, (mined) => sums.claim(payout, mined)))
    sums.addPayment(payout, mined?.fee ?? 0n)
    if (mined !== undefined) {
      sums.addFee(mined)
      sums.differences.push(...compare.differences(payout, mined))
    } else if (Option.isNone(found)) {
      const { block, transactionHash } = state
      sums.differences.push({ _tag: "NotOnChain", key: payout.key, transactionHash, block })
    }
  })

/** The payout of a transaction, if the database does not have the payout in a block of the day. */
const ownerOf = (candidates: ReadonlyArray<Stored>, mined: Mined): Stored | undefined =>
  candidates.find((payout) => {
    const state = compare.inBlock(payout.state)
    return state === undefined ? compare.movesSame(payout, mined) : state.transactionHash === mined.transactionHash
  })

const addTransaction = ({ chain, store, view }: Sources, sums: Sums, from: Address.Address, nonce: number) =>
  Effect.gen(function*() {
    const found = yield* view.byNonce(from, nonce)
    // The account's transaction count shows that a block has it. If it were skipped, a difference could be missed.
    if (Option.isNone(found)) {
      return yield* new LookupFailed({ problem: `the transaction of ${from} with nonce ${nonce} was not found` })
    }
    const mined = found.value
    sums.addFee(mined)
    if (compare.movesNothing(mined)) {
      const { count, fee } = sums.movedNothing
      sums.movedNothing = { count: count + 1, fee: fee + mined.fee }
      return
    }
    const owner = ownerOf(yield* store.reservedBy(chain, from, nonce), mined)
    const { block, input, to, transactionHash, typeInt, value } = mined
    sums.differences.push(
      ...(owner === undefined
        ? [{ _tag: "Unexplained" as const, transactionHash, from, nonce, block, to, value, input, typeInt }]
        : compare.differences(owner, mined))
    )
  })

/** The time of a block is the chain's, and that of a change the database's: their clocks may be days apart. */
const addPayouts = (sources: Sources, sums: Sums, start: number, blocks: Blocks) => {
  const { chain, store } = sources
  const day = { start, end: start + dayLength }
  return Stream.paginateChunkEffect("", (after) => store.ofDay(day, blocks, after)).pipe(
    Stream.filter(({ content }) => content.chain === chain),
    Stream.mapEffect((payout) => {
      const state = compare.inBlock(payout.state)
      if (state === undefined) return Effect.sync(() => sums.addPayment(payout, 0n))
      // One that was changed on this day may be in a block of another one. A block that the chain does not have is of no day.
      const isOfDay = state.block > blocks.head || state.block >= blocks.first && state.block <= blocks.last
      return isOfDay ? addPayout(sources, sums, payout, state) : Effect.void
    }, { concurrency }),
    Stream.runDrain
  )
}

/** Looks at every transaction of the day that no payout of the day explains. */
const addTransactions = (sources: Sources, sums: Sums, { first, last }: Blocks) =>
  Effect.gen(function*() {
    const { chain, store, view } = sources
    const accounts = yield* store.senders(chain)
    yield* Effect.forEach(accounts, (from) =>
      Effect.gen(function*() {
        const begin = yield* view.countAt(from, first - 1)
        const end = yield* view.countAt(from, last)
        const nonces = Array.from({ length: end - begin }, (_, i) => begin + i)
        yield* Effect.forEach(
          nonces.filter((nonce) => !sums.isExplained(from, nonce)),
          (nonce) => addTransaction(sources, sums, from, nonce),
          { discard: true }
        )
      }), { concurrency, discard: true })
  })

/** The final states come first. */
const order: ReadonlyArray<PayoutState.Tag> = [...PayoutState.FinalTag.literals, ...PayoutState.Tag.literals]

const byToken = (left: Total, right: Total): number =>
  (left.token ?? "").localeCompare(right.token ?? "") || order.indexOf(left.state) - order.indexOf(right.state)

const subjectOf = (difference: Difference): string => {
  switch (difference._tag) {
    case "ClaimedTwice":
      return difference.keys.join(" ")
    case "Unexplained":
      return `\uffff${difference.from} ${String(difference.nonce).padStart(16, "0")}`
    default:
      return difference.key
  }
}

/** The report of a day of UTC. */
export const make = (
  sources: Sources,
  day: string
): Effect.Effect<DayReport, InvalidInput | LookupFailed | DatabaseFailed> =>
  Effect.gen(function*() {
    const start = yield* startOf(day)
    const blocks = yield* sources.view.blocksOf(start, start + dayLength)
    const sums = new Sums()
    yield* addPayouts(sources, sums, start, blocks)
    const hasBlocks = blocks.last >= blocks.first
    if (hasBlocks) yield* addTransactions(sources, sums, blocks)
    return {
      day,
      timeZone: "UTC" as const,
      chain: sources.chain,
      ...(hasBlocks ? { blocks: { first: blocks.first, last: blocks.last } } : {}),
      isOver: blocks.isOver,
      totals: [...sums.totals.values()].toSorted(byToken),
      movedNothing: sums.movedNothing,
      fees: [...sums.fees].map(([paidBy, sum]) => ({ paidBy, ...sum })).toSorted((a, b) =>
        a.paidBy.localeCompare(b.paidBy)
      ),
      differences: [...sums.differences, ...sums.claimedTwice].sort((a, b) => subjectOf(a).localeCompare(subjectOf(b)))
    }
  })
