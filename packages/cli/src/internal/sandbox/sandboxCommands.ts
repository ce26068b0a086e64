/** `klaytn sandbox`, with `methods` and `openapi` below it: their options and their pages. */
import * as Options from "@effect/cli/Options"
import * as Boolean from "effect/Boolean"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as shared from "../frame/shared.js"
import * as Subcommand from "../frame/Subcommand.js"

const run = Effect.promise(() => import("./runSandbox.js"))

/** When blocks are built. */
const mining = (text: string): Option.Option<"auto" | "manual" | { readonly every: Duration.Duration }> => {
  if (text === "auto" || text === "manual") return Option.some(text)
  const [, amount, unit] = /^\s*(\d+)\s*(ms|s|millis|seconds?)\s*$/.exec(text) ?? []
  if (amount === undefined || unit === undefined || Number(amount) === 0) return Option.none()
  return Option.some({
    every: unit.startsWith("m") ? Duration.millis(Number(amount)) : Duration.seconds(Number(amount))
  })
}

/** What is kept, and what the chains hold at first. */
const contents = {
  database: shared.text("db", "FILE", "Database file, created if missing. Without a file, everything is in memory."),
  walletKey: shared.text(
    "wallet-key",
    "FILE",
    "File with the key that seals the wallet's private keys in the database; KLAYTN_SANDBOX_WALLET_KEY in the " +
      "environment does the same. Without either, a random key, kept beside the database in FILE.key."
  ),
  seed: shared.text(
    "seed",
    "FILE",
    "Scenario to play into an empty chain first: a JSON file of accounts, tokens, steps and presets."
  ),
  // Two accounts and three contracts make nine.
  transfers: shared.whole(
    "transfers",
    9,
    10_000_000,
    "Fill the testnet chain, if it is empty, with this many generated transfers first."
  ).pipe(Options.withDefault(undefined)),
  deterministic: shared.flag("deterministic", "The same keys, credential, times and block hashes at every start.")
}

/** A flag that turns off what is on by default. */
const without = (name: string, description: string) => Options.map(shared.flag(name, description), Boolean.not)

/** How the chains and the service behave. */
const behaviour = {
  mining: Options.text("mining").pipe(
    Options.withPseudoName("auto|manual|5s"),
    Options.filterMap(mining, "--mining takes auto, manual, or a time such as 5s or 500ms"),
    Options.withDescription(
      "When blocks are built: with every transaction (auto, the default), only when asked (manual), or every so often."
    ),
    Options.withDefault("auto")
  ),
  unitPrice: Options.text("unit-price").pipe(
    Options.withPseudoName("PEB"),
    Options.filterMap(
      (text) => /^\d{1,30}$/.test(text) ? Option.some(BigInt(text)) : Option.none(),
      "--unit-price takes a whole number of peb, for example 25000000000"
    ),
    Options.withDescription("Price of one unit of gas in peb. Default: 25000000000 (25 gpeb)."),
    Options.withDefault(25_000_000_000n)
  ),
  hardfork: Options.choice("hardfork", ["cancun", "prague", "osaka"]).pipe(
    Options.withDescription(
      "The chain's upgrade whose rules hold for gas, transactions and contracts. Default: osaka, today's."
    ),
    Options.withDefault("osaka")
  ),
  pendingBlock: Options.choice("pending-block", ["latest", "refused"]).pipe(
    Options.withDescription("The block that methods of the node use as pending: latest (default), or none."),
    Options.withDefault("latest")
  ),
  feePayerStyle: Options.choice("fee-payer-style", ["document", "paths"]).pipe(
    Options.withDescription(
      "Account that pays for a value transfer without a fee payer: the service, as its document says (document, default), or " +
        "the sender, as its public clients expect (paths). Also KLAYTN_FEE_PAYER_STYLE."
    ),
    Options.withFallbackConfig(Config.literal("document", "paths")("KLAYTN_FEE_PAYER_STYLE")),
    Options.withDefault("document")
  ),
  feePayerSignsAnew: without(
    "keep-fee-payer-signature",
    "Send a raw transaction unchanged if its fee payer has signed it. By default the fee payer signs again."
  ),
  internalTransfers: shared.flag(
    "internal-transfers",
    "List internal transfers too (coin that contracts send), for blocks from now on."
  ),
  explorer: without("no-explorer", "Do not serve the explorer, the pages at / that show what the sandbox holds."),
  devRpc: without(
    "no-dev-rpc",
    "Do not serve the chains as JSON-RPC without a credential, at /rpc/1001 and /rpc/8217."
  ),
  exposeDevRpc: shared.flag("expose-dev-rpc", "Serve that JSON-RPC also with --expose: it asks for no credential."),
  devRpcOrigins: Options.text("dev-rpc-origin").pipe(
    Options.withPseudoName("ORIGIN"),
    Options.withDescription(
      "Origin of web pages that may use that JSON-RPC beside pages of this machine, such as https://dapp.example. May " +
        "be repeated."
    ),
    Options.repeated
  )
}

