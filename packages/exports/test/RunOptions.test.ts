import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Exports from "../src/Exports.js"
import type * as Sink from "../src/Sink.js"

/** A sink that must not be opened. */
const sink: Sink.Sink = { open: () => Effect.dieMessage("the sink was opened") }

const history = TransferHistory.TransferHistory.of(
  // Nothing of it is called: the first use is a defect.
  new Proxy({}, { get: () => Effect.dieMessage("the service was called") }) as TransferHistory.Service
)

const counts = [-7, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY]
const times = ["10 lightyears", "soon"]

describe("an option outside its range", () => {
  it.effect("of a run is refused before the sink is opened, and named", () =>
    Effect.gen(function*() {
      for (const concurrency of counts) {
        const error = yield* Effect.flip(Exports.run({ sink, concurrency }))
        assert.deepInclude(error, { _tag: "InvalidInput", path: ["concurrency"] })
        assert.include(error.message, "expected a whole number of at least 1")
      }
      for (const giveUpAfter of times) {
        // What the types keep out is given by programs without types.
        const error = yield* Effect.flip(Exports.run({ sink, giveUpAfter: giveUpAfter as "1 minute" }))
        assert.deepInclude(error, { _tag: "InvalidInput", path: ["giveUpAfter"] })
      }
    }).pipe(Effect.provideService(TransferHistory.TransferHistory, history)))

  it.effect("of a tail and a catch-up too", () =>
    Effect.gen(function*() {
      for (const name of ["indexLag", "pollInterval", "recheck"] as const) {
        const stream = name === "recheck" ? Exports.catchUp : Exports.tail
        // As above.
        const options = { sink, [name]: "10 lightyears" as "1 minute" }
        const error = yield* Effect.flip(Stream.runDrain(stream(options)))
        assert.deepInclude(error, { _tag: "InvalidInput", path: [name] })
      }
    }).pipe(Effect.provideService(TransferHistory.TransferHistory, history)))
})
