/** Places of each caller: one that sends much leaves places to others. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"

/** Runs at most `places` effects of a caller at a time; its others wait. `callerOf` reads the header of a request. */
export const make = (
  callerOf: (header: string | undefined) => { readonly name: string } | undefined,
  places: number
) => {
  const shares = new Map<string, Effect.Semaphore>()
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const name = callerOf(headers["authorization"])?.name ?? ""
      const share = shares.get(name) ?? Effect.unsafeMakeSemaphore(places)
      shares.set(name, share)
      return share.withPermits(1)(effect)
    })
}
