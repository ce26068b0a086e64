/** A session of a sink that stores nothing. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Session } from "../Sink.js"

/** What such a session does beside passing pages on: there is nothing to continue, to compare or to remove. */
export const nothingStored: Omit<Session, "plan" | "commit" | "restart"> = {
  states: Effect.succeed([]),
  extend: Effect.succeed,
  ids: () => Stream.empty,
  damages: Effect.succeed([]),
  verify: () => Effect.succeed([]),
  extras: Effect.succeed([]),
  mark: () => Effect.void,
  remove: Effect.succeed,
  finish: () => Effect.void
}
