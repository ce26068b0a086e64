/** The text of a plan in a store. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Plan } from "../Plan.js"
import type { SinkError } from "../Sink.js"
import { ofPlan } from "./columns.js"
import { newer } from "./newer.js"

const PlanText = Schema.parseJson(Plan)

/** The newest version of a plan. */
const known = Math.max(...Plan.fields.version.literals)

const versionIn = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ version: Schema.Int })))

export const encode: (plan: Plan) => string = Schema.encodeSync(PlanText)

/** Reads a plan. One of a newer program, or in columns of one, is refused. */
export const decode = (text: unknown, unreadable: () => SinkError): Effect.Effect<Plan, SinkError> =>
  Effect.gen(function*() {
    const { version } = Option.getOrElse(versionIn(text), () => ({ version: known }))
    if (version > known) return yield* newer("the plan of the export", version, known)
    const plan = yield* Effect.mapError(Schema.decodeUnknown(PlanText)(text), unreadable)
    yield* ofPlan(plan)
    return plan
  })
