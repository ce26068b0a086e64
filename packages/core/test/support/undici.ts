/** A client on undici. */
import * as Effect from "effect/Effect"
import { Agent } from "undici"
import * as UndiciHttpClient from "../../src/UndiciHttpClient.js"

const agent = new Agent()

/** With connections that stay open: a client may be used after the scope where it was made. */
export const layer = UndiciHttpClient.layer(Effect.succeed(agent))
