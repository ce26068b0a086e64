/**
 * What the log says of work that waits for a database, or fails because of it: not again what it has said of the database itself.
 */
import * as Effect from "effect/Effect"
import * as DatabaseFault from "./DatabaseFault.js"
import * as outages from "./internal/outages.js"

/**
 * Logs that something waits for a database, or goes on without it: as a warning, or for debugging as long as the log has said that a
 * database in Postgres of this process fails. The pools say that once, and once that it answers again, after ten seconds without a failure.
 *
 * @category operations
 */
export const waiting = (message: string): Effect.Effect<void> =>
  outages.unlessKnown(Effect.logWarning(message), message)

/**
 * Logs a failure: as {@link waiting} does if the same statement may succeed later, and else as an error. One that needs an operator is
 * for debugging as long as the log has said it, too.
 *
 * @category operations
 */
export const failure = (message: string, error: unknown): Effect.Effect<void> => {
  const { kind } = DatabaseFault.of(error)
  if (kind === "Statement") return Effect.logError(message)
  return kind === "Unusable" ? outages.unlessKnown(Effect.logError(message), message) : waiting(message)
}
