/** The record of one call: the outcome of its attempts and where its time went. */
import { Attempt, Spent } from "../Attempt.js"

type Phase = "attemptsMillis" | "retryWaitsMillis" | "rateLimitMillis"

/** The progress of an attempt. */
export interface Progress {
  /** Whether part of the request may have been sent: false while the credential is being read. */
  mayHaveLeft: boolean
  status: number | undefined
}

export interface Ledger {
  readonly attempts: Array<Attempt>
  readonly spent: Record<Phase, number>
  /** The current phase, for a call that is cut off in the middle of it. */
  phase: { readonly kind: Phase; readonly since: number } | undefined
  /** The latest attempt. */
  attempt: Progress
  /** Whether an attempt so far may have been carried out although no answer arrived. */
  uncertain: boolean
}

export const make = (): Ledger => ({
  attempts: [],
  spent: { attemptsMillis: 0, retryWaitsMillis: 0, rateLimitMillis: 0 },
  phase: undefined,
  attempt: { mayHaveLeft: false, status: undefined },
  uncertain: false
})

/** Starts a phase. */
export const begin = (ledger: Ledger, kind: Phase, now: number): void => {
  ledger.phase = { kind, since: now }
}

/** Ends the current phase and adds its time. */
export const end = (ledger: Ledger, now: number): void => {
  if (ledger.phase === undefined) return
  ledger.spent[ledger.phase.kind] += now - ledger.phase.since
  ledger.phase = undefined
}

/** The time spent so far, including the current phase. */
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
