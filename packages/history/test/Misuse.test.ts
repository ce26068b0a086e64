import type { InvalidInput, StreamError } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { failsAs } from "../../core/test/support/client.js"
import * as Range from "../src/Range.js"
import type * as TransferHistory from "../src/TransferHistory.js"
import { alice, hash, token } from "./support/records.js"
import * as Service from "./support/service.js"

/** 2024-02-01. */
const now = 1_706_745_600
const day = 24 * 60 * 60

/** A call that has to fail before anything is sent. */
const refused = <A>(call: (history: TransferHistory.Service) => Effect.Effect<A, StreamError>) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now * 1000)
    const wire = Testing.wire(Service.nothing)
    const history = yield* Service.make(wire)
    const error = yield* failsAs("InvalidInput")(call(history))
    assert.deepStrictEqual(wire.sent, [], "nothing was sent")
    assert.deepStrictEqual(error.attempts, [])
    assert.isTrue(error.retrySafe)
    return error
  })

const told = (error: InvalidInput) => [error.operation, error.path, error.problem]

type Row = readonly [
  name: string,
  /** As a program without types could give it. */
  input: object,
  path: ReadonlyArray<string | number>,
  problem: string
]

const bigSize = "the size of a page is a whole number from 1 to 1000; 0 or none means 100"
const presetId = "a preset ID is a whole number such as 65, or text without commas, whitespace and control characters"
const blockNumber = "a block number is a whole number, 0 or more"

/** A range that no constructor made, as a program without types could give it. */
const raw = (from: unknown, to?: unknown, _tag = "TimeRange") => ({ range: { _tag, from, to } })

const searches: ReadonlyArray<Row> = [
  ["a negative size", { size: -1 }, ["size"], bigSize],
  ["half a size", { size: 1.5 }, ["size"], bigSize],
  ["no number as the size", { size: Number.NaN }, ["size"], bigSize],
  ["an endless size", { size: Number.POSITIVE_INFINITY }, ["size"], bigSize],
  [
    "kinds without a kind",
    { kinds: [] },
    ["kinds"],
    "give at least one kind, or leave kinds out to search all of them"
  ],
  ["a kind that does not exist", { kinds: ["ft", "klay"] }, ["kinds", 1], "a kind is one of coin, ft, nft and mt"],
  [
    "a range that ends before it begins",
    raw(200, 100),
    ["range"],
    "the range ends (100) before it begins (200); swap the ends"
  ],
  [
    "a range of blocks that ends before it begins",
    raw(200, 100, "BlockRange"),
    ["range"],
    "the range ends (100) before it begins (200); swap the ends"
  ],
  [
    "a range of seven months",
    raw(now - 213 * day, now),
    ["range"],
    "the range spans 18403200 seconds, but a search covers at most six months (15897600); split it with Range.parts and search each part"
  ],
  [
    "a range of the blocks of seven months",
    raw(1, 1 + 213 * day, "BlockRange"),
    ["range"],
    "the range spans 18403200 blocks, but a search covers at most six months (15897600); split it with Range.parts and search each part"
  ],
  [
    "a range in milliseconds",
    raw(now * 1000),
    ["range"],
    "the range is in milliseconds, not seconds; give a Date or a DateTime, or divide by 1000"
  ],
  ["a range of blocks from a fraction on", raw(1.5, 2, "BlockRange"), ["range", "from"], blockNumber],
  ["a range of blocks from below 0 on", raw(-1, 2, "BlockRange"), ["range", "from"], blockNumber],
  [
    "a range in milliseconds beyond all dates",
    raw(1, 8_640_000_000_001),
    ["range", "to"],
    "expected Unix time in whole seconds, from 0 to 8640000000000"
  ],
  [
    "half a character as the cursor",
    { cursor: "\ud800" },
    ["cursor"],
    "a lone surrogate can't be sent"
  ]
]