const serving = {
  ...shared.listening(
    8217,
    "Address to listen on: 127.0.0.1 (default), ::1 or localhost; any other, such as 0.0.0.0, only with --expose."
  ),
  expose: shared.flag(
    "expose",
    "Let other machines reach the sandbox, as in a container. Needs KLAYTN_SANDBOX_ACCESS_KEY_ID and " +
      "KLAYTN_SANDBOX_SECRET_ACCESS_KEY in the environment, which every request then has to send. Not encrypted."
  ),
  json: shared.flag(
    "json",
    "When ready, print one line of JSON instead of a page: url, chains, credential, customer, accounts, presets. " +
      "Errors are JSON too."
  ),
  ...contents,
  ...behaviour
}

/** What is asked of `klaytn sandbox`. */
export type SandboxInput = Subcommand.Input<typeof serving>

const methods = Subcommand.make(
  {
    name: "sandbox methods",
    summary: "list the methods of a node that a sandbox serves",
    description: ["Lists the node methods that a sandbox serves, and the methods of the SDK that it does not serve."],
    examples: [["klaytn sandbox methods --json | jq .count", "how many are served"]]
  },
  { json: shared.flag("json", "One line of JSON: count, served, notServed.") },
  (input) => Effect.flatMap(run, ({ methods }) => methods(input))
)

const printing = {
  service: Options.choice("service", ["history", "tokens", "wallet", "node"]).pipe(
    Options.withDescription("Only the operations of this service."),
    Options.withDefault(undefined)
  ),
  out: shared.text("out", "FILE", "Write the document to this file instead of standard output.")
}

/** What is asked of `klaytn sandbox openapi`. */
export type OpenApiInput = Subcommand.Input<typeof printing>

const openapi = Subcommand.make(
  {
    name: "sandbox openapi",
    summary: "print the OpenAPI document of the service",
    description: [
      "Prints the OpenAPI 3.1 document of the service. Every example in it is a call that a sandbox answered."
    ],
    examples: [
      ["klaytn sandbox openapi --out openapi.json", "all of it, in a file"],
      ["klaytn sandbox openapi --service wallet", "the operations of the wallet"]
    ]
  },
  printing,
  (input) => Effect.flatMap(run, ({ openapi }) => openapi(input))
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
    examples: [
      ["klaytn sandbox", "on port 8217, in memory"],
      ["klaytn sandbox --port 0 --json", "on a free port, with one line of JSON for a program to read"],
      ["klaytn sandbox --db sandbox.db", "keep everything in a file, and find it there next time"],
      ["klaytn sandbox --deterministic --seed scenario.json", "the same accounts and transactions every time"],
      ["klaytn sandbox --transfers 100000 --db big.db", "a chain to export, or to measure with"],
      ["klaytn sandbox --host 0.0.0.0 --expose", "in a container, with a credential of yours in the environment"],
      ["klaytn sandbox --mining 5s --unit-price 0", "a block every five seconds, and no fees"]
    ]
  },
  serving,
  (input) => Effect.flatMap(run, ({ serve }) => serve(input)),
  [methods, openapi]
)
