/** The limits of the options, and the options of limits. */
import * as Amount from "@effect-klaytn/core/Amount"
import * as Limits from "@effect-klaytn/payouts/Limits"
import * as Effect from "effect/Effect"
import * as values from "../terminal/values.js"
import type { StorageInput } from "./options.js"

/** Amounts in peb. */
interface Given {
  readonly limit: bigint | undefined
  readonly day: bigint | undefined
  readonly approveAbove: bigint | undefined
}

/** What may be spent. The command makes no other contract calls than transfers, which it shows. */
const optionsOf = ({ approveAbove, day, limit }: Given) => ({
  policy: limit === undefined && day === undefined ? undefined : {
    opaque: "allow" as const,
    maxPerTransaction: limit,
    window: day === undefined ? undefined : { max: day, duration: "24 hours" as const }
  },
  approveAbove
})

export const read = Effect.fnUntraced(function*(input: StorageInput) {
  const limit = yield* values.ifGiven(input.limit, values.klay("--limit"))
  const day = yield* values.ifGiven(input.limitDay, values.klay("--limit-day"))
  const approveAbove = yield* values.ifGiven(input.approveAbove, values.klay("--approve-above"))
  return optionsOf({ limit, day, approveAbove })
})

/** The options with which the command has the limits of this ID, each after a blank; undefined if none give it those. */
export const wordsOf = Effect.fnUntraced(function*(id: string, { approveAbove, policy }: Limits.Limits) {
  const given: Given = {
    limit: policy?.maxPerTransaction ?? undefined,
    day: policy?.window?.max,
    approveAbove: approveAbove ?? undefined
  }
  const own = yield* Effect.orElseSucceed(Limits.idOf(optionsOf(given)), () => "")
  const names = { "--limit": given.limit, "--limit-day": given.day, "--approve-above": given.approveAbove }
  return own === id
    ? Object.entries(names).map(([name, peb]) => peb === undefined ? "" : ` ${name} ${Amount.toKlay(peb)}`).join("")
    : undefined
})
