/** `klaytn gateway`, with `callers` below it: their pages. */
import * as Subcommand from "../frame/Subcommand.js"
import { calling, serving } from "./options.js"
import { presets } from "./presetCommands.js"
import { wallet } from "./walletCommands.js"

const callers = Subcommand.make(
  {
    name: "gateway callers",
    summary: "create, list and revoke the credentials of a gateway's callers",
    description: [
      "Manages the credentials with which programs call a gateway. ACTION is add, list or revoke; add and revoke take the " +
      "NAME of a caller.",
      "add prints the credential once: the file keeps only a hash of the secret. A running gateway accepts a new caller at " +
      "once, and refuses a revoked caller from the next request on.",
      "A caller may read, unless --rights says otherwise. The limits are for the wallet, and hold whatever the client does."
    ],
    examples: {
      "klaytn gateway callers add accounting --db index.db": "create a credential",
      "klaytn gateway callers add shop --db index.db --rights wallet --pools shop --max-value 100 --max-day 1000":
        "a caller of the wallet, with limits",
      "klaytn gateway callers list --db index.db": "who may call",
      "klaytn gateway callers revoke accounting --db index.db": "let accounting in no more"
    }
  },
  calling,
  async (input) => (await import("./runGateway.js")).callers(input)
)

export const gateway = Subcommand.make(
  {
    name: "gateway",
    summary: "serve transfer history, token data and JSON-RPC from a node of your own",
    isServer: true,
    description: [
      "Indexes the blocks of a node of your own in one file, or in Postgres for many processes, and serves transfer history, " +
      "token data and the node's JSON-RPC " +
      "as the hosted service does; with --wallet, its wallet too. Ctrl-C or SIGTERM stops the gateway at the end of a block, with exit " +
      "code 0; the same command continues.",
      "/health answers while the gateway runs, /ready once the index has every block; /status and /metrics have the details. " +
      "If the node's URL contains a key, pass the URL as KLAYTN_OWN_NODE_URL in the environment. " +
      "KLAYTN_OWN_NODE_AUTHORIZATION is the Authorization header for the node.",
      "Needs @effect-klaytn/gateway beside this command."
    ],
    examples: {
      "klaytn gateway --node http://127.0.0.1:8551 --db index.db --since 2026-11-01 --no-credential":
        "the history since a day, for programs of this machine",
      "klaytn gateway --node http://127.0.0.1:8551 --db index.db --wallet":
        "with a wallet, whose keys are on this machine",
      "klaytn gateway --db postgres://klaytn@db.example/klaytn --role serve":
        "one of many processes that share an index in Postgres",
      "klaytn gateway --db index.db --host 0.0.0.0":
        "for other machines, with TLS in front; the node is named in the environment"
    }
  },
  serving,
  async (input) => (await import("./runGateway.js")).serve(input),
  [callers, wallet, presets]
)
