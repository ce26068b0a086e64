/** The options of `klaytn gateway callers add`: rights, pools and limits. */
import * as Word from "../frame/Word.js"

export const rights = ["read", "wallet"] as const

export const callerOptions = {
  rights: Word.text(
    "--rights LIST",
    "read (history, tokens, node), wallet (accounts, keys, sends), or read,wallet. Default: read."
  ),
  pools: Word.text("--pools LIST", "The only pools of the wallet that the caller sees, by name. Default: all."),
  maxValue: Word.text("--max-value KLAY", "The largest value of a transaction."),
  maxDay: Word.text("--max-day KLAY", "The largest sum of values of a day (UTC) in each pool."),
  maxFee: Word.text("--max-fee KLAY", "The largest fee that a transaction may cost: gas times gas price."),
  receivers: Word.text("--receivers LIST", "The only addresses that transactions may go to."),
  noContractCalls: Word.flag("--no-contract-calls", "The caller may not call or create contracts."),
  blindSigning: Word.choice(
    "--blind-signing",
    ["on", "off"],
    "Whether the caller may give accounts other keys and sign bytes that say nothing. Default: off for a caller with a limit."
  )
}
