import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"

const decodeQuantity = Schema.decodeUnknownEither(HexEncoding.BigIntFromQuantity)
const isQuantity = Schema.is(HexEncoding.HexQuantity)
const encodeQuantity = Schema.encodeEither(HexEncoding.BigIntFromQuantity)

describe("HexData", () => {
  it("is read in any letter case and kept in lower case", () => {
    assert.deepStrictEqual(Either.getOrThrow(HexEncoding.makeData("0xCAfe")) as string, "0xcafe")
    assert.deepStrictEqual(Either.getOrThrow(HexEncoding.makeData("0x")) as string, "0x")
    assert.deepStrictEqual(Either.getOrThrow(HexEncoding.makeData("0x00")) as string, "0x00")
  })

  it("refuses half bytes, other prefixes and other characters", () => {
    for (const text of ["", "0", "cafe", "0xcaf", "0Xcafe", "0xcafg", " 0xcafe", "0xcafe\n", "0xca fe", "-0xcafe"]) {
      assert.isTrue(Either.isLeft(HexEncoding.makeData(text)), JSON.stringify(text))
    }
  })

  it("is recognised in its canonical form only", () => {
    assert.isTrue(HexEncoding.isData("0xcafe"))
    assert.isFalse(HexEncoding.isData("0xCAFE"))
    assert.isFalse(HexEncoding.isData(0xcafe))
  })

  it.prop("comes back from its wire form unchanged, whatever the case there", [HexEncoding.HexData], ([data]) => {
    const upper = `0x${data.slice(2).toUpperCase()}`
    return Schema.decodeSync(HexEncoding.HexDataFromWire)(upper) === data &&
      Schema.encodeSync(HexEncoding.HexDataFromWire)(data) === data
  })
})

describe("HexQuantity", () => {
  it("is the shortest form of a number", () => {
    for (
      const [value, text] of [[0n, "0x0"], [1n, "0x1"], [15n, "0xf"], [16n, "0x10"], [450n, "0x1c2"], [
        525_000_000_000_000n,
        "0x1dd7c1681d000"
      ], [2n ** 256n - 1n, `0x${"f".repeat(64)}`]] as const
    ) {
      assert.deepStrictEqual(encodeQuantity(value), Either.right(text))
      assert.deepStrictEqual(decodeQuantity(text), Either.right(value))
      assert.isTrue(isQuantity(text))
    }
  })

  it("is never negative", () => {
    assert.isTrue(Either.isLeft(encodeQuantity(-1n)))
  })

  it("is read leniently: leading zeros and upper case pass", () => {
    assert.deepStrictEqual(decodeQuantity("0x00"), Either.right(0n))
    assert.deepStrictEqual(decodeQuantity("0x01C2"), Either.right(450n))
    assert.isFalse(isQuantity("0x00"))
    assert.isFalse(isQuantity("0x01c2"))
    assert.isFalse(isQuantity("0x1C2"))
  })

  it("refuses what is no whole hexadecimal number", () => {
    for (
      const input of [
        "",
        "0x",
        "0X1",
        "1",
        "450",
        "-0x1",
        "0x-1",
        "0x1.8",
        "0x1e+3",
        " 0x1",
        "0x1\n",
        "0xg",
        1,
        1.5,
        1n,
        null
      ]
    ) {
      assert.isTrue(Either.isLeft(decodeQuantity(input)), String(input))
    }
  })

  it.prop("keeps every bit of a large number", [FastCheck.bigInt({ min: 0n, max: 2n ** 512n })], ([value]) => {
    const text = Schema.encodeSync(HexEncoding.BigIntFromQuantity)(value)
    return isQuantity(text) && Schema.decodeSync(HexEncoding.BigIntFromQuantity)(text) === value
  })

  it.prop(
    "in its canonical form is what encoding gives back",
    [HexEncoding.HexQuantity],
    ([quantity]) =>
      Schema.encodeSync(HexEncoding.BigIntFromQuantity)(Schema.decodeSync(HexEncoding.BigIntFromQuantity)(quantity)) ===
        quantity
  )
})
