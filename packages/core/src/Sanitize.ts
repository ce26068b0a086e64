/**
 * Makes foreign text and values safe to show in an error, a log or a span.
 *
 * **Details**
 *
 * This SDK follows two rules. Any text of the service that is kept goes through {@link text}, which removes secrets,
 * line breaks and invisible characters and limits the length. Any foreign value that a message mentions is described by
 * {@link describe}, or by `ServiceClient.mismatch` and `Input.refuse` if a schema rejected it. All of them accept any
 * value, however deep, large or odd, and none throws.
 *
 * **When to use**
 *
 * In your own protocol on `ServiceClient.exchange`, and in your own errors about input.
 */
import * as internal from "./internal/values/cleanText.js"

/**
 * Removes secrets from a text, such as `Credentials.redact(credentials)`. `ServiceClient.exchange` passes the one for
 * the credential in use to its `read` function.
 *
 * @category models
 */
export type Redact = (text: string) => string

/**
 * Cleans text of the service for an error: at most 500 characters on one line, without secrets and without invisible or
 * bidirectional control characters. A text of more than 10,000 characters is replaced by its length.
 *
 * **Example** (a message of the service)
 *
 * ```ts
 * import * as Sanitize from "@effect-klaytn/core/Sanitize"
 *
 * const clean = Sanitize.text((text) => text.replaceAll("not-a-secret", "<redacted>"))
 *
 * console.log(clean("no access\nfor not-a-secret")) // "no access for <redacted>"
 * ```
 *
 * @category formatting
 */
export const text: (redact: Redact) => (text: string) => string = internal.clean

/**
 * Describes a value in a few words: a short string in quotes, a number as it is, and anything else by its kind and
 * size. A string that may be a key is not shown: apart from addresses and hexadecimal numbers, it has a run of 8 that
 * mixes letters and digits, a run of 20, or 12 characters or more that are not all ASCII words and ordinary
 * punctuation. Nor is a whole number of more than 128 bits.
 *
 * **Example**
 *
 * ```ts
 * import * as Sanitize from "@effect-klaytn/core/Sanitize"
 *
 * console.log(Sanitize.describe("1,5")) // "1,5" in quotes
 * console.log(Sanitize.describe("a".repeat(64))) // a string of 64 characters
 * console.log(Sanitize.describe([1, 2])) // an array of 2
 * ```
 *
 * @category formatting
 */
export const describe: (value: unknown) => string = internal.describe

/**
 * Copies a JSON value of the service, to be kept in an error: its strings and field names are cleaned by {@link text},
 * and it has at most 1,000 parts, nested at most 20 deep. Bytes in hexadecimal are kept whole up to 100,000 characters.
 * A `bigint` becomes a string of its digits, so the copy can always be written as JSON.
 *
 * @category formatting
 */
export const json: (redact: Redact) => (value: unknown) => unknown = internal.json
