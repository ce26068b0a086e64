/**
 * The only error of this package: a plain value that says what is wrong, where, and what to do about it.
 *
 * No function of the package throws. Every fallible function returns a `Result` whose error is a `TransactionError`,
 * and accepts any value, including one from untyped code; so do functions that return a boolean. The other conversions
 * and getters accept every value of their type.
 */

/**
 * Why a transaction, key or signature was refused.
 *
 * - `NotHex`: text that is not `0x` and an even number of hexadecimal digits
 * - `Truncated`: the bytes end before a length they announce
 * - `TrailingBytes`: bytes are left after the last element
 * - `NonCanonicalRlp`: a length or a single byte was written in a longer form than necessary
 * - `LeadingZero`: an integer has a leading zero byte
 * - `WrongShape`: an element is missing, unexpected, of the wrong kind, or of the wrong length
 * - `UnknownType`: the first byte names no transaction or account key type of this package
 * - `OutOfRange`: a number is negative or larger than its field allows
 * - `HighS`: S is in the upper half of the curve order, so the same signature has a second form
 * - `InvalidSignature`: V, R or S can't come from a signature, or no public key can be recovered
 * - `WrongChain`: V or the chain ID belongs to a chain other than the expected one, or V names no chain
 * - `InvalidKey`: a private key, public key or account key breaks the rules of its kind
 * - `Unsigned`: the operation needs a signature that is still missing
 * - `FeePayerMismatch`: the transaction already names another fee payer
 *
 * @category errors
 */
export type Reason =
  | "NotHex"
  | "Truncated"
  | "TrailingBytes"
  | "NonCanonicalRlp"
  | "LeadingZero"
  | "WrongShape"
  | "UnknownType"
  | "OutOfRange"
  | "HighS"
  | "InvalidSignature"
  | "WrongChain"
  | "InvalidKey"
  | "Unsigned"
  | "FeePayerMismatch"

/**
 * A refused transaction, key or signature.
 *
 * **Details**
 *
 * `reason` is for programs, `message` for people. `path` names the element, for example `signatures[0].s` or
 * `key.keys[1]`; it is empty if the whole value is meant. Neither repeats the input, apart from an address, a chain ID
 * and a type byte: a private key in the wrong place is not leaked, and long input does not make a long message.
 *
 * It extends `Error`, so it can be passed to `Effect.fail`, caught by its `_tag`, or thrown by the caller.
 *
 * @category errors
 */
export class TransactionError extends Error {
  /**
   * Discriminates this error in a union.
   */
  readonly _tag = "TransactionError"
  override readonly name = "TransactionError"

  constructor(
    /**
     * Why it was refused.
     */
    readonly reason: Reason,
    /**
     * The element at fault; empty for the whole value.
     */
    readonly path: string,
    message: string
  ) {
    super(path === "" ? message : `${path}: ${message}`)
  }

  /**
   * The JSON form: without this method, `JSON.stringify` would drop the message.
   */
  toJSON(): { readonly _tag: string; readonly reason: Reason; readonly path: string; readonly message: string } {
    return { _tag: this._tag, reason: this.reason, path: this.path, message: this.message }
  }
}
