import * as Chain from "@effect-klaytn/core/Chain"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

describe("Chain", () => {
  it("is one of two numbers", () => {
    assert.isTrue(Chain.is(8217))
    assert.isTrue(Chain.is(1001))
    for (const other of [0, 1, 1000, 8217.5, Number.NaN, "8217", "1001", 8217n, null, undefined]) {
      assert.isFalse(Chain.is(other), String(other))
    }
  })

  it("is made of these numbers and refuses the rest", () => {
    assert.deepStrictEqual(Chain.make(8217), Either.right(Chain.mainnet))
    assert.deepStrictEqual(Chain.make(1001), Either.right(Chain.testnet))
    assert.isTrue(Either.isLeft(Chain.make(1)))
  })

  it("is read from its decimal spelling only", () => {
    const decode = Schema.decodeUnknownEither(Chain.FromString)
    assert.deepStrictEqual(decode("8217"), Either.right(Chain.mainnet))
    assert.deepStrictEqual(decode("1001"), Either.right(Chain.testnet))
    for (const text of ["", "08217", " 8217", "8217 ", "0x2019", "8217.0", "mainnet", "1", 8217]) {
      assert.isTrue(Either.isLeft(decode(text)), String(text))
    }
  })

  it("is written as text for a header", () => {
    assert.strictEqual(Schema.encodeSync(Chain.FromString)(8217), "8217")
    assert.strictEqual(Schema.encodeSync(Chain.FromString)(1001), "1001")
  })

  it("is shown to a person in words", () => {
    assert.strictEqual(Chain.label(8217), "mainnet (8217)")
    assert.strictEqual(Chain.label(1001), "testnet (1001)")
  })
})
