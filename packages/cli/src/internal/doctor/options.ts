/** The options and arguments of `klaytn doctor`. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

export const options = {
  ...shared.options,
  node: Word.text("--node URL", "Report on the node at this address. A key in it is safer in KLAYTN_OWN_NODE_URL."),
  ownNode: Word.flag(
    "--own-node",
    "Report on the node of KLAYTN_OWN_NODE_URL, with KLAYTN_OWN_NODE_AUTHORIZATION if that is set."
  )
}

/** What is asked of `klaytn doctor`. */
export type DoctorInput = Input<typeof options>
