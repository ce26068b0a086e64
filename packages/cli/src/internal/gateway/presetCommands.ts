/** `klaytn gateway presets`: its page. */
import * as Subcommand from "../frame/Subcommand.js"
import { options } from "./presetOptions.js"

export const presets = Subcommand.make(
  {
    name: "gateway presets",
    summary: "add, list and remove the presets of a gateway's transfer history",
    description: [
      "Manages named sets of accounts and token contracts that searches of the transfer history name by a number. ACTION is add, " +
      "list or remove; add takes the NAME of the preset, remove its number.",
      "A running gateway finds a new preset at once. A preset names only what the index keeps."
    ],
    examples: {
      "klaytn gateway presets add shops --accounts 0x1111111111111111111111111111111111111111 --db index.db":
        "add a preset",
      "klaytn gateway presets list --db index.db": "their numbers and names",
      "klaytn gateway presets remove 1 --db index.db": "remove a preset"
    }
  },
  options,
  async (input) => (await import("./runPresets.js")).presets(input)
)
