/** The options that all commands, or several of them, have. */
import type { Input } from "./Subcommand.js"
import * as Word from "./Word.js"

const chains = { 8217: "8217", 1001: "1001", mainnet: "8217", testnet: "1001" } as const

export const options = {
  chain: Word.map(
    Word.choice(
      "chain",
      ["8217", "1001", "mainnet", "testnet"],
      "The chain: 8217 (mainnet) or 1001 (testnet). Instead of KLAYTN_CHAIN_ID."
    ),
    (name) => name === undefined ? undefined : chains[name]
  ),
  json: Word.flag("json", "Write JSON for programs, one value a line; errors too, on standard error."),
  verbose: Word.flag("verbose", "Write log lines on standard error: what is tried again, and why."),
  sandbox: Word.flag(
    "sandbox",
    "Run against a sandbox in this process, offline. Needs the package @effect-klaytn/sandbox."
  )
}

export type Shared = Input<typeof options>

/** Where a server listens. */
export const listening = (defaultPort: number, hosts: string) => ({
  port: Word.orElse(
    Word.whole("port", 0, 65535, `Port to listen on; 0 takes a free one. Default: ${defaultPort}.`),
    defaultPort
  ),
  // The brackets of a URL may stand around an address.
  host: Word.map(
    Word.text("host", "ADDRESS", hosts),
    (address = "127.0.0.1") => address.trim().replace(/^\[(.*)\]$/, "$1")
  )
})
