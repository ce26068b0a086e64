import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as json from "../../src/internal/decoding/losslessJson.js"

/** A number that only the slow way takes, beside whatever is to be read. */
const slow = (text: string) =>
  Either.match(json.parse(`[12345678901234567890,${text}]`), {
    onLeft: (problem) => problem,
    onRight: (value) => Array.isArray(value) && value[0] === 12345678901234567890n ? value[1] as unknown : "wrong"
  })

/** Without the numbers that JSON.parse would round. */
const jsonValue = FastCheck.jsonValue().map((value) =>
  JSON.parse(
    JSON.stringify(value),
    (_, inner: unknown) => Number.isInteger(inner) && !Number.isSafeInteger(inner) ? 0 : inner
  ) as unknown
)

describe("reading JSON", () => {
  it("keeps every digit of whole numbers and leaves the others as they are", () => {
    assert.deepStrictEqual(
      json.parse("[9007199254740991,9007199254740992,-9007199254740993,0,-0,1.5,1e3,12345678901234567890.5,1e400]"),
      Either.right([
        9007199254740991,
        9007199254740992n,
        -9007199254740993n,
        0,
        -0,
        1.5,
        1000,
        12345678901234567000,
        Infinity
      ])
    )
    assert.deepStrictEqual(json.parse("12345678901234567890"), Either.right(12345678901234567890n))
    assert.deepStrictEqual(json.parse(`{"a" : 12345678901234567890 }`), Either.right({ a: 12345678901234567890n }))
  })

  it("leaves digits inside of texts alone", () => {
    const text = `{"a":"12345678901234567890","b":": 12345678901234567890","c":"\\"12345678901234567890\\\\"}`
    assert.deepStrictEqual(json.parse(text), Either.right(JSON.parse(text) as unknown))
  })

  it("agrees with JSON.parse on any value without such numbers", () => {
    FastCheck.assert(
      FastCheck.property(jsonValue, FastCheck.constantFrom(undefined, 1, "\t"), (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        assert.deepStrictEqual(slow(text), JSON.parse(text) as unknown)
        assert.deepStrictEqual(json.parse(text), Either.right(JSON.parse(text) as unknown))
      }),
      { numRuns: 2000 }
    )
  })

  it("keeps whole numbers of any size", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.bigInt()), (values) => {
        assert.deepStrictEqual(
          Either.map(json.parse(`[${values.join(",")}]`), (read) => Array.isArray(read) ? read.map(BigInt) : []),
          Either.right(values)
        )
      }),
      { numRuns: 2000 }
    )
  })

  it.each([
    "",
    "nul",
    "[1,]",
    "[1 2]",
    "{\"a\":}",
    "{\"a\" 1}",
    "{a:1}",
    "{1234567890123456789: 1}",
    "{\"a\":1234567890123456789, 1234567890123456789\n:2}",
    "\"open",
    "\"a\\",
    "\"line\nbreak\"",
    "01",
    "+1",
    ".5",
    "1.",
    "- 1",
    "1]",
    "tru",
    "{\"a\":1,}",
    "[",
    "{"
  ])("refuses %s as JSON.parse does", (text) => {
    assert.throws(() => JSON.parse(text) as unknown)
    assert.deepStrictEqual(json.parse(text), Either.left("not JSON"))
    assert.strictEqual(slow(text), "not JSON")
  })

  it("reads any depth, with and without such numbers", () => {
    const levels = 100_000
    const deep = "[".repeat(levels) + "12345678901234567890" + "]".repeat(levels)
    let found = Either.getOrThrow(json.parse(`{"a":${deep},"b":1}`)) as unknown
    assert.deepStrictEqual(Object.keys(found as object), ["a", "b"])
    found = (found as { readonly a: unknown }).a
    for (let level = 0; level < levels; level++) found = (found as ReadonlyArray<unknown>)[0]
    assert.strictEqual(found, 12345678901234567890n)
  })

  it("tells which parts hold a number of more than 100 digits", () => {
    const long = "9".repeat(101)
    const { spoiled, value } = Either.getOrThrow(json.parseParts(`[{"a":[1,${long}]},{"b":${"9".repeat(100)}},[],{}]`))
    assert(Array.isArray(value))
    assert.deepStrictEqual(value.map((part) => spoiled.has(part)), [true, false, false, false])
    assert.isTrue(spoiled.has(value))
    assert.deepStrictEqual(json.parse(`[${long}]`), Either.left("not JSON"))
    assert.deepStrictEqual(json.parse(long), Either.left("not JSON"))
  })

  it("does not fall over depth or length", () => {
    assert.deepStrictEqual(json.parse("[12345678901234567890," + "[".repeat(100_000)), Either.left("not JSON"))
    assert.deepStrictEqual(json.parse("[12345678901234567890,\"" + "\\\"".repeat(500_000)), Either.left("not JSON"))
    assert.deepStrictEqual(json.parse(`[${"9".repeat(500_000)}.5]`), Either.right([Number.POSITIVE_INFINITY]))
    const long = "a".repeat(2_000_000)
    assert.strictEqual(slow(`"${long}"`), long)
  })

  it("keeps a field with the name of the prototype a field", () => {
    const value = slow(`{"__proto__":{"result":1}}`) as object
    assert.isTrue(Object.hasOwn(value, "__proto__"))
    assert.isFalse("result" in value)
  })
})
