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
import type { Address } from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type { Chain } from "@effect-klaytn/core/Chain"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { Rules } from "@effect-klaytn/wallet/SpendPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as internal from "./internal/limitRows.js"

/**
 * The rules of a policy as they are stored with payouts; `Amount` is a `bigint` in peb, or its decimal digits as JSON, and `Receiver` an
 * address. `null` stands for what is not limited.
 *
 * @category models
 */
export interface StoredPolicy<Amount, Receiver> {
  readonly chains: ReadonlyArray<Chain> | null
  readonly maxPerTransaction: Amount | null
  readonly maxFeePerTransaction: Amount
  /** `millis` is `null` for a window that never passes. */
  readonly window: { readonly max: Amount; readonly maxFees: Amount | null; readonly millis: number | null } | null
  readonly recipients: ReadonlyArray<Receiver> | null
  readonly opaque: "allow" | "refuse"
}

/**
 * The limits under which a payout is stored.
 *
 * @category models
 */
export interface Limits {
  /** A payout that moves more than this, in peb, or is a contract call, waits for approval. */
  readonly approveAbove: bigint | null
  /** The rules of the policy. Without a policy, everything is allowed on testnet and nothing on mainnet. */
  readonly policy: StoredPolicy<bigint, Address> | null
}

/**
 * The schema of limits, as JSON. `null` stands for what is not limited.
 *
 * @category schemas
 */
export const Limits: Schema.Schema<
  Limits,
  { readonly approveAbove: string | null; readonly policy: StoredPolicy<string, string> | null }
> = internal.Limits

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
export const idOf = (options: {
  readonly policy?: Rules | undefined
  readonly approveAbove?: bigint | undefined
}): Effect.Effect<string, InvalidInput> => Effect.map(internal.of(options), ({ id }) => id)
