import * as Effect from "effect/Effect"
import type * as SpendPolicy from "../SpendPolicy.js"

/** Failures after which it may have been done. */
const uncertain: ReadonlySet<string> = new Set(["OutcomeUnknown", "SendUnknown"])

/** Does something once the policy has agreed. What it granted is given back if it is certain that nothing was done. */
export const guarded = <A, E extends { readonly _tag: string }, R>(
  policy: SpendPolicy.Service,
  spend: SpendPolicy.Spend,
  run: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SpendPolicy.SpendRefused, R> =>
  Effect.flatMap(
    policy.authorise(spend),
    (grant) => Effect.tapError(run, (error) => uncertain.has(error._tag) ? Effect.void : grant.release)
  )
