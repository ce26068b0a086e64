/** The limits of a caller of a gateway, in words. */
import * as Amount from "@effect-klaytn/core/Amount"
import type { Caller } from "@effect-klaytn/gateway/command"

const klayOf = (option: string, value: bigint | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [`${option} ${Amount.toKlay(value)}`]

/** The limits of a caller, as the options of `callers add` say them. */
export const limitsOf = (limits: Caller["limits"]): string => {
  const { blindSigning, contractCalls, dailySum, largestFee, largestValue, receivers } = limits
  const all = [
    ...klayOf("--max-value", largestValue),
    ...klayOf("--max-day", dailySum),
    ...klayOf("--max-fee", largestFee),
    ...(receivers === undefined ? [] : [`--receivers ${receivers.join()}`]),
    ...(contractCalls === false ? ["--no-contract-calls"] : []),
    ...(blindSigning === undefined ? [] : [`--blind-signing ${blindSigning ? "on" : "off"}`])
  ]
  return all.length === 0 ? "no limits" : all.join(" ")
}
