/** The presets of an index in Postgres, for all of its processes. */
import type { StoreFailure } from "@effect-klaytn/indexer/IndexError"
import type { IndexStore } from "@effect-klaytn/indexer/IndexStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { GatewayError } from "../GatewayError.js"
import type { Presets } from "../Presets.js"
import * as presetRules from "./presetRules.js"
import * as refusals from "./startRefusals.js"

const io = <A>(effect: Effect.Effect<A, StoreFailure>): Effect.Effect<A, GatewayError> =>
  Effect.mapError(effect, ({ cause }) => refusals.database(cause))

/** The presets in the tables of an index. */
export const make = ({ addPreset, reader, removePreset }: IndexStore): Presets => ({
  add: (preset) =>
    Effect.flatMap(presetRules.check(preset, Effect.succeed(reader.scope)), (checked) => io(addPreset(checked))),
  list: io(reader.presets),
  remove: (id) => Effect.flatMap(io(removePreset(id)), (isKnown) => isKnown ? Effect.void : presetRules.unknown(id)),
  find: (id) => Effect.map(io(reader.preset(id)), Option.getOrUndefined),
  // The scope is in the same tables.
  limitTo: () => Effect.void
})
