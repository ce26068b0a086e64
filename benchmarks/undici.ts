/** The client that the SDK runs on, with connections of its own. */
import * as UndiciHttpClient from "@effect-klaytn/core/UndiciHttpClient"
import * as Effect from "effect/Effect"
import { Agent } from "undici"

export const undici = UndiciHttpClient.layer(
  Effect.acquireRelease(Effect.sync(() => new Agent()), (agent) => Effect.promise(() => agent.destroy()))
)
