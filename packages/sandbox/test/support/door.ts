/** Raw requests to a chain's JSON-RPC for development. */
import type * as Effect from "effect/Effect"
import type * as Sandbox from "../../src/Sandbox.js"
import { type Answer, send } from "./wire.js"

/** A body as it stands, with no credential, for chain 1001 unless said otherwise. */
export const post = (
  body: string,
  headers: Record<string, string | undefined> = {},
  chain = 1001
): Effect.Effect<Answer, never, Sandbox.Sandbox> =>
  send(`/rpc/${chain}`, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })
