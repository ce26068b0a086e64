import type * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Testing from "@effect-klaytn/core/Testing"
import * as WireDialect from "@effect-klaytn/core/WireDialect"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Range from "../src/Range.js"
import type * as TransferHistory from "../src/TransferHistory.js"
import { alice, hash, token } from "./support/records.js"
import * as Service from "./support/service.js"

const time = (from: number, to?: number) => Either.getOrThrow(Range.time({ from, to }))
const blocks = (from: number, to?: number) => Either.getOrThrow(Range.blocks({ from, to }))
const klay = { dialect: WireDialect.publicClients }

type Row<Input> = readonly [name: string, input: Input, sent: string, more?: Partial<ClientConfig.Options>]

const searches: ReadonlyArray<Row<TransferHistory.SearchInput>> = [
  ["one kind", { kinds: ["ft"] }, "kind=ft"],
  ["all kinds, in the order given", { kinds: ["mt", "coin", "nft", "ft"] }, "kind=mt%2Ccoin%2Cnft%2Cft"],
  ["the coin by the document's word", { kinds: ["coin"] }, "kind=coin"],
  ["the coin by the word of the public clients", { kinds: ["coin", "ft"] }, "kind=klay%2Cft", klay],
  ["a range of time", { range: time(1_704_067_200, 1_706_745_600) }, "range=1704067200%2C1706745600"],
  ["an open range of time", { range: time(1_704_067_200) }, "range=1704067200%2C"],
  ["a range of blocks", { range: blocks(0, 255) }, "range=0x0%2C0xff"],
  ["an open range of blocks", { range: blocks(7_000_001) }, "range=0x6acfc1%2C"],
  ["a range of one second", { range: time(5, 5) }, "range=5%2C5"],
  ["the size", { size: 1 }, "size=1"],
  ["the largest documented size", { size: 1000 }, "size=1000"],
  ["size 0, which the service takes as 100", { size: 0 }, "size=0"],
  ["size 5000, which the service takes as 1000", { size: 5000 }, "size=5000"],
  ["a cursor as it came", { cursor: "eyJ+/a=b &c" }, "cursor=eyJ%2B%2Fa%3Db%20%26c"],
  ["no cursor when it is the empty one of a last page", { cursor: "" }, ""],
  ["coins of value 0 left out", { excludeZeroCoin: true }, "exclude-zero-klay=true"],
  ["coins of value 0 asked for", { excludeZeroCoin: false }, "exclude-zero-klay=false"],
  ["nothing for what is undefined", {
    kinds: undefined,
    range: undefined,
    size: undefined,
    cursor: undefined,
    excludeZeroCoin: undefined
  }, ""],
  [
    "everything in one fixed order",
    { excludeZeroCoin: true, cursor: "abc", size: 10, range: time(1, 2), kinds: ["nft"] },
    "kind=nft&range=1%2C2&size=10&cursor=abc&exclude-zero-klay=true"
  ]
]

const presets: ReadonlyArray<Row<ReadonlyArray<string | number>>> = [
  ["a number", [65], "65"],
  ["numbers", [65, 68], "65%2C68"],
  ["a text", ["65"], "65"],
  ["numbers and texts", [65, "68", 0], "65%2C68%2C0"],
  ["a text that is no number", ["team-a/b?c&d"], "team-a%2Fb%3Fc%26d"]
]

