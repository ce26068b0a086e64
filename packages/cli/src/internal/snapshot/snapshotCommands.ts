/** `klaytn snapshot owners`: its page. */
import * as Subcommand from "../frame/Subcommand.js"
import * as Failure from "../terminal/Failure.js"
import { asked } from "./options.js"

const owners = Subcommand.make(
  {
    name: "snapshot owners",
    summary: "store the owners of all tokens of a contract, with a verdict",
    description: [
      "Reads every token of an NFT or multi-token contract with its owner into a file, a line each: token_id, owner, " +
      "balance, updated. Stop it at any moment; the same command continues.",
      "Owners may change between the first page and the last. FILE.verdict.json names the tokens that changed; all other " +
      "lines were true all that time. The exit code is 0 if nothing changed, and 3 if a token did."
    ],
    examples: {
      "klaytn snapshot owners 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --out owners.csv": "of an NFT contract",
      "klaytn snapshot owners 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --kind mt --out owners.ndjson":
        "of a multi-token contract, with balances"
    }
  },
  asked,
  async (input) => (await import("./runSnapshot.js")).owners(input)
)

export const snapshot = Subcommand.make(
  {
    name: "snapshot",
    summary: "store the owners of a contract's tokens",
    description: ["Stores the state of a token contract in a file."],
    examples: { "klaytn snapshot": "what can be stored" }
  },
  {},
  async () => Failure.usage("klaytn snapshot needs the word owners behind it", "klaytn snapshot --help"),
  [owners]
)
