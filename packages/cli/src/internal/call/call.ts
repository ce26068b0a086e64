/** `klaytn call`: its page. */
import * as Subcommand from "../frame/Subcommand.js"
import { asked } from "./options.js"

export const call = Subcommand.make(
  {
    name: "call",
    summary: "call a method of a node (JSON-RPC)",
    description: [
      "Calls any JSON-RPC method of a node. Arguments are checked before anything is sent, reads are repeated after a " +
      "transient failure, and a transaction is never sent twice.",
      "With --node or --own-node it calls a node of your own, which needs no credential of the service. A node that is not on the " +
      "chain of --chain, or for a node of your own of KLAYTN_CHAIN_ID, is asked nothing else.",
      "Numbers are shown in decimal with all their digits; with --json they are strings, so that no program rounds them."
    ],
    examples: {
      "klaytn call klay_getBalance 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed": "a balance, in peb",
      "klaytn call getBlockByNumber latest --json | jq .number": "the newest block as JSON",
      "klaytn call klay_call '{\"to\":\"0x1111111111111111111111111111111111111111\",\"input\":\"0x18160ddd\"}'":
        "an object as JSON, quoted for the shell",
      "klaytn call klay_blockNumber --raw": "the node's own words: \"0x...\"",
      "klaytn call klay_blockNumber --node http://127.0.0.1:8551 --chain testnet": "the same of a node of your own",
      "klaytn call": "all methods"
    }
  },
  asked,
  async (input) => (await import("./runCall.js")).run(input)
)
