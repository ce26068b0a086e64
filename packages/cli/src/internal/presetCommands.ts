/** `klaytn gateway presets`: its options and its page. */
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as shared from "./shared.js"
import * as Subcommand from "./Subcommand.js"

const run = Effect.promise(() => import("./runPresets.js"))

const options = {
  database: Options.text("db").pipe(
    Options.withPseudoName("FILE"),
    Options.withDescription("File of the index. The presets are in FILE.presets.")
  ),
  accounts: shared.text("accounts", "ADDRESSES", "Accounts of a new preset, with commas between them."),
  contracts: shared.text("contracts", "ADDRESSES", "Token contracts of a new preset, with commas between them."),
  json: shared.options.json,
  action: shared.action(["add", "list", "remove"], "add, list or remove."),
  name: shared.argument("NAME", "The name of a new preset, or the number of one to remove.")
}

/** What is asked of `klaytn gateway presets`. */
export type PresetsInput = Subcommand.Input<typeof options>

export const presets = Subcommand.make(
  {
    name: "gateway presets",
    summary: "add, list and remove the presets of a gateway's transfer history",
    description: [
      "Manages named sets of accounts and token contracts that searches of the transfer history name by a number. ACTION is add, " +
      "list or remove; add takes the NAME of the preset, remove its number.",
      "A running gateway finds a new preset at once. A preset names only what the index keeps."
    ],
    examples: [
      [
        "klaytn gateway presets add shops --accounts 0x1111111111111111111111111111111111111111 --db index.db",
        "add a preset"
      ],
      ["klaytn gateway presets list --db index.db", "their numbers and names"],
      ["klaytn gateway presets remove 1 --db index.db", "remove a preset"]
    ]
  },
  options,
  (input) => Effect.flatMap(run, ({ presets }) => presets(input))
)
