/** The options and arguments of `klaytn doctor`. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"

export const options = {
  ...shared.options,
  ...shared.ofOwnNode("Report on")
}

/** What is asked of `klaytn doctor`. */
export type DoctorInput = Input<typeof options>
