/** The options of `klaytn gateway wallet`. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

/** Where the master key of a wallet is. */
export const keyOptions = {
  keyFile: Word.text(
    "--wallet-key-file FILE",
    "File of the master key, which only its owner may read. Default: KLAYTN_WALLET_KEY, or else the file FILE.wallet.key; in Postgres it has to be named."
  ),
  keyCommand: Word.text("--wallet-key-command CMD", "A command that prints the master key.")
}

/** What a fee payer should have. */
export const lowBalance = Word.text(
  "--low-balance KLAY",
  "A fee payer of the wallet that has less is warned of once an hour, and marked in wallet status. Default: 10."
)

const actions = ["status", "freeze", "unfreeze", "rekey", "backup", "restore", "import", "export", "audit"] as const

export const options = {
  database: Word.required(
    Word.text("--db FILE", "File of the index, whose wallet is in FILE.wallet; or postgres://user@host/name.")
  ),
  schema: Word.text(
    "--schema NAME",
    "Schema of the index in Postgres. The wallet is in NAME_wallet. Default: klaytn_index."
  ),
  ...keyOptions,
  newKeyFile: Word.text("--new-wallet-key-file FILE", "rekey: the file of the new master key."),
  newKeyCommand: Word.text("--new-wallet-key-command CMD", "rekey: a command that prints the new master key."),
  node: Word.text(
    "--node URL",
    "status: the node that is asked what fee payers have. Instead of KLAYTN_OWN_NODE_URL. Default: none is asked."
  ),
  lowBalance,
  pool: Word.orElse(Word.text("--pool NAME", "import: the pool of the account. Default: default."), "default"),
  feePayer: Word.flag("--fee-payer", "import: the account is a fee payer."),
  head: Word.text("--head NUMBER:HASH", "audit: the last line of an earlier check, which has to be there still."),
  json: shared.options.json,
  action: Word.action(actions, "status, freeze, unfreeze, rekey, backup, restore, import, export or audit."),
  what: Word.text("WHAT", "The FILE of a backup or keystore, the ADDRESS to export, or verify or list of audit.")
}

/** What is asked of `klaytn gateway wallet`. */
export type WalletInput = Input<typeof options>