const accounts: ReadonlyArray<Row<TransferHistory.TransfersByEoaInput>> = [
  ["nothing but the account", { address: alice }, alice],
  [
    "an account in checksum case as lower case",
    { address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" },
    "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
  ],
  [
    "an account in upper case as lower case",
    { address: "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED" },
    "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
  ],
  ["a contract", { address: alice, contract: token }, `${alice}?ca-filter=${token}`],
  [
    "a contract in checksum case as lower case",
    { address: alice, contract: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" },
    `${alice}?ca-filter=0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359`
  ],
  ["what was sent", { address: alice, only: "from" }, `${alice}?from-only=true`],
  ["what was received", { address: alice, only: "to" }, `${alice}?to-only=true`],
  ["nothing for what is undefined", { address: alice, contract: undefined, only: undefined }, alice],
  [
    "everything in one fixed order",
    { only: "to", contract: token, address: alice, excludeZeroCoin: true, cursor: "abc", size: 10, kinds: ["ft"] },
    `${alice}?kind=ft&size=10&cursor=abc&exclude-zero-klay=true&ca-filter=${token}&to-only=true`
  ]
]

describe("a request of transfer history", () => {
  it.effect("is a GET with exactly these headers, and no body", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.nothing)
      const history = yield* Service.make(wire)
      yield* history.getTransfers({ presets: [65] })
      yield* history.getTransfersByEoa({ address: alice })
      yield* history.getTransfersByTxHash({ transactionHash: hash })
      const headers = {
        accept: "application/json",
        authorization: "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA==",
        "x-chain-id": "1001"
      }
      assert.deepStrictEqual(wire.sent, [
        { method: "GET", url: "http://127.0.0.1:8080/prefix/v2/transfer?presets=65", headers, body: undefined, at: 0 },
        {
          method: "GET",
          url: "http://127.0.0.1:8080/prefix/v2/transfer/account/0x1111111111111111111111111111111111111111",
          headers,
          body: undefined,
          at: 0
        },
        {
          method: "GET",
          url:
            "http://127.0.0.1:8080/prefix/v2/transfer/tx/0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          headers,
          body: undefined,
          at: 0
        }
      ])
    }))

  it.effect("names the main chain when the client is of the main chain", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.nothing)
      const history = yield* Service.make(wire, { chain: 8217 })
      yield* history.getTransfers({ presets: [65] })
      assert.strictEqual(wire.sent[0]?.headers["x-chain-id"], "8217")
    }))

  describe("getTransfers", () => {
    it.effect.each(presets)("sends presets given as %s", ([, input, sent]) =>
      Effect.gen(function*() {
        const requests = yield* Service.asked((history) => history.getTransfers({ presets: input }))
        assert.deepStrictEqual(requests, [`GET /v2/transfer?presets=${sent}`])
      }))

    it.effect.each(searches)("sends %s", ([, input, sent, more]) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(1_706_745_600_000)
        const requests = yield* Service.asked((history) => history.getTransfers({ presets: [65], ...input }), more)
        assert.deepStrictEqual(requests, [`GET /v2/transfer?presets=65${sent === "" ? "" : `&${sent}`}`])
      }))
  })

  describe("getTransfersByEoa", () => {
    it.effect.each(accounts)("sends %s", ([, input, sent]) =>
      Effect.gen(function*() {
        const requests = yield* Service.asked((history) => history.getTransfersByEoa(input))
        assert.deepStrictEqual(requests, [`GET /v2/transfer/account/${sent}`])
      }))

    it.effect.each(searches)("sends %s", ([, input, sent, more]) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(1_706_745_600_000)
        const requests = yield* Service.asked(
          (history) => history.getTransfersByEoa({ address: alice, ...input }),
          more
        )
        assert.deepStrictEqual(requests, [`GET /v2/transfer/account/${alice}${sent === "" ? "" : `?${sent}`}`])
      }))
  })

  describe("getTransfersByTxHash", () => {
    it.effect("sends a hash in any case as lower case, and no query", () =>
      Effect.gen(function*() {
        const requests = yield* Service.asked((history) =>
          history.getTransfersByTxHash({ transactionHash: `0x${"AbC0".repeat(16)}` })
        )
        assert.deepStrictEqual(requests, [`GET /v2/transfer/tx/0x${"abc0".repeat(16)}`])
      }))
  })

  it.effect("of a stream is the request of its page, and none at all before it is pulled", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.nothing)
      const history = yield* Service.make(wire)
      const first = history.getTransfers.items({ presets: [65, "68"], kinds: ["nft"], size: 5 })
      const second = history.getTransfersByEoa.items({ address: alice, only: "from", excludeZeroCoin: true })
      assert.deepStrictEqual(wire.sent, [])
      yield* Stream.runDrain(first)
      yield* Stream.runDrain(second)
      assert.deepStrictEqual(Service.requests(wire), [
        "GET /v2/transfer?presets=65%2C68&kind=nft&size=5",
        "GET /v2/transfer/account/0x1111111111111111111111111111111111111111?exclude-zero-klay=true&from-only=true"
      ])
    }))
})
