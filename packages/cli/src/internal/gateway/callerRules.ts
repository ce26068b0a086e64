/** What the options of `klaytn gateway callers add` say. Loaded when the command runs: reading values takes schemas. */
import * as Effect from "effect/Effect"
import type { Input } from "../frame/Subcommand.js"
import * as Failure from "../terminal/Failure.js"
import * as values from "../terminal/values.js"
import { ifGiven } from "../terminal/values.js"
import { type callerOptions, rights } from "./callerOptions.js"

/** Reads the options; undefined if none is given. */
export const read = Effect.fnUntraced(function*(
  input: Input<typeof callerOptions>
) {
  const named = input.rights === undefined ? undefined : values.list(input.rights)
  const known = named?.flatMap((name) => rights.find((right) => right === name) ?? [])
  if (known?.length !== named?.length) return yield* Failure.usage("--rights takes read, wallet or read,wallet")
  const receivers = yield* ifGiven(
    input.receivers,
    (text) => Effect.forEach(values.list(text), values.address("--receivers"))
  )
  return {
    rights: known,
    pools: input.pools === undefined ? undefined : values.list(input.pools),
    limits: {
      largestValue: yield* ifGiven(input.maxValue, values.klay("--max-value")),
      dailySum: yield* ifGiven(input.maxDay, values.klay("--max-day")),
      largestFee: yield* ifGiven(input.maxFee, values.klay("--max-fee")),
      receivers,
      contractCalls: input.noContractCalls ? false : undefined,
      blindSigning: input.blindSigning === undefined ? undefined : input.blindSigning === "on"
    }
  }
})
