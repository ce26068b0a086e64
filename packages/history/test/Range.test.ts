import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Range from "../src/Range.js"

const problems = <A>(made: Either.Either<A, ParseResult.ParseError>): ReadonlyArray<string> =>
  Either.match(made, {
    onLeft: (error) => ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) => issue.message),
    onRight: () => []
  })

const read = Schema.decodeEither(Range.FromString)
const write = Schema.encodeSync(Range.FromString)

const texts: ReadonlyArray<readonly [text: string, range: unknown]> = [
  ["1700000000,1700003600", { _tag: "TimeRange", from: 1_700_000_000, to: 1_700_003_600 }],
  ["1700000000, 1700003600", { _tag: "TimeRange", from: 1_700_000_000, to: 1_700_003_600 }],
  ["1700000000,", { _tag: "TimeRange", from: 1_700_000_000 }],
  ["1700000000", { _tag: "TimeRange", from: 1_700_000_000 }],
  ["0,0", { _tag: "TimeRange", from: 0, to: 0 }],
  ["0x10,0x20", { _tag: "BlockRange", from: 16, to: 32 }],
  ["0xFF, 0x1fF", { _tag: "BlockRange", from: 255, to: 511 }],
  ["0x10,", { _tag: "BlockRange", from: 16 }],
  ["0x10", { _tag: "BlockRange", from: 16 }]
]

const noTexts = [
  "",
  ",",
  ",5",
  "5,0x10",
  "0x10,5",
  "0x,0x1",
  "1,2,3",
  "-5,5",
  "1.5,2",
  "1e9,",
  "5,5\n",
  " 5,5",
  "5;6",
  "now,"
]

describe("a range", () => {
  it.each(texts)("is read from %j", (text, range) => {
    assert.deepStrictEqual(Either.getOrThrow(read(text)) as unknown, range)
    assert.deepStrictEqual(Either.getOrThrow(Range.fromString(text)) as unknown, range)
  })

  it.each(noTexts)("is not read from %j, which is told the two forms", (text) => {
    assert.deepStrictEqual(problems(Range.fromString(text)), [
      "a range is {from},{to}: both ends Unix seconds (1700000000,1700003600) or both 0x block numbers (0x10,0x20)"
    ])
  })

  it("is written as the document says", () => {
    const text = (made: Either.Either<Range.Range, ParseResult.ParseError>) => write(Either.getOrThrow(made))
    assert.strictEqual(text(Range.time({ from: 1_700_000_000, to: 1_700_003_600 })), "1700000000,1700003600")
    assert.strictEqual(text(Range.time({ from: 1_700_000_000 })), "1700000000,")
    assert.strictEqual(text(Range.time({ from: 1_700_000_000, to: undefined })), "1700000000,")
    assert.strictEqual(text(Range.blocks({ from: 0, to: 255 })), "0x0,0xff")
    assert.strictEqual(text(Range.blocks({ from: 7_000_001 })), "0x6acfc1,")
  })

  it("of any ends is the same after it was written and read", () => {
    const ends = (max: number) => FastCheck.tuple(FastCheck.nat({ max }), FastCheck.option(FastCheck.nat({ max })))
    const any = FastCheck.oneof(
      ends(8_640_000_000_000).map(([from, to]) => ({ _tag: "TimeRange", from, ...(to === null ? {} : { to }) })),
      ends(Number.MAX_SAFE_INTEGER).map(([from, to]) => ({ _tag: "BlockRange", from, ...(to === null ? {} : { to }) }))
    )
    const check = Schema.validateSync(Range.Range)
    FastCheck.assert(FastCheck.property(any, (ends) => {
      assert.deepStrictEqual(Either.getOrThrow(read(write(check(ends)))) as unknown, ends)
    }))
  })

  it("that ends before it begins is refused, in time and in blocks", () => {
    const problem = ["the range ends (100) before it begins (200); swap the ends"]
    assert.deepStrictEqual(problems(Range.time({ from: 200, to: 100 })), problem)
    assert.deepStrictEqual(problems(Range.blocks({ from: 200, to: 100 })), problem)
    assert.deepStrictEqual(problems(Range.fromString("200,100")), problem)
    assert.deepStrictEqual(problems(Range.fromString("0xc8,0x64")), problem)
  })

  it("of six months is made, and of a second or a block more is refused", () => {
    assert.strictEqual(Range.maxSeconds, 15_897_600)
    assert.strictEqual(Range.maxBlocks, 15_897_600)
    assert.isTrue(Either.isRight(Range.time({ from: 1, to: 15_897_601 })))
    assert.isTrue(Either.isRight(Range.blocks({ from: 1, to: 15_897_601 })))
    assert.deepStrictEqual(problems(Range.time({ from: 1, to: 15_897_602 })), [
      "the range spans 15897601 seconds, a search covers at most six months (15897600); search it in parts"
    ])
    assert.deepStrictEqual(problems(Range.blocks({ from: 1, to: 15_897_602 })), [
      "the range spans 15897601 blocks, a search covers at most six months (15897600); search it in parts"
    ])
  })

  it("with a fraction, a negative end or no number is refused", () => {
    for (const end of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.deepStrictEqual(problems(Range.time({ from: end })), [
        "expected Unix time in whole seconds, from 0 to 8640000000000"
      ])
      assert.strictEqual(problems(Range.blocks({ from: 0, to: end }))[0], "a block number is a whole number, 0 or more")
    }
  })

  it("that is open has no problem until it is known where the chain stands", () => {
    const time = Either.getOrThrow(Range.time({ from: 1_000 }))
    const blocks = Either.getOrThrow(Range.blocks({ from: 1_000 }))
    assert.isUndefined(Range.problem(time))
    assert.isUndefined(Range.problem(time, { block: 5 }))
    assert.isUndefined(Range.problem(blocks, { time: 5 }))
    assert.isUndefined(Range.problem(blocks, { block: 1_000 }))
    assert.strictEqual(Range.problem(time, { time: 999 }), "the range begins at 1000, which is still to come")
    assert.strictEqual(Range.problem(blocks, { block: 999 }), "the range begins at 1000, which is still to come")
    assert.include(Range.problem(blocks, { block: 15_898_601 }), "15897601 blocks")
  })
})
