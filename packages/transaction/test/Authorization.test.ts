import { assert, describe, it } from "@effect/vitest"
import * as Authorization from "../src/Authorization.js"
import * as Secp256k1 from "../src/Secp256k1.js"
import { order } from "../src/Signature.js"
import { get, K1, K2, reason } from "./fixtures.js"

const authorization = { chainId: 1001n, address: K2.address, nonce: 0n } as const

/** The same signatures with S in the upper half. */
const highS: Secp256k1.Secp256k1 = {
  ...Secp256k1.noble,
  sign: (digest, privateKey) => {
    const { recovery, rs } = Secp256k1.noble.sign(digest, privateKey)
    const s = order - BigInt(`0x${Buffer.from(rs.subarray(32)).toString("hex")}`)
    return {
      recovery: 1 - recovery,
      rs: Buffer.concat([rs.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")])
    }
  }
}

const otherRecovery: Secp256k1.Secp256k1 = {
  ...Secp256k1.noble,
  sign: (digest, privateKey) => ({ ...Secp256k1.noble.sign(digest, privateKey), recovery: 27 })
}

describe("an authorization", () => {
  it("is recovered to the account that signed it", () => {
    const signed = get(Authorization.sign(authorization, { privateKey: K1.privateKey }))
    assert.strictEqual(get(Authorization.recover(signed)).address, K1.address)
  })

  it("is not signed with a signature for which the chain would pass over it", () => {
    const by = (curve: Secp256k1.Secp256k1) => Authorization.sign(authorization, { privateKey: K1.privateKey, curve })
    assert.strictEqual(reason(by(highS)), "HighS")
    assert.strictEqual(reason(by(otherRecovery)), "InvalidSignature")
  })
})
