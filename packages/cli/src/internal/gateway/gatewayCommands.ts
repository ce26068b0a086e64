/** `klaytn gateway`, with `callers`, `wallet` and `presets` below it: their pages. */
import * as Subcommand from "../frame/Subcommand.js"
import { calling, ofPresets, ofWallet, serving } from "./options.js"

const callers = Subcommand.make(
  {
    name: "gateway callers",
    summary: "create, list and revoke the credentials of a gateway's callers",
    description: [
      "Manages the credentials with which programs call a gateway. ACTION is add, list, revoke or move; add and revoke take the " +
      "NAME of a caller.",
      "add prints the credential once: the file keeps only a hash of the secret. A running gateway accepts a new caller at " +
      "once, and refuses a revoked caller from the next request on.",
      "A caller may read, unless --rights says otherwise. The limits are for the wallet, and hold whatever the client does.",
      "Rights for the wallet, pools and limits are kept in the wallet's own file or schema, so who may write the index can't spend. An " +
      "older version kept them beside the index: move shows those, and move with the fingerprint that it has shown moves them, once."
    ],
    examples: {
      "klaytn gateway callers add accounting --db index.db": "create a credential",
      "klaytn gateway callers add shop --db index.db --rights wallet --pools shop --max-value 100 --max-day 1000":
        "a caller of the wallet, with limits",
      "klaytn gateway callers list --db index.db": "who may call",
      "klaytn gateway callers revoke accounting --db index.db": "let accounting in no more",
      "klaytn gateway callers move --db index.db": "show what an older version has left beside the index"
    }
  },
  calling,
  async (input) => (await import("./runCallersAndPresets.js")).callers(input)
)

const wallet = Subcommand.make(
  {
    name: "gateway wallet",
    summary: "look at, freeze, rekey, back up and check the wallet of a gateway",
    description: [
      "Works on the wallet beside a gateway's index, also while the gateway runs. status shows accounts, fee payers and what they " +
      "have, sends under way, and what callers have used of their limits by day; it needs no key. freeze stops all signing and sending at once: it makes the " +
      "file FILE.wallet.frozen, as any program may, and needs no key; in Postgres it needs the master key. unfreeze ends that, and " +
      "needs what freeze did: the master key in Postgres, and where a program has frozen the wallet.",
      "rekey changes the master key; reads and signatures go on. It writes the files anew, and says what may still have bytes of before. backup FILE writes every key and account into a sealed file, and " +
      "restore FILE makes a wallet of the file where there is none: the master key at the time of the backup opens both. A " +
      "restored wallet, or an older copy of one, refuses each Idempotency-Key that it does not know, since the key may have paid: " +
      "accept-keys accepts them.",
      "import asks for a private key, or for the password of the keystore WHAT (version 3 or 4), and export ADDRESS for the password " +
      "of a new keystore, on the terminal. deleted lists the keys that were deleted and can be had back, undelete gives an account or key " +
      "back; once its secret is destroyed, import does. audit verify checks the log of what was created, deleted, signed and refused, and prints its " +
      "last line: keep that elsewhere, and pass it as --head later. audit list prints the log.",
      "repair shows the rows that nothing can read and the wallet passes over; it needs no key. With --end ROW, which needs the master " +
      "key, it ends a send or a multisig transaction by your word: the wallet gives its bytes to the node no more, and the nonce is free. " +
      "Bytes that the node has may run all the same."
    ],
    examples: {
      "klaytn gateway wallet status --db index.db --node http://127.0.0.1:8551": "accounts, fee payers, sends, limits",
      "klaytn gateway wallet freeze --db index.db": "sign nothing more",
      "klaytn gateway wallet rekey --db index.db --new-wallet-key-file new.key": "change the master key",
      "klaytn gateway wallet backup wallet.backup --db index.db": "write a backup",
      "klaytn gateway wallet audit verify --db index.db": "check the audit log",
      "klaytn gateway wallet repair --db index.db": "rows that can't be read; --end ends one"
    }
  },
  ofWallet,
  async (input) => (await import("./runWallet.js")).wallet(input)
)

const presets = Subcommand.make(
  {
    name: "gateway presets",
    summary: "add, list and remove the presets of a gateway's transfer history",
    description: [
      "Manages named sets of accounts and token contracts that searches of the transfer history name by a number. ACTION is add, " +
      "list or remove; add takes the NAME of the preset, remove its number.",
      "A running gateway finds a new preset at once. A preset names only what the index keeps."
    ],
    examples: {
      "klaytn gateway presets add shops --accounts 0x1111111111111111111111111111111111111111 --db index.db":
        "add a preset",
      "klaytn gateway presets list --db index.db": "their numbers and names",
      "klaytn gateway presets remove 1 --db index.db": "remove a preset"
    }
  },
  ofPresets,
  async (input) => (await import("./runCallersAndPresets.js")).presets(input)
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
