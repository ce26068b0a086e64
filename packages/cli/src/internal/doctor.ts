/** `klaytn doctor`: its page. */
import * as Effect from "effect/Effect"
import * as shared from "./shared.js"
import * as Subcommand from "./Subcommand.js"

export const doctor = Subcommand.make(
  {
    name: "doctor",
    summary: "check the configuration, the services and the clock",
    description: [
      "Checks what is set in the environment, whether each service that has an address answers and accepts the " +
      "credential, and whether the clocks agree. It only reads, and shows no secret: a credential is shown by its " +
      "fingerprint.",
      "The exit code is 0 if all is well and 3 if something is wrong."
    ],
    examples: [
      ["klaytn doctor", "what is set, what is missing, what answers"],
      ["klaytn doctor --json | jq '.checks[] | select(.status == \"wrong\")'", "what is wrong, for a program"],
      ["klaytn doctor --sandbox", "the same against a sandbox"]
    ]
  },
  shared.options,
  (input) => Effect.flatMap(Effect.promise(() => import("./runDoctor.js")), ({ run }) => run(input))
)
