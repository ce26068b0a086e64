/** All commands of `klaytn`. */
import { accounts, feePayers } from "./accountCommands.js"
import { call } from "./call.js"
import { doctor } from "./doctor.js"
import { explain } from "./explain.js"
import { exporting, plan, reconcile, tail } from "./exportCommands.js"
import { gateway } from "./gatewayCommands.js"
import { pay, payouts } from "./payCommands.js"
import { sandbox } from "./sandboxCommands.js"
import { snapshot } from "./snapshotCommands.js"
import type { Subcommand } from "./Subcommand.js"

/** In the order of the help. */
export const commands: ReadonlyArray<Subcommand> = [
  exporting,
  tail,
  plan,
  reconcile,
  snapshot,
  accounts,
  feePayers,
  pay,
  payouts,
  call,
  doctor,
  explain,
  gateway,
  sandbox
]
