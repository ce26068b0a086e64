/** The options that every command has, and makers of options. */
import * as Options from "@effect/cli/Options"
import * as Option from "effect/Option"

export const options = {
  chain: Options.choiceWithValue("chain", [
    ["8217", "8217"],
    ["1001", "1001"],
    ["mainnet", "8217"],
    ["testnet", "1001"]
  ]).pipe(
    Options.withDescription("The chain: 8217 (mainnet) or 1001 (testnet). Instead of KLAYTN_CHAIN_ID."),
    Options.optional
  ),
  json: Options.boolean("json").pipe(
    Options.withDescription("Write JSON for programs, one value a line; errors too, on standard error.")
  ),
  verbose: Options.boolean("verbose").pipe(
    Options.withDescription("Write log lines on standard error: what is tried again, and why.")
  ),
  sandbox: Options.boolean("sandbox").pipe(
    Options.withDescription("Run against a sandbox in this process, offline. Needs @effect-klaytn/sandbox beside it.")
  )
}

/** An optional text. */
export const text = (name: string, pseudoName: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName(pseudoName),
    Options.withDescription(description),
    Options.optional
  )

/** An optional whole number above 0. */
export const whole = (name: string, description: string) =>
  Options.integer(name).pipe(
    Options.withPseudoName("N"),
    Options.filterMap(
      (value) => value > 0 ? Option.some(value) : Option.none(),
      `--${name} takes a whole number above 0`
    ),
    Options.withDescription(description),
    Options.optional
  )

/** A whole number in a range. */
export const wholeBetween = (name: string, min: number, max: number, description: string): Options.Options<number> =>
  Options.integer(name).pipe(
    Options.withPseudoName("N"),
    Options.filterMap(
      (value) => value >= min && value <= max ? Option.some(value) : Option.none(),
      `--${name} takes a whole number from ${min} to ${max}`
    ),
    Options.withDescription(description)
  )

/** An address as it is written, without the brackets of a URL. */
export const withoutBrackets = (text: string): string => text.trim().replace(/^\[(.*)\]$/, "$1")

export interface Shared {
  readonly chain: Option.Option<string>
  readonly json: boolean
  readonly sandbox: boolean
}
