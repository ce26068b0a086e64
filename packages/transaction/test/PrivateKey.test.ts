import { assert, describe, it } from "@effect/vitest"
import * as PrivateKey from "../src/PrivateKey.js"
import * as Secp256k1 from "../src/Secp256k1.js"
import { K1, reason } from "./fixtures.js"

describe("a private key", () => {
  it("has no public key where the curve back end returns none: that is a result, and nothing throws", () => {
    for (const returned of [undefined, new Uint8Array(33)]) {
      // A back end in plain JavaScript may return anything.
      const curve: Secp256k1.Secp256k1 = { ...Secp256k1.noble, publicKey: () => returned as Uint8Array }
      assert.strictEqual(reason(PrivateKey.toPublicKey(K1.privateKey, curve)), "InvalidKey")
      assert.strictEqual(reason(PrivateKey.toAddress(K1.privateKey, curve)), "InvalidKey")
    }
  })
})
