/**
 * The credential of the service: an access key ID and its secret, sent as HTTP Basic.
 *
 * One credential opens every service with every right, and it can move assets. So the secret comes in as `Redacted`,
 * and a {@link Credentials} value prints as nothing but its {@link fingerprint}.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type * as Equal from "effect/Equal"
import type * as Inspectable from "effect/Inspectable"
import * as Redacted from "effect/Redacted"
import * as internal from "./internal/credentials.js"

/**
 * The key that marks a {@link Credentials} value.
 *
 * @since 0.1.0
 * @category symbols
 */
export const TypeId = internal.TypeId

/**
 * A credential that is known to be well formed. It is made by {@link fromPair} or {@link fromAuthorization} only.
 *
 * Printing, inspecting, comparing and serialising it show its fingerprint and never its content. Two values of the same
 * ID and secret are equal, whichever way they were made.
 *
 * @since 0.1.0
 * @category models
 */
export interface Credentials extends Equal.Equal, Pick<Inspectable.Inspectable, "toJSON" | "toString"> {
  readonly [TypeId]: typeof TypeId
  readonly fingerprint: string
  readonly authorization: Redacted.Redacted<string>
  readonly redact: (text: string) => string
}

/**
 * Why there is no credential to send.
 *
 * **Details**
 *
 * `Malformed`: what was given can't be a credential; `message` names the part and what is wrong with it. Someone has to
 * correct the configuration. `Unavailable`: a {@link Provider} could not get one now; asking again may help. The
 * messages of this module never contain any of the given text.
 *
 * @since 0.1.0
 * @category errors
 */
export class CredentialsError extends Data.TaggedError("CredentialsError")<{
  readonly reason: "Malformed" | "Unavailable"
  readonly message: string
}> {}

/**
 * Where the credential of a call comes from. It is run for every attempt, so a rotated credential is picked up without
 * a restart; cache in the provider what is slow to fetch. A fixed credential is `Effect.succeed(credentials)`.
 *
 * @example
 * ```ts
 * import * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 *
 * declare const readSecret: (name: string) => Effect.Effect<string, Error>
 *
 * const provider: Credentials.Provider = readSecret("klaytn").pipe(
 *   Effect.mapError(() => Credentials.unavailable("the secret store does not answer")),
 *   Effect.flatMap((secret) =>
 *     Credentials.fromPair({ accessKeyId: "KASK0EXAMPLE", secretAccessKey: Redacted.make(secret) })
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Provider = Effect.Effect<Credentials, CredentialsError>

/**
 * The error of a {@link Provider} that could not get a credential. The description ends up in logs: it must not hold
 * anything secret.
 *
 * @since 0.1.0
 * @category errors
 */
export const unavailable = (description: string): CredentialsError =>
  new CredentialsError({ reason: "Unavailable", message: `no credentials: ${description}` })

/**
 * Whether a value is a credential.
 *
 * @since 0.1.0
 * @category guards
 */
export const isCredentials = (value: unknown): value is Credentials => internal.isCredentials(value)

