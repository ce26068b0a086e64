/**
 * What an EIP-1193 provider rejects with.
 *
 * @since 0.1.0
 */

/**
 * What a provider rejects with, in the form of EIP-1193: an error with a `code`.
 *
 * **Details**
 *
 * What the node said keeps its code, its words as `message`, and its `data`, as libraries expect. What kept the call
 * from the node has a code of the standard: 4100 for a credential that is not accepted, 4900 if the node could not be
 * reached or did not answer in time, -32602 for input that can't be sent, -32603 for the rest. `cause` is the typed failure.
 *
 * @since 0.1.0
 * @category errors
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError"
  readonly code: number
  readonly data: unknown
  constructor(message: string, options: { readonly code: number; readonly data?: unknown; readonly cause: unknown }) {
    super(message, { cause: options.cause })
    this.code = options.code
    this.data = options.data
  }
}
