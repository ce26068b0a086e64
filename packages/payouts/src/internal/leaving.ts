/**
 * Payouts that a process leaves, because it has other limits than those under which they were stored, and takes up, because it has
 * theirs. The engine gives a payout to any process.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { describe } from "../Limits.js"
import * as PayoutState from "../PayoutState.js"
import { apply, type Context } from "./context.js"
import type { Stored } from "./store.js"
import * as telemetry from "./telemetry.js"

/** Leaves a payout to a process with its limits, and says so in its state and to operators. */
export const leave = (context: Context, payout: Stored): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { key, limits } = payout
    const stored = limits === null ? Option.none() : yield* context.store.limitsOf(limits)
    const problem = Option.match(stored, {
      onNone: () => "it was stored by an older version, without limits: it waits until it is adopted",
      onSome: (limits) =>
        `it waits for a process with its limits (${
          describe(limits)
        }), or until it is adopted: a process with others was to ` +
        "begin it"
    })
    const left = yield* apply(context, key, { _tag: "LimitsDiffer", problem })
    if (Either.isRight(left)) yield* telemetry.alert(left.right, problem)
  })

/** Whether a payout waits for a nonce that this process may not give it. */
export const isOthers = ({ limits }: Pick<Context, "limits">, payout: Pick<Stored, "limits" | "state">): boolean =>
  PayoutState.isUnbegun(payout.state) && payout.limits !== limits.id
