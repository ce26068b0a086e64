/** `klaytn accounts` and `klaytn fee-payers`: their pages. */
import * as Subcommand from "../frame/Subcommand.js"
import { asked, pool } from "./options.js"

const ifLost = "If the answer to create is lost, the exit code is 6: look with list before you create another one."

export const accounts = Subcommand.make(
  {
    name: "accounts",
    summary: "list, create or show accounts of the wallet",
    description: [
      "The accounts of the wallet, whose keys the service holds. list shows all, newest first; create makes one and writes its " +
      "address; show ADDRESS shows one with its balance and its next nonce, if the node is configured (KLAYTN_NODE_URL).",
      ifLost
    ],
    examples: {
      "klaytn accounts create": "create an account to pay from",
      "klaytn accounts list": "all accounts of the pool",
      "klaytn accounts show 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed": "one, with its balance",
      "klaytn accounts create --sandbox": "try it offline"
    }
  },
  { pool, ...asked },
  async (input) => (await import("./runAccounts.js")).run("account", input)
)

export const feePayers = Subcommand.make(
  {
    name: "fee-payers",
    summary: "list, create or show the wallet's accounts that pay fees",
    description: [
      "The fee payers of the wallet: accounts that pay the fees of others. klaytn pay --payer ADDRESS uses one. The actions are " +
      "those of klaytn accounts. create and show are beyond the service's API document: they were seen in public clients.",
      ifLost
    ],
    examples: {
      "klaytn fee-payers list": "all fee payers",
      "klaytn fee-payers create": "a fee payer of your own"
    }
  },
  asked,
  async (input) => (await import("./runAccounts.js")).run("fee payer", input)
)