/**
 * Makes a credential out of an access key ID and its secret, as the management console shows them.
 *
 * Neither may be empty or hold a control character, a line break among them, and the ID may not hold a colon, which
 * would shift the border between the two. Each has at most 256 characters.
 *
 * @example
 * ```ts
 * import * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as Redacted from "effect/Redacted"
 *
 * const credentials = Credentials.fromPair({
 *   accessKeyId: "KASK0EXAMPLE",
 *   secretAccessKey: Redacted.make("not-a-secret")
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromPair = (pair: {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}): Either.Either<Credentials, CredentialsError> => {
  if (typeof pair.accessKeyId !== "string") return malformed("the access key ID is no text")
  if (!isRedactedText(pair.secretAccessKey)) {
    return malformed("the secret access key is no Redacted text; give Redacted.make(secretAccessKey)")
  }
  const secretAccessKey = Redacted.value(pair.secretAccessKey)
  const problem = whyNotPart("access key ID", pair.accessKeyId) ?? whyNotId(pair.accessKeyId) ??
    whyNotPart("secret access key", secretAccessKey)
  if (problem !== undefined) return malformed(problem)
  const token = Encoding.encodeBase64(`${pair.accessKeyId}:${secretAccessKey}`)
  return Either.right(new internal.CredentialsValue({ accessKeyId: pair.accessKeyId, secretAccessKey, token }))
}

/**
 * Makes a credential out of the ready value of the header `Authorization`: `Basic ` and the Base64 of the ID, a colon
 * and the secret. The management console shows that value too.
 *
 * @example
 * ```ts
 * import * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as Redacted from "effect/Redacted"
 *
 * const credentials = Credentials.fromAuthorization(Redacted.make("Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA=="))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromAuthorization = (
  authorization: Redacted.Redacted<string>
): Either.Either<Credentials, CredentialsError> => {
  if (!isRedactedText(authorization)) {
    return malformed("the authorization is no Redacted text; give Redacted.make(authorization)")
  }
  const [, token] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(Redacted.value(authorization)) ?? []
  if (token === undefined) return malformed("the authorization is not \"Basic\", a blank and Base64")
  const decoded = Either.getOrElse(Encoding.decodeBase64String(token), () => "")
  // A text that does not encode to the same token again was no UTF-8, and would not be sent as it was given.
  const border = Encoding.encodeBase64(decoded) === token ? decoded.indexOf(":") : -1
  if (border < 0) return malformed("the Base64 of the authorization does not hold an ID, a colon and a secret")
  return fromPair({
    accessKeyId: decoded.slice(0, border),
    secretAccessKey: Redacted.make(decoded.slice(border + 1))
  })
}

// Far above what the service gives out, and low enough for a header and for `redact` to be quick.
const longestPart = 256

/** Programs without types give plain texts. */
const isRedactedText = (value: unknown): value is Redacted.Redacted<string> =>
  Redacted.isRedacted(value) && typeof Redacted.value(value) === "string"

const malformed = (message: string) => Either.left(new CredentialsError({ reason: "Malformed", message }))

const whyNotPart = (name: string, text: string): string | undefined => {
  if (text === "") return `the ${name} is empty`
  if (text.length > longestPart) return `the ${name} is longer than ${longestPart} characters`
  if (/[\r\n]/.test(text)) return `the ${name} holds a line break`
  if (/\p{Cc}/u.test(text)) return `the ${name} holds a control character`
  if (/\p{Cs}/u.test(text)) return `the ${name} holds half a character`
  return undefined
}

const whyNotId = (text: string): string | undefined =>
  text.includes(":") ? "the access key ID holds a colon" : undefined

/**
 * The value of the header `Authorization`.
 *
 * @since 0.1.0
 * @category getters
 */
export const authorization = (credentials: Credentials): Redacted.Redacted<string> => credentials.authorization

/**
 * Twelve hexadecimal digits that tell one credential from another and can be shown, in a log or to support: the
 * beginning of a SHA-256. The same ID and secret have the same fingerprint, given as a pair or as a ready header.
 *
 * @since 0.1.0
 * @category getters
 */
export const fingerprint = (credentials: Credentials): string => credentials.fingerprint

/**
 * Replaces what is secret in a text by `<redacted>`: the secret, the pair, the Base64 token, the header value, each
 * also where it is escaped as in JSON or percent-encoded as in a URL. The ID is replaced as well when it has 8
 * characters or more; a shorter one could be an ordinary word.
 *
 * @example
 * ```ts
 * import * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as Either from "effect/Either"
 * import * as Redacted from "effect/Redacted"
 *
 * const credentials = Credentials.fromPair({
 *   accessKeyId: "KASK0EXAMPLE",
 *   secretAccessKey: Redacted.make("not-a-secret")
 * })
 * const hide = Either.map(credentials, Credentials.redact)
 * // hide("wrong secret not-a-secret") is "wrong secret <redacted>"
 * ```
 *
 * @since 0.1.0
 * @category formatting
 */
export const redact = (credentials: Credentials): (text: string) => string => credentials.redact
