/** The pages that `--help` shows. */
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import { exitCodes } from "../terminal/exitCode.js"
import * as Screen from "../terminal/Screen.js"
import type { Entry, Subcommand } from "./Subcommand.js"

/** Environment variables, and what they are for. */
const variables: ReadonlyArray<readonly [name: string, meaning: string]> = [
  ["KLAYTN_CHAIN_ID", "8217 (mainnet) or 1001 (testnet)"],
  ["KLAYTN_ACCESS_KEY_ID", "the ID of the credential"],
  ["KLAYTN_SECRET_ACCESS_KEY", "its secret"],
  ["KLAYTN_AUTHORIZATION", "instead of both: the complete header value, Basic ..."],
  ...Endpoints.services.map((service) => [Endpoints.variable(service), `the base address of ${service}`] as const),
  ["KLAYTN_EXPORT_OUT", "instead of --out, for an address with a password"],
  ["KLAYTN_PAYOUTS_DB", "instead of --db, for an address with a password"],
  ["KLAYTN_POOL", "the account pool of wallet calls"],
  ["KLAYTN_FEE_PAYER_STYLE", "how the wallet reads who pays for a value transfer: document (default) or paths"]
]

/** How wide text may be. */
export const width = (output: Screen.Output): number => Math.max(40, Math.min(output.columns, 110))

/** Terms and meanings in two columns, the second one wrapped. A long term has a line of its own. */
export const definitions = (output: Screen.Output, all: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const left = Math.max(0, ...all.map(({ term }) => term.length).filter((length) => length <= 26))
  return all.flatMap(({ meaning, term }) =>
    term.length > left
      ? [`  ${term}`, ...Screen.hanging(" ".repeat(left + 4), meaning, width(output))]
      : Screen.hanging(`  ${term.padEnd(left)}  `, meaning, width(output))
  )
}

const section = (output: Screen.Output, title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [Screen.styled(output, "bold", title), ...lines, ""]

const entries = (output: Screen.Output, title: string, all: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  section(output, title, definitions(output, all))

const examples = (
  output: Screen.Output,
  all: ReadonlyArray<readonly [command: string, meaning: string]>
): ReadonlyArray<string> =>
  all.flatMap(([command, meaning]) => [`  ${Screen.styled(output, "dim", `# ${meaning}`)}`, `  $ ${command}`])

const entryOf = ({ page }: Subcommand): Entry => ({ term: page.name, meaning: page.summary })

/** The page of one command. */
export const ofCommand = (output: Screen.Output, { args, options, page, subcommands, usage }: Subcommand): string =>
  [
    ...page.description.flatMap((paragraph) => [...Screen.wrap(paragraph, width(output)), ""]),
    ...section(output, "USAGE", [`  ${usage}`]),
    ...entries(output, "COMMANDS", subcommands.map((one) => ({ ...entryOf(one), term: `klaytn ${one.page.name}` }))),
    ...entries(output, "ARGUMENTS", args),
    ...entries(output, "OPTIONS", options),
    ...section(output, "EXAMPLES", examples(output, page.examples))
  ].join("\n").trimEnd()

/** The page of `klaytn` itself. */
export const ofAll = (output: Screen.Output, commands: ReadonlyArray<Subcommand>): string =>
  [
    "Calls, exports and diagnoses a hosted Klaytn (Kaia) service.",
    "",
    ...section(output, "USAGE", ["  klaytn COMMAND [arguments] [options]"]),
    ...entries(output, "COMMANDS", commands.map(entryOf)),
    ...entries(output, "OPTIONS", [
      { term: "--help, -h", meaning: "This page, or behind a command its own page, with examples." },
      { term: "--version", meaning: "The version." },
      {
        term: "--completions SHELL",
        meaning: "Completions for bash, zsh or fish: eval \"$(klaytn --completions bash)\""
      }
    ]),
    ...section(output, "EXAMPLES", examples(output, commands.flatMap(({ page }) => page.examples.slice(0, 1)))),
    ...entries(output, "ENVIRONMENT", variables.map(([term, meaning]) => ({ term, meaning }))),
    ...entries(
      output,
      "EXIT CODES",
      Object.values(exitCodes).map(({ code, meaning }) => ({ term: `${code}`, meaning }))
    )
  ].join("\n").trimEnd()
