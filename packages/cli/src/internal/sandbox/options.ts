/** The options and arguments of `klaytn sandbox` and the commands below it. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

/** When blocks are built. */
const mining = (text: string): Option.Option<"auto" | "manual" | { readonly every: Duration.Duration }> => {
  if (text === "auto" || text === "manual") return Option.some(text)
  const [, amount, unit] = /^\s*(\d+)\s*(ms|s|millis|seconds?)\s*$/.exec(text) ?? []
  if (amount === undefined || unit === undefined || Number(amount) === 0) return Option.none()
  return Option.some({
    every: unit.startsWith("m") ? Duration.millis(Number(amount)) : Duration.seconds(Number(amount))
  })
}

/** A price of one unit of gas. */
const peb = (name: string, description: string) =>
  Word.parsed(
    Word.text(`${name} PEB`, description),
    (text) => /^\d{1,30}$/.test(text) ? Option.some(BigInt(text)) : Option.none(),
    `${name} takes a whole number of peb, for example 25000000000`
  )

/** A flag that turns off what is on by default. */
const without = (name: string, description: string) => Word.map(Word.flag(name, description), (isGiven) => !isGiven)

export const serving = {
  ...shared.listening(
    8217,
    "Address to listen on: 127.0.0.1 (default), ::1 or localhost; any other, such as 0.0.0.0, only with --expose."
  ),
  expose: Word.flag(
    "--expose",
    "Let other machines reach the sandbox, as in a container. Needs KLAYTN_SANDBOX_ACCESS_KEY_ID and " +
      "KLAYTN_SANDBOX_SECRET_ACCESS_KEY in the environment, which every request then has to send. Not encrypted."
  ),
  json: Word.flag(
    "--json",
    "When ready, print one line of JSON instead of a page: url, chains, credential, customer, accounts, presets. " +
      "Errors are JSON too."
  ),
  // What is kept, and what the chains hold at first.
  database: Word.text("--db FILE", "Database file, created if missing. Without a file, everything is in memory."),
  walletKey: Word.text(
    "--wallet-key FILE",
    "File with the key that seals the wallet's private keys in the database; KLAYTN_SANDBOX_WALLET_KEY in the " +
      "environment does the same. Without either, a random key, kept beside the database in FILE.key."
  ),
  seed: Word.text(
    "--seed FILE",
    "Scenario to play into an empty chain first: a JSON file of accounts, tokens, steps and presets."
  ),
  // Two accounts and three contracts make nine.
  transfers: Word.whole(
    "--transfers N",
    "Fill the testnet chain, if it is empty, with this many generated transfers first.",
    9,
    10_000_000
  ),
  deterministic: Word.flag(
    "--deterministic",
    "The same keys, credential, times and block hashes at every start. The clock of the chains begins on 2024-01-01, a second for each block."
  ),
  // How the chains and the service behave.
  mining: Word.orElse(
    Word.parsed(
      Word.text(
        "--mining auto|manual|5s",
        "When blocks are built: with every transaction (auto, the default), only when asked (manual), or every so often."
      ),
      mining,
      "--mining takes auto, manual, or a time such as 5s or 500ms"
    ),
    "auto"
  ),
  unitPrice: Word.orElse(
    peb(
      "--unit-price",
      "The lowest base fee: the least price of one unit of gas, in peb. Default: 25000000000 (25 gpeb)."
    ),
    25_000_000_000n
  ),
  highestUnitPrice: peb(
    "--highest-unit-price",
    "The highest base fee, in peb. Default: 30 times --unit-price, the chain's 750000000000 (750 gpeb)."
  ),
  baseFee: Word.choice(
    "--base-fee",
    ["fixed", "moving"],
    "Whether the base fee moves with the gas that blocks use, as on the chain (moving, the default), or not (fixed)."
  ),
  poolSize: Word.orElse(
    Word.whole(
      "--pool-size N",
      "How many transactions of a chain may wait; more are refused with txpool is full. Default: 5120, the node's.",
      1,
      1_000_000
    ),
    5120
  ),
  hardfork: Word.orElse(
    Word.choice(
      "--hardfork",
      ["cancun", "prague", "osaka"],
      "The chain's upgrade whose rules hold for gas, transactions and contracts. Default: osaka, today's."
    ),
    "osaka"
  ),
  pendingBlock: Word.orElse(
    Word.choice(
      "--pending-block",
      ["latest", "refused"],
      "The block that methods of the node use as pending: latest (default), or none."
    ),
    "latest"
  ),
  oldState: Word.orElse(
    Word.choice(
      "--old-state",
      ["kept", "pruned"],
      "The state of old blocks: kept for all (default), or pruned as a full node does, but for the newest 128 and every 128th."
    ),
    "kept"
  ),
  nodeDefaults: Word.flag(
    "--node-defaults",
    "A node as it is without options of its own: it refuses to anchor data, finds no transaction by its sender's hash, and has " +
      "no methods and parameters that only older nodes or the service have."
  ),
  feePayerStyle: shared.feePayerStyle,
  feePayerSignsAnew: without(
    "--keep-fee-payer-signature",
    "Send a raw transaction unchanged if its fee payer has signed it. By default the fee payer signs again."
  ),
  internalTransfers: Word.flag(
    "--internal-transfers",
    "List internal transfers too (coin that contracts send), for blocks from now on."
  ),
  explorer: without("--no-explorer", "Do not serve the explorer, the pages at / that show what the sandbox holds."),
  devRpc: without(
    "--no-dev-rpc",
    "Do not serve the chains as JSON-RPC without a credential, at /rpc/1001 and /rpc/8217."
  ),
  exposeDevRpc: Word.flag("--expose-dev-rpc", "Serve that JSON-RPC also with --expose: it asks for no credential."),
  devRpcOrigins: Word.repeated(Word.text(
    "--dev-rpc-origin ORIGIN",
    "Origin of web pages that may use that JSON-RPC beside pages of this machine, such as https://dapp.example. May " +
      "be repeated."
  ))
}

/** What is asked of `klaytn sandbox`. */
export type SandboxInput = Input<typeof serving>

export const printing = {
  service: Word.choice("--service", ["history", "tokens", "wallet", "node"], "Only the operations of this service."),
  out: Word.text("--out FILE", "Write the document to this file instead of standard output.")
}

/** What is asked of `klaytn sandbox openapi`. */
export type OpenApiInput = Input<typeof printing>
