/**
 * What others wrote, made fit to be shown in an error, a log or a span.
 *
 * **Details**
 *
 * Two rules of this SDK hang on these functions. Each word of the service that is kept goes through {@link words}: what
 * is secret is taken out, line breaks and characters that nobody sees don't get through, and the length is bounded.
 * Each value of somebody else that a message speaks of is told by {@link describe}, or by `ServiceClient.mismatch` and
 * `Input.refuse` where a schema did not take it. All of them take anything, however deep, large or odd it is, and none
 * throws.
 *
 * **When to use**
 *
 * In a protocol of your own on `ServiceClient.exchange`, and in errors of your own about input.
 *
 * @since 0.1.0
 */
import * as internal from "./internal/foreign.js"

/**
 * Takes what is secret out of a text, such as `Credentials.redact(credentials)`. `ServiceClient.exchange` hands the one
 * of the credential in use to its reader.
 *
 * @since 0.1.0
 * @category models
 */
export type Redact = (text: string) => string

/**
 * Words of the service, fit for an error: at most 500 characters on one line, without anything secret and without
 * characters that nobody sees or that turn the order of the others. A text of more than 10,000 characters is told by
 * its length.
 *
 * **Example** (a message of the service)
 *
 * ```ts
 * import * as Foreign from "@effect-klaytn/core/Foreign"
 *
 * const clean = Foreign.words((text) => text.replaceAll("not-a-secret", "<redacted>"))
 *
 * console.log(clean("no access\nfor not-a-secret")) // "no access for <redacted>"
 * ```
 *
 * @since 0.1.0
 * @category formatting
 */
export const words: (redact: Redact) => (text: string) => string = internal.words

/**
 * What a value is, in a few words: a short text in quotes and a number as they are, of everything else the kind and the
 * size. What may be a key is not shown: a long run of letters and digits that is no address, and a whole number of more
 * than 128 bits.
 *
 * **Example**
 *
 * ```ts
 * import * as Foreign from "@effect-klaytn/core/Foreign"
 *
 * console.log(Foreign.describe("1,5")) // "1,5" in quotes
 * console.log(Foreign.describe("a".repeat(64))) // a text of 64 characters
 * console.log(Foreign.describe([1, 2])) // an array of 2
 * ```
 *
 * @since 0.1.0
 * @category formatting
 */
export const describe: (value: unknown) => string = internal.describe

/**
 * A copy of a JSON value of the service, to be kept as data of an error: its texts and the names of its fields have
 * gone through {@link words}, and it has at most 1,000 parts, nested at most 20 deep. Bytes in hexadecimal stay whole up
 * to 100,000 characters. A `bigint` is kept as the text of its digits: the copy can always be written as JSON.
 *
 * @since 0.1.0
 * @category formatting
 */
export const json: (redact: Redact) => (value: unknown) => unknown = internal.json
