import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as Range from "../src/Range.js"

const problems = <A>(made: Either.Either<A, InvalidInput>): ReadonlyArray<string> =>
  Either.match(made, { onLeft: (error) => [error.problem], onRight: () => [] })

const made = <A>(range: Either.Either<A, InvalidInput>): A => Either.getOrThrow(range)

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
    const text = (range: Either.Either<Range.Range, InvalidInput>) => write(made(range))
    assert.strictEqual(text(Range.time({ from: 1_700_000_000, to: 1_700_003_600 })), "1700000000,1700003600")
    assert.strictEqual(text(Range.time({ from: 1_700_000_000 })), "1700000000,")
    assert.strictEqual(text(Range.time({ from: 1_700_000_000, to: undefined })), "1700000000,")
    assert.strictEqual(text(Range.blocks({ from: 0, to: 255 })), "0x0,0xff")
    assert.strictEqual(text(Range.blocks({ from: 7_000_001 })), "0x6acfc1,")
  })

  it("of any ends is the same after it was written and read", () => {
    const ends = (max: number) => FastCheck.tuple(FastCheck.nat({ max }), FastCheck.option(FastCheck.nat({ max })))
    const any = FastCheck.oneof(
      ends(99_999_999_999).map(([from, to]) => ({ _tag: "TimeRange", from, ...(to === null ? {} : { to }) })),
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

  it("of any length is made, and what is over six months has a problem that says how to search it", () => {
    assert.strictEqual(Range.maxSeconds, 15_897_600)
    assert.strictEqual(Range.maxBlocks, 15_897_600)
    assert.isUndefined(Range.problem(made(Range.time({ from: 1, to: 15_897_601 }))))
    assert.isUndefined(Range.problem(made(Range.blocks({ from: 1, to: 15_897_601 }))))
    const split = "split it with Range.parts and search each part"
    assert.strictEqual(
      Range.problem(made(Range.time({ from: 1, to: 15_897_602 }))),
      `the range spans 15897601 seconds, but a search covers at most six months (15897600); ${split}`
    )
    assert.strictEqual(
      Range.problem(made(Range.blocks({ from: 1, to: 15_897_602 }))),
      `the range spans 15897601 blocks, but a search covers at most six months (15897600); ${split}`
    )
  })

  it("of time takes dates of both sorts and seconds, and drops parts of a second", () => {
    const expected = { _tag: "TimeRange", from: 1_704_067_200, to: 1_706_745_599 }
    const from = "2024-01-01T00:00:00.250Z"
    const to = "2024-01-31T23:59:59.999Z"
    const spellings = [
      { from: 1_704_067_200, to: 1_706_745_599 },
      { from: new Date(from), to: new Date(to) },
      { from: DateTime.unsafeMake(from), to: DateTime.unsafeMake(to) },
      { from: DateTime.unsafeMakeZoned(from, { timeZone: "Asia/Seoul" }), to: new Date(to) }
    ]
    for (const ends of spellings) assert.deepStrictEqual<unknown>(made(Range.time(ends)), expected)
  })

  it("of time in milliseconds is refused, at either end, and told what to give", () => {
    const problem = [
      "the range is in milliseconds, not seconds; give a Date or a DateTime, or divide by 1000"
    ]
    const millis = 1_704_067_200_000
    assert.deepStrictEqual(problems(Range.time({ from: millis })), problem)
    assert.deepStrictEqual(problems(Range.time({ from: 1_704_067_200, to: millis })), problem)
    assert.deepStrictEqual(problems(Range.fromString(`${millis},`)), problem)
    assert.deepStrictEqual(problems(Range.blocks({ from: millis })), [], "a block may have any number")
  })

  it("of what is no date is refused, as InvalidInput like all of them", () => {
    const failure = Either.flip(Range.time({ from: new Date("no date") }))
    const error = Either.getOrThrow(failure)
    assert.deepStrictEqual([error._tag, error.operation, error.path], ["InvalidInput", "Range.time", ["from"]])
    assert.include(error.problem, "whole seconds")
    assert.strictEqual(Either.getOrThrow(Either.flip(Range.blocks({ from: 2, to: 1 }))).operation, "Range.blocks")
    assert.strictEqual(Either.getOrThrow(Either.flip(Range.fromString("?"))).operation, "Range.fromString")
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
    assert.strictEqual(Range.problem(time, { time: 999 }), "the range begins at 1000, in the future")
    assert.strictEqual(Range.problem(blocks, { block: 999 }), "the range begins at 1000, in the future")
    assert.include(Range.problem(blocks, { block: 15_898_601 }), "15897601 blocks")
  })
})

describe("the parts of a range", () => {
  const ends = FastCheck.tuple(FastCheck.nat({ max: 4e9 }), FastCheck.nat({ max: 2e8 }))

  it("are each within a search and together the whole: newest first, nothing lost or doubled at a border", () => {
    const ranges = FastCheck.tuple(FastCheck.constantFrom(Range.time, Range.blocks), ends)
    FastCheck.assert(FastCheck.property(ranges, ([make, [from, length]]) => {
      const parts = made(Range.parts(made(make({ from, to: from + length }))))
      assert.deepStrictEqual(parts.filter((part) => Range.problem(part) !== undefined), [])
      let before = from + length + 1
      for (const part of parts) {
        assert.strictEqual(part.to, before - 1, "it ends right before the newer one begins")
        assert.isAtMost(part.from, part.to ?? -1)
        before = part.from
      }
      assert.strictEqual(before, from)
    }))
  })

  it("of what fits one search are the range itself", () => {
    const range = made(Range.time({ from: 1_704_067_200, to: 1_704_067_200 + 180 * 86_400 - 1 }))
    assert.deepStrictEqual(made(Range.parts(range)), [range])
    const moment = made(Range.blocks({ from: 7, to: 7 }))
    assert.deepStrictEqual(made(Range.parts(moment)), [moment])
  })

  it("of an open range, and of one in milliseconds, are refused", () => {
    assert.deepStrictEqual(problems(Range.parts(made(Range.time({ from: 1 })))), [
      "an open range can't be split: give the last second or block"
    ])
    const millis = Schema.validateSync(Range.Range)({
      _tag: "TimeRange",
      from: 1_704_067_200_000,
      to: 1_704_067_200_001
    })
    assert.include(problems(Range.parts(millis))[0], "milliseconds")
  })

  it("of ends that are no numbers of blocks, and of more blocks than there can be, are refused", () => {
    for (const to of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, 10.5, Number.MAX_SAFE_INTEGER]) {
      assert.lengthOf(problems(Range.parts({ _tag: "BlockRange", from: 0, to })), 1, String(to))
    }
  })
})
