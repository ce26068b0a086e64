import * as Amount from "@effect-klaytn/core/Amount"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"

const max = 2n ** 256n - 1n

const units: ReadonlyArray<Amount.Unit> = ["peb", "kei", "kpeb", "Mpeb", "Gpeb", "Gkei", "ston", "KLAY", "KAIA"]

const refusal = (result: ReturnType<typeof Amount.fromKlay>): string =>
  Either.match(result, { onLeft: (error) => error.message, onRight: (peb) => `accepted as ${peb} peb` })

describe("Amount", () => {
  it("reads KLAY to the last digit and writes it without trailing zeros", () => {
    for (
      const [text, peb, back] of [
        ["0", 0n, "0"],
        ["0.0", 0n, "0"],
        ["1", 10n ** 18n, "1"],
        ["1.0", 10n ** 18n, "1"],
        ["1.5", 1_500_000_000_000_000_000n, "1.5"],
        ["1.50", 1_500_000_000_000_000_000n, "1.5"],
        ["10", 10n ** 19n, "10"],
        ["0.000000000000000001", 1n, "0.000000000000000001"],
        ["0.00000000000000035", 350n, "0.00000000000000035"],
        [
          "9007199254740993.000000000000000001",
          9_007_199_254_740_993_000_000_000_000_000_001n,
          "9007199254740993.000000000000000001"
        ]
      ] as const
    ) {
      assert.strictEqual(Either.getOrThrow(Amount.fromKlay(text)) as bigint, peb, text)
      assert.strictEqual(Amount.toKlay(peb), back)
    }
  })

  it("refuses every text that is not one exact decimal, and says why", () => {
    for (
      const [text, reason] of [
        ["", "it is empty"],
        [" 1", "it contains whitespace"],
        ["1 ", "it contains whitespace"],
        ["1 000", "it contains whitespace"],
        ["1\n", "it contains whitespace"],
        ["-1", "it has a sign"],
        ["+1", "it has a sign"],
        ["0x10", "it is hexadecimal"],
        ["1,5", "it has a comma: the decimal point is a point, and thousands have no separator"],
        ["1,000.5", "it contains a thousands separator"],
        ["1_000", "it contains a thousands separator"],
        ["1e3", "it has an exponent"],
        ["1.5E+3", "it has an exponent"],
        [".5", "it is not a plain decimal"],
        ["5.", "it is not a plain decimal"],
        ["1.2.3", "it is not a plain decimal"],
        ["007", "it is not a plain decimal"],
        ["Infinity", "it is not a plain decimal"],
        ["NaN", "it is not a plain decimal"],
        ["١", "it is not a plain decimal"],
        ["1 KLAY", "it contains whitespace"],
        ["0.0000000000000000001", "it has 19 digits after the point and the unit allows 18"],
        ["1.0000000000000000000", "it has 19 digits after the point and the unit allows 18"],
        ["9".repeat(61), "it is larger than 256 bits"],
        ["9".repeat(100_000), "it is larger than 256 bits"]
      ] as const
    ) {
      assert.include(refusal(Amount.fromKlay(text)), reason, text.slice(0, 30))
    }
  })

  it("reaches from 0 to the largest number of 256 bits", () => {
    assert.strictEqual(Either.getOrThrow(Amount.make(0n)), Amount.zero)
    assert.strictEqual(Either.getOrThrow(Amount.make(max)) as bigint, max)
    assert.isTrue(Either.isLeft(Amount.make(-1n)))
    assert.isTrue(Either.isLeft(Amount.make(max + 1n)))
    assert.strictEqual(Either.getOrThrow(Amount.fromKlay(Amount.toKlay(max))) as bigint, max)
    assert.include(refusal(Amount.fromKlay(Amount.toKlay(max + 1n))), "larger than 256 bits")
  })

  it("is a bigint and nothing else", () => {
    assert.isTrue(Amount.is(5n))
    for (const other of [5, "5", "0x5", -5n, max + 1n, null]) assert.isFalse(Amount.is(other), String(other))
  })

  it("stands on the wire as a minimal hexadecimal quantity", () => {
    const decode = Schema.decodeUnknownEither(Amount.FromQuantity)
    assert.strictEqual(Either.getOrThrow(decode("0xde0b6b3a7640000")) as bigint, 10n ** 18n)
    assert.strictEqual(
      Schema.encodeSync(Amount.FromQuantity)(Either.getOrThrow(Amount.fromKlay("1"))),
      "0xde0b6b3a7640000"
    )
    assert.strictEqual(Schema.encodeSync(Amount.FromQuantity)(Amount.zero), "0x0")
    for (const bad of ["", "0x", "1", 1, "-0x1", `0x1${"0".repeat(64)}`]) {
      assert.isTrue(Either.isLeft(decode(bad)), String(bad))
    }
  })

  it("is read in any named unit", () => {
    for (
      const [text, unit, peb] of [
        ["7", "peb", 7n],
        ["7", "kpeb", 7_000n],
        ["7", "Mpeb", 7_000_000n],
        ["25", "Gpeb", 25_000_000_000n],
        ["25", "ston", 25_000_000_000n],
        ["0.5", "ston", 500_000_000n],
        ["2", "KLAY", 2_000_000_000_000_000_000n]
      ] as const
    ) {
      assert.strictEqual(Either.getOrThrow(Amount.fromUnit(text, unit)) as bigint, peb)
      assert.strictEqual(Amount.toUnit(peb, unit), text)
    }
    assert.include(refusal(Amount.fromUnit("0.5", "peb")), "is not an amount in peb: it is not a whole number")
    assert.include(refusal(Amount.fromUnit("0.0000000001", "ston")), "the unit allows 9")
  })

  it("with decimals that no token has is refused or written with an exponent, and never rounded or a defect", () => {
    for (const decimals of [Number.NaN, 1.5, -1, 256, 1e9, Number.POSITIVE_INFINITY]) {
      for (const text of ["1", "1.5"]) {
        assert.isTrue(Either.isLeft(Amount.fromDecimal(text, decimals)), `${text} with ${decimals}`)
      }
    }
    assert.deepStrictEqual(Amount.fromDecimal("0", 255), Either.right(0n))
    assert.strictEqual(Amount.toDecimal(5n, 255), `0.${"0".repeat(254)}5`)
    assert.deepStrictEqual([-2, 2 ** 31].map((decimals) => Amount.toDecimal(5n, decimals)), ["5e2", "5e-2147483648"])
  })

  it("shows any sum or difference with its unit", () => {
    assert.strictEqual(Amount.format(1_500_000_000_000_000_000n), "1.5 KLAY")
    assert.strictEqual(Amount.format(0n), "0 KLAY")
    assert.strictEqual(Amount.format(-1n), "-0.000000000000000001 KLAY")
  })

  it.prop(
    "comes back from KLAY and from the wire unchanged",
    [Amount.Peb],
    ([peb]) =>
      Schema.decodeSync(Amount.FromKlay)(Schema.encodeSync(Amount.FromKlay)(peb)) === peb &&
      Schema.decodeSync(Amount.FromQuantity)(Schema.encodeSync(Amount.FromQuantity)(peb)) === peb
  )

  it.prop(
    "comes back from every unit unchanged",
    [
      FastCheck.bigInt({ min: 0n, max }),
      FastCheck.constantFrom(...units)
    ],
    ([peb, unit]) => Either.getOrThrow(Amount.fromUnit(Amount.toUnit(peb, unit), unit)) === peb
  )

  it.prop(
    "writes a decimal that has no exponent and no trailing zero",
    [FastCheck.bigInt({ min: 0n, max })],
    ([peb]) => /^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/.test(Amount.toKlay(peb))
  )

  it.prop("survives JSON in its encoded form", [Amount.Peb], ([peb]) => {
    const text = JSON.stringify(Schema.encodeSync(Amount.FromQuantity)(peb))
    return Schema.decodeUnknownSync(Amount.FromQuantity)(JSON.parse(text)) === peb
  })
})
