/** `klaytn sandbox`, with `methods` and `openapi` below it: their options and their pages. */
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as shared from "./shared.js"
import * as Subcommand from "./Subcommand.js"

const run = Effect.promise(() => import("./runSandbox.js"))

/** When blocks are built. */
export type Mining = "auto" | "manual" | { readonly every: Duration.Duration }

const mining = (text: string): Option.Option<Mining> => {
  if (text === "auto" || text === "manual") return Option.some(text)
  const [, amount, unit] = /^\s*(\d+)\s*(ms|s|millis|seconds?)\s*$/.exec(text) ?? []
  if (amount === undefined || unit === undefined || Number(amount) === 0) return Option.none()
  return Option.some({
    every: unit.startsWith("m") ? Duration.millis(Number(amount)) : Duration.seconds(Number(amount))
  })
}

/** What is kept, and what the chains hold at first. */
const contents = {
  db: shared.text("db", "FILE", "Database file, made if it is missing; without it everything is in memory."),
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
  transfers: shared.wholeBetween(
    "transfers",
    9,
    10_000_000,
    "Fill the testnet chain, if it is empty, with this many generated transfers first."
  ).pipe(Options.optional),
  deterministic: Options.boolean("deterministic").pipe(
    Options.withDescription("The same keys, credential, times and block hashes at every start.")
  )
}

/** How the chains and the service behave. */
const behaviour = {
  mining: Options.text("mining").pipe(
    Options.withPseudoName("auto|manual|5s"),
    Options.filterMap(mining, "--mining takes auto, manual, or a time such as 5s or 500ms"),
    Options.withDescription(
      "When blocks are built: with every transaction (auto, the default), only when asked (manual), or every so often."
    ),
    Options.withDefault<Mining>("auto")
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
    Options.withDefault<"cancun" | "prague" | "osaka">("osaka")
  ),
  pendingBlock: Options.choice("pending-block", ["latest", "refused"]).pipe(
    Options.withDescription("What a node's methods answer of the block pending: the latest one (default), or none."),
    Options.withDefault<"latest" | "refused">("latest")
  ),
  feePayerStyle: Options.choice("fee-payer-style", ["document", "paths"]).pipe(
    Options.withDescription(
      "Who pays for a value transfer that names no fee payer: the service, as its document says (document, default), or " +
        "the sender, as its public clients expect (paths). Also KLAYTN_FEE_PAYER_STYLE."
    ),
    Options.withFallbackConfig(Config.literal("document", "paths")("KLAYTN_FEE_PAYER_STYLE")),
    Options.withDefault<"document" | "paths">("document")
  ),
  keepFeePayerSignature: Options.boolean("keep-fee-payer-signature").pipe(
    Options.withDescription("Send a raw transaction as it is if its fee payer has signed it; else it is signed anew.")
  ),
  internalTransfers: Options.boolean("internal-transfers").pipe(
    Options.withDescription("Also list the coin that contracts move in the transfer history, for blocks from now on.")
  ),
  noExplorer: Options.boolean("no-explorer").pipe(
    Options.withDescription("Do not serve the explorer, the pages at / that show what the sandbox holds.")
  ),
  noDevRpc: Options.boolean("no-dev-rpc").pipe(
    Options.withDescription("Do not serve the chains as JSON-RPC without a credential, at /rpc/1001 and /rpc/8217.")
  ),
  exposeDevRpc: Options.boolean("expose-dev-rpc").pipe(
    Options.withDescription("Serve that JSON-RPC also with --expose: it asks for no credential.")
  ),
  devRpcOrigin: Options.text("dev-rpc-origin").pipe(
    Options.withPseudoName("ORIGIN"),
    Options.withDescription(
      "Origin of web pages that may use that JSON-RPC beside pages of this machine, such as https://dapp.example. May " +
        "be repeated."
    ),
    Options.repeated
  )
}

const methods = Subcommand.make(
  {
    name: "sandbox methods",
    summary: "list the methods of a node that a sandbox serves",
    description: ["Lists the methods of a node that a sandbox serves, and those of the SDK that it does not."],
    examples: [["klaytn sandbox methods --json | jq .count", "how many are served"]]
  },
  { json: Options.boolean("json").pipe(Options.withDescription("One line of JSON: count, served, notServed.")) },
  {},
  (input) => Effect.flatMap(run, ({ methods }) => methods(input))
)

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
  {
    service: Options.choice("service", ["history", "tokens", "wallet", "node"]).pipe(
      Options.withDescription("Only the operations of this service."),
      Options.optional
    ),
    out: shared.text("out", "FILE", "Write the document to this file instead of standard output.")
  },
  {},
  (input) => Effect.flatMap(run, ({ openapi }) => openapi(input))
)

export const sandbox = Subcommand.withSubcommands(
  Subcommand.make(
    {
      name: "sandbox",
      summary: "run the service on this machine",
      isServer: true,
      finishesUnread: true,
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
    {
      port: shared.wholeBetween("port", 0, 65535, "Port to listen on; 0 takes a free one. Default: 8217.").pipe(
        Options.withDefault(8217)
      ),
      host: Options.text("host").pipe(
        Options.withPseudoName("ADDRESS"),
        Options.map(shared.withoutBrackets),
        Options.withDescription(
          "Address to listen on: 127.0.0.1 (default), ::1 or localhost; any other, such as 0.0.0.0, only with --expose."
        ),
        Options.withDefault("127.0.0.1")
      ),
      expose: Options.boolean("expose").pipe(
        Options.withDescription(
          "Let other machines reach it, as in a container. Needs KLAYTN_SANDBOX_ACCESS_KEY_ID and " +
            "KLAYTN_SANDBOX_SECRET_ACCESS_KEY in the environment, which every request then has to send. Not encrypted."
        )
      ),
      json: Options.boolean("json").pipe(
        Options.withDescription(
          "When ready, print one line of JSON instead of a page: url, chains, credential, customer, accounts, presets. " +
            "Errors are JSON too."
        )
      ),
      ...contents,
      ...behaviour
    },
    {},
    (input) => Effect.flatMap(run, ({ serve }) => serve(input))
  ),
  [methods, openapi]
)
