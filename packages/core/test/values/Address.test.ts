import * as Address from "@effect-klaytn/core/Address"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

// The examples of EIP-55 in mixed case, and two in one case.
const vectors = [
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0xde709f2102306220921060314715629080e2fb77"
]

const decodeWire = Schema.decodeUnknownEither(Address.FromWire)

describe("Address", () => {
  it("accepts each published checksum vector and gives it back from its lower-case form", () => {
    for (const text of vectors) {
      const address = Either.getOrThrow(Address.make(text))
      assert.strictEqual(address, text.toLowerCase())
      assert.strictEqual(Address.checksum(address), text)
    }
  })

  it("accepts one letter case as no checksum at all", () => {
    for (const text of vectors) {
      const lower = text.toLowerCase()
      assert.strictEqual(Either.getOrThrow(Address.make(lower)), lower)
      assert.strictEqual(Either.getOrThrow(Address.make(`0x${text.slice(2).toUpperCase()}`)), lower)
    }
  })

  it("refuses a mixed case with a wrong checksum and says so", () => {
    const result = Address.make("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
    if (Either.isRight(result)) assert.fail("the address was accepted")
    assert.include(result.left.message, "the checksum of address 0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed is wrong")
    assert.include(result.left.message, "write it in lower case")
  })

  it("refuses every single letter of a vector in the other case", () => {
    for (const text of vectors.slice(0, 4)) {
      for (let index = 2; index < text.length; index++) {
        const digit = text.charAt(index)
        const flipped = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()
        if (flipped === digit) continue
        assert.isTrue(
          Either.isLeft(Address.make(text.slice(0, index) + flipped + text.slice(index + 1))),
          `${text} at ${index}`
        )
      }
    }
  })

  it("accepts a wrong checksum from the wire, where it is not checked", () => {
    const wrong = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    assert.strictEqual(Either.getOrThrow(decodeWire(wrong)), wrong.toLowerCase())
  })

  it("refuses other lengths, prefixes and characters from a person and from the wire", () => {
    const lower = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
    const bad = [
      "",
      "0x",
      lower.slice(2),
      lower.slice(0, -1),
      `${lower}0`,
      `0X${lower.slice(2)}`,
      `${lower}\n`,
      ` ${lower}`
    ]
    for (const text of [...bad, lower.replace("b", "g"), lower.replace("b", "ｂ"), lower.replace("0x", "xe")]) {
      assert.isTrue(Either.isLeft(Address.make(text)), JSON.stringify(text))
      assert.isTrue(Either.isLeft(decodeWire(text)), JSON.stringify(text))
    }
    for (const value of [null, undefined, 5, 5n, [lower]]) {
      assert.isTrue(Either.isLeft(decodeWire(value)), String(value))
    }
  })

  it("is recognised in lower case only", () => {
    assert.isTrue(Address.is("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"))
    assert.isFalse(Address.is("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"))
  })

  it("has a zero that is an address", () => {
    assert.isTrue(Address.is(Address.zero))
    assert.strictEqual(BigInt(Address.zero), 0n)
  })

  it.prop("is the same address whichever spelling it came in", [Address.Address], ([address]) => {
    const spellings = [address, Address.checksum(address), `0x${address.slice(2).toUpperCase()}`]
    return spellings.every((text) =>
      Either.getOrThrow(Address.make(text)) === address && Either.getOrThrow(decodeWire(text)) === address
    )
  })

  it.prop(
    "goes out in lower case",
    [Address.Address],
    ([address]) =>
      Schema.encodeSync(Address.FromInput)(address) === address &&
      Schema.encodeSync(Address.FromWire)(address) === address
  )
})
