/**
 * What `--help` says around the options.
 */
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Span from "@effect/cli/HelpDoc/Span"

/**
 * Name of the command.
 *
 * @category constants
 */
export const name = "effect-klaytn-sandbox"

/**
 * What the command is for.
 *
 * @category constants
 */
export const description =
  "Runs the service on this machine: two chains (8217 and 1001) with real keys, signed transactions, a real EVM " +
  "and a real database. Prints its address, a credential and funded accounts when it is ready. Ctrl+C stops it."

const examples: ReadonlyArray<readonly [command: string, meaning: string]> = [
  [name, "On port 8217, in memory."],
  [`${name} --port 0 --json`, "On a free port; one line of JSON for a program to read."],
  [`${name} --db sandbox.db`, "Keep everything in a file, and find it there next time."],
  [`${name} --deterministic --seed scenario.json`, "The same accounts, transactions and block hashes every time."],
  [`${name} --transfers 100000 --db big.db`, "A chain with a hundred thousand transfers, to export or to measure."],
  [`${name} --mining 5s --unit-price 0`, "A block every five seconds, and no fees."],
  [`${name} methods --json`, "The methods of a node that are served, and how many."]
]

const others: ReadonlyArray<readonly [option: string, meaning: string]> = [
  ["--help, -h", "This page."],
  ["--version", "The version."],
  ["--completions bash|zsh|fish", "Completions for a shell."],
  ["--wizard", "Ask for each option."]
]

const list = (entries: ReadonlyArray<readonly [string, string]>): HelpDoc.HelpDoc =>
  HelpDoc.blocks(entries.map(([term, meaning]) => HelpDoc.descriptionList([[Span.code(term), HelpDoc.p(meaning)]])))

/**
 * The name and the part of the page that comes after the options.
 *
 * @category constants
 */
export const app = {
  name,
  executable: name,
  footer: HelpDoc.blocks([
    list(others),
    HelpDoc.h1("EXAMPLES"),
    list(examples),
    HelpDoc.h1("EXIT CODES"),
    HelpDoc.p(
      "0 when it was stopped by SIGINT or SIGTERM, 1 when something failed, 2 when the arguments make no sense."
    )
  ])
}
