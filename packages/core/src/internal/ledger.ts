/** The book of one call: what its attempts came to and where its time went. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
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

const close = (ledger: Ledger, now: number): void => {
  if (ledger.phase === undefined) return
  ledger.spent[ledger.phase.kind] += now - ledger.phase.since
  ledger.phase = undefined
}

/** Runs an effect and books its time; if it is cut off, `phase` still says that it was under way. */
export const booked = <A, E, R>(
  ledger: Ledger,
  kind: Phase,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.currentTimeMillis, (since) => {
    ledger.phase = { kind, since }
    const end = Effect.map(Clock.currentTimeMillis, (now) => close(ledger, now))
    return Effect.matchEffect(effect, {
      onFailure: (error) => Effect.zipRight(end, Effect.fail(error)),
      onSuccess: (value) => Effect.as(end, value)
    })
  })

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
