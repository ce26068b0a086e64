/** What the ends of sends say, held against what the chain shows. */
import type { SendVerdict } from "@effect-klaytn/wallet/SendOutcome"
import * as Arr from "effect/Array"

/** How a send ended, as the client told it; of an unknown one also what its look-up told. */
export type Ended =
  | { readonly _tag: "Sent"; readonly index: number; readonly hash: string }
  | { readonly _tag: "NotSent"; readonly index: number; readonly reason: string }
  | {
    readonly _tag: "Unknown"
    readonly index: number
    readonly reason: string
    /** The look-up made at once, if one was. */
    readonly early: SendVerdict | undefined
    /** The look-up made when nothing was on its way any more; none if it could not be made. */
    readonly verdict: SendVerdict | undefined
  }
  | { readonly _tag: "Died"; readonly index: number; readonly reason: string }

/** The hashes of the transactions that made each payment, by its content. */
export type Payments = ReadonlyMap<number, ReadonlyArray<string>>

/** Something that must not be, with what is needed to understand it. */
export interface Wrong {
  readonly kind: keyof Bad
  readonly end: Ended
  readonly hashes: ReadonlyArray<string>
}

/** What has to be zero. */
export interface Bad {
  /** Payments that were made more than once. */
  readonly doublePayments: number
  /** Told as sent, and not on the chain, or there as another transaction. */
  readonly wrongSent: number
  /** Told as not sent, and on the chain. */
  readonly wrongNotSent: number
  /** Look-ups that told something else than the chain. */
  readonly wrongLookups: number
  /** Unknown ends that their look-up left open, though they can be told apart from all others. */
  readonly unresolved: number
  /** Sends that ended in no way at all. */
  readonly lost: number
}

/** The counts of a drill. */
export interface Counts extends Bad {
  readonly sends: number
  readonly sent: number
  readonly notSent: number
  readonly unknown: number
  /** Pairs of payments that are equal. */
  readonly twins: number
  readonly resolvedSent: number
  readonly resolvedNotSent: number
  /** Unknown ends of which the look-up says that several equal transactions may be the one, and names them. */
  readonly indistinct: number
  /** Look-ups made at once that found nothing yet, where a late request did it afterwards. */
  readonly executedAfterLookup: number
  readonly reasons: Readonly<Record<string, number>>
}

/** Whether a look-up is right: nothing if it leaves the matter open. */
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

/** Twins that nothing tells apart: the look-up names what it can't choose from. */
const isIndistinct = (end: Ended): boolean =>
  end._tag === "Unknown" && end.verdict?._tag === "Ambiguous" && end.verdict.transactions.length > 0

const toldHash = (end: Ended): string | undefined =>
  end._tag === "Sent"
    ? end.hash
    : end._tag === "Unknown" && end.verdict?._tag === "Executed"
    ? end.verdict.transaction.transactionHash
    : undefined

/** Equal payments: each transaction was told to one of them at most, and all that happened to as many as may have. */
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
    else if (end._tag === "NotSent") denying.push({ kind: "wrongNotSent", end, hashes })
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
  wrong.push(...denying.slice(0, Math.max(0, more)))
  const [end] = ends
  if (end !== undefined && hashes.length > ends.length) wrong.push({ kind: "doublePayments", end, hashes })
  return wrong
}

const judge = (end: Ended, hashes: ReadonlyArray<string>): ReadonlyArray<keyof Bad> => {
  const bad: Array<keyof Bad> = hashes.length > 1 ? ["doublePayments"] : []
  switch (end._tag) {
    case "Sent":
      if (!hashes.includes(end.hash)) bad.push("wrongSent")
      break
    case "NotSent":
      if (hashes.length > 0) bad.push("wrongNotSent")
      break
    case "Unknown": {
      const right = isRight(end.verdict, hashes)
      if (right === undefined) bad.push("unresolved")
      // A look-up made at once may find nothing yet; what it does find has to be so.
      const early = end.early?._tag === "NotExecuted" ? undefined : isRight(end.early, hashes)
      if (right === false || early === false) bad.push("wrongLookups")
      break
    }
    case "Died":
      bad.push("lost")
  }
  return bad
}

/** Counts everything, and lists what must not be. `contentOf` says which payments are equal. */
export const count = (
  sends: number,
  ends: ReadonlyArray<Ended>,
  payments: Payments,
  contentOf: (index: number) => number = (index) => index
): { readonly counts: Counts; readonly wrong: ReadonlyArray<Wrong> } => {
  const of = (tag: Ended["_tag"]) => ends.filter(({ _tag }) => _tag === tag).length
  const hashesOf = ({ index }: Ended) => payments.get(contentOf(index)) ?? []
  const equal = Object.values(Arr.groupBy(ends, ({ index }) => String(contentOf(index))))
  const wrong = equal.flatMap((group) => {
    const [end, ...others] = group
    const hashes = hashesOf(end)
    return others.length > 0 ? judgeTwins(group, hashes) : judge(end, hashes).map((kind) => ({ kind, end, hashes }))
  })
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

/** Whether nothing is that must not be. */
export const isGood = (counts: Counts): boolean =>
  counts.doublePayments + counts.wrongSent + counts.wrongNotSent + counts.wrongLookups + counts.unresolved +
      counts.lost === 0
