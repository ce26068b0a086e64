/**
 * The error that an EIP-1193 provider rejects with.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as printed from "./internal/printed.js"

/**
 * The rejection of a provider, in the form of EIP-1193: an error with a `code`.
 *
 * **Details**
 *
 * An error of the node keeps its `code`, `message` and `data`, as libraries expect. Failures on the way to the node
 * have a code of the standard: 4100 if the credential is not accepted, 4900 if the node could not be reached or did not
 * answer in time, -32602 if the input can't be sent, -32603 for the rest. `cause` is the typed failure.
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
