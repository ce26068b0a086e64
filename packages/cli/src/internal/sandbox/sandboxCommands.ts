/** `klaytn sandbox`, with `methods` and `openapi` below it: their pages. */
import * as Subcommand from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"
import { printing, serving } from "./options.js"

const methods = Subcommand.make(
  {
    name: "sandbox methods",
    summary: "list the methods of a node that a sandbox serves",
    description: ["Lists the node methods that a sandbox serves, and the methods of the SDK that it does not serve."],
    examples: { "klaytn sandbox methods --json | jq .count": "how many are served" }
  },
  { json: Word.flag("--json", "One line of JSON: count, served, notServed.") },
  async (input) => (await import("./runSandbox.js")).methods(input)
)

const openapi = Subcommand.make(
  {
    name: "sandbox openapi",
    summary: "print the OpenAPI document of the service",
    description: [
      "Prints the OpenAPI 3.1 document of the service. Every example in it is a call that a sandbox answered."
    ],
    examples: {
      "klaytn sandbox openapi --out openapi.json": "all of it, in a file",
      "klaytn sandbox openapi --service wallet": "the operations of the wallet"
    }
  },
  printing,
  async (input) => (await import("./runSandbox.js")).openapi(input)
)

export const sandbox = Subcommand.make(
  {
    name: "sandbox",
    summary: "run the service on this machine",
    isServer: true,
    description: [
      "Runs the service on this machine: two chains (8217 and 1001) with real keys, signed transactions, a real EVM and " +
      "a real database. Prints its address, a credential and funded accounts when it is ready. Ctrl-C or SIGTERM stops " +
      "it, with exit code 0.",
      "Needs @effect-klaytn/sandbox beside this command. That package alone brings effect-klaytn-sandbox, which is the " +
      "same command."
    ],
    examples: {
      "klaytn sandbox": "on port 8217, in memory",
      "klaytn sandbox --port 0 --json": "on a free port, with one line of JSON for a program to read",
      "klaytn sandbox --db sandbox.db": "keep everything in a file, and find it there next time",
      "klaytn sandbox --deterministic --seed scenario.json": "the same accounts and transactions every time",
      "klaytn sandbox --transfers 100000 --db big.db": "a chain to export, or to measure with",
      "klaytn sandbox --host 0.0.0.0 --expose": "in a container, with a credential of yours in the environment",
      "klaytn sandbox --mining 5s --unit-price 0": "a block every five seconds, and no fees"
    }
  },
  serving,
  async (input) => (await import("./runSandbox.js")).serve(input),
  [methods, openapi]
)
