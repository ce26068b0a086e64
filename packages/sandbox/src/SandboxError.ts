/**
 * The error of a sandbox that can't start.
 */
import * as Data from "effect/Data"

/**
 * A sandbox did not start. Nothing of it is left running.
 *
 * **Details**
 *
 * `NotLoopback`: the address to listen on is not a loopback address. `Listen`: the port is taken or may not be used.
 * `Store`: the database can't be opened. `Credentials`: the credential is not valid. `WalletKey`: the key that seals the
 * wallet's secrets is empty, or is not the one that the database was created with. `Pool`: the name of a pool or the ID
 * of the customer contains characters that a resource name can't have. `Origin`: an origin for the JSON-RPC for development
 * is not one.
 *
 * @category errors
 */
export class SandboxError extends Data.TaggedError("SandboxError")<{
  readonly reason: "NotLoopback" | "Listen" | "Store" | "Credentials" | "WalletKey" | "Pool" | "Origin"
  readonly message: string
}> {}
