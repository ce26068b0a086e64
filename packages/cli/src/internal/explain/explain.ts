/** `klaytn explain`: the page of the command. */
import * as Subcommand from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

export const explain = Subcommand.make(
  {
    name: "explain",
    summary: "what an error means, and what to do about it",
    description: [
      "Prints what the documentation says of an error, offline. Every error of the packages has an entry. Its name is the " +
      "error's _tag, which stands in front of its message."
    ],
    examples: {
      "klaytn explain OutcomeUnknown": "what an error means",
      "klaytn explain": "all errors, a line each",
      "klaytn explain --json | jq -r .tag": "their names, for a program"
    }
  },
  {
    json: Word.flag("--json", "Write JSON for programs, one error a line."),
    tag: Word.text("TAG", "Such as RateLimited, in any case. Without it, all errors are listed.")
  },
  async (input) => (await import("./runExplain.js")).run(input)
)
