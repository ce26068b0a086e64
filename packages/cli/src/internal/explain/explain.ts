/** `klaytn explain`: the page of the command. */
import * as Subcommand from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

export const explain = Subcommand.make(
  {
    name: "explain",
    summary: "what an error means, and what to do about it",
    description: [
      "Prints what the documentation says of an error, offline. Every error of the packages has an entry. Its name is the " +
      "error's _tag, which stands in front of its message. The codes of the service, of a gateway and of a node have one too."
    ],
    examples: {
      "klaytn explain OutcomeUnknown": "what an error means",
      "klaytn explain 1040011": "what a code in an answer means",
      "klaytn explain": "all errors, a line each",
      "klaytn explain --json | jq -r .tag": "their names, for a program"
    }
  },
  {
    json: Word.flag("--json", "Write JSON for programs, one error a line."),
    tag: Word.text(
      "TAG",
      "Such as RateLimited, in any case, or a code such as 1040011. Without it, all errors are listed."
    )
  },
  async (input) => (await import("./runExplain.js")).run(input)
)
