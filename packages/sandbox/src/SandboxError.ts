/**
 * Why a sandbox cannot start.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * A sandbox did not start, and nothing of it is left running.
 *
 * **Details**
 *
 * `NotLoopback`: the address to listen on is not this machine's own. `Listen`: the port is taken or may not be used.
 * `Store`: the database could not be opened. `Credentials`: the given credential cannot be one. `WalletKey`: the key that
 * seals the wallet's secrets is not the one that the database was made with, or is empty. `Pool`: the name of a
 * pool, or the ID of the customer, cannot stand in a resource name.
 *
 * @since 0.1.0
 * @category errors
 */
export class SandboxError extends Data.TaggedError("SandboxError")<{
  readonly reason: "NotLoopback" | "Listen" | "Store" | "Credentials" | "WalletKey" | "Pool"
  readonly message: string
}> {}
