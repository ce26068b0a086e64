/** A service of two operations, for what is tested of any call. */
import * as Operation from "@effect-klaytn/core/Operation"
import * as Testing from "@effect-klaytn/core/Testing"
import * as Schema from "effect/Schema"

export const Thing = Schema.Struct({ name: Schema.String, count: Schema.Int })

export const thing = { name: "a thing", count: 1 }

/** The good answer. */
export const ok: Testing.Step = Testing.json(200, thing)

export const getThing = Operation.of("history").get("getThing", "/v2/thing/:id", {
  path: { id: Schema.String },
  urlParams: {
    size: Schema.optional(Schema.NumberFromString.pipe(Schema.nonNegative())),
    kind: Schema.optional(Schema.String)
  },
  headers: { "x-krn": Schema.optional(Schema.String) },
  success: Thing
})

/** The call that most tests make. */
export const theThing = { path: { id: "1" }, urlParams: {}, headers: {} }

/** A call that changes something, of the given safety; `once` is what an operation is that says nothing of it. */
export const putThing = (safety: Operation.Safety) =>
  Operation.of("history").post("putThing", "/v2/thing", {
    payload: Schema.Struct({ value: Schema.BigInt }),
    success: Thing,
    ...(safety === "once" ? {} : { safety })
  })

export const aValue = { payload: { value: 7n } }
