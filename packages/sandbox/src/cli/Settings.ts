/**
 * The options of the command: the one place where each is named, described and checked.
 */
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as BindAddress from "./BindAddress.js"
import * as Filling from "./Filling.js"

/**
 * When blocks are built.
 *
 * @category models
 */
export type Mining = "auto" | "manual" | { readonly every: Duration.Duration }

const mining = (text: string): Option.Option<Mining> => {
  if (text === "auto" || text === "manual") return Option.some(text)
  const [, amount, unit] = /^\s*(\d+)\s*(ms|s|millis|seconds?)\s*$/.exec(text) ?? []
  if (amount === undefined || unit === undefined || Number(amount) === 0) return Option.none()
  return Option.some({
    every: unit.startsWith("m") ? Duration.millis(Number(amount)) : Duration.seconds(Number(amount))
  })
}

const wholeNumber = (
  name: string,
  least: number,
  most: number,
  description: string
): Options.Options<number> =>
  Options.integer(name).pipe(
    Options.filterMap(
      (value) => value >= least && value <= most ? Option.some(value) : Option.none(),
      `--${name} takes a whole number from ${least} to ${most}`
    ),
    Options.withDescription(description)
  )

/**
 * The options, checked.
 *
 * @category options
 */
export const options = {
  port: wholeNumber("port", 0, 65535, "Port to listen on; 0 takes a free one. Default: 8217.").pipe(
    Options.withDefault(8217)
  ),
  host: Options.text("host").pipe(
    Options.filterMap(BindAddress.parse, BindAddress.refusal),
    Options.withDescription("Address to listen on: 127.0.0.1 (default), ::1 or localhost. Any other is refused."),
    Options.withDefault("127.0.0.1")
  ),
  json: Options.boolean("json").pipe(
    Options.withDescription(
      "When ready, print one line of JSON instead of a page: url, chains, credential, customer, accounts, presets."
    )
  ),
  db: Options.file("db").pipe(
    Options.filterMap(
      (file) => file.trim() === "" ? Option.none() : Option.some(file),
      "--db takes the name of a file"
    ),
    Options.withDescription("Database file, made if it is missing; without it everything is in memory."),
    Options.optional
  ),
  walletKey: Options.file("wallet-key").pipe(
    Options.withDescription(
      "File with the key that seals the wallet's private keys in the database; KLAYTN_SANDBOX_WALLET_KEY in the " +
        "environment does the same. Without either, a random key, kept beside the database in FILE.key."
    ),
    Options.optional
  ),
  seed: Options.file("seed").pipe(
    Options.withDescription(
      "Scenario to play into an empty chain first: a JSON file of accounts, tokens, steps and presets."
    ),
    Options.optional
  ),
  transfers: wholeNumber(
    "transfers",
    Filling.least,
    10_000_000,
    "Fill the testnet chain, if it is empty, with this many generated transfers first."
  ).pipe(Options.optional),
  deterministic: Options.boolean("deterministic").pipe(
    Options.withDescription("The same keys, credential, times and block hashes at every start.")
  ),
  mining: Options.text("mining").pipe(
    Options.withPseudoName("auto|manual|5s"),
    Options.filterMap(mining, "--mining takes auto, manual, or a time such as 5s or 500ms"),
    Options.withDescription(
      "When blocks are built: with every transaction (auto, the default), only when asked (manual), or every so often."
    ),
    Options.withDefault<Mining>("auto")
  ),
  pendingBlock: Options.choice("pending-block", ["latest", "refused"]).pipe(
    Options.withDescription("What a node's methods answer of the block pending: the latest one (default), or none."),
    Options.withDefault<"latest" | "refused">("latest")
  ),
  feePayerStyle: Options.choice("fee-payer-style", ["document", "paths"]).pipe(
    Options.withDescription(
      "Who pays for a value transfer that names no fee payer: the service, as its document says (document, default), or " +
        "the sender, as its public clients expect (paths)."
    ),
    Options.withFallbackConfig(Config.literal("document", "paths")("KLAYTN_FEE_PAYER_STYLE")),
    Options.withDefault<FeePayerStyle>("document")
  ),
  keepFeePayerSignature: Options.boolean("keep-fee-payer-signature").pipe(
    Options.withDescription("Send a raw transaction as it is if its fee payer has signed it; else it is signed anew.")
  ),
  noExplorer: Options.boolean("no-explorer").pipe(
    Options.withDescription("Do not serve the explorer, the pages at / that show what the sandbox holds.")
  ),
  unitPrice: Options.text("unit-price").pipe(
    Options.withPseudoName("peb"),
    Options.filterMap(
      (text) => /^\d{1,30}$/.test(text) ? Option.some(BigInt(text)) : Option.none(),
      "--unit-price takes a whole number of peb, for example 25000000000"
    ),
    Options.withDescription("Price of one unit of gas in peb. Default: 25000000000 (25 gpeb)."),
    Options.withDefault(25_000_000_000n)
  )
}
