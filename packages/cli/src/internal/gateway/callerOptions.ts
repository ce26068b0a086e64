/** The options of `klaytn gateway callers add`: rights, pools and limits. */
import * as Effect from "effect/Effect"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"
import * as Failure from "../terminal/Failure.js"
import * as values from "../terminal/values.js"
import { ifGiven } from "../terminal/values.js"

const rights = ["read", "wallet"] as const

export const callerOptions = {
  rights: Word.text(
    "rights",
    "LIST",
    "read (history, tokens, node), wallet (accounts, keys, sends), or read,wallet. Default: read."
  ),
  pools: Word.text("pools", "LIST", "The only pools of the wallet that the caller sees, by name. Default: all."),
  maxValue: Word.text("max-value", "KLAY", "The largest value of a transaction."),
  maxDay: Word.text("max-day", "KLAY", "The largest sum of values of a day (UTC) in each pool."),
  maxFee: Word.text("max-fee", "KLAY", "The largest fee that a transaction may cost: gas times gas price."),
  receivers: Word.text("receivers", "LIST", "The only addresses that transactions may go to."),
  noContractCalls: Word.flag("no-contract-calls", "The caller may not call or create contracts."),
  blindSigning: Word.choice(
    "blind-signing",
    ["on", "off"],
    "Whether the caller may give accounts other keys and sign bytes that say nothing. Default: off for a caller with a limit."
  )
}

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
