/**
 * Private keys in the keystores of Web3 (version 3) and of Klaytn with one key (version 4): sealed with a password.
 *
 * **Details**
 *
 * Programs write the letters of a password in different ways: nodes and caver take the bytes as they were typed, ethers composes
 * letters and replaces some (NFKC). {@link open} tries each way. {@link seal} refuses a password that programs would write differently,
 * so that what it makes opens in all of them.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
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

const Address = Schema.String.pipe(Schema.pattern(/^(?:0x)?[0-9a-fA-F]{40}$/))

const Version3 = Schema.Struct({
  version: Schema.Literal(3, "3"),
  address: Schema.optional(Address),
  crypto: Crypto
})

/** Of Klaytn: the keys of an account, or of each of its roles. */
const Version4 = Schema.Struct({
  version: Schema.Literal(4, "4"),
  address: Schema.optional(Address),
  keyring: Schema.Array(Schema.Union(Crypto, Schema.Array(Crypto)))
})

const decode = Schema.decodeUnknownEither(Schema.Union(Version3, Version4))

/** Some programs write the first letters of names in upper case, or the name of the function. */
const lowered = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        const lower = name.toLowerCase()
        return [lower, lower === "kdf" && typeof one === "string" ? one.toLowerCase() : lowered(one)]
      })
    )
    : Array.isArray(value)
    ? value.map(lowered)
    : value

const badForm = new KeystoreError({ reason: "Form", message: "the text is no keystore of version 3 or 4" })

/** The sealed key of a keystore, and the address that the keystore names. */
const read = (
  text: string
): Effect.Effect<{ readonly crypto: typeof Crypto.Type; readonly address: Hex | undefined }, KeystoreError> =>
  Effect.gen(function*() {
    const parsed = yield* Effect.try({
      try: (): unknown => JSON.parse(text.replace(/^\uFEFF/, "")),
      catch: () => badForm
    })
    const found = Either.getOrUndefined(decode(lowered(parsed)))
    if (found === undefined) return yield* badForm
    const address: Hex | undefined = found.address === undefined
      ? undefined
      : `0x${found.address.replace(/^0x/, "").toLowerCase()}`
    if ("crypto" in found) return { crypto: found.crypto, address }
    const [crypto, ...others] = found.keyring.flat()
    if (crypto === undefined) return yield* badForm
    if (others.length > 0) {
      return yield* new KeystoreError({
        reason: "Form",
        message: `the keystore has ${
          others.length + 1
        } keys, and the wallet takes one: export the account's keys one by one`
      })
    }
    return { crypto, address }
  })

/**
 * The address that a keystore names, in lower case; undefined if it names none. It is the address of the account, whose key may have been
 * changed: then it is not the address that belongs to the key.
 *
 * @category reading
 */
export const addressOf = (text: string): Effect.Effect<Hex | undefined, KeystoreError> =>
  Effect.map(read(text), ({ address }) => address)

const bytes = (text: string): Buffer => Buffer.from(text.replace(/^0x/, ""), "hex")

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

/** The ways in which programs write a password, each once: as it was typed, composed, decomposed, and with letters replaced. */
const spellings = (password: Redacted.Redacted): ReadonlyArray<string> => {
  const typed = Redacted.value(password)
  return [...new Set([typed, ...(["NFC", "NFD", "NFKC", "NFKD"] as const).map((form) => typed.normalize(form))])]
}

const keyOf = (password: string, crypto: typeof Crypto.Type): Effect.Effect<Buffer, KeystoreError> => {
  const secret = Buffer.from(password, "utf8")
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

/** Old programs left zeros at the beginning out. */
const secretBytes = 32

/**
 * The private key of a keystore. Fails with `Form` if the text is none, and with `Password` if the password is another one, in whatever
 * way its letters are written.
 *
 * @category conversions
 */
export const open = (
  text: string,
  password: Redacted.Redacted
): Effect.Effect<Uint8Array, KeystoreError> =>
  Effect.gen(function*() {
    const { crypto } = yield* read(text)
    const ciphertext = bytes(crypto.ciphertext)
    const mac = bytes(crypto.mac)
    const iv = bytes(crypto.cipherparams.iv)
    if (ciphertext.length > secretBytes || mac.length !== 32 || iv.length !== 16) return yield* badForm
    for (const spelling of spellings(password)) {
      const key = yield* keyOf(spelling, crypto)
      if (!timingSafeEqual(macOf(key, ciphertext), mac)) continue
      const decipher = createDecipheriv("aes-128-ctr", key.subarray(0, 16), iv)
      const secret = Buffer.concat([decipher.update(ciphertext), decipher.final()])
      key.fill(0)
      const whole = Buffer.concat([Buffer.alloc(secretBytes - secret.length), secret])
      secret.fill(0)
      return whole
    }
    return yield* badPassword
  })

/**
 * Seals a private key in a keystore of version 3, which nodes, caver and other wallets open. `n` is the work of scrypt. Default: 262,144, as
 * other wallets have it. Fails with `Password` for a password with a letter that programs write in different ways, such as `½` or `Ａ`;
 * letters that can be composed, such as `é` or `한`, are.
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
    const composed = Redacted.value(password).normalize("NFC")
    if (composed !== composed.normalize("NFKC")) {
      return yield* new KeystoreError({
        reason: "Password",
        message: "the password has a letter that programs write in different ways: choose one without it"
      })
    }
    const [salt, iv] = [randomBytes(32).toString("hex"), randomBytes(16)]
    const kdf = { kdf: "scrypt", kdfparams: { n, r: 8, p: 1, dklen: 32, salt } } as const
    const cipher = { cipher: "aes-128-ctr", cipherparams: { iv: iv.toString("hex") }, ciphertext: "", mac: "" } as const
    const key = yield* keyOf(composed, { ...kdf, ...cipher })
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
