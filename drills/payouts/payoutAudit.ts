/**
 * The audit of the drill. It compares what was asked for and what the package told with the blocks of the chain, and shares
 * no code with the package. A payment that the chain does not prove counts as unknown.
 */
import type { Executed } from "./payoutChain.js"
import { aside, type Requested } from "./payoutPlan.js"

/** A state as the package documents it. */
interface State {
  readonly _tag: string
  readonly attempt?: number
  readonly transactionHash?: string
  readonly block?: number
  readonly reason?: string
  readonly problem?: string
  readonly closing?: { readonly offered: boolean }
}

/** A payout with its history, as the package tells it. */
export interface Told {
  readonly key: string
  readonly state: State
  readonly history: ReadonlyArray<{
    readonly version: number
    readonly at: number
    readonly event: { readonly _tag: string; readonly by?: string }
    readonly state: State
  }>
}

/** A request to send, as the wire saw it. */
export interface Send {
  /** Unix time in milliseconds. */
  readonly at: number
  readonly from: string
  /** Without it the service chooses. */
  readonly nonce: number | undefined
  readonly to: string
  readonly value: bigint
}

/** What is compared. */
export interface Facts {
  readonly requests: ReadonlyArray<Requested>
  /** By key, as stored at the end. */
  readonly told: ReadonlyMap<string, Told>
  /** The ends that anybody was told, by key, as JSON. */
  readonly ends: ReadonlyMap<string, ReadonlySet<string>>
  /** The keys for which a process logged an alert. */
  readonly alerted: ReadonlySet<string>
  /** All transactions of the paying accounts. */
  readonly chain: ReadonlyArray<Executed>
  readonly sends: ReadonlyArray<Send>
  readonly window: { readonly max: bigint; readonly millis: number }
  /** When the last fault ended, in milliseconds, and how long everything may take from then on. */
  readonly lastBlow: number
  readonly settleWithin: number
}

/** What can be wrong. */
export const wrongs = ["twice", "lost", "wrong", "unknown", "silent", "slow", "overspent"] as const

type Wrong = (typeof wrongs)[number]

/** Something wrong, and the key that it is about, if it is about one. */
export interface Problem {
  readonly kind: Wrong
  readonly key: string | undefined
  readonly text: string
}

/** What was found. */
export interface Verdict extends Readonly<Record<Wrong, number>> {
  readonly keys: number
  readonly executed: number
  readonly refused: number
  /** Of those, the ones whose account had coin and that fitted into the window: a fault of the wire denied them. */
  readonly refusedByFault: number
  readonly cancelled: number
  /** Keys with more than one attempt. */
  readonly replanned: number
  /** Transactions on the chain: payments of keys, those that open an account, and cancellations. */
  readonly payments: number
  readonly openings: number
  readonly cancellations: number
  readonly alerted: number
  /** The most that was spent in an interval of the window's length, in peb. */
  readonly maxByBlocks: string
  readonly maxBySends: string
  /** From the last fault to the last change of a payout, in seconds. */
  readonly settledAfter: number
  readonly problems: ReadonlyArray<Problem>
}

const notPaid = ["Refused", "Cancelled"]

const isEnd = ({ _tag }: State): boolean => _tag === "Executed" || notPaid.includes(_tag)

const isPaymentOf = ({ from, to, value }: Requested, one: Executed): boolean =>
  one.succeeded && one.from === from && one.to === to && one.value === BigInt(value)

const isOpening = (one: Executed): boolean => one.to === one.from && one.value === 0n

const isCancellation = (one: Executed): boolean => one.type.includes("Cancel")

class Audit {
  readonly problems: Array<Problem> = []
  /** The key that each payment belongs to. */
  readonly claimed = new Map<string, string>()
  readonly byHash: ReadonlyMap<string, Executed>

  constructor(readonly facts: Facts) {
    this.byHash = new Map(facts.chain.map((one) => [one.hash, one]))
  }

  blame(kind: Wrong, key: string | undefined, text: string): void {
    this.problems.push({ kind, key, text: key === undefined ? text : `${key} ${text}` })
  }

  state({ key }: Requested): State | undefined {
    return this.facts.told.get(key)?.state
  }

