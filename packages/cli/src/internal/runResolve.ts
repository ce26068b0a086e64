/** Runs `klaytn payouts resolve`: an operator says what became of a payment that the chain alone does not settle. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import type { PayoutWithHistory } from "@effect-klaytn/payouts/Payout"
import type * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.js"
import type { PayoutsInput } from "./payCommands.js"
import * as Screen from "./Screen.js"

/** What the options say, checked before anything is opened. */
export const resolutionOf = (
  { notSent, sent }: PayoutsInput
): Effect.Effect<Payouts.Resolution, Failure.Failure> => {
  if (notSent === (sent !== undefined)) {
    return Failure.usage("resolve needs one of --not-sent and --sent HASH", "klaytn payouts --help says what they do")
  }
  if (sent === undefined) return Effect.succeed({ _tag: "NotSent" })
  return Effect.mapBoth(Hash.make(sent), {
    onFailure: () => Failure.usage("--sent takes the hash of a transaction: 0x and 64 hex digits"),
    onSuccess: (transactionHash) => ({ _tag: "Sent" as const, transactionHash })
  })
}

const amountOf = ({ content: { request } }: PayoutWithHistory): string => {
  const from = Address.checksum(request.from)
  const to = Address.checksum(request.to)
  return request._tag === "Value"
    ? `${Amount.format(request.value)} from ${from} to ${to}`
    : `a call of the contract ${to} from ${from}`
}

const warningOf = (resolution: Payouts.Resolution): string =>
  resolution._tag === "NotSent"
    ? "This ends the payment for good as not made. A copy of its request that still arrives pays all the same: make sure that " +
      "none can before you pay under another key."
    : `This records ${resolution.transactionHash} as the transaction that paid it.`

/** Shows the payment and what the resolution means, and records the resolution with `--yes`. */
export const resolve = (
  service: Payouts.Service,
  key: string,
  resolution: Payouts.Resolution,
  { json, yes }: { readonly json: boolean; readonly yes: boolean }
) =>
  Effect.gen(function*() {
    const { error } = yield* Screen.Screen
    const payout = yield* service.get(key)
    if (!json) {
      const checked = "The chain is asked first. If it contradicts this, nothing is recorded."
      yield* error.write(`${Screen.clean(`${key} is ${payout.state._tag}:`)}\n`)
      const lines = [amountOf(payout), warningOf(resolution), checked]
      yield* error.write(Screen.paragraphs(error, lines.map((line) => `  ${line}`)))
    }
    if (!yes) return yield* Failure.usage("nothing was changed", "add --yes to record it")
    return yield* service.resolve(key, resolution)
  })
