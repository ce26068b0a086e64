/** The values of the chain as text: hexadecimal and Base64, and the hash of a text. */
import { keccakP } from "@noble/hashes/sha3.js"
import { swap32IfBE } from "@noble/hashes/utils.js"
import type * as Either from "effect/Either"
import { identity } from "effect/Function"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** Makes a schema like `Schema.pattern`, for a pattern that starts with `0x`, whose texts have a type of their own. */
export const matching = <Text extends `0x${string}`>(
  regex: RegExp,
  { description, expected, identifier }: {
    readonly identifier: string
    readonly description: string
    /** The error text for a text that does not match. */
    readonly expected: string
  }
): Schema.Schema<Text, string> =>
  Schema.String.pipe(
    Schema.filter((text: string): text is Text => regex.test(text), {
      schemaId: Schema.PatternSchemaId,
      [Schema.PatternSchemaId]: { regex },
      identifier,
      description,
      jsonSchema: { pattern: regex.source },
      message: () => expected
    })
  )

/** Makes the schema of a text in any letter case, which decodes to that of the same text in lower case. */
export const inAnyCase = <Text extends string>(
  lowerCase: Schema.Schema<Text, string>,
  regex: RegExp,
  { expected, identifier }: { readonly identifier: string; readonly expected: string }
): Schema.Schema<Text, string> =>
  Schema.transform(Schema.String.pipe(Schema.pattern(regex, { message: () => expected })), lowerCase, {
    strict: true,
    decode: (text) => text.toLowerCase(),
    encode: identity
  }).annotations({ identifier })

/** Encodes a few hundred bytes as Base64. */
export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const utf8 = new TextEncoder()

/** The bytes of a text in UTF-8. */
export const bytesOf = (text: string): Uint8Array => utf8.encode(text)

/** Bytes in hexadecimal, without a prefix. */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Bytes that Keccak-256 takes in with each permutation. */
const rate = 136

/**
 * The Keccak-256 of a text, in hexadecimal without a prefix. The permutation is the library's; its hash class, with the
 * variants and checks that come with it, would weigh twice as much again in a bundle.
 */
export const keccak = (text: string): string => {
  const words = new Uint32Array(50)
  const state = new Uint8Array(words.buffer)
  const take = (at: number, byte: number): void => {
    state[at % rate] = (state[at % rate] ?? 0) ^ byte
  }
  const permute = (): void => {
    swap32IfBE(words)
    keccakP(words)
    swap32IfBE(words)
  }
  const message = bytesOf(text)
  message.forEach((byte, at) => {
    take(at, byte)
    if (at % rate === rate - 1) permute()
  })
  take(message.length, 0x01)
  take(rate - 1, 0x80)
  permute()
  return hexOf(state.subarray(0, 32))
}

/** Makes the function that parses values with a schema. */
export const parser: <A, I>(schema: Schema.Schema<A, I>) => (input: I) => Either.Either<A, ParseResult.ParseError> =
  Schema.decodeUnknownEither
