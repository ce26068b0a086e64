/** Compares the outcomes of sends with the chain. */
import type { Proof, SendVerdict } from "@effect-klaytn/wallet/SendOutcome"
import * as Arr from "effect/Array"
import type { Fault } from "./faultProxy.js"

/** The outcome of a send as the client reported it, and if unknown, what its look-ups said. */
export type Ended =
  | { readonly _tag: "Sent"; readonly index: number; readonly hash: string }
  | {
    readonly _tag: "NotSent"
    readonly index: number
    readonly reason: string
    /** How it is known; none for a transaction that was signed locally. */
    readonly proof: Proof | undefined
    /** The faults that its requests met, those of its look-up included. */
    readonly met: ReadonlyArray<Fault>
  }
  | {
    readonly _tag: "Unknown"
    readonly index: number
    readonly reason: string
    /** The look-up made at once, if any. */
    readonly early: SendVerdict | undefined
    /** The look-up made when nothing was in flight any more; none if it was impossible. */
    readonly verdict: SendVerdict | undefined
  }
  | { readonly _tag: "Died"; readonly index: number; readonly reason: string }

/** The hashes of the transactions that made each payment, by its content. */
export type Payments = ReadonlyMap<number, ReadonlyArray<string>>

/** A fault, with what is needed to understand it. */
export interface Wrong {
  readonly kind: keyof Bad | "lookupRaces"
  readonly end: Ended
  readonly hashes: ReadonlyArray<string>
}

/** Counts that must be zero. */
export interface Bad {
  /** Payments that were made more than once. */
  readonly doublePayments: number
  /** Reported as sent but not on the chain, or there as another transaction. */
  readonly wrongSent: number
  /** Reported as not sent but on the chain, {@link Counts.lookupRaces} left out. */
  readonly wrongNotSent: number
  /** Look-ups that contradict the chain. */
  readonly wrongLookups: number
  /** Unknown sends that their look-up left undecided although they can be told apart from all others. */
  readonly unresolved: number
  /** Sends without an outcome. */
  readonly lost: number
}

/** The counts of a drill. */
export interface Counts extends Bad {
  readonly sends: number
  readonly sent: number
  readonly notSent: number
  readonly unknown: number
  /**
   * Reported as not sent with the proof `lookup`, but on the chain, while the wire did what that proof leaves open: showed
   * an old state to the look-up, or delivered a copy late.
   */
  readonly lookupRaces: number
  /** Pairs of equal payments. */
  readonly twins: number
  readonly resolvedSent: number
  readonly resolvedNotSent: number
  /** Unknown sends for which the look-up names several equal transactions. */
  readonly indistinct: number
  /** Immediate look-ups that found nothing because the request was carried out later. */
  readonly executedAfterLookup: number
  readonly reasons: Readonly<Record<string, number>>
}

/** The faults by which a send can be executed although its look-up found nothing. */
const racing: ReadonlyArray<Fault> = ["older answer", "late before", "again later", "after a later one"]

const kindOfDenied = ({ met, proof }: Extract<Ended, { readonly _tag: "NotSent" }>): Wrong["kind"] =>
  proof === "lookup" && met.some((fault) => racing.includes(fault)) ? "lookupRaces" : "wrongNotSent"

/** Whether a look-up is right; undefined if it is undecided. */
const isRight = (verdict: SendVerdict | undefined, hashes: ReadonlyArray<string>): boolean | undefined => {
  switch (verdict?._tag) {
    case "Executed":
      return hashes.includes(verdict.transaction.transactionHash)
    case "NotExecuted":
    case "Superseded":
      return hashes.length === 0
    default:
      return undefined
  }
}

/** Indistinguishable twins: the look-up names the candidates. */
const isIndistinct = (end: Ended): boolean =>
  end._tag === "Unknown" && end.verdict?._tag === "Ambiguous" && end.verdict.transactions.length > 0

const toldHash = (end: Ended): string | undefined =>
  end._tag === "Sent"
    ? end.hash
    : end._tag === "Unknown" && end.verdict?._tag === "Executed"
    ? end.verdict.transaction.transactionHash
    : undefined

