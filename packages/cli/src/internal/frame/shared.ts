/** The options that every command has, and makers of options and arguments. One that is left out is undefined. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Option from "effect/Option"
import type { Input } from "./Subcommand.js"

/** An option without a value. */
export const flag = (name: string, description: string): Options.Options<boolean> =>
  Options.withDescription(Options.boolean(name), description)

export const options = {
  chain: Options.choiceWithValue("chain", [
    ["8217", "8217"],
    ["1001", "1001"],
    ["mainnet", "8217"],
    ["testnet", "1001"]
  ]).pipe(
    Options.withDescription("The chain: 8217 (mainnet) or 1001 (testnet). Instead of KLAYTN_CHAIN_ID."),
    Options.withDefault(undefined)
  ),
  json: flag("json", "Write JSON for programs, one value a line; errors too, on standard error."),
  verbose: flag("verbose", "Write log lines on standard error: what is tried again, and why."),
  sandbox: flag(
    "sandbox",
    "Run against a sandbox in this process, offline. Needs the package @effect-klaytn/sandbox."
  )
}

export type Shared = Input<typeof options>

/** An optional text. */
export const text = (name: string, pseudoName: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName(pseudoName),
    Options.withDescription(description),
    Options.withDefault(undefined)
  )

/** A whole number from `least` to `most`. */
export const whole = (name: string, least: number, most: number, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName("N"),
    Options.filterMap(
      Option.liftPredicate((text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most),
      `--${name} takes a whole number${most === Infinity ? `, at least ${least}` : ` from ${least} to ${most}`}`
    ),
    Options.map(Number),
    Options.withDescription(description)
  )

/** An optional whole number from 1 on. */
export const count = (name: string, description: string, most = Infinity) =>
  Options.withDefault(whole(name, 1, most, description), undefined)

/** Where a server listens. */
export const listening = (defaultPort: number, hosts: string) => ({
  port: Options.withDefault(
    whole("port", 0, 65535, `Port to listen on; 0 takes a free one. Default: ${defaultPort}.`),
    defaultPort
  ),
  host: Options.text("host").pipe(
    Options.withPseudoName("ADDRESS"),
    // The brackets of a URL may stand around an address.
    Options.map((address) => address.trim().replace(/^\[(.*)\]$/, "$1")),
    Options.withDescription(hosts),
    Options.withDefault("127.0.0.1")
  )
})

/** An optional argument. */
export const argument = (name: string, description: string) =>
  Args.text({ name }).pipe(Args.withDescription(description), Args.withDefault(undefined))

/** The argument that names what a command does. */
export const action = <const A extends string>(actions: ReadonlyArray<A>, description: string) =>
  Args.choice(actions.map((name): [string, A] => [name, name]), { name: "ACTION" }).pipe(
    Args.withDescription(description)
  )
