/**
 * The limits under which a payout is stored: the rules of the policy, and the value above which a person has to approve it. They are
 * part of the payout, so that no process begins it under others.
 *
 * **Details**
 *
 * `submit` and `pay` store a payout with the limits of their process. A process gives it a nonce only if it has the same limits: equal
 * rules and an equal `approveAbove`, whatever the order of recipients and chains. A process with other limits leaves it, and the state
 * says so; a process with its limits takes it up within seconds. `Payouts.adopt` gives a payout the limits of the process that adopts
 * it. From its nonce on, a payout needs no limits any more, and every process works on it.
 */
import * as Amount from "@effect-klaytn/core/Amount"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as internal from "./internal/limitRows.js"

/**
 * The schema of limits, as JSON. `null` stands for what is not limited.
 *
 * @category schemas
 */
export const Limits = internal.Limits

/**
 * The limits under which a payout is stored.
 *
 * @category models
 */
export type Limits = typeof Limits.Type

type Policy = NonNullable<Limits["policy"]>

const windowOf = ({ window }: Policy): ReadonlyArray<string> => {
  if (window === null) return []
  const { max, maxFees, millis } = window
  const per = millis === null ? "for ever" : `in ${Duration.format(Duration.millis(millis))}`
  return [`${Amount.format(max)}${maxFees === null ? "" : ` and fees of ${Amount.format(maxFees)}`} ${per}`]
}

const wordsOf = (policy: Policy): ReadonlyArray<string> => [
  ...(policy.maxPerTransaction === null ? [] : [`${Amount.format(policy.maxPerTransaction)} each`]),
  ...windowOf(policy),
  `fees of up to ${Amount.format(policy.maxFeePerTransaction)} each`,
  ...(policy.chains === null ? [] : [`the chains ${policy.chains.join(", ")}`]),
  ...(policy.recipients === null ? [] : [`${policy.recipients.length} receivers`]),
  ...(policy.opaque === "allow" ? [] : ["no contract calls"])
]

/**
 * Limits in words, for an operator: what they allow at most.
 *
 * @category accessors
 */
export const describe = ({ approveAbove, policy }: Limits): string =>
  [
    ...(policy === null ? ["no policy"] : wordsOf(policy)),
    ...(approveAbove === null ? [] : [`approval above ${Amount.format(approveAbove)}`])
  ].join(", ")

/**
 * The ID of the limits that a process with these options has, as payouts have it. Fails with `InvalidInput` for rules that can't be
 * applied.
 *
 * @category accessors
 */
export const idOf = (options: internal.Options): Effect.Effect<string, InvalidInput> =>
  Effect.map(internal.of(options), ({ id }) => id)
