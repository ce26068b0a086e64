import type { InternalTransfer } from "@effect-klaytn/transaction/ExecutedTransaction"
import { fromBytes, zeroAddress } from "@effect-klaytn/transaction/Hex"
import type { EVM, EVMResult, Message } from "@ethereumjs/evm"
import type { JournalState } from "./JournalState.js"

/** A running message. */
interface Frame {
  readonly message: Message
  /** How many transfers were recorded before it. */
  readonly before: number
  /** The balance of its contract when that destroyed itself, if it did. */
  destroyed: bigint
}

/** Whether a message moves coin between accounts: with CALLCODE and DELEGATECALL it stays where it is. */
const movesCoin = ({ _codeAddress, delegatecall, depth, value }: Message): boolean =>
  depth > 0 && value > 0n && !delegatecall && _codeAddress === undefined

/** The transfer of a message. The address of a creation is known once it has run. */
const transferOf = ({ caller, to, value }: Message): InternalTransfer => ({
  from: fromBytes(caller.bytes),
  to: to === undefined ? zeroAddress : fromBytes(to.bytes),
  value
})

/**
 * Records the coin that the messages of a transaction move, by calls, creations and self-destruction, in the order of
 * their execution. The transfers of a message that fails are removed.
 */
export class InternalTransfers {
  readonly #frames: Array<Frame> = []
  #found: Array<InternalTransfer> | undefined

  constructor({ events }: EVM, state: JournalState) {
    events.on("beforeMessage", (message) => this.#enter(message))
    events.on("afterMessage", (result) => this.#leave(result))
    // The EVM has no event for a contract that destroys itself. Nothing else in the EVM changes single fields of an account.
    const modify = state.modifyAccountFields.bind(state)
    state.modifyAccountFields = (address, fields) => {
      const frame = this.#frames.at(-1)
      if (frame !== undefined) frame.destroyed = state.accountOrEmpty(address.toString()).balance
      return modify(address, fields)
    }
  }

  /** Records the messages from now on into a list, or none. */
  recordTo(found: Array<InternalTransfer> | undefined): void {
    this.#found = found
    this.#frames.length = 0
  }

  #enter(message: Message): void {
    if (this.#found === undefined) return
    this.#frames.push({ message, before: this.#found.length, destroyed: 0n })
    if (movesCoin(message)) this.#found.push(transferOf(message))
  }

  #leave({ execResult: { exceptionError, selfdestruct } }: EVMResult): void {
    const [found, frame] = [this.#found, this.#frames.pop()]
    if (found === undefined || frame === undefined) return
    const { before, destroyed, message } = frame
    if (exceptionError !== undefined) {
      found.length = before
      return
    }
    if (movesCoin(message)) found[before] = transferOf(message)
    const { to: from } = transferOf(message)
    const heir = selfdestruct?.get(from)
    if (destroyed > 0n && heir !== undefined && heir !== from) found.push({ from, to: heir, value: destroyed })
  }
}
