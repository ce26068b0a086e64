/** The options and arguments of `klaytn gateway` and `klaytn gateway callers`. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"
import { callerOptions } from "./callerOptions.js"
import { keyOptions, lowBalance } from "./walletOptions.js"

const database = Word.required(
  Word.text(
    "--db FILE",
    "File of the index, created if missing, with the callers in FILE.callers; or postgres://user@host/name, whose password " +
      "may be in PGPASSWORD."
  )
)

const schema = Word.text("--schema NAME", "Schema of the index in Postgres. Default: klaytn_index.")

export const calling = {
  database,
  schema,
  ...callerOptions,
  json: shared.options.json,
  action: Word.action(["add", "list", "revoke"], "add, list or revoke."),
  name: Word.text("NAME", "Your name for the caller: letters, digits, dots, hyphens and underscores.")
}

/** What is asked of `klaytn gateway callers`. */
export type CallersInput = Input<typeof calling>

export const serving = {
  node: Word.text("--node URL", "Address of the node's JSON-RPC. Instead of KLAYTN_OWN_NODE_URL."),
  database,
  schema,
  role: Word.text(
    "--role ROLE",
    "What this process does of an index in Postgres: serve, follow, backfill or all. Default: all."
  ),
  since: Word.text(
    "--since TIME",
    "Where a new index begins: 2024-01-31, 2024-01-31T12:00:00Z, Unix seconds, or #1200 for a block. Default: #0."
  ),
  accounts: Word.text(
    "--accounts FILE",
    "Keep only transactions of these accounts, and of --contracts: an address on each line."
  ),
  contracts: Word.text(
    "--contracts FILE",
    "Keep only transactions of these contracts, and of --accounts, with their tokens: an address on each line, and " +
      "behind it the block of its creation if another contract created it."
  ),
  trace: Word.flag(
    "--trace",
    "Index internal transfers too (coin that contracts send): the node traces each block of a new index."
  ),
  wallet: Word.flag(
    "--wallet",
    "Serve the wallet too. Its keys are in FILE.wallet on this machine, or in Postgres, sealed with a master key: back up both."
  ),
  ...keyOptions,
  lowBalance,
  feePayerStyle: shared.feePayerStyle,
  ...shared.listening(
    8218,
    "IP address to listen on, or localhost. Default: 127.0.0.1. Other machines reach 0.0.0.0, without encryption."
  ),
  access: Word.map(
    Word.flag(
      "--no-credential",
      "Accept calls from any program on this machine without a credential. Not with another --host."
    ),
    (isOpen) => isOpen ? "anyone" as const : "callers" as const
  ),
  json: Word.flag(
    "--json",
    "Write a line of JSON when the gateway listens, every ten seconds while it catches up, and when it is ready or behind."
  )
}

/** What is asked of `klaytn gateway`. */
export type GatewayInput = Input<typeof serving>
