/**
 * The error of a master key.
 */
import * as Data from "effect/Data"

/**
 * The master key of a wallet can't be used. Nothing was written.
 *
 * **Details**
 *
 * - `Missing`: there is no such file, or nothing says where the master key is.
 * - `Mode`: the file of the master key can be read by others than its owner.
 * - `Form`: the text is not a key of 32 bytes, in hexadecimal or Base64.
 * - `Command`: the command that prints the master key failed, printed nothing, or took too long.
 * - `Wrong`: the wallet was sealed with another master key.
 * - `Lost`: the wallet has keys, and what the master key opens is gone from the database.
 *
 * No message contains a key, or what a command printed.
 *
 * @category errors
 */
export class MasterKeyError extends Data.TaggedError("MasterKeyError")<{
  readonly reason: "Missing" | "Mode" | "Form" | "Command" | "Wrong" | "Lost"
  readonly message: string
}> {}
