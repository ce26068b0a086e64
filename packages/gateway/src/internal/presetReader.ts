/** The presets that searches find. */
import { StoreFailure } from "@effect-klaytn/indexer/IndexError"
import type { IndexReader } from "@effect-klaytn/indexer/IndexReader"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Presets } from "../Presets.js"

const failed = (cause: unknown): StoreFailure => new StoreFailure({ operation: "presets", cause })

/** Reads presets from their file. */
export const make = ({ find, list }: Presets): Pick<IndexReader, "preset" | "presets"> => ({
  preset: (id) => Effect.mapBoth(find(id), { onFailure: failed, onSuccess: Option.fromNullable }),
  presets: Effect.mapError(list, failed)
})
