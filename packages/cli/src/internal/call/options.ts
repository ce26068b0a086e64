/** The options and arguments of `klaytn call`. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

export const asked = {
  raw: Word.flag(
    "--raw",
    "Send the arguments as they are and write the node's own JSON; also for methods that are not listed. These are " +
      "never sent twice."
  ),
  ...shared.options,
  ...shared.ofOwnNode("Call"),
  method: Word.text(
    "METHOD",
    "Such as klay_getBalance, eth_call or getBalance (of klay). Without it, all methods are listed."
  ),
  words: Word.repeated(Word.text(
    "ARGUMENT",
    "Plain words, or JSON for objects and lists. Numbers are decimal or hex; a block is a height, latest, earliest or " +
      "a hash."
  ))
}

/** What is asked of `klaytn call`. */
export type CallInput = Input<typeof asked>
