/**
 * The error of a gateway that can't start.
 */
import * as Data from "effect/Data"

/**
 * A gateway did not start, or the file of its callers can't be used. Nothing of it is left running.
 *
 * **Details**
 *
 * - `Locked`: another gateway, or another program, has the database open.
 * - `Database`: the database, or the file of callers, can't be opened or belongs to another program.
 * - `Address`: the address of the node or its `authorization` is not valid; nothing was sent.
 * - `Chain`: the node is on another chain than the index, or on a chain that is not served.
 * - `Start`: the index begins at another block than the options say, or the date is newer than the chain.
 * - `Node`: the node can't be asked which chain it is on, or refuses the credential.
 * - `Host`: the address to listen on is refused: it is no IP address, or it is reached from other machines while no
 *   credential is asked for.
 * - `Listen`: the port is taken or may not be used.
 * - `Caller`: the name of a caller is not valid, or taken, or unknown.
 * - `Wallet`: the wallet's key is missing, malformed, readable by others, or not the key that the wallet was made with; or a
 *   gateway that asks for no credential should serve a wallet. Nothing was written.
 * - `Preset`: a preset is not valid, names what the index does not keep, or is unknown.
 *
 * No message contains a credential or the path of the node's address.
 *
 * @category errors
 */
export class GatewayError extends Data.TaggedError("GatewayError")<{
  readonly reason:
    | "Locked"
    | "Database"
    | "Address"
    | "Chain"
    | "Start"
    | "Node"
    | "Host"
    | "Listen"
    | "Caller"
    | "Wallet"
    | "Preset"
  readonly message: string
}> {}