  /** What is told of one key. */
  judgeKey(request: Requested): void {
    const { alerted, lastBlow, settleWithin } = this.facts
    const { key } = request
    const told = this.facts.told.get(key)
    if (told === undefined) return this.blame("lost", key, "is not stored")
    const { state } = told
    if (!isEnd(state)) {
      this.blame("unknown", key, `is still ${state._tag}`)
      if (!alerted.has(key)) this.blame("silent", key, `is still ${state._tag}, and no process has logged an alert`)
      return
    }
    const last = told.history.at(-1)?.at ?? 0
    if (last > lastBlow + settleWithin) {
      this.blame("slow", key, `has ended ${(last - lastBlow) / 1000} s after the last fault`)
    }
    if (state._tag !== "Refused" && notPaid.includes(state._tag) && !request.isCancelled) {
      this.blame("wrong", key, "is said to be cancelled, and nobody asked for that")
    }
    if (state._tag === "Executed") this.claim(request, state)
  }

  /** A payment that is told must be on the chain as it was asked for, and belong to no other key. */
  claim(request: Requested, { block, transactionHash = "" }: State): void {
    const { key } = request
    const payment = this.byHash.get(transactionHash)
    const other = this.claimed.get(transactionHash)
    if (payment === undefined) return this.blame("lost", key, `is said to be paid by ${transactionHash}`)
    if (other !== undefined) return this.blame("lost", key, `and ${other} are said to be paid by ${transactionHash}`)
    this.claimed.set(transactionHash, key)
    if (!isPaymentOf(request, payment)) {
      this.blame("wrong", key, `is paid otherwise than was asked for: ${transactionHash}`)
    } else if (payment.block !== block) this.blame("wrong", key, `is in block ${payment.block}, not in ${block}`)
  }

  /** Ends are the same for everyone and for ever. */
  judgeHistory({ key, kind }: Requested): void {
    const ends = this.facts.ends.get(key) ?? new Set()
    const told = this.facts.told.get(key)
    if (ends.size > 1) this.blame("wrong", key, `has ended differently for different callers: ${[...ends].join(" ")}`)
    if (told === undefined) return
    const [end] = ends
    if (end !== undefined && end !== JSON.stringify(told.state)) {
      this.blame("wrong", key, `is ${JSON.stringify(told.state)}, and a caller was told ${end}`)
    }
    const isOffered = told.history.some(({ state }) => state.closing?.offered === true)
    for (const [i, { event, state, version }] of told.history.entries()) {
      if (version !== i + 1) this.blame("wrong", key, `has change ${version} in place ${i + 1} of its history`)
      if (isEnd(state) && i + 1 < told.history.length) {
        this.blame("wrong", key, `has changed after its end ${state._tag}`)
      }
      // A nonce belongs to one key at a time, unless the package offers it to the next one. The service may choose another
      // than the first of an account.
      if (isOffered || kind === "fresh" || kind === "poor") continue
      const other = event.by === undefined ? undefined : this.claimed.get(event.by)
      if (other !== undefined && other !== key) this.blame("wrong", key, `had the nonce of ${other}`)
    }
  }

  /** The payments that nobody claims, by those who may have asked for them: equal requests are judged together. */
  judgePayments(equal: ReadonlyArray<Requested>): void {
    const [first] = equal
    if (first === undefined) return
    const unclaimed = this.facts.chain.filter((one) => isPaymentOf(first, one) && !this.claimed.has(one.hash))
    const open = equal.filter((one) => !isEnd(this.state(one) ?? { _tag: "" }))
    const unpaid = equal.filter((one) => notPaid.includes(this.state(one)?._tag ?? ""))
    for (const { hash } of unclaimed.slice(open.length)) {
      const liar = unpaid.shift()
      if (liar !== undefined) this.blame("wrong", liar.key, `is ${this.state(liar)?._tag}, and it was paid: ${hash}`)
      else this.blame("twice", first.key, `${equal.length > 1 ? "or one equal to it " : ""}was paid again: ${hash}`)
    }
  }

  /** The accounts have sent nothing else. */
  judgeOthers(): void {
    for (const one of this.facts.chain) {
      const isAsked = this.facts.requests.some((request) => isPaymentOf(request, one))
      if (isAsked || !one.succeeded || one.to === aside || isOpening(one) || isCancellation(one)) continue
      this.blame("wrong", undefined, `${one.value} peb from ${one.from} to ${one.to} in ${one.hash} belong to no key`)
    }
  }

