import * as Hash from "@effect-klaytn/core/Hash"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const lower = `0x${"0123456789abcdef".repeat(4)}`

describe("Hash", () => {
  it("is read in any letter case and kept in lower case", () => {
    assert.strictEqual(Either.getOrThrow(Hash.make(lower)), lower)
    assert.strictEqual(Either.getOrThrow(Hash.make(`0x${lower.slice(2).toUpperCase()}`)), lower)
  })

  it("refuses other lengths, prefixes and characters", () => {
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
    for (const text of [...bad, lower.replace("a", "g")]) {
      assert.isTrue(Either.isLeft(Hash.make(text)), JSON.stringify(text))
    }
  })

  it("is recognised in lower case only", () => {
    assert.isTrue(Hash.is(lower))
    assert.isFalse(Hash.is(lower.toUpperCase().replace("0X", "0x")))
    assert.isFalse(Hash.is(5))
  })

  it.prop(
    "comes back from its wire form unchanged, whatever the case there",
    [Hash.Hash],
    ([hash]) =>
      Schema.decodeSync(Hash.FromWire)(`0x${hash.slice(2).toUpperCase()}`) === hash &&
      Schema.encodeSync(Hash.FromWire)(hash) === hash
  )
})
