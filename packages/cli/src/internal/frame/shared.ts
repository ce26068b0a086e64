/** The options that all commands, or several of them, have. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type { Input } from "./Subcommand.js"
import * as Word from "./Word.js"

const chains = { 8217: "8217", 1001: "1001", mainnet: "8217", testnet: "1001" } as const

export const options = {
  chain: Word.map(
    Word.choice(
      "--chain",
      ["8217", "1001", "mainnet", "testnet"],
      "The chain: 8217 (mainnet) or 1001 (testnet). Instead of KLAYTN_CHAIN_ID."
    ),
    (name) => name === undefined ? undefined : chains[name]
  ),
  json: Word.flag("--json", "Write JSON for programs, one value a line; errors too, on standard error."),
  verbose: Word.flag("--verbose", "Write log lines on standard error: what is tried again, and why."),
  sandbox: Word.flag(
    "--sandbox",
    "Run against a sandbox in this process, offline. Needs the package @effect-klaytn/sandbox."
  )
}

export type Shared = Input<typeof options>

/** A node of one's own, in place of the service's. `what` is what is done with it. */
export const ofOwnNode = (what: string) => ({
  node: Word.text("--node URL", `${what} the node at this address. A key in it is safer in KLAYTN_OWN_NODE_URL.`),
  ownNode: Word.flag(
    "--own-node",
    `${what} the node of KLAYTN_OWN_NODE_URL, with KLAYTN_OWN_NODE_AUTHORIZATION if that is set.`
  )
})

/** What says that a node of one's own is meant, and which. */
export type OwnNodeInput = Shared & Input<ReturnType<typeof ofOwnNode>>

export const isOwnNode = ({ node, ownNode }: Input<ReturnType<typeof ofOwnNode>>): boolean =>
  node !== undefined || ownNode

/** Where a server listens. */
export const listening = (defaultPort: number, hosts: string) => ({
  port: Word.orElse(
    Word.whole("--port N", `Port to listen on; 0 takes a free one. Default: ${defaultPort}.`, 0, 65535),
    defaultPort
  ),
  // The brackets of a URL may stand around an address.
  host: Word.map(
    Word.text("--host ADDRESS", hosts),
    (address = "127.0.0.1") => address.trim().replace(/^\[(.*)\]$/, "$1")
  )
})

const styles = ["document", "paths"] as const

const feePayerStyleWord = Word.choice(
  "--fee-payer-style",
  styles,
  "Account that pays for a value transfer without a fee payer: the service, as its document says (document, default), or " +
    "the sender, as its public clients expect (paths). Also KLAYTN_FEE_PAYER_STYLE."
)

const fromEnvironment = Config.withDefault(Config.literal(...styles)("KLAYTN_FEE_PAYER_STYLE"), "document")

/** Who pays for a value transfer that names no fee payer, in a wallet that is served. */
export const feePayerStyle = {
  ...feePayerStyleWord,
  read: (given: ReadonlyArray<string>) =>
    Effect.flatMap(feePayerStyleWord.read(given), (style) =>
      style === undefined
        ? Effect.mapError(fromEnvironment, String)
        : Effect.succeed(style))
}
