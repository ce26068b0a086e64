/** `klaytn call`: its options and its page. */
import * as Args from "@effect/cli/Args"
import * as Effect from "effect/Effect"
import * as shared from "../frame/shared.js"
import * as Subcommand from "../frame/Subcommand.js"

const asked = {
  raw: shared.flag(
    "raw",
    "Send the arguments as they are and write the node's own JSON; also for methods that are not listed. These are " +
      "never sent twice."
  ),
  ...shared.options,
  method: shared.argument(
    "METHOD",
    "Such as klay_getBalance, eth_call or getBalance (of klay). Without it, all methods are listed."
  ),
  words: Args.text({ name: "ARGUMENT" }).pipe(
    Args.withDescription(
      "Plain words, or JSON for objects and lists. Numbers are decimal or hex; a block is a height, latest, earliest or " +
        "a hash."
    ),
    Args.repeated
  )
}

/** What is asked of `klaytn call`. */
export type CallInput = Subcommand.Input<typeof asked>

export const call = Subcommand.make(
  {
    name: "call",
    summary: "call a method of a node (JSON-RPC)",
    description: [
      "Calls any JSON-RPC method of a node. Arguments are checked before anything is sent, reads are repeated after a " +
      "transient failure, and a transaction is never sent twice.",
      "Numbers are shown in decimal with all their digits; with --json they are strings, so that no program rounds them."
    ],
    examples: [
      ["klaytn call klay_getBalance 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "a balance, in peb"],
      ["klaytn call getBlockByNumber latest --json | jq .number", "the newest block as JSON"],
      [
        "klaytn call klay_call '{\"to\":\"0x1111111111111111111111111111111111111111\",\"input\":\"0x18160ddd\"}'",
        "an object as JSON, quoted for the shell"
      ],
      ["klaytn call klay_blockNumber --raw", "the node's own words: \"0x...\""],
      ["klaytn call", "all methods"]
    ]
  },
  asked,
  (input) => Effect.flatMap(Effect.promise(() => import("./runCall.js")), ({ run }) => run(input))
)