  /** The most that was spent in any interval of the window's length; each ID counts once in an interval. */
  most(
    spends: ReadonlyArray<{ readonly at: number; readonly id: string; readonly value: bigint }>,
    by: string
  ): bigint {
    const { max, millis } = this.facts.window
    const sorted = [...spends].sort((a, b) => a.at - b.at)
    let most = 0n
    let isOver = false
    for (const [i, { at }] of sorted.entries()) {
      const inside = new Map<string, bigint>()
      for (const one of sorted.slice(i)) {
        if (one.at >= at + millis) break
        inside.set(one.id, one.value)
      }
      const sum = [...inside.values()].reduce((sum, value) => sum + value, 0n)
      if (sum > most) most = sum
      const wasOver = isOver
      isOver = sum > max
      if (isOver && !wasOver) {
        const large = [...inside].filter(([, value]) => value * 10n > max).map(([id]) => id)
        this.blame(
          "overspent",
          undefined,
          `by ${by}, ${sum} peb from ${new Date(at).toISOString()} on: ${large.join(", ")}`
        )
      }
    }
    return most
  }

  spends() {
    const { chain, requests, sends } = this.facts
    const keys = new Map(requests.filter(({ kind }) => kind !== "equal").map(({ key, to }) => [to, key]))
    const used = new Map(chain.map((one) => [`${one.from} ${one.nonce}`, one.time]))
    // What reaches the service after the block that used its nonce can't be executed.
    const alive = sends.filter(({ at, from, nonce = 0 }) =>
      at < ((used.get(`${from} ${nonce}`) ?? Infinity) + 1) * 1000
    )
    return {
      maxByBlocks: this.most(
        chain.filter(({ succeeded }) => succeeded).map(({ hash, time, to, value }) => ({
          at: time * 1000,
          id: `${keys.get(to) ?? to} ${hash}`,
          value
        })),
        "blocks"
      ),
      maxBySends: this.most(
        alive.map(({ at, from, nonce, to, value }) => ({ at, id: keys.get(to) ?? `${from} ${nonce}`, value })),
        "sends"
      )
    }
  }
}

/** Compares. */
export const audit = (facts: Facts): Verdict => {
  const { chain, lastBlow, requests, told } = facts
  const audit = new Audit(facts)
  for (const request of requests) audit.judgeKey(request)
  for (const request of requests) audit.judgeHistory(request)
  const groups = new Map<string, Array<Requested>>()
  for (const request of requests) {
    const group = groups.get(request.to) ?? []
    groups.set(request.to, group)
    group.push(request)
  }
  for (const group of groups.values()) audit.judgePayments(group)
  audit.judgeOthers()
  const { maxByBlocks, maxBySends } = audit.spends()
  const payouts = [...told.values()]
  const having = (...tags: ReadonlyArray<string>) => payouts.filter(({ state }) => tags.includes(state._tag)).length
  const wrong = (kind: Wrong) => audit.problems.filter((problem) => problem.kind === kind).length
  return {
    keys: requests.length,
    executed: having("Executed"),
    refused: having("Refused"),
    refusedByFault:
      requests.filter(({ key, kind }) =>
        told.get(key)?.state._tag === "Refused" && kind !== "large" && kind !== "poor" && kind !== "short"
      ).length,
    cancelled: having("Cancelled"),
    replanned: payouts.filter(({ history }) => history.some(({ state }) => (state.attempt ?? 1) > 1)).length,
    payments: chain.filter((one) => requests.some((request) => isPaymentOf(request, one))).length,
    openings: chain.filter(isOpening).length,
    cancellations: chain.filter(isCancellation).length,
    alerted: facts.alerted.size,
    maxByBlocks: String(maxByBlocks),
    maxBySends: String(maxBySends),
    settledAfter: Math.max(0, ...payouts.map(({ history }) => ((history.at(-1)?.at ?? 0) - lastBlow) / 1000)),
    twice: wrong("twice"),
    lost: wrong("lost"),
    wrong: wrong("wrong"),
    unknown: wrong("unknown"),
    silent: wrong("silent"),
    slow: wrong("slow"),
    overspent: wrong("overspent"),
    problems: audit.problems
  }
}
