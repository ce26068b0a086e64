/** The options and arguments of `klaytn snapshot owners`. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

export const asked = {
  out: Word.text("--out FILE", "A file that ends in .csv or .ndjson."),
  kind: Word.orElse(
    Word.choice("--kind", ["nft", "mt"], "The contract's kind: nft (default), or mt for multi tokens."),
    "nft"
  ),
  size: Word.whole("--size N", "Records per page, up to 1000. Default: 1000.", 1, 1000),
  ...shared.options,
  contract: Word.required(Word.text("CONTRACT", "The address of the contract."))
}

/** What is asked of `klaytn snapshot owners`. */
export type SnapshotInput = Input<typeof asked>
