/** Failures are tagged values: one from the service, and one found before anything is sent. */
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import { Market } from "./Market.js"
import { Narrator } from "./Narrator.js"
import type { Step } from "./Step.js"

export const failure: Step = {
  title: "Typed failures, caught by their tag",
  run: Effect.gen(function*() {
    const { preset } = yield* Market
    const { control } = yield* Sandbox.Sandbox
    const history = yield* TransferHistory.TransferHistory
    const { expect, say } = yield* Narrator

    const known = yield* history.getTransfers({ presets: [preset] })
    yield* say(`preset ${preset}: ${known.items.length} transfers`)
    yield* expect("the preset of the scenario is found", known.items.length > 0, true)

    const unknown = yield* history.getTransfers({ presets: [preset + 1] }).pipe(
      Effect.as("no failure"),
      Effect.catchTag(
        "NotFound",
        ({ code, serviceMessage, status }) =>
          Effect.as(say(`preset ${preset + 1}: NotFound, ${status}, ${code}, ${serviceMessage}`), `NotFound ${code}`)
      )
    )
    yield* expect("a preset that nobody made is NotFound, with the service's code", unknown, "NotFound 1040400")

    const before = (yield* control.requests()).length
    const invalid = yield* history.getTransfers({ presets: [preset], size: -1 }).pipe(
      Effect.as("no failure"),
      Effect.catchTag(
        "InvalidInput",
        ({ path, problem }) => Effect.as(say(`size -1: InvalidInput, ${problem}`), `InvalidInput ${path.join(".")}`)
      )
    )
    yield* expect("a negative size is InvalidInput", invalid, "InvalidInput size")
    yield* expect("and nothing was sent", (yield* control.requests()).length, before)
  })
}
