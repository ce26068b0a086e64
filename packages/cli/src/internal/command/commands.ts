/** All commands of `klaytn`. */
import { accounts, feePayers } from "../accounts/accountCommands.js"
import { call } from "../call/call.js"
import { doctor } from "../doctor/doctor.js"
import { explain } from "../explain/explain.js"
import { exporting, plan, reconcile, tail } from "../exports/exportCommands.js"
import type { Subcommand } from "../frame/Subcommand.js"
import { gateway } from "../gateway/gatewayCommands.js"
import { pay, payouts } from "../payouts/payCommands.js"
import { sandbox } from "../sandbox/sandboxCommands.js"
import { snapshot } from "../snapshot/snapshotCommands.js"

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
