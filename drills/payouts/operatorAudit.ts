/** The audit of the drill of operators: the blocks against what was asked for, said and told. It shares no code with the package. */
import { type Requested, strict } from "./operatorPlan.js"
import type { Told } from "./payoutAudit.js"
import type { Executed } from "./payoutChain.js"

/** What is compared. */
export interface Facts {
  readonly requests: ReadonlyArray<Requested>
  /** By key, as stored at the end. */
  readonly told: ReadonlyMap<string, Told>
  /** The keys that an operator approved, or tried to. */
  readonly approved: ReadonlySet<string>
  readonly chain: ReadonlyArray<Executed>
  /** The payments that were left in a state that says nothing for too long, and in which. */
  readonly stuck: ReadonlyMap<string, string>
}

export interface Verdict {
  readonly unapproved: number
  readonly aboveLimit: number
  readonly twice: number
  readonly wrong: number
  readonly lost: number
  readonly stuck: number
  readonly executed: number
  readonly refused: number
  readonly cancelled: number
  readonly waiting: number
  readonly left: number
  /** Payments that a block has though an operator said, against what could be known, that they were not sent. */
  readonly falseWords: number
  readonly problems: ReadonlyArray<string>
}

const sumOf = (all: ReadonlyArray<Executed>): bigint => all.reduce((sum, { value }) => sum + value, 0n)

export const audit = ({ approved, chain, requests, stuck, told }: Facts): Verdict => {
  const problems: Array<string> = []
  const counts = { unapproved: 0, aboveLimit: 0, twice: 0, wrong: 0, lost: 0, falseWords: 0 }
  const report = (what: keyof typeof counts, text: string): void => {
    counts[what]++
    problems.push(`${what}: ${text}`)
  }
  const paidOf = (to: string) => chain.filter((one) => one.succeeded && one.to === to && one.value > 0n)
  for (const { isStrict, key, to, value } of requests) {
    const paid = paidOf(to)
    const one = told.get(key)
    const tag = one?.state._tag ?? "not stored"
    const happened = new Set(one?.history.map(({ event }) => event._tag))
    if (paid.length > 1) report("twice", `${key} was paid ${paid.length} times`)
    if (paid.some((payment) => payment.value !== value)) report("wrong", `${key} was paid with another value`)
    if (paid.length > 0 && isStrict) {
      const isLarge = value > BigInt(strict.approveAbove)
      if (isLarge && !(approved.has(key) && happened.has("Approved"))) {
        report("unapproved", `${key} was paid unapproved`)
      }
      if (value > BigInt(strict.each)) report("aboveLimit", `${key} was paid above the limit`)
    }
    if (tag === "Executed" && paid.length === 0) report("wrong", `${key} is Executed, and no block has it`)
    if ((tag === "Cancelled" || tag === "Refused") && paid.length > 0) {
      if (happened.has("DeclaredNotSent")) counts.falseWords++
      else report("wrong", `${key} is ${tag}, and a block has it`)
    }
    if (one === undefined) report("lost", `${key} is not stored`)
  }
  const strictPaid = sumOf(requests.filter(({ isStrict }) => isStrict).flatMap(({ to }) => paidOf(to)))
  if (strictPaid > BigInt(strict.day)) report("aboveLimit", `${strictPaid} was paid in a day`)
  for (const [key, why] of stuck) problems.push(`stuck: ${key} ${why}`)
  const having = (tag: string) => [...told.values()].filter(({ state }) => state._tag === tag).length
  return {
    ...counts,
    stuck: stuck.size,
    executed: having("Executed"),
    refused: having("Refused"),
    cancelled: having("Cancelled"),
    waiting: having("WaitingForApproval"),
    left: [...told.values()].filter(({ history }) => history.some(({ event }) => event._tag === "LimitsDiffer")).length,
    problems
  }
}

/** Whether nothing was wrong, and whether the drill did what it is for. */
export const isGood = (verdict: Verdict): boolean =>
  verdict.unapproved + verdict.aboveLimit + verdict.twice + verdict.wrong + verdict.lost + verdict.stuck === 0 &&
  verdict.executed > 0 && verdict.left > 0
