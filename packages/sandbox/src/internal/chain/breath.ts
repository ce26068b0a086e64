import * as Effect from "effect/Effect"

/** Gives others their turn after an execution, which gives way to nobody while it runs. */
export const yieldToOthers = Effect.async<void>((resume) => {
  const timer = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(timer))
})
