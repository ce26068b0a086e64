/**
 * What an EIP-1193 provider rejects with.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as printed from "./internal/printed.js"

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
export class ProviderError extends Schema.TaggedError<ProviderError>("@effect-klaytn/node/ProviderError")(
  "ProviderError",
  {
    message: Schema.String,
    code: Schema.Number,
    data: Schema.optional(printed.Data),
    cause: Schema.optional(Schema.Defect)
  }
) {
  override toJSON(): unknown {
    return printed.error(this)
  }
}
