/** The book of one call: what its attempts came to and where its time went. */
import { Attempt, Spent } from "../Attempt.js"

type Phase = "attemptsMillis" | "retryWaitsMillis" | "rateLimitMillis"

/** How far an attempt has come. */
export interface Progress {
  /** Whether something of it may have left: false while its credential is being read. */
  mayHaveLeft: boolean
  status: number | undefined
}

export interface Ledger {
  readonly attempts: Array<Attempt>
  readonly spent: Record<Phase, number>
  /** What is going on right now, for a call that is cut off in the middle of it. */
  phase: { readonly kind: Phase; readonly since: number } | undefined
  /** The attempt that was begun last. */
  attempt: Progress
  /** Whether an attempt so far may have been carried out without our hearing of it. */
  uncertain: boolean
}

export const make = (): Ledger => ({
  attempts: [],
  spent: { attemptsMillis: 0, retryWaitsMillis: 0, rateLimitMillis: 0 },
  phase: undefined,
  attempt: { mayHaveLeft: false, status: undefined },
  uncertain: false
})

/** From now on the time is spent on something else. */
export const begin = (ledger: Ledger, kind: Phase, now: number): void => {
  ledger.phase = { kind, since: now }
}

/** What was going on is over. */
export const end = (ledger: Ledger, now: number): void => {
  if (ledger.phase === undefined) return
  ledger.spent[ledger.phase.kind] += now - ledger.phase.since
  ledger.phase = undefined
}

/** The time as booked so far, what is going on included. */
export const spent = (ledger: Ledger, now: number): Spent => {
  const { phase } = ledger
  const open = (kind: Phase): number => phase?.kind === kind ? now - phase.since : 0
  return new Spent({
    attemptsMillis: ledger.spent.attemptsMillis + open("attemptsMillis"),
    retryWaitsMillis: ledger.spent.retryWaitsMillis + open("retryWaitsMillis"),
    rateLimitMillis: ledger.spent.rateLimitMillis + open("rateLimitMillis")
  })
}

export const addAttempt = (
  ledger: Ledger,
  attempt: { readonly reason: string; readonly status?: number | undefined; readonly waitMillis: number }
): void => {
  const { reason, status, waitMillis } = attempt
  ledger.attempts.push(new Attempt({ reason, waitMillis, ...(status === undefined ? {} : { status }) }))
}
