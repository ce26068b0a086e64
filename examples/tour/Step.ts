import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import type { Sandbox } from "@effect-klaytn/sandbox/Sandbox"
import type * as Effect from "effect/Effect"
import type { Market } from "./Market.js"
import type { Narrator } from "./Narrator.js"

/** One step of the tour. A failure that the step does not handle ends the tour. */
export interface Step {
  readonly title: string
  readonly run: Effect.Effect<void, Error, Market | Narrator | Sandbox | TransferHistory>
}
