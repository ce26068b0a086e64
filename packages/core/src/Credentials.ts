/**
 * The credential of the service: an access key ID and its secret, sent as HTTP Basic.
 *
 * One credential gives full access to every service and can move assets. The secret is therefore passed as `Redacted`,
 * and a {@link Credentials} value prints only its {@link fingerprint}.
 */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Equal from "effect/Equal"
import type * as Inspectable from "effect/Inspectable"
import * as Redacted from "effect/Redacted"
import * as internal from "./internal/config/authorization.js"

/**
 * The key that marks a {@link Credentials} value.
 *
 * @category symbols
 */
export const TypeId = internal.TypeId

/**
 * A well-formed credential. Only {@link fromPair} and {@link fromAuthorization} make one.
 *
 * Printing, inspecting and serialising it show its fingerprint and never its content. Two values with the same ID and
 * secret are equal, however they were made.
 *
 * @category models
 */
export interface Credentials extends Equal.Equal, Pick<Inspectable.Inspectable, "toJSON" | "toString"> {
  readonly [TypeId]: typeof TypeId
  readonly fingerprint: string
  readonly authorization: Redacted.Redacted<string>
  /** The path and query of every request, where they replace those of the operation, see `OwnNode`. */
  readonly path: Redacted.Redacted<string> | undefined
  readonly redact: (text: string) => string
}

/**
 * The error of a credential that is malformed or can't be fetched.
 *
 * **Details**
 *
 * `Malformed`: the input can't be a credential; `message` says which part is wrong and why. Someone has to correct the
 * configuration. `Unavailable`: a {@link Provider} could not fetch one now; trying again may help. The messages of this
 * module never contain any of the input.
 *
 * @category errors
 */
export class CredentialsError extends Data.TaggedError("CredentialsError")<{
  readonly reason: "Malformed" | "Unavailable"
  readonly message: string
}> {}

/**
 * Provides the credential of a call. It is run for every attempt, so a rotated credential is picked up without a
 * restart; if fetching is slow, cache inside the provider. For a fixed credential use `Effect.succeed(credentials)`.
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
 * @category models
 */
export type Provider = Effect.Effect<Credentials, CredentialsError>

/**
 * Makes the error of a {@link Provider} that could not fetch a credential. The description ends up in logs and must not
 * contain anything secret.
 *
 * @category errors
 */
export const unavailable = (description: string): CredentialsError =>
  new CredentialsError({ reason: "Unavailable", message: `no credentials: ${description}` })

/**
 * Checks whether a value is a credential.
 *
 * @category guards
 */
export const isCredentials = (value: unknown): value is Credentials => internal.isCredentials(value)

/**
 * Makes a credential from an access key ID and its secret, as the management console shows them.
 *
 * Neither may be empty, contain a control character (including a line break) or be longer than 256 characters. The ID
 * may not contain a colon, because HTTP Basic separates the two with one.
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
 * @category constructors
 */
export const fromPair = (pair: {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}): Either.Either<Credentials, CredentialsError> => {
  if (typeof pair.accessKeyId !== "string") return malformed("the access key ID is not a string")
  if (!isRedactedText(pair.secretAccessKey)) {
    return malformed("the secret access key is not a Redacted string; pass Redacted.make(secretAccessKey)")
  }
  const secretAccessKey = Redacted.value(pair.secretAccessKey)
  const problem = whyNotPart("access key ID", pair.accessKeyId) ?? whyNotPart("secret access key", secretAccessKey)
  if (problem !== undefined) return malformed(problem)
  if (pair.accessKeyId.includes(":")) return malformed("the access key ID contains a colon")
  return Either.right(new internal.CredentialsValue(internal.ofPair(pair.accessKeyId, secretAccessKey)))
}

/**
 * Makes a credential from a complete `Authorization` header value: `Basic ` and the Base64 of the ID, a colon and the
 * secret. The management console shows that value too.
 *
 * @example
 * ```ts
 * import * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as Redacted from "effect/Redacted"
 *
 * const credentials = Credentials.fromAuthorization(Redacted.make("Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA=="))
 * ```
 *
 * @category constructors
 */
export const fromAuthorization = (
  authorization: Redacted.Redacted<string>
): Either.Either<Credentials, CredentialsError> => {
  if (!isRedactedText(authorization)) {
    return malformed("the authorization is not a Redacted string; pass Redacted.make(authorization)")
  }
  const [, token] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(Redacted.value(authorization)) ?? []
  if (token === undefined) return malformed("the authorization is not \"Basic\", a space and Base64")
  const decoded = internal.textOf(token)
  // If the text does not encode back to the same token, it was not UTF-8 and would not be sent as given.
  const border = internal.tokenOf(decoded) === token ? decoded.indexOf(":") : -1
  if (border < 0) return malformed("the Base64 of the authorization is not an ID, a colon and a secret")
  return fromPair({
    accessKeyId: decoded.slice(0, border),
    secretAccessKey: Redacted.make(decoded.slice(border + 1))
  })
}

// Far more than the service issues, and short enough for a header and for `redact` to be fast.
const longestPart = 256

/** Untyped programs may pass plain strings. */
const isRedactedText = (value: unknown): value is Redacted.Redacted<string> =>
  Redacted.isRedacted(value) && typeof Redacted.value(value) === "string"

const malformed = (message: string) => Either.left(new CredentialsError({ reason: "Malformed", message }))

const whyNotPart = (name: string, text: string): string | undefined => {
  if (text === "") return `the ${name} is empty`
  if (text.length > longestPart) return `the ${name} is longer than ${longestPart} characters`
  if (/[\r\n]/.test(text)) return `the ${name} contains a line break`
  if (/\p{Cc}/u.test(text)) return `the ${name} contains a control character`
  if (/\p{Cs}/u.test(text)) return `the ${name} contains a lone surrogate`
  return undefined
}

/**
 * The value of the `Authorization` header; empty for a node of your own that needs none, see `OwnNode`.
 *
 * @category getters
 */
export const authorization = (credentials: Credentials): Redacted.Redacted<string> => credentials.authorization

/**
 * Twelve hexadecimal digits that identify a credential and are safe to show in a log or to support: the first digits of
 * a Keccak-256. The same ID and secret have the same fingerprint, whether given as a pair or as a header value.
 *
 * @category getters
 */
export const fingerprint = (credentials: Credentials): string => credentials.fingerprint

/**
 * Replaces everything secret in a text with `<redacted>`: the secret, the pair, the Base64 token and the header value,
 * including their JSON-escaped and percent-encoded forms. The ID is replaced too if it has 8 characters or more; a
 * shorter one could be an ordinary word.
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
 * const redact = Either.map(credentials, Credentials.redact)
 * // redact("wrong secret not-a-secret") is "wrong secret <redacted>"
 * ```
 *
 * @category formatting
 */
export const redact = (credentials: Credentials): (text: string) => string => credentials.redact