/** Equal payments: each transaction was reported to at most one of them, and no more were reported than happened. */
const judgeTwins = (ends: ReadonlyArray<Ended>, hashes: ReadonlyArray<string>): ReadonlyArray<Wrong> => {
  const wrong: Array<Wrong> = []
  const told = new Set<string>()
  const denying: Array<Wrong> = []
  let open = 0
  for (const end of [...ends].sort((one, other) => Number(other._tag === "Sent") - Number(one._tag === "Sent"))) {
    const hash = toldHash(end)
    if (hash !== undefined) {
      if (told.has(hash) || !hashes.includes(hash)) {
        wrong.push({ kind: end._tag === "Sent" ? "wrongSent" : "wrongLookups", end, hashes })
      }
      told.add(hash)
    } else if (end._tag === "Died") wrong.push({ kind: "lost", end, hashes })
    else if (end._tag === "NotSent") denying.push({ kind: kindOfDenied(end), end, hashes })
    else if (end._tag === "Unknown" && (end.verdict?._tag === "NotExecuted" || end.verdict?._tag === "Superseded")) {
      denying.push({ kind: "wrongLookups", end, hashes })
    } else {
      open++
      if (!isIndistinct(end)) wrong.push({ kind: "unresolved", end, hashes })
    }
    if (end._tag === "Unknown" && end.early?._tag === "Executed") {
      if (!hashes.includes(end.early.transaction.transactionHash)) wrong.push({ kind: "wrongLookups", end, hashes })
    }
  }
  const more = hashes.filter((hash) => !told.has(hash)).length - open
  // Which of several was executed can't be told: what no race explains is named first.
  denying.sort((one, other) => Number(one.kind === "lookupRaces") - Number(other.kind === "lookupRaces"))
  wrong.push(...denying.slice(0, Math.max(0, more)))
  const [end] = ends
  if (end !== undefined && hashes.length > ends.length) wrong.push({ kind: "doublePayments", end, hashes })
  return wrong
}

const judge = (end: Ended, hashes: ReadonlyArray<string>): ReadonlyArray<Wrong["kind"]> => {
  const bad: Array<Wrong["kind"]> = hashes.length > 1 ? ["doublePayments"] : []
  switch (end._tag) {
    case "Sent":
      if (!hashes.includes(end.hash)) bad.push("wrongSent")
      break
    case "NotSent":
      if (hashes.length > 0) bad.push(kindOfDenied(end))
      break
    case "Unknown": {
      const right = isRight(end.verdict, hashes)
      if (right === undefined) bad.push("unresolved")
      // An immediate look-up may find nothing yet, but what it finds must be right.
      const early = end.early?._tag === "NotExecuted" ? undefined : isRight(end.early, hashes)
      if (right === false || early === false) bad.push("wrongLookups")
      break
    }
    case "Died":
      bad.push("lost")
  }
  return bad
}

/** Counts everything and lists the faults. Payments with the same `contentOf` are equal. */
export const count = (
  sends: number,
  ends: ReadonlyArray<Ended>,
  payments: Payments,
  contentOf: (index: number) => number = (index) => index
): { readonly counts: Counts; readonly wrong: ReadonlyArray<Wrong> } => {
  const of = (tag: Ended["_tag"]) => ends.filter(({ _tag }) => _tag === tag).length
  const hashesOf = ({ index }: Ended) => payments.get(contentOf(index)) ?? []
  const equal = Object.values(Arr.groupBy(ends, ({ index }) => String(contentOf(index))))
  const found = equal.flatMap((group) => {
    const [end, ...others] = group
    const hashes = hashesOf(end)
    return others.length > 0 ? judgeTwins(group, hashes) : judge(end, hashes).map((kind) => ({ kind, end, hashes }))
  })
  const wrong = found.filter(({ kind }) => kind !== "lookupRaces")
  const twins = equal.filter(({ length }) => length > 1)
  const bad = (kind: keyof Bad) => wrong.filter((one) => one.kind === kind).length
  const unknown = ends.flatMap((end) => end._tag === "Unknown" ? [{ end, hashes: hashesOf(end) }] : [])
  const verdicts = (...tags: ReadonlyArray<SendVerdict["_tag"]>) =>
    unknown.filter(({ end }) => end.verdict !== undefined && tags.includes(end.verdict._tag)).length
  const reasons: Record<string, number> = {}
  for (const end of ends) {
    if (end._tag === "Sent") continue
    const name = `${end._tag}: ${end.reason}`
    reasons[name] = (reasons[name] ?? 0) + 1
  }
  const counts: Counts = {
    sends,
    sent: of("Sent"),
    notSent: of("NotSent"),
    unknown: unknown.length,
    twins: twins.length,
    resolvedSent: verdicts("Executed"),
    resolvedNotSent: verdicts("NotExecuted", "Superseded"),
    indistinct: twins.flat().filter(isIndistinct).length,
    lookupRaces: found.length - wrong.length,
    doublePayments: bad("doublePayments"),
    wrongSent: bad("wrongSent"),
    wrongNotSent: bad("wrongNotSent"),
    wrongLookups: bad("wrongLookups"),
    unresolved: bad("unresolved"),
    lost: bad("lost") + sends - ends.length,
    executedAfterLookup:
      unknown.filter(({ end, hashes }) => end.early?._tag === "NotExecuted" && hashes.length > 0).length,
    reasons
  }
  return { counts, wrong }
}

/** Whether there are no faults. */
export const isGood = (counts: Counts): boolean =>
  counts.doublePayments + counts.wrongSent + counts.wrongNotSent + counts.wrongLookups + counts.unresolved +
      counts.lost === 0
