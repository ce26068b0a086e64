/** The options and arguments of `klaytn accounts` and `klaytn fee-payers`. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

export const pool = Word.text(
  "--pool KRN",
  "The pool, instead of KLAYTN_POOL or the default one, such as krn:1001:wallet:...:account-pool:default."
)

export const asked = {
  ...shared.options,
  action: Word.action(["list", "create", "show"], "What to do."),
  address: Word.goingWith(["show"], Word.text("ADDRESS", "The account to show."), ["show"])
}

/** What is asked of them. Fee payers have no pool. */
export type AccountInput = Input<typeof asked> & { readonly pool?: string | undefined }
