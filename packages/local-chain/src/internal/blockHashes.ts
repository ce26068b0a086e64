import { hexToBytes } from "@ethereumjs/util"
import { failKey, hasCode } from "../AccountRecord.js"
import { wordOf } from "./hexForms.js"
import type { JournalState } from "./JournalState.js"
import type { BlockEnvironment } from "./Message.js"

/** The contract of EIP-2935, which answers the hashes of earlier blocks, at its published address. */
const address = "0x0000f90827f1c53a10cb7a02335b175320002935"

/** Its published code. */
const code =
  "0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500"

/** How many hashes it holds. */
const kept = 8191

/** Puts the contract into the genesis block. */
export const deploy = (state: JournalState): void => {
  state.update(address, { nonce: 1n, codeHash: state.editCode(hexToBytes(code)), key: failKey })
}

/** Stores the hash of the parent, as the chain does before the transactions of a block, unless the contract is missing. */
export const record = (
  state: JournalState,
  { number, parentHash }: Pick<BlockEnvironment, "number" | "parentHash">
): void => {
  if (!hasCode(state.accountOrEmpty(address))) return
  state.store(address, wordOf((number - 1) % kept), hexToBytes(parentHash))
}
