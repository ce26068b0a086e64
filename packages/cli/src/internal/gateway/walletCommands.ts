/** `klaytn gateway wallet`: its page. */
import * as Subcommand from "../frame/Subcommand.js"
import { options } from "./walletOptions.js"

export const wallet = Subcommand.make(
  {
    name: "gateway wallet",
    summary: "look at, freeze, rekey, back up and check the wallet of a gateway",
    description: [
      "Works on the wallet beside a gateway's index, also while the gateway runs. status shows accounts, fee payers and what they " +
      "have, sends under way, and what callers have used of their limits by day; it needs no key. freeze stops all signing at once: it makes the file " +
      "FILE.wallet.frozen, as any program may, and needs no key; in Postgres it needs the master key. unfreeze ends that.",
      "rekey changes the master key; reads and signatures go on. backup FILE writes every key and account into a sealed file, and " +
      "restore FILE makes a wallet of the file where there is none: the master key at the time of the backup opens both.",
      "import asks for a private key, or for the password of the keystore WHAT (Web3, version 3), and export ADDRESS for the password " +
      "of a new keystore, on the terminal. audit verify checks the log of what was created, deleted, signed and refused, and prints its " +
      "last line: keep that elsewhere, and pass it as --head later. audit list prints the log."
    ],
    examples: {
      "klaytn gateway wallet status --db index.db --node http://127.0.0.1:8551": "accounts, fee payers, sends, limits",
      "klaytn gateway wallet freeze --db index.db": "sign nothing more",
      "klaytn gateway wallet rekey --db index.db --new-wallet-key-file new.key": "change the master key",
      "klaytn gateway wallet backup wallet.backup --db index.db": "write a backup",
      "klaytn gateway wallet audit verify --db index.db": "check the audit log"
    }
  },
  options,
  async (input) => (await import("./runWallet.js")).wallet(input)
)
