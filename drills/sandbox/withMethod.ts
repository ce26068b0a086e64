import * as Effect from "effect/Effect"

/** Replaces a method of a class while an effect runs: to plant a fault, or to see what passes through it. */
export const withMethod = <A extends object, K extends keyof A, B, E, R>(
  target: A,
  method: K,
  replacement: (original: A[K]) => A[K],
  work: Effect.Effect<B, E, R>
): Effect.Effect<B, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const original = target[method]
      target[method] = replacement(original)
      return original
    }),
    () => work,
    (original) => Effect.sync(() => void (target[method] = original))
  )
