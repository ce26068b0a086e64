import * as Effect from "effect/Effect"
import type * as SpendPolicy from "../SpendPolicy.js"

/** Failures after which the action may have been carried out. */
const uncertain: ReadonlySet<string> = new Set(["OutcomeUnknown", "SendUnknown"])

/** Runs an effect if the policy allows it. The grant is released if it is certain that nothing was done. */
export const guarded = <A, E extends { readonly _tag: string }, R>(
  policy: SpendPolicy.Service,
  spend: SpendPolicy.Spend,
  run: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SpendPolicy.SpendRefused, R> =>
  Effect.flatMap(
    policy.authorise(spend),
    (grant) => Effect.tapError(run, (error) => uncertain.has(error._tag) ? Effect.void : grant.release)
  )
