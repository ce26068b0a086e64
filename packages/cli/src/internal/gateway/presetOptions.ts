/** The options and arguments of `klaytn gateway presets`. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

export const options = {
  database: Word.required(
    Word.text("--db FILE", "File of the index, whose presets are in FILE.presets; or postgres://user@host/name.")
  ),
  schema: Word.text("--schema NAME", "Schema of the index in Postgres. Default: klaytn_index."),
  accounts: Word.text("--accounts ADDRESSES", "Accounts of a new preset, with commas between them."),
  contracts: Word.text("--contracts ADDRESSES", "Token contracts of a new preset, with commas between them."),
  json: shared.options.json,
  action: Word.action(["add", "list", "remove"], "add, list or remove."),
  name: Word.text("NAME", "The name of a new preset, or the number of one to remove.")
}

/** What is asked of `klaytn gateway presets`. */
export type PresetsInput = Input<typeof options>
