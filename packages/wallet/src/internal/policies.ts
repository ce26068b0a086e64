import * as Effect from "effect/Effect"
import * as SpendPolicy from "../SpendPolicy.js"

/**
 * Asks the policies in force: those that somebody provided, when the service was made or around this call, or the
 * default one. What earlier ones granted is given back when a later one refuses.
 */
export const ask = (
  captured: SpendPolicy.Service,
  spend: SpendPolicy.Spend
): Effect.Effect<SpendPolicy.Grant, SpendPolicy.SpendRefused> =>
  Effect.gen(function*() {
    const around = yield* SpendPolicy.SpendPolicy
    const provided = [...new Set([captured, around])].filter((policy) => policy !== SpendPolicy.defaultPolicy)
    const grants: Array<SpendPolicy.Grant> = []
    const release = Effect.suspend(() => Effect.forEach(grants, (grant) => grant.release, { discard: true }))
    for (const policy of provided.length === 0 ? [SpendPolicy.defaultPolicy] : provided) {
      grants.push(yield* Effect.tapError(policy.authorise(spend), () => release))
    }
    return { release }
  })
