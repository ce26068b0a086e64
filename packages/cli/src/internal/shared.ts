/** The options that every command has. */
import * as Options from "@effect/cli/Options"
import type * as Option from "effect/Option"

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
  sandbox: Options.boolean("sandbox").pipe(
    Options.withDescription("Run against a sandbox in this process, offline. Needs @effect-klaytn/sandbox beside it.")
  )
}

export interface Shared {
  readonly chain: Option.Option<string>
  readonly json: boolean
  readonly sandbox: boolean
}
