/** Decoding of parsed answers, compared with parsing them and with `effect/Schema`. No server is involved. */
import * as Effect from "effect/Effect"
import { compare, runsOf } from "./Comparison.js"
import { decodings } from "./decodings.js"

export const reader = Effect.forEach(decodings, ({ name, parse, schema, sdk, times }) =>
  compare({
    figure: `reading ${name}`,
    amount: times,
    runs: runsOf(15),
    sdk: Effect.sync(sdk),
    peers: { "JSON.parse": Effect.sync(parse), "effect/Schema": Effect.sync(schema) }
  }), { discard: true })
