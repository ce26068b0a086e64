/** What the ends of sends say, held against what the chain shows. */
import type { SendVerdict } from "@effect-klaytn/wallet/SendOutcome"

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

/** The hashes of the transactions that made each payment, by its number. */
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
  /** Unknown ends that their look-up left open. */
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
  readonly resolvedSent: number
  readonly resolvedNotSent: number
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

/** Counts everything, and lists what must not be. */
export const count = (
  sends: number,
  ends: ReadonlyArray<Ended>,
  payments: Payments
): { readonly counts: Counts; readonly wrong: ReadonlyArray<Wrong> } => {
  const of = (tag: Ended["_tag"]) => ends.filter(({ _tag }) => _tag === tag).length
  const hashesOf = ({ index }: Ended) => payments.get(index) ?? []
  const wrong = ends.flatMap((end) => judge(end, hashesOf(end)).map((kind) => ({ kind, end, hashes: hashesOf(end) })))
  const bad = (kind: keyof Bad) => wrong.filter((one) => one.kind === kind).length
  const unknown = ends.flatMap((end) => end._tag === "Unknown" ? [{ end, hashes: hashesOf(end) }] : [])
  const resolved = unknown.filter(({ end, hashes }) => isRight(end.verdict, hashes) === true)
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
    resolvedSent: resolved.filter(({ hashes }) => hashes.length > 0).length,
    resolvedNotSent: resolved.filter(({ hashes }) => hashes.length === 0).length,
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
