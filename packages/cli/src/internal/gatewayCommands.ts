/** `klaytn gateway`, with `callers` below it: their options and their pages. */
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { callerOptions } from "./callerOptions.js"
import { presets } from "./presetCommands.js"
import * as shared from "./shared.js"
import * as Subcommand from "./Subcommand.js"
import { keyOptions, wallet } from "./walletCommands.js"

const run = Effect.promise(() => import("./runGateway.js"))

const database = Options.text("db").pipe(
  Options.withPseudoName("FILE"),
  Options.withDescription("File of the index, created if missing. The callers are in FILE.callers.")
)

const calling = {
  database,
  ...callerOptions,
  json: shared.options.json,
  action: shared.action(["add", "list", "revoke"], "add, list or revoke."),
  name: shared.argument("NAME", "Your name for the caller: letters, digits, dots, hyphens and underscores.")
}

/** What is asked of `klaytn gateway callers`. */
export type CallersInput = Subcommand.Input<typeof calling>

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
    examples: [
      ["klaytn gateway callers add accounting --db index.db", "create a credential"],
      [
        "klaytn gateway callers add shop --db index.db --rights wallet --pools shop --max-value 100 --max-day 1000",
        "a caller of the wallet, with limits"
      ],
      ["klaytn gateway callers list --db index.db", "who may call"],
      ["klaytn gateway callers revoke accounting --db index.db", "let accounting in no more"]
    ]
  },
  calling,
  (input) => Effect.flatMap(run, ({ callers }) => callers(input))
)

const serving = {
  node: shared.text("node", "URL", "Address of the node's JSON-RPC. Instead of KLAYTN_OWN_NODE_URL."),
  database,
  since: shared.text(
    "since",
    "TIME",
    "Where a new index begins: 2024-01-31, 2024-01-31T12:00:00Z, Unix seconds, or #1200 for a block. Default: #0."
  ),
  accounts: shared.text(
    "accounts",
    "FILE",
    "Keep only transactions of these accounts, and of --contracts: an address on each line."
  ),
  contracts: shared.text(
    "contracts",
    "FILE",
    "Keep only transactions of these contracts, and of --accounts, with their tokens: an address on each line, and " +
      "behind it the block of its creation if another contract created it."
  ),
  trace: shared.flag(
    "trace",
    "Index internal transfers too (coin that contracts send): the node traces each block of a new index."
  ),
  wallet: shared.flag(
    "wallet",
    "Serve the wallet too. Its keys are in FILE.wallet on this machine, sealed with the key in FILE.wallet.key: back up both."
  ),
  ...keyOptions,
  ...shared.listening(
    8218,
    "IP address to listen on, or localhost. Default: 127.0.0.1. Other machines reach 0.0.0.0, without encryption."
  ),
  access: Options.map(
    shared.flag(
      "no-credential",
      "Accept calls from any program on this machine without a credential. Not with another --host."
    ),
    (isOpen) => isOpen ? "anyone" as const : "callers" as const
  ),
  json: shared.flag(
    "json",
    "Write a line of JSON when the gateway listens, every ten seconds while it catches up, and when it is ready or behind."
  )
}

/** What is asked of `klaytn gateway`. */
export type GatewayInput = Subcommand.Input<typeof serving>

export const gateway = Subcommand.make(
  {
    name: "gateway",
    summary: "serve transfer history, token data and JSON-RPC from a node of your own",
    isServer: true,
    description: [
      "Indexes the blocks of a node of your own in one file, and serves transfer history, token data and the node's JSON-RPC " +
      "as the hosted service does; with --wallet, its wallet too. Ctrl-C or SIGTERM stops the gateway at the end of a block, with exit " +
      "code 0; the same command continues.",
      "/health answers while the gateway runs, /ready once the index has every block; /status and /metrics have the details. " +
      "If the node's URL contains a key, pass the URL as KLAYTN_OWN_NODE_URL in the environment. " +
      "KLAYTN_OWN_NODE_AUTHORIZATION is the Authorization header for the node.",
      "Needs @effect-klaytn/gateway beside this command."
    ],
    examples: [
      [
        "klaytn gateway --node http://127.0.0.1:8551 --db index.db --since 2026-11-01 --no-credential",
        "the history since a day, for programs of this machine"
      ],
      [
        "klaytn gateway --db index.db --host 0.0.0.0",
        "for other machines, with TLS in front; the node is named in the environment"
      ]
    ]
  },
  serving,
  (input) => Effect.flatMap(run, ({ serve }) => serve(input)),
  [callers, wallet, presets]
)
