/** Windows that may return the same record. */
import type { Plan, Window } from "../Plan.js"

/**
 * The windows in which a record of this one may be stored too: searches of one account by several contracts each return the coin
 * transfer of a transaction that moved tokens of both.
 */
export const siblingsOf = (plan: Plan, { from, index, source, to }: Window): ReadonlyArray<Window> => {
  const own = plan.sources[source]
  if (own?._tag !== "Account" || own.contract === undefined) return []
  return plan.windows.filter((other) => {
    const of = plan.sources[other.source]
    return other.index !== index && other.from <= to && other.to >= from && of?._tag === "Account" &&
      of.address === own.address
  })
}
