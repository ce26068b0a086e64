/** What the log says of databases in Postgres that fail: once when that begins, and once when it is over, however many pools and statements find it out. */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as DatabaseFault from "../DatabaseFault.js"

/** What the sessions of a pool see. */
export interface Outage {
  readonly failed: (error: unknown) => void
  readonly answered: () => void
}

interface State {
  pools: number
  /** Since when it fails, in milliseconds of the process. */
  since: number | undefined
  lastFailure: number
}

/** By the name of the database. */
const states = new Map<string, State>()

/** Whether the log has said of a database of this process that it fails, and not yet that it answers again. */
const isKnown = (): boolean => [...states.values()].some(({ since }) => since !== undefined)

/** How long a database has to answer without a failure before the log says that it does: who waits for it asks more often. */
const quiet = 10_000

/** Faults of the server, and not of a statement or of transactions that were in each other's way. */
const ofServer = /^(08|25006|28|3D|53|57P|58|XX00[12])/

const isOutage = (error: unknown): boolean => {
  const { code, kind } = DatabaseFault.of(error)
  // Postgres has codes of five characters; without one, the connection failed.
  return kind !== "Statement" && (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || ofServer.test(code))
}

/** Watches a database for the time of a scope, by a clock in milliseconds. */
export const watch = (
  database: string,
  now: () => number = () => performance.now()
): Effect.Effect<Outage, never, Scope.Scope> =>
  Effect.gen(function*() {
    const log = Runtime.runFork(yield* Effect.runtime<never>())
    const state = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const found = states.get(database) ?? { pools: 0, since: undefined, lastFailure: 0 }
        found.pools++
        states.set(database, found)
        return found
      }),
      (state) => Effect.sync(() => --state.pools === 0 ? void states.delete(database) : undefined)
    )
    return {
      failed: (error) => {
        if (!isOutage(error)) return
        state.lastFailure = now()
        if (state.since !== undefined) return
        state.since = state.lastFailure
        const fault = DatabaseFault.of(error)
        log(Effect.logWarning(`${database} fails (${DatabaseFault.describe(fault)}); trying again. ${fault.advice}`))
      },
      answered: () => {
        if (state.since === undefined || now() - state.lastFailure < quiet) return
        const seconds = Math.round((state.lastFailure - state.since) / 1000)
        state.since = undefined
        const how = seconds === 0
          ? "it failed at one moment: a connection ended, by the server, the network, or a process too busy to answer"
          : `it failed for ${seconds} seconds`
        log(Effect.logInfo(`${database} answers again; ${how}`))
      }
    }
  })

/** Logs, or only for debugging as long as the log has said that a database fails. */
export const unlessKnown = (log: Effect.Effect<void>, message: string): Effect.Effect<void> =>
  Effect.suspend(() => isKnown() ? Effect.logDebug(message) : log)
