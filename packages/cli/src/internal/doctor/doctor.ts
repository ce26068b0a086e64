/** `klaytn doctor`: its page. */
import { isOwnNode } from "../frame/shared.js"
import * as Subcommand from "../frame/Subcommand.js"
import { options } from "./options.js"

/** The most requests that a node is asked. A test compares it with `NodeReport`, which the help must not load. */
export const maxRequests = 31

export const doctor = Subcommand.make(
  {
    name: "doctor",
    summary: "check the configuration, the services and the clock",
    description: [
      "Checks what is set in the environment, whether each service that has an address answers and accepts the " +
      "credential, and whether the clocks agree, that of the node's chain too. It only reads, and shows no secret: a credential is shown by its " +
      "fingerprint. At a gateway of your own it says whose the credential is, and its rights, pools and limits.",
      "With --node or --own-node it asks a node of your own instead what that node can do: client, chain, newest block, whether it syncs, " +
      `calls in a request, blocks of a log search, receipts, traces, old state, WebSocket. At most ${maxRequests} ` +
      "requests, each with a time limit of ten seconds; none sends a transaction. Only the host of the address is shown.",
      "Of a sandbox it also says in what that differs from a node of the chain, and why.",
      "The exit code is 0 if all is well and 3 if something is wrong."
    ],
    examples: {
      "klaytn doctor": "what is set, what is missing, what answers",
      "klaytn doctor --json | jq '.checks[] | select(.status == \"wrong\")'": "what is wrong, for a program",
      "klaytn doctor --sandbox": "the same against a sandbox",
      "klaytn doctor --node http://127.0.0.1:8551": "what a node can do, and the options that fit it",
      "klaytn doctor --own-node --json": "the same for the node of KLAYTN_OWN_NODE_URL, for a program"
    }
  },
  options,
  async (input) =>
    isOwnNode(input)
      ? (await import("./runNodeDoctor.js")).run(input)
      : (await import("./runDoctor.js")).run(input)
)