const presets: ReadonlyArray<Row> = [
  ["no presets", { presets: [] }, ["presets"], "give the ID of at least one preset"],
  ["an empty preset ID", { presets: [""] }, ["presets", 0], presetId],
  ["a preset ID with a line break", { presets: ["65", "66\r\nx: y"] }, ["presets", 1], presetId],
  ["two preset IDs in one", { presets: ["65,68"] }, ["presets", 0], presetId],
  ["a preset ID with a blank", { presets: ["my preset"] }, ["presets", 0], presetId]
]

const hexAddress = "expected an address as 0x and 40 hexadecimal digits"

const accounts: ReadonlyArray<Row> = [
  ["a name as the account", { address: "alice" }, ["address"], hexAddress],
  ["an account cut short", { address: alice.slice(0, -1) }, ["address"], hexAddress],
  ["an account without 0x", { address: alice.slice(2) }, ["address"], hexAddress],
  ["an account with a line break", { address: `${alice}\n` }, ["address"], hexAddress],
  ["an account that climbs the path", { address: "../tx" }, ["address"], hexAddress],
  [
    "an account with a wrong checksum",
    { address: "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" },
    ["address"],
    "the checksum of address 0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed is wrong: " +
    "check its digits, or write it in lower case to skip the check"
  ],
  [
    "a third direction",
    { address: alice, only: "both" },
    ["only"],
    "only is from (what was sent) or to (what was received)"
  ],
  ["a contract with a line break", { address: alice, contract: `${token}\n` }, ["contract"], hexAddress],
  [
    "a contract with a wrong checksum",
    { address: alice, contract: "0xFB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" },
    ["contract"],
    "the checksum of address 0xFB6916095ca1df60bB79Ce92cE3Ea74c37c5d359 is wrong: " +
    "check its digits, or write it in lower case to skip the check"
  ]
]

// The rows hold what the types refuse, on purpose.
const untyped = <Input>(input: object): Input => input as Input

describe("before anything is sent", () => {
  it.effect.each(searches)("getTransfers refuses %s", ([, input, path, problem]) =>
    Effect.gen(function*() {
      const error = yield* refused((history) => history.getTransfers(untyped({ presets: [65], ...input })))
      assert.deepStrictEqual(told(error), ["history.getTransfers", path, problem])
    }))

  it.effect.each(searches)("getTransfersByEoa refuses %s", ([, input, path, problem]) =>
    Effect.gen(function*() {
      const error = yield* refused((history) => history.getTransfersByEoa(untyped({ address: alice, ...input })))
      assert.deepStrictEqual(told(error), ["history.getTransfersByEoa", path, problem])
    }))

  it.effect.each(presets)("getTransfers refuses %s", ([, input, path, problem]) =>
    Effect.gen(function*() {
      const error = yield* refused((history) => history.getTransfers(untyped(input)))
      assert.deepStrictEqual(told(error), ["history.getTransfers", path, problem])
    }))

  it.effect.each(accounts)("getTransfersByEoa refuses %s", ([, input, path, problem]) =>
    Effect.gen(function*() {
      const error = yield* refused((history) => history.getTransfersByEoa(untyped(input)))
      assert.deepStrictEqual(told(error), ["history.getTransfersByEoa", path, problem])
    }))

  it.effect.each([hash.slice(2), `${hash}0`, `${hash}\n`, "", alice])(
    "getTransfersByTxHash refuses %j",
    (text) =>
      Effect.gen(function*() {
        const error = yield* refused((history) => history.getTransfersByTxHash({ transactionHash: text }))
        assert.deepStrictEqual(told(error), [
          "history.getTransfersByTxHash",
          ["transactionHash"],
          "expected a hash as 0x and 64 hexadecimal digits"
        ])
      })
  )

  it.effect.each([-1, 0.5, Number.NaN, 2 ** 53])(
    "getTransfers refuses the preset ID %d",
    (id) =>
      Effect.gen(function*() {
        const error = yield* refused((history) => history.getTransfers({ presets: [65, id] }))
        assert.deepStrictEqual(told(error), ["history.getTransfers", ["presets", 1], presetId])
      })
  )

  it.effect("a range with ends of two sorts is refused", () =>
    Effect.gen(function*() {
      const error = yield* refused((history) => history.getTransfers(untyped({ presets: [65], ...raw(1, "0x2") })))
      assert.deepStrictEqual(error.path, ["range", "to"])
    }))

  it.effect("streams refuse as their pages do", () =>
    Effect.gen(function*() {
      const bySize = yield* refused((history) =>
        Stream.runDrain(history.getTransfers.items({ presets: [65], size: -1 }))
      )
      const byAddress = yield* refused((history) =>
        Stream.runDrain(history.getTransfersByEoa.items({ address: "alice" }))
      )
      assert.deepStrictEqual(told(bySize), ["history.getTransfers", ["size"], bigSize])
      assert.deepStrictEqual(told(byAddress), ["history.getTransfersByEoa", ["address"], hexAddress])
    }))

  it.effect("a client without a base address for history is refused", () =>
    Effect.gen(function*() {
      const error = yield* failsAs("InvalidInput")(
        Service.make(Testing.wire(), { endpoints: { tokens: "http://127.0.0.1:8080" } })
      )
      assert.deepStrictEqual(error.path, ["endpoints", "history"])
      assert.include(error.problem, "KLAYTN_HISTORY_URL")
    }))
})

