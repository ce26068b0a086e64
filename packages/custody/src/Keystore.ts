/**
 * Private keys in the keystores of Web3, version 3: sealed with a password.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, pbkdf2, randomBytes, randomUUID, scrypt, timingSafeEqual } from "node:crypto"

/**
 * A keystore, or a private key as text, can't be used. No message contains a part of a key or of a password.
 *
 * @category errors
 */
export class KeystoreError extends Data.TaggedError("KeystoreError")<{
  readonly reason: "Form" | "Password"
  readonly message: string
}> {}

const hexText = Schema.String.pipe(Schema.pattern(/^(?:0x)?(?:[0-9a-fA-F]{2})+$/))

/** The largest work of scrypt that is done: 1 GiB of memory. */
const mostWork = 2 ** 20 * 8

const Scrypt = Schema.Struct({
  kdf: Schema.Literal("scrypt"),
  kdfparams: Schema.Struct({
    n: Schema.Int.pipe(Schema.between(2, 2 ** 20)),
    r: Schema.Int.pipe(Schema.between(1, 32)),
    p: Schema.Int.pipe(Schema.between(1, 16)),
    dklen: Schema.Literal(32),
    salt: hexText
  })
})

const Pbkdf2 = Schema.Struct({
  kdf: Schema.Literal("pbkdf2"),
  kdfparams: Schema.Struct({
    c: Schema.Int.pipe(Schema.between(1, 10_000_000)),
    prf: Schema.Literal("hmac-sha256"),
    dklen: Schema.Literal(32),
    salt: hexText
  })
})

const Cipher = Schema.Struct({
  cipher: Schema.Literal("aes-128-ctr"),
  cipherparams: Schema.Struct({ iv: hexText }),
  ciphertext: hexText,
  mac: hexText
})

const Crypto = Schema.Union(Schema.extend(Cipher, Scrypt), Schema.extend(Cipher, Pbkdf2))

const read = Schema.decodeUnknownEither(Schema.parseJson(Schema.Struct({
  version: Schema.Literal(3),
  crypto: Schema.optional(Crypto),
  // Some wallets write the first letter in upper case.
  Crypto: Schema.optional(Crypto)
})))

const bytes = (text: string): Buffer => Buffer.from(text.replace(/^0x/, ""), "hex")

const badForm = new KeystoreError({ reason: "Form", message: "the text is no keystore of version 3" })

const badPassword = new KeystoreError({ reason: "Password", message: "the password does not open the keystore" })

const derived = (
  run: (done: (error: Error | null, key: Buffer) => void) => void
): Effect.Effect<Buffer, KeystoreError> =>
  Effect.async((resume) => {
    try {
      run((error, key) => resume(error === null ? Effect.succeed(key) : badForm))
    } catch {
      resume(badForm)
    }
  })

const keyOf = (password: Redacted.Redacted, crypto: typeof Crypto.Type): Effect.Effect<Buffer, KeystoreError> => {
  const secret = Buffer.from(Redacted.value(password).normalize("NFKC"), "utf8")
  const wiped = Effect.sync(() => secret.fill(0))
  if (crypto.kdf === "pbkdf2") {
    const { c, salt } = crypto.kdfparams
    return Effect.ensuring(derived((done) => pbkdf2(secret, bytes(salt), c, 32, "sha256", done)), wiped)
  }
  const { n, p, r, salt } = crypto.kdfparams
  if (n * r > mostWork) return badForm
  const options = { N: n, r, p, maxmem: 128 * n * r + 128 * r * p + 2 ** 20 }
  return Effect.ensuring(derived((done) => scrypt(secret, bytes(salt), 32, options, done)), wiped)
}

const macOf = (key: Buffer, ciphertext: Buffer): Buffer =>
  Buffer.from(keccak_256(Buffer.concat([key.subarray(16, 32), ciphertext])))

/**
 * The private key of a keystore. Fails with `Form` if the text is none, and with `Password` if the password is another one.
 *
 * @category conversions
 */
export const open = (
  text: string,
  password: Redacted.Redacted
): Effect.Effect<Uint8Array, KeystoreError> =>
  Effect.gen(function*() {
    const found = Either.getOrUndefined(read(text))
    const crypto = found?.crypto ?? found?.Crypto
    if (crypto === undefined) return yield* badForm
    const ciphertext = bytes(crypto.ciphertext)
    const mac = bytes(crypto.mac)
    const iv = bytes(crypto.cipherparams.iv)
    if (ciphertext.length !== 32 || mac.length !== 32 || iv.length !== 16) return yield* badForm
    const key = yield* keyOf(password, crypto)
    if (!timingSafeEqual(macOf(key, ciphertext), mac)) return yield* badPassword
    const decipher = createDecipheriv("aes-128-ctr", key.subarray(0, 16), iv)
    const secret = Buffer.concat([decipher.update(ciphertext), decipher.final()])
    key.fill(0)
    return secret
  })

/**
 * Seals a private key in a keystore. `n` is the work of scrypt. Default: 262,144, as other wallets have it.
 *
 * @category conversions
 */
export const seal = (
  secret: Uint8Array,
  address: string,
  password: Redacted.Redacted,
  n = 2 ** 18
): Effect.Effect<string, KeystoreError> =>
  Effect.gen(function*() {
    const [salt, iv] = [randomBytes(32).toString("hex"), randomBytes(16)]
    const kdf = { kdf: "scrypt", kdfparams: { n, r: 8, p: 1, dklen: 32, salt } } as const
    const cipher = { cipher: "aes-128-ctr", cipherparams: { iv: iv.toString("hex") }, ciphertext: "", mac: "" } as const
    const key = yield* keyOf(password, { ...kdf, ...cipher })
    const cipherer = createCipheriv("aes-128-ctr", key.subarray(0, 16), iv)
    const ciphertext = Buffer.concat([cipherer.update(secret), cipherer.final()])
    const mac = macOf(key, ciphertext).toString("hex")
    key.fill(0)
    const crypto = { ...cipher, ciphertext: ciphertext.toString("hex"), ...kdf, mac }
    return JSON.stringify({ version: 3, id: randomUUID(), address: address.toLowerCase().replace(/^0x/, ""), crypto })
  })

/**
 * The private key of a text: 64 hexadecimal digits, with or without 0x.
 *
 * @category conversions
 */
export const raw = (text: Redacted.Redacted): Effect.Effect<Uint8Array, KeystoreError> =>
  Effect.suspend(() => {
    const digits = Redacted.value(text).trim().replace(/^0x/i, "")
    return /^[0-9a-f]{64}$/i.test(digits)
      ? Effect.succeed(Buffer.from(digits, "hex"))
      : new KeystoreError({ reason: "Form", message: "a private key has 64 hexadecimal digits" })
  })
