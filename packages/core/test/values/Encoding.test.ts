import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as Address from "../../src/Address.js"
import { fallback } from "../../src/internal/decoding/schemaCompiler/plan.js"
import { compile } from "../../src/internal/decoding/schemaCompiler/uncompiled.js"
import { keccak } from "../../src/internal/values/encoding.js"

/** Texts around the length of one and of several blocks of the hash, in one and in several bytes a character. */
const texts = FastCheck.tuple(FastCheck.integer({ min: 0, max: 420 }), FastCheck.constantFrom("a", "é", "語", "🂡"))

describe("the hash of a text", () => {
  it("is that of the library, whatever the length", () => {
    FastCheck.assert(
      FastCheck.property(texts, FastCheck.fullUnicodeString(), ([length, letter], rest) => {
        const text = letter.repeat(length) + rest
        assert.strictEqual(keccak(text), bytesToHex(keccak_256(utf8ToBytes(text))))
      }),
      { numRuns: 300 }
    )
    for (let length = 130; length <= 140; length++) {
      assert.strictEqual(keccak("x".repeat(length)), bytesToHex(keccak_256(utf8ToBytes("x".repeat(length)))))
    }
  })
})

describe("a bundle without the compiler", () => {
  it("leaves every value to its schema, which reads it", () => {
    assert.strictEqual(compile(Address.FromWire.ast)("0x" + "AB".repeat(20)), fallback)
    assert.deepStrictEqual(
      Either.map(Schema.decodeUnknownEither(Address.FromWire)("0x" + "AB".repeat(20)), String),
      Either.right("0x" + "ab".repeat(20))
    )
  })
})
