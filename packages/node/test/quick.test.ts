import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as quick from "../src/internal/quick.js"

/** Quantities of any length and case, what nearly is one, and anything else. */
const values = FastCheck.oneof(
  FastCheck.bigInt({ min: 0n, max: 2n ** 258n }).map((value) => `0x${value.toString(16)}`),
  FastCheck.bigInt({ min: 0n, max: 2n ** 258n }).map((value) => `0x${value.toString(16).toUpperCase()}`),
  FastCheck.stringMatching(/^0x0{0,3}[0-9a-fA-Fg]{0,66}$/),
  FastCheck.constantFrom("0x", "0x0", " 0x1", "0x1 ", "0x1\n", "0X1", "-0x1", "1", ""),
  FastCheck.anything()
)

describe("reading a scalar quickly", () => {
  for (const [name, schema] of Object.entries({ BigIntFromQuantity, PebFromQuantity, HexDataFromWire })) {
    it(`gives what ${name} gives, for good values and bad ones`, () => {
      // A reader begins with unknown JSON.
      const reads = schema as unknown as Schema.Schema<unknown, unknown>
      const decode = Schema.decodeUnknownEither(reads)
      const read = quick.decoder(reads)
      FastCheck.assert(
        FastCheck.property(values, (value) => {
          const expected = decode(value)
          const actual = read(value)
          assert.deepStrictEqual(
            Either.mapLeft(actual, ({ message }) => message),
            Either.mapLeft(expected, ({ message }) => message)
          )
        }),
        { numRuns: 500 }
      )
    })
  }
})
