/** `klaytn explain`: its page. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Subcommand from "./Subcommand.js"

export const explain = Subcommand.make(
  {
    name: "explain",
    summary: "what an error means, and what to do about it",
    description: [
      "Prints what the documentation says of an error, offline. Every error of the packages has an entry. Its name is the " +
      "error's _tag, which stands in front of its message."
    ],
    examples: [
      ["klaytn explain OutcomeUnknown", "one error"],
      ["klaytn explain", "all of them, a line each"],
      ["klaytn explain --json | jq -r .tag", "their names, for a program"]
    ]
  },
  {
    json: Options.boolean("json").pipe(Options.withDescription("Write JSON for programs, one error a line."))
  },
  {
    tag: Args.text({ name: "TAG" }).pipe(
      Args.withDescription("Such as RateLimited, in any case. Without it, all errors are listed."),
      Args.optional
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./runExplain.js")), ({ run }) => run(input))
)
