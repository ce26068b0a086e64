/** `klaytn gateway wallet`: its options and its page. */
import * as Effect from "effect/Effect"
import * as shared from "../frame/shared.js"
import * as Subcommand from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

const run = Effect.promise(() => import("./runWallet.js"))

/** Where the master key of a wallet is. */
export const keyOptions = {
  keyFile: Word.text(
    "wallet-key-file",
    "FILE",
    "File of the master key, which only its owner may read. Default: KLAYTN_WALLET_KEY, or else the file FILE.wallet.key."
  ),
  keyCommand: Word.text("wallet-key-command", "CMD", "A command that prints the master key.")
}

const actions = ["freeze", "unfreeze", "rekey", "backup", "restore", "import", "export", "audit"] as const

const options = {
  database: Word.required(Word.text("db", "FILE", "File of the index. The wallet is in FILE.wallet.")),
  ...keyOptions,
  newKeyFile: Word.text("new-wallet-key-file", "FILE", "rekey: the file of the new master key."),
  newKeyCommand: Word.text("new-wallet-key-command", "CMD", "rekey: a command that prints the new master key."),
  pool: Word.orElse(Word.text("pool", "NAME", "import: the pool of the account. Default: default."), "default"),
  feePayer: Word.flag("fee-payer", "import: the account is a fee payer."),
  head: Word.text("head", "NUMBER:HASH", "audit: the last line of an earlier check, which has to be there still."),
  json: shared.options.json,
  action: Word.action(actions, "freeze, unfreeze, rekey, backup, restore, import, export or audit."),
  what: Word.argument("WHAT", "The FILE of a backup or keystore, the ADDRESS to export, or verify or list of audit.")
}

/** What is asked of `klaytn gateway wallet`. */
export type WalletInput = Subcommand.Input<typeof options>

export const wallet = Subcommand.make(
  {
    name: "gateway wallet",
    summary: "freeze, rekey, back up and check the wallet of a gateway",
    description: [
      "Works on the wallet beside a gateway's index, also while the gateway runs. freeze stops all signing at once: it makes the file " +
      "FILE.wallet.frozen, as any program may, and needs no key. unfreeze ends that.",
      "rekey changes the master key; reads and signatures go on. backup FILE writes every key and account into a sealed file, and " +
      "restore FILE makes a wallet of the file where there is none: the master key at the time of the backup opens both.",
      "import asks for a private key, or for the password of the keystore WHAT (Web3, version 3), and export ADDRESS for the password " +
      "of a new keystore, on the terminal. audit verify checks the log of what was created, deleted, signed and refused, and prints its " +
      "last line: keep that elsewhere, and pass it as --head later. audit list prints the log."
    ],
    examples: [
      ["klaytn gateway wallet freeze --db index.db", "sign nothing more"],
      ["klaytn gateway wallet rekey --db index.db --new-wallet-key-file new.key", "change the master key"],
      ["klaytn gateway wallet backup wallet.backup --db index.db", "write a backup"],
      ["klaytn gateway wallet audit verify --db index.db", "check the audit log"]
    ]
  },
  options,
  (input) => Effect.flatMap(run, ({ wallet }) => wallet(input))
)
