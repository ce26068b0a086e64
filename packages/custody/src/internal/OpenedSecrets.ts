import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The secrets that were opened for the request that a fiber works for. Default: undefined, they are not collected. */
export class OpenedSecrets extends Context.Reference<OpenedSecrets>()("@effect-klaytn/custody/OpenedSecrets", {
  defaultValue: (): Array<Uint8Array> | undefined => undefined
}) {}

/** Overwrites the secrets that an effect opens when the effect ends. */
export const overwritten = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const opened: Array<Uint8Array> = []
    return Effect.ensuring(
      Effect.provideService(effect, OpenedSecrets, opened),
      Effect.sync(() => {
        for (const secret of opened) secret.fill(0)
      })
    )
  })
