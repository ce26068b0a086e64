import * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { failsAs } from "../../core/test/support/client.js"
import * as Range from "../src/Range.js"
import type { Transfer } from "../src/Transfer.js"
import { alice, coin, expected, expectedTokens, ft, mt, nft, token, unknown } from "./support/records.js"
import * as Service from "./support/service.js"

const tags = (transfers: Stream.Stream<Transfer, StreamError>) =>
  Effect.map(Stream.runCollect(transfers), (all) => Chunk.toReadonlyArray(all).map((transfer) => transfer._tag))

const refusal = Testing.text(400, "{\"code\":1040010,\"message\":\"[InvalidQueryParameterValue]invalid query value\"}")

describe("a stream of transfers", () => {
  it.effect("delivers the records of all pages in their order, an empty and a short page included", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Service.page([ft, coin, unknown], "one"),
        Service.page([], "two"),
        Service.page([mt], "three"),
        Service.page([coin, nft])
      )
      const history = yield* Service.make(wire)
      const all = yield* Stream.runCollect(history.getTransfersByEoa.items({ address: alice, size: 3 }))
      assert.deepStrictEqual(Chunk.toReadonlyArray(all), [
        expectedTokens.ft,
        expected.coin,
        expectedTokens.unknown,
        expectedTokens.mt,
        expected.coin,
        expectedTokens.nft
      ])
      assert.strictEqual(wire.sent.length, 4)
    }))

  it.effect("repeats the filters and the size with each cursor", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([ft], "A+/="), Service.page([ft], "b"), Service.page([ft]))
      const history = yield* Service.make(wire)
      yield* Stream.runDrain(history.getTransfersByEoa.items({
        address: alice,
        contract: token,
        kinds: ["ft", "nft"],
        range: Either.getOrThrow(Range.blocks({ from: 16, to: 32 })),
        size: 1,
        only: "to",
        excludeZeroCoin: true
      }))
      const around = (cursor: string) =>
        "GET /v2/transfer/account/0x1111111111111111111111111111111111111111?kind=ft%2Cnft&range=0x10%2C0x20&size=1" +
        `${cursor}&exclude-zero-klay=true&ca-filter=0x3333333333333333333333333333333333333333&to-only=true`
      assert.deepStrictEqual(Service.requests(wire), [
        around(""),
        around("&cursor=A%2B%2F%3D"),
        around("&cursor=b")
      ])
    }))

  it.effect("repeats the presets with each cursor", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([ft], "a"), Service.page([ft]))
      const history = yield* Service.make(wire)
      yield* Stream.runDrain(history.getTransfers.items({ presets: [65, "68"], kinds: ["coin"] }))
      assert.deepStrictEqual(Service.requests(wire), [
        "GET /v2/transfer?presets=65%2C68&kind=coin",
        "GET /v2/transfer?presets=65%2C68&kind=coin&cursor=a"
      ])
    }))

  it.effect("begins at the page of a cursor that it is given", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([ft], "later"), Service.page([ft]))
      const history = yield* Service.make(wire)
      yield* Stream.runDrain(history.getTransfers.items({ presets: [65], cursor: "middle" }))
      assert.deepStrictEqual(Service.requests(wire), [
        "GET /v2/transfer?presets=65&cursor=middle",
        "GET /v2/transfer?presets=65&cursor=later"
      ])
    }))

  it.effect("asks for no page that nobody pulls", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([ft, coin], "a"), Service.page([nft, mt], "b"), Service.page([]))
      const history = yield* Service.make(wire)
      const some = yield* tags(history.getTransfers.items({ presets: [65] }).pipe(Stream.take(3)))
      assert.deepStrictEqual(some, ["FtTransfer", "CoinTransfer", "NftTransfer"])
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("delivers a page that is longer than asked whole", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(Testing.wire(Service.page([ft, nft, mt])))
      assert.deepStrictEqual(
        yield* tags(history.getTransfers.items({ presets: [65], size: 1 })),
        ["FtTransfer", "NftTransfer", "MtTransfer"]
      )
    }))

  it.effect("delivers what came before a failure, then fails with it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([ft], "a"), refusal)
      const history = yield* Service.make(wire)
      const got = yield* history.getTransfers.items({ presets: [65] }).pipe(
        Stream.mapError((error) => [error._tag, error.operation]),
        Stream.either,
        Stream.runCollect
      )
      assert.deepStrictEqual(Chunk.toReadonlyArray(got), [
        Either.right(expectedTokens.ft),
        Either.left(["Rejected", "history.getTransfers"])
      ])
    }))

  it.effect("fails instead of going round when a cursor comes back", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([ft], "a"), Service.page([nft], "b"), Service.page([mt], "a"))
      const history = yield* Service.make(wire)
      const error = yield* failsAs("PagingStalled")(Stream.runDrain(history.getTransfers.items({ presets: [65] })))
      assert.deepStrictEqual([error.reason, error.pages], ["repeated-cursor", 3])
      assert.strictEqual(wire.sent.length, 3)
    }))

  it.effect("can be stopped, and resumed behind the last page without a gap", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([ft, coin], "a"), Service.page([nft], "b"), Service.page([mt]))
      const history = yield* Service.make(wire)
      const input = { address: alice, kinds: ["ft", "nft", "mt"] } as const
      const first = yield* Stream.runHead(history.getTransfersByEoa.checkpoints(input))
      const resumeFrom = Option.getOrThrow(first).checkpoint
      const rest = yield* Stream.runCollect(history.getTransfersByEoa.checkpoints(input, { resumeFrom }))
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(rest).map((page) => [page.items.map((item) => item._tag), page.checkpoint.finished]),
        [[["NftTransfer"], false], [["MtTransfer"], true]]
      )
      const other = { ...input, address: token }
      const error = yield* failsAs("InvalidInput")(
        Stream.runDrain(history.getTransfersByEoa.checkpoints(other, { resumeFrom }))
      )
      assert.deepStrictEqual(error.path, ["resumeFrom", "filters"])
      assert.deepStrictEqual(Service.requests(wire).map((request) => request.split("?")[1]), [
        "kind=ft%2Cnft%2Cmt",
        "kind=ft%2Cnft%2Cmt&cursor=a",
        "kind=ft%2Cnft%2Cmt&cursor=b"
      ])
    }))

  it.effect("is resumed by the same account in any spelling", () =>
    Effect.gen(function*() {
      const mixed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
      const wire = Testing.wire(Service.page([ft], "a"), Service.page([nft]))
      const history = yield* Service.make(wire)
      const first = yield* Stream.runHead(history.getTransfersByEoa.checkpoints({ address: mixed }))
      const resumeFrom = Option.getOrThrow(first).checkpoint
      const address = mixed.toLowerCase()
      yield* Stream.runDrain(history.getTransfersByEoa.checkpoints({ address }, { resumeFrom }))
      assert.deepStrictEqual(Service.requests(wire), [
        `GET /v2/transfer/account/${address}`,
        `GET /v2/transfer/account/${address}?cursor=a`
      ])
    }))

  const now = 1_706_745_600
  const day = 86_400
  const since = (from: number) => ({ presets: [65], range: Either.getOrThrow(Range.time({ from })) })
  const ranges = (wire: Testing.Wire) => wire.sent.map(({ url }) => new URL(url).searchParams.get("range"))

  /** This machine's clock: right, three days slow or fast, never set, and years ahead. */
  const clocks = [now, now - 3 * day, now + 3 * day, 0, now + 4000 * day]

  for (const clock of clocks) {
    it.effect(`of an open range has an end from its second page to its last, whatever the clock says: ${clock}`, () =>
      Effect.gen(function*() {
        for (const age of [1, 100, 179, 183.999, 184]) {
          const from = Math.floor(now - age * day)
          yield* TestClock.setTime(clock * 1000)
          const first = Service.page([ft], "a")
          const wire = Testing.wire(first, first, Service.page([coin], "b"), Service.page([nft]))
          const history = yield* Service.make(wire)
          assert.deepStrictEqual(
            yield* tags(history.getTransfers.items(since(from))),
            ["FtTransfer", "CoinTransfer", "NftTransfer"]
          )
          const closed = `${from},${from + Range.maxSeconds}`
          assert.deepStrictEqual(ranges(wire), [`${from},`, closed, closed, closed])
        }
      }))
  }

  it.effect("of an open range that has one page, and of a range with an end, is asked for as it was given", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([]), Service.page([ft], "a"), Service.page([]))
      const history = yield* Service.make(wire)
      yield* Stream.runDrain(history.getTransfers.items(since(now - 178 * day)))
      const closed = Either.getOrThrow(Range.time({ from: now - 184 * day, to: now }))
      yield* Stream.runDrain(history.getTransfers.items({ presets: [65], range: closed }))
      const given = `${now - 184 * day},${now}`
      assert.deepStrictEqual(ranges(wire), [`${now - 178 * day},`, given, given])
    }))

  const tooLong = Testing.text(400, "{\"code\":1040011,\"message\":\"[OutOfRangeQueryParameterValue]\"}")

  it.effect("of an open range that the service refuses fails, and is never cut to six months instead", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(tooLong, Service.page([ft]))
      const history = yield* Service.make(wire)
      yield* Stream.runDrain(history.getTransfers.items(since(now - 185 * day))).pipe(failsAs("Rejected"))
      assert.deepStrictEqual(ranges(wire), [`${now - 185 * day},`])
    }))

  it.effect("of an open range goes on without an end if the service refuses the end", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([ft], "a"), tooLong, Service.page([nft]))
      const history = yield* Service.make(wire)
      const from = now - 10 * day
      assert.deepStrictEqual(yield* tags(history.getTransfers.items(since(from))), ["FtTransfer", "NftTransfer"])
      assert.deepStrictEqual(ranges(wire), [`${from},`, `${from},${from + Range.maxSeconds}`, `${from},`])
      assert.deepStrictEqual(new URL(wire.sent[2]?.url ?? "").searchParams.get("cursor"), "a")
    }))

  it.effect("goes on behind a checkpoint with the range that it began with", () =>
    Effect.gen(function*() {
      const stored = Schema.parseJson(Checkpoint.Checkpoint)
      for (const age of [100, 180]) {
        const from = now - age * day
        const wire = Testing.wire(Service.page([ft], "a"), Service.page([ft], "a"), Service.page([nft]))
        const { getTransfers } = yield* Service.make(wire)
        const first = Option.getOrThrow(yield* Stream.runHead(getTransfers.checkpoints(since(from))))
        const resumeFrom = yield* Schema.decode(stored)(yield* Schema.encode(stored)(first.checkpoint))
        yield* TestClock.setTime((now + 85 * day) * 1000)
        yield* Stream.runDrain(getTransfers.checkpoints(since(from), { resumeFrom }))
        const closed = `${from},${from + Range.maxSeconds}`
        assert.deepStrictEqual(ranges(wire), [`${from},`, closed, closed])
      }
    }))
})
