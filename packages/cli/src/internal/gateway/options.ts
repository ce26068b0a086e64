/** The options and arguments of `klaytn gateway` and of the commands below it. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

export const rights = ["read", "wallet", "destroy"] as const

/** Rights, pools and limits of a new caller. */
export const callerOptions = {
  rights: Word.text(
    "--rights LIST",
    "read (history, tokens, node), wallet (accounts, keys, sends), destroy (beside wallet, for a caller with limits: delete and " +
      "disable accounts and keys), with commas between them. Default: read."
  ),
  pools: Word.text("--pools LIST", "The only pools of the wallet that the caller sees, by name. Default: all."),
  maxValue: Word.text("--max-value KLAY", "The largest value of a transaction."),
  maxDay: Word.text(
    "--max-day KLAY",
    "The largest sum of values of a day (UTC), from each pool that the caller may use."
  ),
  maxFee: Word.text(
    "--max-fee KLAY",
    "The largest fee that a transaction may cost: gas times gas price. Default: 1 for a caller with --max-value or --max-day."
  ),
  receivers: Word.text("--receivers LIST", "The only addresses that transactions may go to."),
  noContractCalls: Word.flag("--no-contract-calls", "The caller may not call or create contracts."),
  blindSigning: Word.choice(
    "--blind-signing",
    ["on", "off"],
    "Whether the caller may give accounts other keys and sign bytes that say nothing. Default: off for a caller with a limit."
  )
}

const database = Word.required(
  Word.text(
    "--db FILE",
    "File of the index, created if missing, with the callers in FILE.callers; or postgres://user@host/name, whose password " +
      "may be in PGPASSWORD."
  )
)

const out = Word.text(
  "--out FILE",
  "add: write the credential into this new file, which only its owner may read (mode 0600), and not on the screen."
)

const schema = Word.text("--schema NAME", "Schema of the index in Postgres. Default: klaytn_index.")

export const calling = {
  database,
  schema,
  ...callerOptions,
  out,
  json: shared.options.json,
  action: Word.action(["add", "list", "revoke", "move"], "add, list, revoke or move."),
  name: Word.goingWith(
    ["add", "revoke", "move"],
    Word.text(
      "NAME",
      "add and revoke: your name for the caller, of letters, digits, dots, hyphens and underscores. move: the fingerprint that it has shown."
    ),
    ["add", "revoke"]
  )
}

/** What is asked of `klaytn gateway callers`. */
export type CallersInput = Input<typeof calling>

export const ofPresets = {
  database: Word.required(
    Word.text("--db FILE", "File of the index, whose presets are in FILE.presets; or postgres://user@host/name.")
  ),
  schema,
  accounts: Word.goingWith(
    ["add"],
    Word.text("--accounts ADDRESSES", "Accounts of a new preset, with commas between them.")
  ),
  contracts: Word.goingWith(
    ["add"],
    Word.text("--contracts ADDRESSES", "Token contracts of a new preset, with commas between them.")
  ),
  json: shared.options.json,
  action: Word.action(["add", "list", "remove"], "add, list or remove."),
  name: Word.goingWith(
    ["add", "remove"],
    Word.text("NAME", "The name of a new preset, or the number of one to remove."),
    ["add", "remove"]
  )
}

/** What is asked of `klaytn gateway presets`. */
export type PresetsInput = Input<typeof ofPresets>

/** Where the master key of a wallet is. */
const keyOptions = {
  keyFile: Word.text(
    "--wallet-key-file FILE",
    "File of the master key, which only its owner may read. Default: KLAYTN_WALLET_KEY, or else the file FILE.wallet.key; in Postgres it has to be named."
  ),
  keyCommand: Word.text("--wallet-key-command CMD", "A command that prints the master key.")
}

/** What a fee payer should have. */
const lowBalance = Word.text(
  "--low-balance KLAY",
  "A fee payer of the wallet that has less is warned of once an hour, and marked in wallet status. Default: 10."
)

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
  maxGasPrice: Word.text(
    "--max-gas-price GKEI",
    "The most that the wallet pays for a unit of gas: nothing that costs more is signed. Default: 750, the highest base fee of the chain."
  ),
  gasPriceFactor: Word.text(
    "--gas-price-factor NUMBER",
    "What the wallet pays beside the base fee of the newest block, from 1 to 10. Default: 1.1025, two full blocks ahead."
  ),
  heldGasPriceFactor: Word.text(
    "--held-gas-price-factor NUMBER",
    "The same for a transaction that waits until the keys of a multisig account have signed it, from 1 to 30. Default: 4."
  ),
  keepDeleted: Word.text(
    "--keep-deleted DAYS",
    "How long a deleted key of the wallet can be had back, before its secret is destroyed. Default: 30."
  ),
  pools: Word.text(
    "--pools LIST",
    "Pools of the wallet that are made beside default, by name, for callers that see no others."
  ),
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

const actions = [
  "status",
  "freeze",
  "unfreeze",
  "rekey",
  "backup",
  "restore",
  "accept-keys",
  "import",
  "export",
  "deleted",
  "undelete",
  "audit",
  "repair"
] as const

export const ofWallet = {
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
    "status: the node that is asked what fee payers have; import: whether the key is the account's. Instead of KLAYTN_OWN_NODE_URL. Default: none is asked."
  ),
  lowBalance,
  pool: Word.orElse(Word.text("--pool NAME", "import: the pool of the account. Default: default."), "default"),
  feePayer: Word.flag("--fee-payer", "import: the account is a fee payer."),
  passwordFile: Word.text(
    "--password-file FILE",
    "import: the file of a keystore's password, or - for standard input. Default: it is asked on the terminal."
  ),
  acceptNewKeys: Word.flag(
    "--accept-new-keys",
    "restore: accept each Idempotency-Key that the backup does not have, as accept-keys does."
  ),
  out: Word.text(
    "--out FILE",
    "export: write the keystore into this new file, which only its owner may read (mode 0600). Default: standard output."
  ),
  head: Word.text("--head NUMBER:HASH", "audit: the last line of an earlier check, which has to be there still."),
  end: Word.text(
    "--end ROW",
    "repair: ends a send that is under way, can't be read or was in a block that is gone (sends:NUMBER or sends:HASH), or a multisig transaction that waits (pending:NUMBER)."
  ),
  json: shared.options.json,
  action: Word.action(
    actions,
    "status, freeze, unfreeze, rekey, backup, restore, accept-keys, import, export, deleted, undelete, audit or repair."
  ),
  what: Word.goingWith(
    ["backup", "restore", "import", "export", "undelete", "audit"],
    Word.text(
      "WHAT",
      "The FILE of a backup, a keystore or a private key (- for standard input), the ADDRESS to export, the ADDRESS or KEYID to undelete, or verify or list of audit."
    ),
    ["backup", "restore", "export", "undelete"]
  )
}

/** What is asked of `klaytn gateway wallet`. */
export type WalletInput = Input<typeof ofWallet>
