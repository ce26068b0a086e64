/** The limits of the options, and the options of limits. */
import * as Amount from "@effect-klaytn/core/Amount"
import * as Limits from "@effect-klaytn/payouts/Limits"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as values from "../terminal/values.js"
import type { StorageInput } from "./options.js"

/** Amounts in peb. */
interface Given {
  readonly limit: bigint | undefined
  readonly day: bigint | undefined
  readonly approveAbove: bigint | undefined
  readonly unlimitedTokens: boolean
}

/**
 * What may be spent. No limit in KLAY holds for tokens: where there are limits, they are refused, unless a person approves each of them or they
 * are named as not limited.
 */
const optionsOf = ({ approveAbove, day, limit, unlimitedTokens }: Given) => ({
  policy: limit === undefined && day === undefined ? undefined : {
    opaque: unlimitedTokens || approveAbove !== undefined ? "allow" as const : "refuse" as const,
    maxPerTransaction: limit,
    window: day === undefined ? undefined : { max: day, duration: "24 hours" as const }
  },
  approveAbove
})

/** Whether the options have limits, and none of them is to hold for tokens or a person to approve these. */
export const refusesTokens = ({ approveAbove, limit, limitDay, unlimitedTokens }: StorageInput): boolean =>
  [limit, limitDay].some(Predicate.isNotUndefined) && approveAbove === undefined && !unlimitedTokens

export const read = Effect.fnUntraced(function*(input: StorageInput) {
  const limit = yield* values.ifGiven(input.limit, values.klay("--limit"))
  const day = yield* values.ifGiven(input.limitDay, values.klay("--limit-day"))
  const approveAbove = yield* values.ifGiven(input.approveAbove, values.klay("--approve-above"))
  return optionsOf({ limit, day, approveAbove, unlimitedTokens: input.unlimitedTokens })
})

/** The options with which the command has the limits of this ID, each after a blank; undefined if none give it those. */
export const wordsOf = Effect.fnUntraced(function*(id: string, { approveAbove, policy }: Limits.Limits) {
  const given: Given = {
    limit: policy?.maxPerTransaction ?? undefined,
    day: policy?.window?.max,
    approveAbove: approveAbove ?? undefined,
    unlimitedTokens: policy?.opaque === "allow" && approveAbove === null
  }
  const own = yield* Effect.orElseSucceed(Limits.idOf(optionsOf(given)), () => "")
  const names = { "--limit": given.limit, "--limit-day": given.day, "--approve-above": given.approveAbove }
  if (own !== id) return undefined
  const words = Object.entries(names).map(([name, peb]) => peb === undefined ? "" : ` ${name} ${Amount.toKlay(peb)}`)
  return [...words, given.unlimitedTokens ? " --unlimited-tokens" : ""].join("")
})