describe("what the service decides", () => {
  const time = (from: number, to?: number) => Either.getOrThrow(Range.time({ from, to }))
  const asked = (range: Range.Range) => Service.asked((history) => history.getTransfers({ presets: [65], range }))

  it.effect("is whether a range is in its time: the clock here may stand anywhere", () =>
    Effect.gen(function*() {
      // At 1970, three seconds behind, at the very second, and a year ahead.
      for (const clock of [0, now - 3, now, now + 365 * day]) {
        yield* TestClock.setTime(clock * 1000)
        assert.deepStrictEqual(yield* asked(time(now)), ["GET /v2/transfer?presets=65&range=1706745600%2C"])
        assert.deepStrictEqual(yield* asked(time(now - 184 * day)), ["GET /v2/transfer?presets=65&range=1690848000%2C"])
        assert.deepStrictEqual(yield* asked(time(now - 184 * day, now)), [
          "GET /v2/transfer?presets=65&range=1690848000%2C1706745600"
        ])
        assert.deepStrictEqual(yield* asked(time(now - day, now + day)), [
          "GET /v2/transfer?presets=65&range=1706659200%2C1706832000"
        ])
      }
    }))

  it.effect("is whether an open range is too long: its refusal is the caller's, with code and words", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now * 1000)
      const words = "[OutOfRangeQueryParameterValue]invalid timestamp range"
      const wire = Testing.wire(Testing.json(400, { code: 1_040_011, message: words, requestId: "r-1" }))
      const history = yield* Service.make(wire)
      const input = { presets: [65], range: time(now - 213 * day) }
      for (const call of [history.getTransfers(input), Stream.runDrain(history.getTransfers.items(input))]) {
        const error = yield* failsAs("Rejected")(call)
        assert.deepStrictEqual([error.code, error.serviceMessage, error.requestId], [1_040_011, words, "r-1"])
        assert.include(error.message, words)
      }
      const request = "GET /v2/transfer?presets=65&range=1688342400%2C"
      assert.deepStrictEqual(Service.requests(wire), [request, request])
    }))

  it.effect("is an open range of blocks, whose end only the service knows", () =>
    Effect.gen(function*() {
      const range = Either.getOrThrow(Range.blocks({ from: 0 }))
      assert.deepStrictEqual(yield* asked(range), ["GET /v2/transfer?presets=65&range=0x0%2C"])
    }))
})
