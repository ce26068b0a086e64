/** The options of `klaytn gateway callers add`: rights, pools and limits. */
import type { CallerOptions } from "@effect-klaytn/gateway/command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.js"
import * as shared from "./shared.js"
import type { Input } from "./Subcommand.js"
import * as values from "./values.js"
import { ifGiven } from "./values.js"

const rights = ["read", "wallet"] as const

export const callerOptions = {
  rights: shared.text(
    "rights",
    "LIST",
    "read (history, tokens, node), wallet (accounts, keys, sends), or read,wallet. Default: read."
  ),
  pools: shared.text("pools", "LIST", "The only pools of the wallet that the caller sees, by name. Default: all."),
  maxValue: shared.text("max-value", "KLAY", "The largest value of a transaction."),
  maxDay: shared.text("max-day", "KLAY", "The largest sum of values of a day (UTC) in each pool."),
  maxFee: shared.text("max-fee", "KLAY", "The largest fee that a transaction may cost: gas times gas price."),
  receivers: shared.text("receivers", "LIST", "The only addresses that transactions may go to."),
  noContractCalls: shared.flag("no-contract-calls", "The caller may not call or create contracts."),
  blindSigning: Options.withDefault(
    Options.choice("blind-signing", ["on", "off"]).pipe(
      Options.withDescription(
        "Whether the caller may give accounts other keys and sign bytes that say nothing. Default: off for a caller with a limit."
      )
    ),
    undefined
  )
}

/** Reads the options; undefined if none is given. */
export const read = (
  input: Input<typeof callerOptions>
): Effect.Effect<CallerOptions, Failure.Failure> =>
  Effect.gen(function*() {
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
