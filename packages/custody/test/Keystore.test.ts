import * as Keystore from "@effect-klaytn/custody/Keystore"
import * as KeyTransfer from "@effect-klaytn/custody/KeyTransfer"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createCipheriv, randomBytes, scryptSync } from "node:crypto"

describe("a keystore", () => {
  // The keystore of the definition of version 3.
  const known = JSON.stringify({
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
      ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
      kdf: "pbkdf2",
      kdfparams: {
        c: 262_144,
        dklen: 32,
        prf: "hmac-sha256",
        salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"
      },
      mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"
    },
    id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
    version: 3
  })

  it.effect("of another program is opened", () =>
    Effect.gen(function*() {
      const secret = yield* Keystore.open(known, Redacted.make("testpassword"))
      assert.strictEqual(
        Buffer.from(secret).toString("hex"),
        "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d"
      )
      const failure = yield* Effect.flip(Keystore.open(known, Redacted.make("another")))
      assert.strictEqual(failure.reason, "Password")
      assert.strictEqual((yield* Effect.flip(Keystore.open("{}", Redacted.make("")))).reason, "Form")
    }))

  it.effect("of another form is refused, and so is a number that is not 32 bytes", () =>
    Effect.gen(function*() {
      const { crypto, ...rest }: { crypto: object } = JSON.parse(known)
      for (
        const change of [{ ciphertext: "11".repeat(33) }, { mac: "11".repeat(31) }, { cipherparams: { iv: "11" } }]
      ) {
        const text = JSON.stringify({ ...rest, crypto: { ...crypto, ...change } })
        assert.strictEqual((yield* Effect.flip(Keystore.open(text, Redacted.make("testpassword")))).reason, "Form")
      }
      for (const digits of ["11".repeat(31), "11".repeat(33)]) {
        assert.strictEqual((yield* Effect.flip(Keystore.raw(Redacted.make(digits)))).reason, "Form")
      }
    }))

  it.effect("that was sealed is opened with its password", () =>
    Effect.gen(function*() {
      const secret = randomBytes(32)
      const text = yield* Keystore.seal(secret, `0x${"Ab".repeat(20)}`, Redacted.make("päss"), 1024)
      assert.deepStrictEqual(Buffer.from(yield* Keystore.open(text, Redacted.make("päss"))), secret)
      assert.notInclude(text, secret.toString("hex"))
    }))

  /** As a node or caver makes it: the bytes of the password as they were typed. */
  const byNode = (secret: Uint8Array, password: string, parts: (crypto: object) => object) => {
    const [salt, iv] = [randomBytes(32), randomBytes(16)]
    const key = scryptSync(Buffer.from(password, "utf8"), salt, 32, { N: 1024, r: 8, p: 1 })
    const cipher = createCipheriv("aes-128-ctr", key.subarray(0, 16), iv)
    const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()])
    const mac = Buffer.from(keccak_256(Buffer.concat([key.subarray(16, 32), ciphertext]))).toString("hex")
    return JSON.stringify(parts({
      cipher: "aes-128-ctr",
      cipherparams: { iv: iv.toString("hex") },
      ciphertext: ciphertext.toString("hex"),
      kdf: "scrypt",
      kdfparams: { n: 1024, r: 8, p: 1, dklen: 32, salt: salt.toString("hex") },
      mac
    }))
  }

  it.effect("opens however its program has written the letters of the password, and however they are typed", () =>
    Effect.gen(function*() {
      const secret = randomBytes(32)
      for (const password of ["비밀번호", "pépé", "½ cup", "Ａbc１２", "plain"]) {
        for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const) {
          const text = byNode(secret, password.normalize(form), (crypto) => ({ version: 3, crypto }))
          assert.deepStrictEqual(
            Buffer.from(yield* Keystore.open(text, Redacted.make(password))),
            secret,
            `${password} ${form}`
          )
        }
        const raw = byNode(secret, password, (crypto) => ({ version: 3, crypto }))
        for (const form of ["NFC", "NFD"] as const) {
          assert.deepStrictEqual(
            Buffer.from(yield* Keystore.open(raw, Redacted.make(password.normalize(form)))),
            secret
          )
        }
      }
    }))

  it.effect("that was sealed opens with the bytes of the password, and a password of many spellings is refused", () =>
    Effect.gen(function*() {
      const secret = randomBytes(32)
      const { crypto } = JSON.parse(
        yield* Keystore.seal(secret, `0x${"ab".repeat(20)}`, Redacted.make("비밀번호".normalize("NFD")), 1024)
      )
      const { kdfparams: { n, p, r, salt } } = crypto
      const key = scryptSync(Buffer.from("비밀번호".normalize("NFC")), Buffer.from(salt, "hex"), 32, { N: n, r, p })
      const mac = keccak_256(Buffer.concat([key.subarray(16, 32), Buffer.from(crypto.ciphertext, "hex")]))
      assert.strictEqual(Buffer.from(mac).toString("hex"), crypto.mac)
      const refused = yield* Effect.flip(Keystore.seal(secret, "0x", Redacted.make("Ａbc１２"), 1024))
      assert.strictEqual(refused.reason, "Password")
    }))

  it.effect("of Klaytn's version 4 is opened if it has one key, and names its account", () =>
    Effect.gen(function*() {
      const secret = Buffer.concat([Buffer.alloc(1), randomBytes(31)])
      const address = `0x${"Ab".repeat(20)}`
      const four = (keys: (crypto: object) => ReadonlyArray<unknown>, bytes: Uint8Array = secret) =>
        byNode(bytes, "password", (crypto) => ({ version: 4, id: "one", address, keyring: keys(crypto) }))
      for (
        const text of [
          four((crypto) => [crypto]),
          four((crypto) => [[crypto], [], []]),
          four((crypto) => [crypto], secret.subarray(1))
        ]
      ) {
        assert.deepStrictEqual(Buffer.from(yield* Keystore.open(text, Redacted.make("password"))), secret)
        assert.strictEqual(yield* Keystore.addressOf(text), address.toLowerCase())
      }
      const two = yield* Effect.flip(Keystore.open(four((crypto) => [crypto, crypto]), Redacted.make("password")))
      assert.include(two.message, "has 2 keys")
      const capital = byNode(
        secret,
        "password",
        (crypto) => ({ Version: "3", Crypto: crypto, Address: address.slice(2) })
      )
      assert.deepStrictEqual(Buffer.from(yield* Keystore.open(`\ufeff${capital}`, Redacted.make("password"))), secret)
      assert.strictEqual(yield* Keystore.addressOf(capital), address.toLowerCase())
    }))
})

describe("the key of an account on the chain", () => {
  it.effect("is a private key if the account was changed to it, and no longer the one of its address", () =>
    Effect.gen(function*() {
      const [old, next] = [randomBytes(32), randomBytes(32)]
      const account = PublicKey.addressOf(noble.publicKey(old))
      const publicKey = PublicKey.compressedOf(noble.publicKey(next))
      const changed = { nonce: 1n, balance: 0n, key: { type: "AccountKeyPublic", publicKey } } as const
      const isKey = (secret: Uint8Array, found: Option.Option<typeof changed>) =>
        KeyTransfer.isKeyOf({ chain: { account: () => Effect.succeed(found) }, curve: noble }, account, secret)
      assert.isTrue(yield* isKey(next, Option.some(changed)))
      assert.isFalse(yield* isKey(old, Option.some(changed)))
      assert.isTrue(yield* isKey(old, Option.none()))
      assert.isFalse(yield* isKey(next, Option.none()))
    }))
})
